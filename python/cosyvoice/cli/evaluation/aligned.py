"""Reference and hypothesis one below the other, so that errors can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cosyvoice.cli.evaluation.edits import Pair

_LABELS = ("  reference  ", "  heard      ", "             ")
_NOTHING = "*"
_STYLES = {"S": "yellow", "D": "red", "I": "cyan"}


def aligned(pairs: Iterable[Pair], width: int) -> Iterator[Text]:
    """Lines of no more than ``width`` cells: what was wanted, what was heard, and S, D or I below each error."""
    room = width - len(_LABELS[0])
    rows = _empty()
    used = 0
    for wanted, heard in pairs:
        mark = "D" if heard is None else "I" if wanted is None else "S" if wanted != heard else ""
        size = max(cell_len(text) for text in (wanted or "", heard or ""))
        if used and used + size > room:
            yield from rows
            rows = _empty()
            used = 0
        texts = (wanted or _NOTHING * size, heard or _NOTHING * size, mark)
        for row, text in zip(rows, texts, strict=True):
            row.append(_visible(text), _STYLES.get(mark))
            row.append(" " * (size + 1 - cell_len(text)))
        used += size + 1
    yield from rows


def _empty() -> list[Text]:
    return [Text(label, end="") for label in _LABELS]


def _visible(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
