"""One clip as one system heard it, and how wrong that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from cosyvoice.cli.evaluation.edits import Edits, align, distance, rate
from cosyvoice.cli.evaluation.starts import errors_ms
from cosyvoice.cli.evaluation.text import characters, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cosyvoice.cli.evaluation.text import Normalise


class Spoken(NamedTuple):
    """A word of a final."""

    word: str
    start_ms: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Heard:
    """What a system made of a clip.

    ``delays_ms`` has one number for each word that a partial showed, ``unshown`` counts the others; both are for systems with
    partials, as are ``shown`` and ``changed``, which count the words of partials and those of them that did not stay. ``spoken``
    is for systems whose words have times and confidences. ``error`` says what was wrong with the audio.
    """

    text: str = ""
    seconds: float = 0.0
    delays_ms: tuple[int, ...] = ()
    unshown: int = 0
    error: str | None = None
    spoken: tuple[Spoken, ...] = ()
    shown: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """A hypothesis against its reference."""

    text: str
    words: Edits
    character_errors: int
    characters: int
    confidences: tuple[tuple[float, bool], ...] = ()  # of each word heard, and whether it is right
    late_ms: tuple[int, ...] = ()  # by which words begin too late, of those heard as they were said

    def row(self) -> dict[str, Any]:
        """For a line of results."""
        return {
            "text": self.text,
            "wer": round(self.words.rate, 5),
            "cer": round(rate(self.character_errors, self.characters), 5),
            "words": self.words.length,
            "substitutions": self.words.substitutions,
            "deletions": self.words.deletions,
            "insertions": self.words.insertions,
        }


def score(reference: str, heard: Heard, normalise: Normalise, starts_ms: Sequence[int] | None = None) -> Score:
    """Compare; the reference is normalised already. ``starts_ms`` is when each of its words begins, where that is known."""
    text = normalise.applied(heard.text)
    wanted = characters(reference)
    pairs = align(words(reference), words(text))
    # A word of a final may be several to those who count, or none.
    counted = [one for one in heard.spoken for _ in words(normalise.applied(one.word))]
    right = [said == got for said, got in pairs if got is not None]
    confidences = tuple(zip((one.confidence for one in counted), right, strict=True)) if counted else ()
    late_ms = (
        errors_ms(pairs, starts_ms, [one.start_ms for one in counted]) if counted and starts_ms is not None else ()
    )
    return Score(text, Edits.of(pairs), distance(wanted, characters(text)), len(wanted), confidences, late_ms)
