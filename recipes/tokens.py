"""Learn the pieces that a network writes: ``python -m recipes.tokens --help``.

Writes a SentencePiece model, and beside it, as ``.txt``, the ``tokens.txt`` of a bundle.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from recipes.common.manifest import Entry, ManifestError, read_lines
from recipes.common.text import NORMALISERS
from recipes.common.tokens import UNITS, Tokens, learn_tokens

# The output of a chunk of 640 ms must fit in 256 KiB: 16 frames of 4096 float32.
MOST = {"pieces": 256, "char": 4095}
FLATTEN = 0.7  # words count as their frequency to this power, so that one book's names take no pieces


def flattened(texts: Iterable[str]) -> Iterator[str]:
    """Yield each word of `texts` as many times as it shall count."""
    for word, count in Counter(word for text in texts for word in text.split()).items():
        for _ in range(round(count**FLATTEN)):
            yield word


def learn(texts: Iterable[str], language: str, unit: str, pieces: int, model: Path) -> Tokens:
    """Learn from transcripts as they are, and write the model and its ``.txt``."""
    normalised = [text for text in map(NORMALISERS[language], texts) if text]
    if not normalised:
        raise ManifestError("there is no text to learn pieces from; give --sentences or --manifests")
    tokens = learn_tokens(normalised if unit == "char" else flattened(normalised), pieces, model, unit)
    model.with_suffix(".txt").write_text(tokens.lines(), "utf-8")
    return tokens


def main() -> None:
    """Learn from a text and from the transcripts of manifests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=Path, help="a text, one sentence a line")
    parser.add_argument("--manifests", type=Path, nargs="*", default=[], help="manifests whose texts count")
    parser.add_argument("--language", choices=tuple(NORMALISERS), default="en", help="how transcripts are normalised")
    parser.add_argument("--unit", choices=UNITS, default="pieces", help="char for Mandarin")
    parser.add_argument("--pieces", type=int, help="256 pieces, or the 4095 most frequent characters, if not given")
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model to write")
    arguments = parser.parse_args()
    texts = arguments.sentences.read_text("utf-8").splitlines() if arguments.sentences else []
    try:
        # Bad lines are named where the recordings are collected.
        found = (item for manifest in arguments.manifests for _, item in read_lines(manifest))
        texts += [item.text for item in found if isinstance(item, Entry)]
        pieces = arguments.pieces or MOST[arguments.unit]
        tokens = learn(texts, arguments.language, arguments.unit, pieces, arguments.tokens)
    except ManifestError as error:
        sys.exit(f"{error}")
    print(f"{arguments.tokens}: {len(tokens)} pieces with the blank")


if __name__ == "__main__":
    main()
