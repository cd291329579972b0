"""How probable a text is to a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cosyvoice._native import LanguageModel

SENTENCE_END = "</s>"


@dataclass(frozen=True, slots=True)
class Score:
    """A word after those before it: log10 of its probability, and whether the model has it."""

    word: str
    log10: float
    known: bool


@dataclass(slots=True)
class Total:
    """Sums over sentences. Each sentence's end counts as a word, as is usual where perplexities are compared."""

    sentences: int = 0
    words: int = 0
    unknown: int = 0
    log10: float = 0.0
    log10_known: float = 0.0

    @property
    def perplexity(self) -> float:
        """Over all words, the unknown ones with the probability that the model has for them."""
        return _perplexity(self.log10, self.words)

    @property
    def perplexity_known(self) -> float:
        """Over the words that the model has."""
        return _perplexity(self.log10_known, self.words - self.unknown)


def _perplexity(log10: float, words: int) -> float:
    return float("nan") if words == 0 else 10.0 ** (-log10 / words)


class Scorer:
    """Scores sentences of one model and adds them up in ``total``."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.total = Total()

    def score(self, words: Sequence[str]) -> list[Score]:
        """The words of a sentence, and its end, in their order."""
        rows = self._model.score_sentence(words)
        scores = [Score(word, *row) for word, row in zip([*words, SENTENCE_END], rows, strict=True)]
        total = self.total
        total.sentences += 1
        total.words += len(scores)
        total.unknown += sum(not score.known for score in scores)
        total.log10 += sum(score.log10 for score in scores)
        total.log10_known += sum(score.log10 for score in scores if score.known)
        return scores
