"""Sums over clips: of all, of each group. Of a clip itself two numbers are kept, for the confidence interval."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from cosyvoice.cli.evaluation.edits import Edits, rate
from cosyvoice.cli.evaluation.reliability import Reliability
from cosyvoice.cli.evaluation.starts import starts_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cosyvoice.cli.evaluation.score import Heard, Score


@dataclass(slots=True)
class Counts:
    """Words and characters of some clips, and what was wrong with them."""

    words: Edits = field(default_factory=Edits)
    character_errors: int = 0
    characters: int = 0

    def add(self, score: Score) -> None:
        """One clip more."""
        self.words += score.words
        self.character_errors += score.character_errors
        self.characters += score.characters

    def row(self) -> dict[str, Any]:
        """For the report."""
        return {
            "wer": round(self.words.rate, 5),
            "cer": round(rate(self.character_errors, self.characters), 5),
            "words": self.words.length,
            "substitutions": self.words.substitutions,
            "deletions": self.words.deletions,
            "insertions": self.words.insertions,
        }


class Tally:
    """What one system did, in all and for each value of each field."""

    def __init__(self, fields: Iterable[str]) -> None:
        self.total = Counts()
        self._groups: dict[str, defaultdict[str, Counts]] = {name: defaultdict(Counts) for name in fields}
        self.errors = array("q")  # of each clip
        self.words = array("q")
        self._delays: Counter[int] = Counter()
        self._unshown = 0
        self._shown = self._changed = self._final_words = 0
        self._reliability = Reliability()
        self._late: Counter[int] = Counter()

    def add(self, groups: Mapping[str, str], heard: Heard, score: Score) -> None:
        """One clip more, with its value of each field."""
        self.total.add(score)
        for name, counts in self._groups.items():
            counts[groups[name]].add(score)
        self.errors.append(score.words.errors)
        self.words.append(score.words.length)
        self._delays.update(heard.delays_ms)
        self._unshown += heard.unshown
        self._shown += heard.shown
        self._changed += heard.changed
        self._final_words += len(heard.spoken)
        self._reliability.add(score.confidences)
        self._late.update(score.late_ms)

    def by(self, name: str) -> dict[str, dict[str, Any]]:
        """A row for each value of a field, numbers in the order of numbers."""
        return {value: self._groups[name][value].row() for value in sorted(self._groups[name], key=_order)}

    def word_delay(self) -> dict[str, int] | None:
        """Percentiles of the words' delays; None where there were no partials."""
        count = self._delays.total()
        if count == 0:
            return None
        values = sorted(self._delays)
        reached = list(accumulate(self._delays[value] for value in values))

        def percentile(share: float) -> int:
            return next(value for value, so_far in zip(values, reached, strict=True) if so_far >= share * count)

        return {"p50": percentile(0.5), "p90": percentile(0.9), "words": count, "unshown": self._unshown}

    def flicker(self) -> dict[str, Any] | None:
        """How many words of partials did not stay, of those shown and for each word of finals; None without partials."""
        if self._shown == 0:
            return None
        return {
            "shown": self._shown,
            "changed": self._changed,
            "share": round(self._changed / self._shown, 5),
            "per_word": round(rate(self._changed, self._final_words), 5),
        }

    def confidence(self) -> dict[str, Any] | None:
        """How far confidences can be trusted; None where words have none."""
        return self._reliability.row()

    def word_start(self) -> dict[str, int] | None:
        """Errors of the words' beginnings; None where no manifest knows them."""
        return starts_row(self._late)


def _order(value: str) -> tuple[bool, float, str]:
    try:
        return (False, float(value), value)
    except ValueError:
        return (True, 0.0, value)
