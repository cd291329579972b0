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
    """The n-grams of one order with their probabilities, and what backing off from each costs; neither is a logarithm."""

    grams: Grams
    kept: npt.NDArray[np.bool_]
    probability: Floats
    backoff: Floats
    discounts: Discounts


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


def estimate(grams: Sequence[Grams], prune: Sequence[int]) -> list[Order]:
    """The model of a text from its n-grams by order; n-grams seen no more often than their order's ``prune`` are left out."""
    adjusted = adjusted_counts(grams)
    orders: list[Order] = []
    for one, counts, most in zip(grams, adjusted, prune, strict=True):
        kept = one.count > most if orders else np.ones(len(one), np.bool_)
        discounts = discounts_of(counts)
        contexts = len(orders[-1].grams) if orders else 1
        in_model = np.where(kept, counts, 0)
        discount = discounts.of(in_model)
        total = np.bincount(one.context, counts, contexts)
        # What is left over: the discounts of what stays, and all of what was pruned.
        left = np.bincount(one.context, discount + (counts - in_model), contexts)
        seen = total > 0
        share = np.divide(left, total, out=np.ones(contexts), where=seen)
        below = orders[-1].probability[one.suffix] if orders else np.full(len(one), 1 / (len(one) - 1))
        probability = (
            np.maximum(in_model - discount, 0) / np.where(seen, total, 1)[one.context] + share[one.context] * below
        )
        if orders:
            orders[-1].backoff[:] = share
        else:
            probability[BEGIN] = 1
        orders.append(Order(one, kept, probability, np.ones(len(one)), discounts))
    return orders
