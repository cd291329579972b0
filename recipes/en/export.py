"""Write the bundle of ``en``: ``python -m recipes.en.export --help``."""

import argparse
from pathlib import Path

import torch
import yaml

from recipes.common.export import write_bundle
from recipes.common.tokens import Tokens
from recipes.en.model import WhisperStream

MANIFEST = Path(__file__).with_name("manifest.yaml")


def main() -> None:
    """Export a checkpoint."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="a checkpoint or an average of some")
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model")
    parser.add_argument("--bundle", type=Path, required=True, help="the folder to write")
    arguments = parser.parse_args()
    tokens = Tokens(arguments.tokens)
    network = WhisperStream(len(tokens))
    network.load_state_dict(torch.load(arguments.weights, weights_only=True)["network"])
    write_bundle(arguments.bundle, network, yaml.safe_load(MANIFEST.read_text("utf-8")), tokens.lines())


if __name__ == "__main__":
    main()
