"""A bundle of ``en-lite`` as a checkpoint to go on from: ``python -m recipes.en_lite.published --help``."""

from recipes.common.from_bundle import main
from recipes.en_lite.model import TransformerLite

if __name__ == "__main__":
    main(__doc__, TransformerLite)
