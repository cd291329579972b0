"""How much a word error rate would vary over other utterances of the same kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

ROUNDS = 1000
SEED = 1
LEVEL = 0.95


def resampled_rates(errors: npt.NDArray[np.int64], words: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Error rates of as many utterances drawn with replacement, rounds × systems.

    ``errors`` is systems × utterances, ``words`` the length of each utterance's reference. All systems get the same draws, so
    that their rates may be subtracted. The seed is fixed: the same counts give the same rates.
    """
    random = np.random.default_rng(SEED)
    count = len(words)
    rates = np.empty((ROUNDS, len(errors)))
    for row in rates:
        drawn = random.integers(count, size=count)
        row[:] = errors[:, drawn].sum(axis=1) / max(words[drawn].sum(), 1)
    return rates


def interval(values: npt.NDArray[np.float64]) -> list[float]:
    """What the middle 95 % of the values lie between."""
    low, high = np.quantile(values, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return [round(float(low), 5), round(float(high), 5)]
