"""The fewest edits that turn what should have been heard into what was."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


class NoEditCounter(OSError):
    """Nothing can be compared here; the message says what to install."""


def levenshtein() -> Any:
    """The module of rapidfuzz, an extra, which counts as jiwer does."""
    try:
        return importlib.import_module("rapidfuzz.distance.Levenshtein")
    except ImportError as error:
        raise NoEditCounter(
            f"evaluate needs the Python package rapidfuzz: pip install 'cosyvoice-linux[evaluate]' ({error})"
        ) from error


def align(reference: Sequence[str], heard: Sequence[str]) -> list[Pair]:
    """Pair the items with the fewest edits."""
    pairs: list[Pair] = []
    for code in levenshtein().opcodes(reference, heard):
        wanted = reference[code.src_start : code.src_end]
        got = heard[code.dest_start : code.dest_end]
        pairs.extend(zip_longest(wanted, got))
    return pairs


def distance(reference: Sequence[str], heard: Sequence[str]) -> int:
    """The fewest edits."""
    return int(levenshtein().distance(reference, heard))
