"""How often a bundle's words are right at what confidence: ``python -m recipes.common.calibrate --help``.

A bundle hears utterances whose texts were held out of training, as streams. Right and wrong words give, by logistic regression
on the logit of the mean probability of a word's pieces, the two numbers of the manifest's ``confidence``. The errors shown are
those of each half of the utterances under the numbers of the other half. It does not matter what numbers the manifest has.
"""

import argparse
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import yaml

from cosyvoice import Engine
from cosyvoice.cli.evaluation.reliability import Reliability
from cosyvoice.cli.evaluation.score import Heard, Spoken, score
from cosyvoice.cli.evaluation.text import Normalise
from recipes.common.evaluate import read_held_out
from recipes.common.pool import SAMPLE_RATE, Pcm

AT_ONCE = 8
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


def hear(engine: Engine, text: str, pcm: Pcm) -> Words:
    """Return the words that a session hears."""
    with engine.new_session(priority="batch") as session:
        for start in range(0, len(pcm), SAMPLE_RATE):
            session.feed(np.ascontiguousarray(pcm[start : start + SAMPLE_RATE]))
    spoken = []
    while (final := session.result()) is not None:
        spoken += [Spoken(word.word, word.start_ms, word.confidence) for word in final.words]
    heard = Heard(" ".join(word.word for word in spoken), spoken=tuple(spoken))
    return score(Normalise.PLAIN.applied(text), heard, Normalise.PLAIN).confidences


def measure(words: Iterable[tuple[float, bool]]) -> Reliability:
    """Return the bins of words."""
    reliability = Reliability()
    reliability.add(words)
    return reliability


def report(name: str, reliability: Reliability) -> None:
    """Print a row."""
    known = reliability.cross_entropy
    print(
        f"{name}: {reliability.words} words, calibration error {100 * reliability.error:.1f} %, "
        f"normalised cross entropy {'-' if known is None else f'{known:.3f}'}"
    )


def write(manifest: Path, numbers: Numbers) -> None:
    """Put the numbers into a manifest, and leave the rest of its text as it is."""
    line = f"confidence: {{scale: {numbers[0]:.3f}, offset: {numbers[1]:.3f}}}\n"
    text = _LINE.sub("", manifest.read_text("utf-8"))
    manifest.write_text(_BEFORE.sub(lambda match: match[0] + line, text, count=1), "utf-8")


def main() -> None:
    """Print errors before and after, and the numbers; write them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", type=Path, required=True, help="the directory of a bundle")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--names", nargs="+", required=True, help="of the pools, such as the callers are like")
    parser.add_argument("--most", type=int, default=100, help="utterances of each pool")
    parser.add_argument("--write", type=Path, nargs="*", default=[], help="manifests to put the numbers into")
    arguments = parser.parse_args()
    manifest = yaml.safe_load((arguments.bundle / "model.yaml").read_text("utf-8"))
    had = manifest.get("confidence", {"scale": 1, "offset": 0})
    numbers = had["scale"], had["offset"]
    clips = [clip for name in arguments.names for clip in read_held_out(arguments.pool, name, arguments.most)]
    with Engine(arguments.bundle, max_stream=AT_ONCE) as engine, ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda clip: hear(engine, *clip), clips))
    raw = [[(before(confidence, numbers), is_right) for confidence, is_right in words] for words in found]
    halves = [[word for words in raw[start::2] for word in words] for start in (0, 1)]
    everything = [*halves[0], *halves[1]]
    crossed = [
        (mapped(confidence, fit(other)), is_right)
        for half, other in (halves, halves[::-1])
        for confidence, is_right in half
    ]
    scale, offset = fit(everything)
    if scale <= 0:
        parser.error(
            f"words of higher probability are not more often right (scale {scale:.3f}); is this network trained?"
        )
    report("mean probabilities", measure(everything))
    report("mapped", measure(crossed))
    print(f"confidence: {{scale: {scale:.3f}, offset: {offset:.3f}}} of {len(clips)} utterances")
    for path in arguments.write:
        write(path, (scale, offset))


if __name__ == "__main__":
    main()
