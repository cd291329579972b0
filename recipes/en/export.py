"""Write the bundle of ``en``: ``python -m recipes.en.export --help``."""

import argparse
from pathlib import Path

import torch
import yaml

from recipes.common.export import add_int8, add_int8_options, write_bundle
from recipes.common.tokens import BLANK, Tokens
from recipes.en.model import WhisperStream

MANIFEST = Path(__file__).with_name("manifest.yaml")
BLANK_BIAS = -0.5  # added to the blank's logit: fewer words lost, chosen on held-out utterances


def trained(checkpoint: Path) -> WhisperStream:
    """Return the network of a checkpoint as the bundle shall hold it."""
    weights = torch.load(checkpoint, weights_only=True)["network"]
    network = WhisperStream(len(weights["head.bias"]))
    network.load_state_dict(weights)
    with torch.no_grad():
        network.head.bias[BLANK] += BLANK_BIAS
    return network


def main() -> None:
    """Export a checkpoint."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="a checkpoint or an average of some")
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model")
    parser.add_argument("--bundle", type=Path, required=True, help="the folder to write")
    for key in ("name", "language", "notes"):
        parser.add_argument(f"--{key}", help="in place of the manifest's own")
    parser.add_argument("--version", type=int, help="which must rise for a swap")
    add_int8_options(parser)
    arguments = parser.parse_args()
    manifest = yaml.safe_load(MANIFEST.read_text("utf-8"))
    given = {key: getattr(arguments, key) for key in ("name", "version", "language", "notes")}
    manifest |= {key: value for key, value in given.items() if value is not None}
    write_bundle(arguments.bundle, trained(arguments.weights), manifest, Tokens(arguments.tokens).lines())
    if arguments.int8:
        add_int8(arguments.bundle, arguments.int8, arguments.calibrate)


if __name__ == "__main__":
    main()
