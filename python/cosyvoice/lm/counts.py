"""How often the n-grams of a text stand in it."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    Ids = npt.NDArray[np.int64]

UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")


@dataclass(frozen=True, slots=True)
class Corpus:
    """A text as numbers: ``<s> words </s>`` for each sentence, end to end."""

    words: list[str]  # by id
    ids: npt.NDArray[np.int32]

    @property
    def sentences(self) -> int:
        """How many there are."""
        return int(np.count_nonzero(self.ids == BEGIN))


@dataclass(frozen=True, slots=True)
class Grams:
    """The distinct n-grams of one order, sorted by context and last word, and how often each stands in the text.

    ``context`` is the number, in the order below, of the n-gram without its last word; ``suffix`` that without its first.
    """

    context: Ids
    word: Ids
    suffix: Ids
    count: Ids
    begins: npt.NDArray[np.bool_]  # with <s>

    def __len__(self) -> int:
        return len(self.word)


def read_corpora(
    texts: Sequence[Iterable[Sequence[str]]], *, most_words: int | None = None, vocabulary: Iterable[str] = ()
) -> list[Corpus]:
    """Number the words of all texts alike, in the order in which they come; with ``most_words`` the rarer become <unk>.

    The words of ``vocabulary`` are among them in any case.

    Raises
    ------
    InvalidArgument
        A sentence has a word of the model's own, or a text has none.
    """
    numbers = {word: number for number, word in enumerate(SPECIAL)}
    texts_ids = [_read_ids(sentences, numbers) for sentences in texts]
    words = list(numbers)
    if most_words is not None:
        words, texts_ids = _limited(words, texts_ids, most_words, set(vocabulary))
    known = set(words)
    words += [word for word in dict.fromkeys(vocabulary) if word not in known]
    return [Corpus(words, ids) for ids in texts_ids]


def _read_ids(sentences: Iterable[Sequence[str]], numbers: dict[str, int]) -> npt.NDArray[np.int32]:
    ids = array("i")
    for sentence in sentences:
        for word in SPECIAL:
            if word in sentence:
                raise InvalidArgument(f"the text has the word {word}, which a model keeps for itself; take it out")
        ids.append(BEGIN)
        ids.extend([numbers.setdefault(word, len(numbers)) for word in sentence])
        ids.append(END)
    if not ids:
        raise InvalidArgument("the text has no words; expected sentences, one a line")
    return np.frombuffer(ids, np.int32)


def _limited(
    words: list[str], texts_ids: list[npt.NDArray[np.int32]], most_words: int, wanted: set[str]
) -> tuple[list[str], list[npt.NDArray[np.int32]]]:
    """The most frequent words and those wanted; all others are <unk>."""
    counts = np.sum([np.bincount(ids, minlength=len(words)) for ids in texts_ids], axis=0)
    own = np.arange(len(SPECIAL), len(words))
    frequent = own[np.argsort(-counts[own], kind="stable")]
    kept = [*frequent[:most_words], *(word for word in frequent[most_words:] if words[word] in wanted)]
    new_ids = np.full(len(words), UNKNOWN, np.int32)
    new_ids[: len(SPECIAL)] = np.arange(len(SPECIAL))
    new_ids[kept] = np.arange(len(SPECIAL), len(SPECIAL) + len(kept))
    return [*SPECIAL, *(words[word] for word in kept)], [new_ids[ids] for ids in texts_ids]


def count_grams(corpus: Corpus, order: int) -> Iterator[Grams]:
    """The n-grams of orders 1 to ``order``, none of which goes over the end of a sentence."""
    words = corpus.ids.astype(np.int64)
    size = len(corpus.words)
    count = np.bincount(words, minlength=size)
    every = np.arange(size)
    yield Grams(np.zeros(size, np.int64), every, np.zeros(size, np.int64), count, every == BEGIN)
    # Where an n-gram of the order below ends in the text, and which it is.
    ends, which, begins = np.arange(len(words)), words, every == BEGIN
    for _ in range(1, order):
        number_at = np.full(len(words), -1, np.int64)
        number_at[ends] = which
        ends = ends[words[ends] != BEGIN]  # <s> follows nothing
        ends = ends[number_at[ends - 1] >= 0]
        context = number_at[ends - 1]
        keys, first, numbers, count = np.unique(
            context * size + words[ends], return_index=True, return_inverse=True, return_counts=True
        )
        context, word = keys // size, keys % size
        begins = begins[context]
        yield Grams(context, word, number_at[ends[first]], count.astype(np.int64), begins)
        which = numbers
