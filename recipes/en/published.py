"""A bundle of ``en`` as a checkpoint to go on from: ``python -m recipes.en.published --help``."""

from torch import Tensor

from recipes.common.from_bundle import main
from recipes.common.tokens import BLANK
from recipes.en.export import BLANK_BIAS
from recipes.en.model import WhisperStream


def as_trained(weights: dict[str, Tensor]) -> None:
    """Take off what the export added to the blank's logit."""
    weights["head.bias"][BLANK] -= BLANK_BIAS


if __name__ == "__main__":
    main(__doc__, WhisperStream, as_trained)
