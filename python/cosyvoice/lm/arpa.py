"""Models as ARPA files, which every tool for n-gram models reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cosyvoice.lm.counts import Ids
    from cosyvoice.lm.kneser_ney import Order

_LINES_AT_ONCE = 1 << 16


def write_arpa(orders: Sequence[Order], words: Sequence[str], out: TextIO) -> None:
    """Write a model of ``estimate`` or ``mix``."""
    out.write("\\data\\\n")
    out.writelines(f"ngram {order}={len(one.word)}\n" for order, one in enumerate(orders, 1))
    for order, one in enumerate(orders, 1):
        out.write(f"\n\\{order}-grams:\n")
        with np.errstate(divide="ignore"):
            probability = np.maximum(np.log10(one.probability), -99.0)
        backoff = np.log10(one.backoff)
        highest = order == len(orders)
        for numbers in _pieces(np.arange(len(one.word))):
            texts = [" ".join(map(words.__getitem__, row)) for row in _word_ids(orders[:order], numbers).tolist()]
            rows = zip(probability[numbers].tolist(), texts, backoff[numbers].tolist(), strict=True)
            if highest:
                out.writelines(f"{log:.7g}\t{text}\n" for log, text, _ in rows)
            else:
                out.writelines(f"{log:.7g}\t{text}\t{cost:.7g}\n" for log, text, cost in rows)
    out.write("\n\\end\\\n")


def _pieces(numbers: Ids) -> Iterator[Ids]:
    for start in range(0, len(numbers), _LINES_AT_ONCE):
        yield numbers[start : start + _LINES_AT_ONCE]


def _word_ids(orders: Sequence[Order], numbers: Ids) -> Ids:
    """The words of n-grams of the last of ``orders``, a row for each."""
    columns = []
    for one in reversed(orders):
        columns.append(one.word[numbers])
        numbers = one.context[numbers]
    return np.stack(columns[::-1], axis=1)
