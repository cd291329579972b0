"""What is believed of a transcript. Each filter has a name, under which the report counts what it dropped."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from recipes.common.text import has_digits, units
from recipes.labelling.hearing import Heard


@dataclass(frozen=True)
class Limits:
    """Between what a transcript is believed."""

    language: str = "en"
    language_probability: float = 0.5  # at least
    log_probability: float = -0.6  # at least
    no_speech: float = 0.6  # at most
    compression: float = 2.4  # at most
    repeats: int = 5  # of one to four words in a row, at most
    pace: tuple[float, float] = (0.5, 5.5)  # words a second; in Mandarin characters
    shortest_s: float = 0.8
    disagreement: float = 0.6  # word error rate of our own model, at most
    must_not_contain: tuple[str, ...] = ()


@dataclass(frozen=True)
class Labelled:
    """A segment with what was heard in it."""

    heard: Heard
    text: str  # normalised
    seconds: float
    ours: float | None = None  # our own model's error rate against it
    must_contain: tuple[str, ...] = ()


def longest_run(words: Sequence[str]) -> int:
    """Return how many times one to four words come in a row, at most."""
    most = 1 if words else 0
    for size in range(1, 5):
        same = 0  # words that equal those `size` places before them; `size` of them are one more repetition
        for before, now in zip(words, words[size:], strict=False):
            same = same + 1 if before == now else 0
            most = max(most, 1 + same // size)
    return most


Check = Callable[[Labelled, Limits], bool]


def _wrong_pace(one: Labelled, limits: Limits) -> bool:
    return not limits.pace[0] <= len(units(one.text, limits.language)) / one.seconds <= limits.pace[1]


# In the order in which they are asked: a segment counts under the first that drops it.
CHECKS: dict[str, Check] = {
    "too_short": lambda one, limits: one.seconds < limits.shortest_s,
    "language": lambda one, limits: one.heard.language != limits.language,
    "language_probability": lambda one, limits: one.heard.language_probability < limits.language_probability,
    "no_speech": lambda one, limits: one.heard.no_speech > limits.no_speech,
    "no_words": lambda one, _limits: not one.text,
    "digits": lambda one, _limits: has_digits(one.text),
    "log_probability": lambda one, limits: one.heard.log_probability < limits.log_probability,
    "compression": lambda one, limits: one.heard.compression > limits.compression,
    "repetition": lambda one, limits: longest_run(units(one.text, limits.language)) > limits.repeats,
    "pace": _wrong_pace,
    "must_not_contain": lambda one, limits: any(phrase in one.text for phrase in limits.must_not_contain),
    "must_contain": lambda one, _limits: not all(phrase in one.text for phrase in one.must_contain),
    "disagreement": lambda one, limits: one.ours is not None and one.ours > limits.disagreement,
}


def reasons(one: Labelled, limits: Limits) -> Iterator[str]:
    """Yield the name of every filter that drops a segment."""
    return (name for name, drops in CHECKS.items() if drops(one, limits))
