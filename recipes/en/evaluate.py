"""Word error rates of a checkpoint: ``python -m recipes.en.evaluate --help``."""

from recipes.common.evaluate import main
from recipes.en.export import MANIFEST, trained

if __name__ == "__main__":
    main(__doc__, MANIFEST, trained)
