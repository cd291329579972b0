"""Train the language model of a bundle: ``python -m recipes.lm --help``.

The texts are normalised as transcripts are, sentences of the evaluation manifests are left out, and so are repeated ones. One
sentence in so many is held out of each source, and the model's perplexity on those is in the report. Wants this package beside
the recipes.
"""

import argparse
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cosyvoice.lm import LanguageModel, Scorer, TrainOptions, build, train
from recipes.common.lm_recipe import LmRecipe, LmSource, RecipeError, load_lm
from recipes.common.manifest import read_entries
from recipes.common.text import evaluation_texts, normalise

_SENTENCE_END = re.compile(r"(?<=[.!?;])[\"”’')]*\s+")
_PARAGRAPH_END = re.compile(r"\n\s*\n")
_TITLES = re.compile(r"\b(Mr|Mrs|Dr|St|Messrs|Hon|Gen|No|[A-Z])\.(?=\s)")


def sentences_of_prose(text: str) -> Iterator[str]:
    """Yield the sentences of running text, whose paragraphs are parted by empty lines."""
    for paragraph in _PARAGRAPH_END.split(text):
        yield from _SENTENCE_END.split(_TITLES.sub(r"\1", " ".join(paragraph.split())))


def read_source(kind: str, path: Path) -> Iterator[str]:
    """Yield the sentences of one file, as they stand there."""
    if kind == "manifest":
        yield from (entry.text for entry in read_entries(path))
    elif kind == "prose":
        yield from sentences_of_prose(path.read_text("utf-8"))
    else:
        yield from path.read_text("utf-8").splitlines()


def is_held_out(sentence: str, one_in: int) -> bool:
    """Say whether nobody trains on a sentence; the same in every run."""
    return zlib.crc32(sentence.encode()) % one_in == 0


class Collector:
    """Takes the sentences of sources; none twice, and none of the evaluation's."""

    def __init__(self, recipe: LmRecipe) -> None:
        self.held_out: dict[str, list[str]] = {}  # by source
        self.left_out: Counter[str] = Counter()  # how many for what
        self._one_in = recipe.held_out
        self._evaluation = evaluation_texts(recipe.evaluation)
        self._seen: set[str] = set()

    def take(self, sources: Iterable[LmSource]) -> list[str]:
        """Return the sentences to train on."""
        training = []
        for source in sources:
            held_out = self.held_out.setdefault(source.name, [])
            for path in source.paths:
                for sentence in map(normalise, read_source(source.kind, path)):
                    if sentence in self._evaluation:
                        self.left_out["evaluation"] += 1
                    elif not sentence or sentence in self._seen:
                        self.left_out["repeated"] += bool(sentence)
                    else:
                        self._seen.add(sentence)
                        (held_out if is_held_out(sentence, self._one_in) else training).append(sentence)
        return training


def words_of(paths: Iterable[Path], entry: re.Pattern[str]) -> Iterator[str]:
    """Yield the words that lines of dictionaries begin with, where they are words as transcripts have them."""
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            word = line.split(maxsplit=1)[0].lower() if line.strip() else ""
            if entry.fullmatch(word):
                yield word


def split(sentences: Iterable[str]) -> Iterator[list[str]]:
    """Yield the words of each sentence."""
    return (sentence.split() for sentence in sentences)


def main() -> None:
    """Train, compile, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe", type=Path, help="which texts, and how long the n-grams are")
    parser.add_argument("--out", type=Path, required=True, help="the folder of lm.arpa.gz, lm.bin and report.json")
    arguments = parser.parse_args()
    try:
        recipe = load_lm(arguments.recipe)
    except RecipeError as error:
        sys.exit(f"{error}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    collector = Collector(recipe)
    training, background = collector.take(recipe.sources), collector.take(recipe.background)
    options = TrainOptions(
        order=recipe.order,
        prune=recipe.prune,
        most_words=recipe.words,
        vocabulary=tuple(words_of(recipe.dictionaries, re.compile(r"[a-z]+(?:'[a-z]+)*"))),
        background_weight=recipe.background_weight,
        background_prune=recipe.background_prune,
    )
    arpa, compiled = arguments.out / "lm.arpa.gz", arguments.out / "lm.bin"
    trained = train(split(training), arpa, options, split(background) if background else None)
    facts = build(arpa, compiled, quantise=recipe.quantise)
    report: dict[str, Any] = {
        "bytes": facts["bytes"],
        "sentences": trained.sentences,
        "words": trained.words,
        "vocabulary": trained.vocabulary,
        "ngrams": trained.ngrams,
        "left_out": collector.left_out,
        "held_out": {name: perplexity(compiled, some) for name, some in collector.held_out.items() if some},
    }
    (arguments.out / "report.json").write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    print(json.dumps(report, indent=2))


def perplexity(model: Path, sentences: Iterable[str]) -> dict[str, float]:
    """Return what the model makes of sentences that it was not trained on."""
    scorer = Scorer(LanguageModel.open(str(model)))
    for sentence in sentences:
        scorer.score(sentence.split())
    total = scorer.total
    return {
        "words": total.words,
        "unknown": total.unknown,
        "perplexity": round(total.perplexity, 1),
        "perplexity_known": round(total.perplexity_known, 1),
    }


if __name__ == "__main__":
    main()
