"""Train ``en``: ``python -m recipes.en.train --help``. Running it again goes on from the last checkpoint."""

import argparse
from pathlib import Path

import torch
import yaml

from recipes.common.batches import Batches, Mixture
from recipes.common.evaluate import error_rate, read_held_out
from recipes.common.network import Network
from recipes.common.recipe import load
from recipes.common.tokens import Tokens
from recipes.common.train import Schedule, Trainer
from recipes.en.export import MANIFEST
from recipes.en.model import LAYERS, WhisperStream
from recipes.en.whisper import whisper_start

HEAD_RATE = 1.2e-3
TOP_RATE = 2e-4  # of the last layer; each layer below learns slower by `BELOW`
BELOW = 0.75


def parameter_groups(network: WhisperStream) -> list[dict[str, object]]:
    """Return the optimizer's groups, the head first, then the layers from the top down to the convolutions."""
    groups = [{"params": list(network.head.parameters()), "lr": HEAD_RATE}]
    for depth, i in enumerate(reversed(range(LAYERS))):
        extra = list(network.norm.parameters()) if depth == 0 else []
        groups.append({"params": [*network.layers[i].parameters(), *extra], "lr": TOP_RATE * BELOW**depth})
    convolutions = [*network.conv1.parameters(), *network.conv2.parameters()]
    groups.append({"params": convolutions, "lr": TOP_RATE * BELOW**LAYERS})
    return groups


def main() -> None:
    """Train for a number of hours of the clock."""
    parser = argparse.ArgumentParser(description=__doc__)
    start = parser.add_mutually_exclusive_group(required=True)
    start.add_argument("--whisper", type=Path, help="Whisper tiny.en as CTranslate2's model.bin, to start from")
    start.add_argument("--weights", type=Path, help="a checkpoint or a bundle's weights, to start from")
    parser.add_argument("--recipe", type=Path, required=True, help="which pools, their shares, the hours and the seed")
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--checkpoints", type=Path, required=True, help="the folder of checkpoints")
    parser.add_argument("--hours", type=float, help="of wall clock, in all, in place of the recipe's")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pause", type=Path, help="training sleeps while this file exists")
    arguments = parser.parse_args()

    recipe = load(arguments.recipe)
    hours, shares = arguments.hours or recipe.hours, recipe.shares(arguments.pool)
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(arguments.threads)
    tokens = Tokens(arguments.tokens)
    features = yaml.safe_load(MANIFEST.read_text("utf-8"))["features"]
    if arguments.whisper:
        network, schedule = whisper_start(arguments.whisper, len(tokens)), Schedule(hours)
    else:
        network, schedule = WhisperStream(len(tokens)), Schedule(hours, frozen_steps=0)
        network.load_state_dict(torch.load(arguments.weights, weights_only=True)["network"])
    trainer = Trainer(network, parameter_groups(network), schedule, arguments.checkpoints, arguments.pause)
    easy_steps = 500 if arguments.whisper else 0
    mixture = Mixture(arguments.pool, shares, seed=recipe.seed, easy_steps=easy_steps, look_ahead=network.look_ahead)

    def validate(trained: Network) -> str:
        heard = {name: read_held_out(arguments.pool, name, 16) for name in shares}
        rates = [
            f"{name} {100 * error_rate(trained, one, features, tokens, 32, 320):.0f}"
            for name, one in heard.items()
            if one
        ]
        return "held-out WER at 320 ms: " + ", ".join(rates)

    trainer.run(Batches(mixture, features, arguments.tokens, trainer.progress.step), validate)


if __name__ == "__main__":
    main()
