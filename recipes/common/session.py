"""What training a network takes from the command line, and the way from there to the end of the hours."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from recipes.common.batches import Batches, Mixture
from recipes.common.evaluate import error_rate, read_held_out
from recipes.common.network import Network
from recipes.common.recipe import Recipe, load
from recipes.common.taught import width
from recipes.common.tokens import Tokens
from recipes.common.train import Schedule, Trainer

HELD_OUT = 16  # utterances of each pool that are looked at with each checkpoint


@dataclass(frozen=True)
class Subject:
    """A network to train: its parameters in groups, the head's first, and how it is fed."""

    network: Network
    groups: list[dict[str, Any]]
    schedule: Schedule
    features: Mapping[str, Any]
    chunk: int  # feature frames, at which checkpoints are looked at
    easy_steps: int  # short clean utterances first
    seconds: float  # in a batch


def arguments(description: str | None) -> argparse.ArgumentParser:
    """What every network's training takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--weights", type=Path, help="a checkpoint to start from")
    parser.add_argument("--recipe", type=Path, required=True, help="which pools, their shares, the hours and the seed")
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--checkpoints", type=Path, required=True, help="the folder of checkpoints")
    parser.add_argument("--hours", type=float, help="of wall clock, in all, in place of the recipe's")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pause", type=Path, help="training sleeps while this file exists")
    return parser


def train(given: argparse.Namespace, make: Callable[[int, float], Subject]) -> None:
    """Train what `make` returns for a number of tokens and of hours; going on from the last checkpoint."""
    recipe: Recipe = load(given.recipe)
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(given.threads)
    tokens = Tokens(given.tokens)
    subject = make(len(tokens), given.hours or recipe.hours)
    network, features, shares = subject.network, subject.features, recipe.shares(given.pool)
    if given.weights:
        network.load_state_dict(torch.load(given.weights, weights_only=True)["network"])
    taught = width(given.pool) if subject.schedule.match else 0
    trainer = Trainer(network, subject.groups, subject.schedule, given.checkpoints, given.pause, taught)
    mixture = Mixture(
        given.pool,
        shares,
        seconds=subject.seconds,
        easy_steps=subject.easy_steps,
        align=min(filter(None, subject.schedule.chunks)),
        look_ahead=network.look_ahead,
        frame_ms=network.stride * features["hop_ms"] if taught else 0,
        seed=recipe.seed,
    )

    def validate(trained: Network) -> str:
        heard = {name: read_held_out(given.pool, name, HELD_OUT) for name in shares}
        tail_ms = subject.chunk * features["hop_ms"]
        rates = [
            f"{name} {100 * error_rate(trained, one, features, tokens, subject.chunk, tail_ms):.0f}"
            for name, one in heard.items()
            if one
        ]
        return f"held-out WER at {tail_ms} ms: " + ", ".join(rates)

    trainer.run(Batches(mixture, features, given.tokens, trainer.progress.step), validate)
