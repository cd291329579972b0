"""n-gram language models: trained from text, compiled from ARPA files, asked for probabilities."""

from __future__ import annotations

from cosyvoice._native import LanguageModel
from cosyvoice.lm.build import build
from cosyvoice.lm.score import Score, Scorer, Total
from cosyvoice.lm.train import TrainOptions, train

__all__ = ["LanguageModel", "Score", "Scorer", "Total", "TrainOptions", "build", "train"]
