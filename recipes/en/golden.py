"""Remake the golden file of ``en``: ``python -m recipes.en.golden --help``."""

import argparse
from pathlib import Path

from recipes.common.golden import run
from recipes.en.export import MANIFEST, trained

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="the checkpoint that the bundle was exported from")
    run(lambda arguments: trained(arguments.weights), MANIFEST, parser)
