"""Two models into one: their probabilities, weighted and added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cosyvoice.lm.kneser_ney import Order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cosyvoice.lm.counts import Ids
    from cosyvoice.lm.kneser_ney import Floats

_LEAST = 1e-10  # of what a history leaves to the order below: its logarithm must be finite


def mix(models: Sequence[Sequence[Order]], weights: Sequence[float]) -> list[Order]:
    """One model that has every n-gram of ``models``, which are of one order and number their words alike.

    The probability of an n-gram is the weighted sum of what the models say, each backing off where it lacks the n-gram. What
    backing off costs in the new model is chosen so that the probabilities of all words add up to 1.
    """
    size = len(models[0][0].word)
    numbers = [np.arange(size)] * len(models)  # of each model's n-grams of the order below, in the mixture
    said = [model[0].probability for model in models]
    paid = [model[0].backoff for model in models]
    first = models[0][0]
    mixed = [Order(first.context, first.word, first.suffix, _sum(said, weights), np.ones(size))]
    for level in zip(*(model[1:] for model in models), strict=True):
        below = mixed[-1]
        keys = [number[one.context] * size + one.word for number, one in zip(numbers, level, strict=True)]
        every = np.unique(np.concatenate(keys))
        context, word = every // size, every % size
        suffix = np.empty(len(every), np.int64)
        places = [np.searchsorted(every, some) for some in keys]
        for number, one, place in zip(numbers, level, places, strict=True):
            suffix[place] = number[one.suffix]
        for index, (one, place) in enumerate(zip(level, places, strict=True)):
            backed_off = paid[index][context] * said[index][suffix]
            said[index], paid[index] = backed_off, np.ones(len(every))
            said[index][place], paid[index][place] = one.probability, one.backoff
        probability = _sum(said, weights)
        below.backoff[:] = _left(context, probability, below.probability[suffix], len(below.word))
        mixed.append(Order(context, word, suffix, probability, np.ones(len(every))))
        numbers = places
    return mixed


def _sum(values: Sequence[Floats], weights: Sequence[float]) -> Floats:
    total: Floats = np.sum([weight * one for weight, one in zip(weights, values, strict=True)], axis=0)
    return total


def _left(context: Ids, probability: Floats, below: Floats, contexts: int) -> Floats:
    """What backing off from each history costs: what its own n-grams leave, over what those of the order below leave."""
    own = np.maximum(1 - np.bincount(context, probability, contexts), _LEAST)
    shorter = np.maximum(1 - np.bincount(context, below, contexts), _LEAST)
    has_own = np.bincount(context, minlength=contexts) > 0
    return np.where(has_own, own / shorter, 1.0)
