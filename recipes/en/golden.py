"""Remake the golden file of ``en``: ``python -m recipes.en.golden --help``."""

import argparse

import torch

from recipes.common.golden import run
from recipes.common.network import Network
from recipes.en.export import MANIFEST
from recipes.en.model import WhisperStream


def trained(arguments: argparse.Namespace) -> Network:
    """Return the network of the checkpoint given."""
    weights = torch.load(arguments.weights, weights_only=True)["network"]
    network = WhisperStream(len(weights["head.bias"]))
    network.load_state_dict(weights)
    return network


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", required=True, help="the checkpoint that the bundle was exported from")
    run(trained, MANIFEST, parser)
