"""A bundle of ``en`` as a checkpoint to go on from: ``python -m recipes.en.published --help``."""

import argparse
from pathlib import Path

import torch

from recipes.common.from_bundle import bundle_weights
from recipes.common.tokens import BLANK, Tokens
from recipes.en.export import BLANK_BIAS
from recipes.en.model import WhisperStream


def main() -> None:
    """Write the weights as training had them: what `export` adds to the blank's logit is taken off."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", type=Path, required=True, help="the folder of the bundle")
    parser.add_argument("--weights", type=Path, required=True, help="the checkpoint to write")
    arguments = parser.parse_args()
    network = WhisperStream(len(Tokens(arguments.bundle / "tokens.txt")))
    weights = dict(bundle_weights(arguments.bundle, network))
    weights["head.bias"][BLANK] -= BLANK_BIAS
    arguments.weights.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"network": weights}, arguments.weights)


if __name__ == "__main__":
    main()
