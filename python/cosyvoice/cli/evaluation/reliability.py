"""Whether words are right as often as their confidences say."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

BINS = 10
# A confidence of 0 or 1 that is wrong would cost without end.
LEAST = 1e-4


@dataclass(slots=True)
class _Bin:
    words: int = 0
    right: int = 0
    confidence: float = 0.0  # of all its words together


@dataclass(slots=True)
class Reliability:
    """Words in ten bins of equal width by their confidence, and how well the confidences tell right from wrong."""

    bins: list[_Bin] = field(default_factory=lambda: [_Bin() for _ in range(BINS)])
    _nats: float = 0.0  # the log-likelihood of what was right and wrong

    def add(self, words: Iterable[tuple[float, bool]]) -> None:
        """The words of a clip: confidence, and whether the word is right."""
        for confidence, is_right in words:
            one = self.bins[min(int(confidence * BINS), BINS - 1)]
            one.words += 1
            one.right += is_right
            one.confidence += confidence
            kept = min(max(confidence, LEAST), 1 - LEAST)
            self._nats += math.log(kept if is_right else 1 - kept)

    @property
    def words(self) -> int:
        """Of all bins."""
        return sum(one.words for one in self.bins)

    @property
    def error(self) -> float:
        """The expected calibration error: by how much a word's bin is off, on average over words."""
        return sum(abs(one.confidence - one.right) for one in self.bins) / max(self.words, 1)

    @property
    def cross_entropy(self) -> float | None:
        """Normalised: 1 where confidences know all, 0 where they know no more than the share of right words; may be below 0.

        None where all words are right, or all are wrong: there is nothing to know.
        """
        share = sum(one.right for one in self.bins) / max(self.words, 1)
        if share in (0, 1):
            return None
        most = -self.words * (share * math.log(share) + (1 - share) * math.log(1 - share))
        return 1 + self._nats / most

    def row(self) -> dict[str, Any] | None:
        """For the report; None where there are no words with a confidence."""
        if self.words == 0:
            return None
        known = self.cross_entropy
        return {
            "words": self.words,
            "calibration_error": round(self.error, 5),
            "normalised_cross_entropy": None if known is None else round(known, 5),
            "bins": [
                {
                    "words": one.words,
                    "confidence": round(one.confidence / one.words, 5),
                    "right": round(one.right / one.words, 5),
                }
                if one.words
                else {"words": 0}
                for one in self.bins
            ],
        }
