"""Texts into back-off models, as ARPA files."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from cosyvoice.errors import InvalidArgument
from cosyvoice.lm.arpa import write_arpa
from cosyvoice.lm.counts import count_grams, read_corpora
from cosyvoice.lm.kneser_ney import estimate
from cosyvoice.lm.mix import mix
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
    ``background_weight``, ``background_prune``: of the model of a second text, which is mixed into that of the first.
    """

    order: int = 4
    prune: tuple[int, ...] = (0,)
    most_words: int | None = None
    vocabulary: tuple[str, ...] = ()
    background_weight: float = 0.3
    background_prune: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        if not 1 <= self.order <= MOST_ORDERS:
            raise InvalidArgument(f"order is {self.order}; it must lie between 1 and {MOST_ORDERS}")
        if self.most_words is not None and self.most_words < 1:
            raise InvalidArgument(f"most_words is {self.most_words}; it must be 1 or more")
        if not 0 < self.background_weight < 1:
            raise InvalidArgument(f"background_weight is {self.background_weight}; it must lie between 0 and 1")
        self.thresholds("prune")
        self.thresholds("background_prune")

    def thresholds(self, name: str) -> tuple[int, ...]:
        """A number for each order, of ``prune`` or ``background_prune``."""
        given: tuple[int, ...] = getattr(self, name)
        if not given or given[0] != 0:
            raise InvalidArgument(f"{name} is {given}; its first number, that of unigrams, must be 0")
        if any(one > two for one, two in itertools.pairwise(given)):
            raise InvalidArgument(f"{name} is {given}; no number may be below the one before it")
        if len(given) > self.order:
            raise InvalidArgument(
                f"{name} is {given}; a model of order {self.order} takes {self.order} numbers at most"
            )
        return given + given[-1:] * (self.order - len(given))


@dataclass(frozen=True, slots=True)
class Report:
    """What was trained on, what came of it by order, and the orders whose discounts a text could not give."""

    sentences: int
    words: int
    vocabulary: int
    ngrams: tuple[int, ...]
    fallback: tuple[int, ...]


def train(
    sentences: Iterable[Sequence[str]],
    out: Path,
    options: TrainOptions | None = None,
    background: Iterable[Sequence[str]] | None = None,
) -> Report:
    """Train a model with modified Kneser-Ney smoothing and write it as an ARPA file, packed where ``out`` ends in .gz.

    With ``background``, a second text, a model of each is trained and the two are mixed: so a little text of one's own domain
    counts for more than its share of the words. Memory: some 60 bytes for each word of the text and order of the model.

    Raises
    ------
    InvalidArgument
        A text has no sentences, or one of the words <s>, </s>, <unk>.
    """
    options = options or TrainOptions()
    texts = [sentences] if background is None else [sentences, background]
    corpora = read_corpora(texts, most_words=options.most_words, vocabulary=options.vocabulary)
    fallback: set[int] = set()
    models = []
    for corpus, prune in zip(corpora, ("prune", "background_prune"), strict=False):
        model, discounts = estimate(list(count_grams(corpus, options.order)), options.thresholds(prune))
        models.append(model)
        fallback.update(order for order, one in enumerate(discounts, 1) if one.fallback)
    weight = options.background_weight
    orders = models[0] if background is None else mix(models, [1 - weight, weight])
    with _new_text(out) as text:
        write_arpa(orders, corpora[0].words, text)
    return Report(
        sentences=sum(corpus.sentences for corpus in corpora),
        words=sum(len(corpus.ids) - 2 * corpus.sentences for corpus in corpora),
        vocabulary=len(corpora[0].words),
        ngrams=tuple(len(one.word) for one in orders),
        fallback=tuple(sorted(fallback)),
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
