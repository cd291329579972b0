"""Greedy CTC decoding."""

from torch import Tensor

from recipes.common.tokens import BLANK, Tokens


def greedy(log_probs: Tensor, tokens: Tokens) -> str:
    """Return the words of one utterance's log-probabilities or logits, shape [frames, vocabulary]."""
    best = log_probs.argmax(-1).tolist()
    ids = [now for before, now in zip([BLANK, *best], best, strict=False) if now not in (before, BLANK)]
    return tokens.decode(ids)
