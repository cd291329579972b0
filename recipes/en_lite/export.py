"""Write the bundle of ``en-lite``: ``python -m recipes.en_lite.export --help``."""

import argparse
from pathlib import Path

import torch
import yaml

from recipes.common.export import add_int8, add_int8_options, write_bundle
from recipes.common.tokens import Tokens
from recipes.en_lite.model import TransformerLite

MANIFEST = Path(__file__).with_name("manifest.yaml")
SEED = 0


def random_network(vocabulary: int) -> TransformerLite:
    """Return the network with the random weights that the bundle holds."""
    torch.manual_seed(SEED)
    return TransformerLite(vocabulary)


def main() -> None:
    """Export random weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model, the one of en")
    parser.add_argument("--bundle", type=Path, required=True, help="the folder to write")
    add_int8_options(parser)
    arguments = parser.parse_args()
    tokens = Tokens(arguments.tokens)
    network = random_network(len(tokens))
    write_bundle(arguments.bundle, network, yaml.safe_load(MANIFEST.read_text("utf-8")), tokens.lines())
    if arguments.int8:
        add_int8(arguments.bundle, arguments.int8, arguments.calibrate)


if __name__ == "__main__":
    main()
