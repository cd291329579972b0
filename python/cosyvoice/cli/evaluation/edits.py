"""The fewest edits that turn what should have been heard into what was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    Codes = npt.NDArray[np.int32]

# A table of so many cells is kept as a whole (16 MB); larger ones are divided.
MOST_CELLS = 1 << 22

# What was wanted beside what was heard; None where one side has nothing.
Pair = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Edits:
    """Edits that turn a reference of ``length`` items into what was heard."""

    length: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Edits:
        """Counted in an alignment."""
        length = substitutions = deletions = insertions = 0
        for wanted, heard in pairs:
            length += wanted is not None
            insertions += wanted is None
            deletions += heard is None
            substitutions += wanted is not None and heard is not None and wanted != heard
        return cls(length, substitutions, deletions, insertions)

    def __add__(self, other: Edits) -> Edits:
        return Edits(
            self.length + other.length,
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
        )

    @property
    def errors(self) -> int:
        """All edits."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def rate(self) -> float:
        """Edits for each item of the reference; of an empty reference, 1 when anything was heard."""
        return rate(self.errors, self.length)


def rate(errors: int, length: int) -> float:
    """Errors for each item of a reference; of an empty one, 1 when anything was heard."""
    return errors / length if length else float(errors > 0)


def align(reference: Sequence[str], heard: Sequence[str]) -> list[Pair]:
    """Pair the items with the fewest edits; among equals, substitutions before deletions before insertions."""
    return _aligned(reference, heard, *_codes(reference, heard))


def distance(reference: Sequence[str], heard: Sequence[str]) -> int:
    """The fewest edits, in memory that grows with one side only."""
    return int(_last_row(*_codes(reference, heard))[-1])


def _codes(*sides: Sequence[str]) -> list[Codes]:
    """Equal items have equal numbers."""
    numbers: dict[str, int] = {}
    return [
        np.fromiter((numbers.setdefault(item, len(numbers)) for item in side), np.int32, len(side)) for side in sides
    ]


def _next_row(row: Codes, code: np.int32, heard: Codes, steps: Codes) -> Codes:
    """Fewest edits of the reference with one item more, to each prefix of what was heard."""
    row = np.concatenate((row[:1] + 1, np.minimum(row[:-1] + (heard != code), row[1:] + 1)))
    # An insertion costs one for each step to the right.
    return np.minimum.accumulate(row - steps) + steps


def _last_row(reference: Codes, heard: Codes) -> Codes:
    steps = row = np.arange(len(heard) + 1, dtype=np.int32)
    for code in reference:
        row = _next_row(row, code, heard, steps)
    return row


def _aligned(reference: Sequence[str], heard: Sequence[str], wanted: Codes, got: Codes) -> list[Pair]:
    if len(wanted) * len(got) <= MOST_CELLS or len(wanted) < 2:
        return _traced(reference, heard, wanted, got)
    # The best way passes the middle of the reference where the edits before and after it are fewest (Hirschberg).
    middle = len(wanted) // 2
    after = _last_row(wanted[middle:][::-1], got[::-1])[::-1]
    at = int(np.argmin(_last_row(wanted[:middle], got) + after))
    return [
        *_aligned(reference[:middle], heard[:at], wanted[:middle], got[:at]),
        *_aligned(reference[middle:], heard[at:], wanted[middle:], got[at:]),
    ]


def _traced(reference: Sequence[str], heard: Sequence[str], wanted: Codes, got: Codes) -> list[Pair]:
    """By the whole table, backwards from its last cell."""
    steps = np.arange(len(got) + 1, dtype=np.int32)
    table = np.empty((len(wanted) + 1, len(got) + 1), np.int32)
    table[0] = steps
    for i, code in enumerate(wanted):
        table[i + 1] = _next_row(table[i], code, got, steps)
    pairs: list[Pair] = []
    i, j = len(wanted), len(got)
    while i or j:
        if i and j and table[i, j] == table[i - 1, j - 1] + (wanted[i - 1] != got[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((reference[i], heard[j]))
        elif i and table[i, j] == table[i - 1, j] + 1:
            i -= 1
            pairs.append((reference[i], None))
        else:
            j -= 1
            pairs.append((None, heard[j]))
    pairs.reverse()
    return pairs
