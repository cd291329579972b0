"""How likely a word is right, from the mean probability of its pieces: two numbers of a manifest, fitted and applied."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

LEAST = 1e-4  # as the engine's: a certain word keeps a finite logit
ROUNDS = 50
RIDGE = 1e-3  # where right and wrong words can be told apart without fault
_LINE = re.compile(r"^confidence: .*\n", re.MULTILINE)
_BEFORE = re.compile(r"^emission_offset_ms: .*\n", re.MULTILINE)

Words = Sequence[tuple[float, bool]]  # confidence, and whether the word is right
Numbers = tuple[float, float]  # scale and offset


def logit(confidence: float) -> float:
    """Of a confidence kept away from 0 and 1."""
    kept = min(max(confidence, LEAST), 1 - LEAST)
    return float(np.log(kept / (1 - kept)))


def mapped(confidence: float, numbers: Numbers) -> float:
    """What the engine makes of a mean probability."""
    return float(1 / (1 + np.exp(-(numbers[0] * logit(confidence) + numbers[1]))))


def before(confidence: float, numbers: Numbers) -> float:
    """The mean probability that `mapped` makes this of."""
    return mapped(confidence, (1 / numbers[0], -numbers[1] / numbers[0]))


def fit(words: Words) -> Numbers:
    """Return the scale and offset under which what was right and wrong is likeliest, by Newton's method."""
    places = np.array([[logit(confidence), 1.0] for confidence, _ in words])
    right = np.array([is_right for _, is_right in words], float)
    numbers = np.array([1.0, 0.0])
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-places @ numbers))
        slope = places.T @ (right - likely) - RIDGE * (numbers - [1, 0])
        bend = (places * (likely * (1 - likely))[:, None]).T @ places + RIDGE * np.eye(2)
        numbers = numbers + np.linalg.solve(bend, slope)
    return float(numbers[0]), float(numbers[1])


def write(manifest: Path, numbers: Numbers) -> None:
    """Put the numbers into a manifest, and leave the rest of its text as it is."""
    line = f"confidence: {{scale: {numbers[0]:.3f}, offset: {numbers[1]:.3f}}}\n"
    text = _LINE.sub("", manifest.read_text("utf-8"))
    manifest.write_text(_BEFORE.sub(lambda match: match[0] + line, text, count=1), "utf-8")
