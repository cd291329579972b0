"""Train ``en-lite``: ``python -m recipes.en_lite.train --help``. Running it again goes on from the last checkpoint.

From nothing, it only learns at first to say what a full-context Whisper says, frame by frame (``recipes.common.teacher``),
then CTC beside that. From a checkpoint it goes on with CTC, at half the rates, beside the probabilities of ``en`` where the
pools have them.
"""

import yaml

from recipes.common.session import Subject, arguments, train
from recipes.common.taught import are_posteriors, width
from recipes.common.train import Schedule
from recipes.en_lite.export import MANIFEST
from recipes.en_lite.model import TransformerLite

RATE = 1.5e-3


def main() -> None:
    """Train for a number of hours of the clock."""
    parser = arguments(__doc__)
    parser.add_argument(
        "--whisper", help="taken for the sake of other networks' command lines; the pools hold the frames"
    )
    given = parser.parse_args()
    posteriors = are_posteriors(given.pool)
    matched = not given.weights and not posteriors and width(given.pool) > 0
    rate = RATE / 2 if given.weights else RATE

    def make(vocabulary: int, hours: float) -> Subject:
        network = TransformerLite(vocabulary)
        head = [*network.head.parameters()]
        rest = [parameter for name, parameter in network.named_parameters() if not name.startswith("head.")]
        schedule = Schedule(
            hours,
            fall_from=0.4 if given.weights else 0.7,
            frozen_steps=0,
            warm_up_steps=500,
            all_learn=(0.0, 1.1),
            match=3.0 if matched else 2.0 if posteriors else 0.0,
            posteriors=posteriors,
            match_alone=0.15 if matched else 0.0,
            match_until=0.9,
            chunks=(8, 16, 32, 0),
        )
        features = yaml.safe_load(MANIFEST.read_text("utf-8"))["features"]
        groups = [{"params": head, "lr": rate}, {"params": rest, "lr": rate}]
        easy = 0 if given.weights else 300
        return Subject(network, groups, schedule, features, chunk=16, easy_steps=easy, seconds=112)

    train(given, make)


if __name__ == "__main__":
    main()
