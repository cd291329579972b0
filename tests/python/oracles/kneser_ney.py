"""Modified Kneser-Ney smoothing by its definition, a probability at a time, from sentences as they are."""

from __future__ import annotations

from collections import Counter
from functools import cache


class KneserNey:
    """Interpolated, with three discounts an order (Chen and Goodman 1998); ``prune`` as lmplz has it."""

    def __init__(self, sentences, order, prune=None):
        self.order = order
        self.prune = prune or [0] * order
        raw = [Counter() for _ in range(order + 1)]
        for sentence in sentences:
            words = ["<s>", *sentence, "</s>"]
            for n in range(1, order + 1):
                for start in range(len(words) - n + 1):
                    raw[n][tuple(words[start : start + n])] += 1
        self.raw = raw
        self.vocabulary = sorted({word for (word,) in raw[1]} | {"<unk>"})
        self.discounts = {n: self._discounts(n) for n in range(1, order + 1)}
        self.probability = cache(self._probability)
        self.share_left = cache(self._share_left)

    @cache  # noqa: B019  # the tests' models are small
    def count(self, gram):
        """How often it stands in the text, or how many words were seen before it."""
        if gram == ("<s>",):
            return 0
        if len(gram) == self.order or gram[0] == "<s>":
            return self.raw[len(gram)][gram]
        return sum(longer[1:] == gram for longer in self.raw[len(gram) + 1])

    def _discounts(self, n):
        counts = Counter(self.count(gram) for gram in self.raw[n])
        if not (counts[1] and counts[2] and counts[3]):
            return (0.5, 1.0, 1.5)
        ratio = counts[1] / (counts[1] + 2 * counts[2])
        found = tuple(j - (j + 1) * ratio * counts[j + 1] / counts[j] for j in (1, 2, 3))
        return found if all(0 <= d <= j for j, d in enumerate(found, 1)) else (0.5, 1.0, 1.5)

    def in_model(self, gram):
        """Whether the ARPA file has it."""
        n = len(gram)
        return gram == ("<unk>",) or (n == 1 and gram in self.raw[1]) or self.raw[n][gram] > self.prune[n - 1]

    def _after(self, context):
        """The n-grams of the text that begin with ``context``."""
        return [gram for gram in self.raw[len(context) + 1] if gram[:-1] == context]

    def _discount(self, gram):
        count = self.count(gram)
        return self.discounts[len(gram)][min(count, 3) - 1] if count else 0.0

    def _share_left(self, context):
        """What the order below is given after ``context``."""
        grams = self._after(context)
        total = sum(map(self.count, grams))
        if total == 0:
            return 1.0
        return sum(self._discount(gram) if self.in_model(gram) else self.count(gram) for gram in grams) / total

    def _probability(self, gram):
        """Of the last word after the others; exact where the gram is in the model."""
        context = gram[:-1]
        below = self.probability(gram[1:]) if context else 1 / (len(self.vocabulary) - 1)
        total = sum(map(self.count, self._after(context)))
        own = max(self.count(gram) - self._discount(gram), 0) if self.in_model(gram) and total else 0.0
        return own / max(total, 1) + self.share_left(context) * below
