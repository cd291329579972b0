"""Word errors by the least number of edits."""

from collections.abc import Iterable, Sequence

import numpy as np


def edits(reference: Sequence[str], hypothesis: Sequence[str]) -> int:
    """Return the least number of substitutions, deletions and insertions between two lists of words."""
    row = np.arange(len(hypothesis) + 1)
    for i, word in enumerate(reference, 1):
        before, row = row, np.empty_like(row)
        row[0] = i
        for j, other in enumerate(hypothesis, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (word != other))
    return int(row[-1])


def word_error_rate(pairs: Iterable[tuple[str, str]]) -> float:
    """Return errors a word of reference, over (reference, hypothesis) texts."""
    errors = words = 0
    for reference, hypothesis in pairs:
        errors += edits(reference.split(), hypothesis.split())
        words += len(reference.split())
    return errors / max(words, 1)
