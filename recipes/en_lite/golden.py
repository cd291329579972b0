"""Remake the golden file of ``en-lite``: ``python -m recipes.en_lite.golden --help``."""

import argparse

from recipes.common.golden import run
from recipes.en_lite.export import MANIFEST, random_network

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vocabulary", type=int, default=257, help="lines of tokens.txt")
    run(lambda arguments: random_network(arguments.vocabulary), MANIFEST, parser)
