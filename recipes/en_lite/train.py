"""Train ``en-lite``: ``python -m recipes.en_lite.train --help``. Running it again goes on from the last checkpoint.

It starts from nothing. At first it only learns to say what a full-context Whisper says, frame by frame
(``recipes.common.teacher``), then CTC beside that.
"""

import yaml

from recipes.common.session import Subject, arguments, train
from recipes.common.train import Schedule
from recipes.en_lite.export import MANIFEST
from recipes.en_lite.model import TransformerLite

RATE = 1.5e-3


def make(vocabulary: int, hours: float) -> Subject:
    """Return the untrained network and how it is trained."""
    network = TransformerLite(vocabulary)
    head = [*network.head.parameters()]
    rest = [parameter for name, parameter in network.named_parameters() if not name.startswith("head.")]
    schedule = Schedule(
        hours,
        fall_from=0.7,
        frozen_steps=0,
        warm_up_steps=500,
        all_learn=(0.0, 1.1),
        match=3.0,
        match_alone=0.15,
        match_until=0.9,
        chunks=(8, 16, 32, 0),
    )
    features = yaml.safe_load(MANIFEST.read_text("utf-8"))["features"]
    groups = [{"params": head, "lr": RATE}, {"params": rest, "lr": RATE}]
    return Subject(network, groups, schedule, features, chunk=16, easy_steps=300, seconds=112)


if __name__ == "__main__":
    train(arguments(__doc__).parse_args(), make)
