"""How often a bundle's words are right at what confidence: ``python -m recipes.common.calibrate --help``.

A bundle hears utterances whose texts were held out of training, as streams. Right and wrong words give, by logistic regression
on the logit of the mean probability of a word's pieces, the two numbers of the manifest's ``confidence``. The errors shown are
those of each half of the utterances under the numbers of the other half. It does not matter what numbers the manifest has.
"""

import argparse
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import yaml

from cosyvoice import Engine
from cosyvoice.cli.evaluation.reliability import Reliability
from cosyvoice.cli.evaluation.score import Heard, Spoken, score
from cosyvoice.cli.evaluation.text import Normalise
from recipes.common.confidence import Words, before, fit, mapped, write
from recipes.common.evaluate import read_held_out
from recipes.common.pool import SAMPLE_RATE, Pcm

AT_ONCE = 8


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
