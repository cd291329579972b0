"""Remake the golden file of ``en-lite``: ``python -m recipes.en_lite.golden --help``."""

from recipes.common.golden import main
from recipes.en_lite.export import MANIFEST, trained

if __name__ == "__main__":
    main(__doc__, MANIFEST, trained)
