"""Modified Kneser-Ney smoothing, interpolated over all orders.

S. F. Chen and J. Goodman, "An empirical study of smoothing techniques for language modeling", 1998, with what K. Heafield and
others added in "Scalable modified Kneser-Ney language model estimation", ACL 2013: what ``lmplz`` of KenLM computes.

Below the highest order an n-gram counts not how often it stands in the text but how many different words stand before it,
except after the start of a sentence, before which there is none. From a count a discount is taken, of which there are three in
each order: for counts of 1, of 2, and of 3 and more. What the discounts and the n-grams that are pruned leave over goes to
the order below, and from the unigrams to all words alike, <unk> among them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice.lm.counts import BEGIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from cosyvoice.lm.counts import Grams, Ids

    Floats = npt.NDArray[np.float64]

FALLBACK = (0.5, 1.0, 1.5)


@dataclass(frozen=True, slots=True)
class Discounts:
    """What is taken from counts of 1, of 2, and of 3 and more."""

    amounts: tuple[float, float, float]
    fallback: bool  # the text has too few n-grams of some count to say

    def of(self, counts: Ids) -> Floats:
        """The discount of each count; 0 of 0."""
        return np.array([0.0, *self.amounts])[np.minimum(counts, 3)]


@dataclass(frozen=True, slots=True)
class Order:
    """The n-grams of one order in a model, numbered as in ``Grams``. Neither number is a logarithm.

    ``backoff``: what backing off from each to the order below costs.
    """

    context: Ids
    word: Ids
    suffix: Ids
    probability: Floats
    backoff: Floats


def discounts_of(counts: Ids) -> Discounts:
    """The discounts of an order from its adjusted counts, or the fallback where they cannot be had."""
    numbers = np.bincount(np.minimum(counts, 5), minlength=6).astype(float)[:5]
    if not numbers[1:4].all():
        return Discounts(FALLBACK, fallback=True)
    ratio = numbers[1] / (numbers[1] + 2 * numbers[2])
    one, two, three = (j - (j + 1) * ratio * float(numbers[j + 1] / numbers[j]) for j in (1, 2, 3))
    if 0 <= one <= 1 and 0 <= two <= 2 and 0 <= three <= 3:
        return Discounts((one, two, three), fallback=False)
    return Discounts(FALLBACK, fallback=True)


def adjusted_counts(grams: Sequence[Grams]) -> list[Ids]:
    """What each n-gram counts: words seen before it, or how often it was seen where none can be or it is the longest."""
    adjusted = []
    for one, longer in itertools.pairwise(grams):
        before = np.bincount(longer.suffix, minlength=len(one))
        adjusted.append(np.where(one.begins, one.count, before))
    adjusted.append(grams[-1].count.copy())
    adjusted[0][BEGIN] = 0  # is given, never predicted
    return adjusted


def estimate(grams: Sequence[Grams], prune: Sequence[int]) -> tuple[list[Order], list[Discounts]]:
    """The model of a text from its n-grams by order; n-grams seen no more often than their order's ``prune`` are left out."""
    orders: list[Order] = []
    every_discount: list[Discounts] = []
    numbers = np.zeros(1, np.int64)  # in the model, of the n-grams of the order below
    probability = np.full(1, 1 / (len(grams[0]) - 1))  # of theirs; at first of every word but <s>
    for one, counts, most in zip(grams, adjusted_counts(grams), prune, strict=True):
        kept = one.count > most if orders else np.ones(len(one), np.bool_)
        discounts = discounts_of(counts)
        in_model = np.where(kept, counts, 0)
        discount = discounts.of(in_model)
        contexts = len(probability)
        total = np.bincount(one.context, counts, contexts)
        # What is left over: the discounts of what stays, and all of what was pruned.
        left = np.bincount(one.context, discount + (counts - in_model), contexts)
        share = np.divide(left, total, out=np.ones(contexts), where=total > 0)
        own = np.maximum(in_model - discount, 0) / np.maximum(total, 1)[one.context]
        probability = own + share[one.context] * probability[one.suffix]
        if orders:
            orders[-1].backoff[:] = share[numbers >= 0]
        else:
            probability[BEGIN] = 1
        context, suffix = numbers[one.context[kept]], numbers[one.suffix[kept]]
        orders.append(Order(context, one.word[kept], suffix, probability[kept], np.ones(np.count_nonzero(kept))))
        every_discount.append(discounts)
        numbers = np.where(kept, np.cumsum(kept) - 1, -1)
    return orders, every_discount
