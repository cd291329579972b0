"""When each word was first shown, in the time of the audio, and how many of the words shown did not stay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cosyvoice.events import Event


@dataclass(slots=True)
class Emission:
    """Follows the partials of a session.

    A word counts as shown from the first partial on that has it as the final does: what it was called before does not count.
    Which word of a partial is which of the next is told by those that both begin with and those that both end with.
    ``shown`` counts the words that came up in partials, ``changed`` those of them that were changed or taken back later.
    """

    shown: int = 0
    changed: int = 0

    _words: list[str] = field(default_factory=list)
    _heard_ms: list[int] = field(default_factory=list)

    def partial(self, event: Event) -> None:
        """The words of the utterance so far."""
        words = [word.word for word in event.words]
        first, last = _common(self._words, words)
        new = len(words) - first - last
        self.shown += new
        self.changed += len(self._words) - first - last
        self._heard_ms = [
            *self._heard_ms[:first],
            *[event.heard_ms] * new,
            *self._heard_ms[len(self._heard_ms) - last :],
        ]
        self._words = words

    def final(self, event: Event) -> tuple[int | None, ...]:
        """For each of its words, how much audio the first partial with it needed; None where no partial had it."""
        words = [word.word for word in event.words]
        first, last = _common(self._words, words)
        end = len(self._heard_ms) - last
        self.changed += end - first
        shown = (*self._heard_ms[:first], *[None] * (len(words) - first - last), *self._heard_ms[end:])
        self._words, self._heard_ms = [], []
        return shown


def _common(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many words are the same at the beginning and, of the others, at the end."""
    shorter = min(len(before), len(after))
    first = 0
    while first < shorter and before[first] == after[first]:
        first += 1
    last = 0
    while last < shorter - first and before[-1 - last] == after[-1 - last]:
        last += 1
    return first, last
