"""Train ``en``: ``python -m recipes.en.train --help``. Running it again goes on from the last checkpoint."""

from pathlib import Path
from typing import Any

import yaml

from recipes.common.session import Subject, arguments, train
from recipes.common.train import Schedule
from recipes.en.export import MANIFEST
from recipes.en.model import LAYERS, WhisperStream
from recipes.en.whisper import whisper_start

HEAD_RATE = 1.2e-3
TOP_RATE = 2e-4  # of the last layer; each layer below learns slower by `BELOW`
BELOW = 0.75


def parameter_groups(network: WhisperStream) -> list[dict[str, Any]]:
    """Return the optimizer's groups, the head first, then the layers from the top down to the convolutions."""
    groups = [{"params": list(network.head.parameters()), "lr": HEAD_RATE}]
    for depth, i in enumerate(reversed(range(LAYERS))):
        extra = list(network.norm.parameters()) if depth == 0 else []
        groups.append({"params": [*network.layers[i].parameters(), *extra], "lr": TOP_RATE * BELOW**depth})
    convolutions = [*network.conv1.parameters(), *network.conv2.parameters()]
    groups.append({"params": convolutions, "lr": TOP_RATE * BELOW**LAYERS})
    return groups


def main() -> None:
    """Train for a number of hours of the clock, from Whisper's encoder or from a checkpoint."""
    parser = arguments(__doc__)
    parser.add_argument("--whisper", type=Path, help="Whisper tiny.en as CTranslate2's model.bin, to start from")
    given = parser.parse_args()
    if bool(given.whisper) == bool(given.weights):
        parser.error("give either --whisper or --weights")

    def make(vocabulary: int, hours: float) -> Subject:
        network = whisper_start(given.whisper, vocabulary) if given.whisper else WhisperStream(vocabulary)
        # A head that knows nothing yet learns alone at first, from short clean utterances.
        schedule, easy = (Schedule(hours), 500) if given.whisper else (Schedule(hours, frozen_steps=0), 0)
        features = yaml.safe_load(MANIFEST.read_text("utf-8"))["features"]
        return Subject(network, parameter_groups(network), schedule, features, chunk=32, easy_steps=easy, seconds=56)

    train(given, make)


if __name__ == "__main__":
    main()
