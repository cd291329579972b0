"""Learn the pieces: ``python -m recipes.en.tokens --help``."""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from recipes.common.text import normalise
from recipes.common.tokens import learn_tokens

PIECES = 256
FLATTEN = 0.7  # words count as their frequency to this power, so that one book's names take no pieces


def flattened(texts: Iterable[str]) -> Iterator[str]:
    """Yield each word of `texts` as many times as it shall count."""
    for word, count in Counter(word for text in texts for word in text.split()).items():
        for _ in range(round(count**FLATTEN)):
            yield word


def main() -> None:
    """Learn from a text and from the transcripts of manifests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=Path, required=True, help="a text, one sentence a line")
    parser.add_argument("--manifests", type=Path, nargs="*", default=[], help="manifests whose texts count too")
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model to write")
    arguments = parser.parse_args()
    texts = arguments.sentences.read_text("utf-8").splitlines()
    for manifest in arguments.manifests:
        texts += [json.loads(line)["text"] for line in manifest.read_text("utf-8").splitlines()]
    learn_tokens(flattened(map(normalise, texts)), PIECES, arguments.tokens)


if __name__ == "__main__":
    main()
