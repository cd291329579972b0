"""Word and character errors by the least number of edits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NOT_IN_WORDS = re.compile(r"[^\w' ]+|_")


def normalise(text: str) -> str:
    """Lower-case words, apostrophes kept, other punctuation gone, one space between."""
    return " ".join(_NOT_IN_WORDS.sub(" ", text.lower().replace("’", "'")).split())


@dataclass(frozen=True, slots=True)
class Edits:
    """Edits that turn a reference of ``length`` items into what was heard."""

    length: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0

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
        return self.errors / self.length if self.length else float(self.errors > 0)


def edits(reference: Sequence[str], heard: Sequence[str]) -> Edits:
    """The fewest edits; among equals, substitutions before deletions before insertions."""
    # A row holds, for each prefix of `heard`, (errors, substitutions, deletions, insertions).
    row = [(j, 0, 0, j) for j in range(len(heard) + 1)]
    for i, wanted in enumerate(reference, 1):
        previous, row = row, [(i, 0, i, 0)]
        for j, got in enumerate(heard, 1):
            if wanted == got:
                row.append(previous[j - 1])
                continue
            diagonal, above, left = previous[j - 1], previous[j], row[j - 1]
            row.append(
                min(
                    (diagonal[0] + 1, diagonal[1] + 1, diagonal[2], diagonal[3]),
                    (above[0] + 1, above[1], above[2] + 1, above[3]),
                    (left[0] + 1, left[1], left[2], left[3] + 1),
                    key=lambda cell: cell[0],
                )
            )
    _, substitutions, deletions, insertions = row[-1]
    return Edits(len(reference), substitutions, deletions, insertions)
