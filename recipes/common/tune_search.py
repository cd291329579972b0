"""What a language model's weight and the bonus of words should be: ``python -m recipes.common.tune_search --help``.

A bundle's network hears utterances whose texts were held out of training, once; then the search runs over its output for each
pair of numbers. Name pools whose sentences the language model has not seen either, or it will look better than it is. Wants this
package beside the recipes.
"""

import argparse
import itertools
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cosyvoice import _native
from recipes.common.evaluate import read_held_out
from recipes.common.pool import SAMPLE_RATE, Pcm
from recipes.common.word_errors import word_error_rate

Output = npt.NDArray[np.float32]


def hear(bundle: str, pcm: Pcm) -> Output:
    """Return a network's log-probabilities of an utterance and the silence after it, shape [frames, tokens]."""
    facts = _native.read_manifest(bundle)
    tail = np.zeros(SAMPLE_RATE * 2 * facts["default_chunk_ms"] // 1000, np.float32)
    features = _native.log_mel(bundle, np.concatenate([pcm.astype(np.float32) / 32768, tail]), SAMPLE_RATE)
    chunk = facts["default_chunk"]
    frames = (len(features) - facts["look_ahead"]) // chunk * chunk + facts["look_ahead"]
    return _native.log_probs(bundle, features[:frames].ravel(), chunk)


def error_rate(search: _native.Search, texts: list[str], outputs: list[Output]) -> float:
    """Return the word error rate of a search."""
    return word_error_rate((text, search.decode(output)[0]) for text, output in zip(texts, outputs, strict=True))


def main() -> None:
    """Print a table: weights down, bonuses across, word errors in per cent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", required=True, help="the directory of a bundle")
    parser.add_argument("--lm", required=True, help="a compiled language model")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--names", nargs="+", required=True, help="of the pools")
    parser.add_argument("--most", type=int, default=100, help="utterances of each pool")
    parser.add_argument("--beam", type=int, default=16)
    parser.add_argument("--weights", type=float, nargs="+", default=[0.2, 0.3, 0.4, 0.5, 0.6, 0.8])
    parser.add_argument("--bonuses", type=float, nargs="+", default=[-0.5, 0.0, 0.5, 1.0, 1.5, 2.0])
    given = parser.parse_args()
    heard = [one for name in given.names for one in read_held_out(given.pool, name, given.most)]
    texts = [text for text, _ in heard]
    outputs = [hear(given.bundle, pcm) for _, pcm in heard]
    words = sum(len(text.split()) for text in texts)
    best_path = error_rate(_native.Search(given.bundle), texts, outputs)
    print(f"{len(texts)} utterances, {words} words; best path {100 * best_path:.1f}")
    print("weight", *given.bonuses, sep="\t")
    found = {}
    for weight in given.weights:
        for bonus in given.bonuses:
            search = _native.Search(given.bundle, beam_size=given.beam, lm=given.lm, lm_weight=weight, word_bonus=bonus)
            found[weight, bonus] = error_rate(search, texts, outputs)
        print(weight, *(f"{100 * found[weight, bonus]:.1f}" for bonus in given.bonuses), sep="\t", flush=True)
    best = min(itertools.product(given.weights, given.bonuses), key=found.__getitem__)
    print(f"lm_weight: {best[0]}, word_bonus: {best[1]}")


if __name__ == "__main__":
    main()
