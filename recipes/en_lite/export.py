"""Write the bundle of ``en-lite``: ``python -m recipes.en_lite.export --help``."""

from pathlib import Path

import torch

from recipes.common.export import main
from recipes.en_lite.model import TransformerLite

MANIFEST = Path(__file__).with_name("manifest.yaml")


def trained(checkpoint: Path) -> TransformerLite:
    """Return the network of a checkpoint as the bundle shall hold it."""
    weights = torch.load(checkpoint, weights_only=True)["network"]
    network = TransformerLite(len(weights["head.bias"]))
    network.load_state_dict(weights)
    return network


if __name__ == "__main__":
    main(__doc__, MANIFEST, trained)
