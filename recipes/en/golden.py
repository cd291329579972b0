"""Remake the golden file of ``en``: ``python -m recipes.en.golden --help``."""

from recipes.common.golden import main
from recipes.en.export import MANIFEST, trained

if __name__ == "__main__":
    main(__doc__, MANIFEST, trained)
