"""Texts into back-off models, as ARPA files."""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import numpy as np

from cosyvoice.errors import InvalidArgument
from cosyvoice.lm.arpa import write_arpa
from cosyvoice.lm.counts import count_grams, read_corpus
from cosyvoice.lm.kneser_ney import estimate
from cosyvoice.lm.text import STANDARD_INPUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

MOST_ORDERS = 5


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How a model is trained.

    ``prune``: by order, n-grams that the text has no more often than this are left out; the last number holds for the orders
    that follow. Unigrams all stay: ``most_words`` leaves rare words out, which then count as <unk>.
    ``vocabulary``: words that the model has even where the text has them rarely or not at all.
    """

    order: int = 4
    prune: tuple[int, ...] = (0,)
    most_words: int | None = None
    vocabulary: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.order <= MOST_ORDERS:
            raise InvalidArgument(f"order is {self.order}; it must lie between 1 and {MOST_ORDERS}")
        if self.most_words is not None and self.most_words < 1:
            raise InvalidArgument(f"most_words is {self.most_words}; it must be 1 or more")
        if not self.prune or self.prune[0] != 0:
            raise InvalidArgument(f"prune is {self.prune}; its first number, that of unigrams, must be 0")
        if any(one > two for one, two in zip(self.prune, self.prune[1:], strict=False)):
            raise InvalidArgument(f"prune is {self.prune}; no number may be below the one before it")
        if len(self.prune) > self.order:
            raise InvalidArgument(
                f"prune is {self.prune}; a model of order {self.order} takes {self.order} numbers at most"
            )

    @property
    def thresholds(self) -> tuple[int, ...]:
        """A number for each order."""
        return self.prune + self.prune[-1:] * (self.order - len(self.prune))


@dataclass(frozen=True, slots=True)
class Report:
    """What was trained on, what came of it by order, and the orders whose discounts the text could not give."""

    sentences: int
    words: int
    vocabulary: int
    ngrams: tuple[int, ...]
    discounts: tuple[tuple[float, float, float], ...]
    fallback: tuple[int, ...]


def train(sentences: Iterable[Sequence[str]], out: Path, options: TrainOptions | None = None) -> Report:
    """Train a model with modified Kneser-Ney smoothing and write it as an ARPA file, packed where ``out`` ends in .gz.

    Some 100 bytes of memory are taken for each word of the text and order of the model.

    Raises
    ------
    InvalidArgument
        The text has no sentences, or one of the words <s>, </s>, <unk>.
    """
    options = options or TrainOptions()
    corpus = read_corpus(sentences, most_words=options.most_words, vocabulary=options.vocabulary)
    orders = estimate(list(count_grams(corpus, options.order)), options.thresholds)
    with _new_text(out) as text:
        write_arpa(orders, corpus.words, text)
    return Report(
        sentences=corpus.sentences,
        words=len(corpus.ids) - 2 * corpus.sentences,
        vocabulary=len(corpus.words),
        ngrams=tuple(int(np.count_nonzero(one.kept)) for one in orders),
        discounts=tuple(one.discounts.amounts for one in orders),
        fallback=tuple(order for order, one in enumerate(orders, 1) if one.discounts.fallback),
    )


@contextlib.contextmanager
def _new_text(path: Path) -> Iterator[TextIO]:
    """A text that is there under its name once it is whole; ``-`` is standard output."""
    if path == STANDARD_INPUT:
        yield sys.stdout
        return
    unfinished = path.with_name(f"{path.name}.unfinished-{os.getpid()}")
    try:
        with (gzip.open if path.suffix == ".gz" else open)(unfinished, "wt", encoding="utf-8", newline="\n") as text:
            yield text
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
