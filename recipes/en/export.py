"""Write the bundle of ``en``: ``python -m recipes.en.export --help``."""

from pathlib import Path

import torch

from recipes.common.export import main
from recipes.common.tokens import BLANK
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


if __name__ == "__main__":
    main(__doc__, MANIFEST, trained)
