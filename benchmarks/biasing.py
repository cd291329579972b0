"""What hotwords do for rare words, and to the others: word errors with and without, as the is21_deep_bias sets count them.

python benchmarks/biasing.py MANIFEST [--common WORDS] [--distractors 100] [--boosts 3,5,8] [--model en]

Each clip's list holds the rare words of its reference and as many distractors, rare words of other clips, drawn with a fixed
seed. Rare is what the file WORDS (a word a line, the commonest first) does not have among its first 5,000; without that file,
what the manifest has once or twice. Errors in rare words are B-WER: their deletions and substitutions, and insertions of words of
the list. All others are U-WER.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cosyvoice import Engine
from cosyvoice.cli.evaluation.edits import align
from cosyvoice.cli.evaluation.manifest import Clip, Manifests
from cosyvoice.cli.evaluation.text import Normalise, words

if TYPE_CHECKING:
    from cosyvoice.hotwords import Hotwords

COMMON = 5000
SEED = 1


@dataclass
class Count:
    """Words of the references and errors, of rare words and of the others."""

    length: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    errors: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})

    def add(self, reference: list[str], heard: list[str], rare: set[str], listed: set[str]) -> None:
        """One clip."""
        for wanted, got in align(reference, heard):
            is_rare = wanted in rare if wanted is not None else got in listed
            self.length[is_rare] += wanted is not None
            self.errors[is_rare] += wanted != got

    def percent(self, *kinds: bool) -> str:
        """Errors for each word of these kinds."""
        length = sum(self.length[kind] for kind in kinds)
        return f"{100 * sum(self.errors[kind] for kind in kinds) / length:.2f} %" if length else "–"


def hear(engine: Engine, clip: Clip, hotwords: Hotwords) -> list[str]:
    """The words of one clip."""
    recording = clip.part.open()
    texts = []
    with engine.new_session(
        sample_rate=recording.sample_rate, encoding="f32le", priority="batch", hotwords=hotwords
    ) as session:
        for block in recording.blocks():
            session.feed(block.mean(axis=1, dtype="float32"))
    while (final := session.result()) is not None:
        texts.append(final.text)
    return words(Normalise.PLAIN.applied(" ".join(texts)))


def rare_words(references: list[list[str]], common: Path | None) -> set[str]:
    """Of the whole manifest."""
    counts = Counter(word for reference in references for word in reference)
    if common is None:
        return {word for word, times in counts.items() if times <= 2}
    known = common.read_text("utf-8").split()[:COMMON]
    return set(counts) - {Normalise.PLAIN.applied(word) for word in known}


def main() -> None:
    """Print a row without hotwords and one for each boost."""
    parser = argparse.ArgumentParser()
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--common", type=Path)
    parser.add_argument("--distractors", type=int, default=100)
    parser.add_argument("--boosts", default="3,5,8")
    parser.add_argument("--model", default="en")
    parser.add_argument("--beam", type=int, default=16)
    parser.add_argument("--lm", default="")
    options = parser.parse_args()
    clips = list(Manifests([options.manifest], []))
    references = [words(Normalise.PLAIN.applied(clip.text)) for clip in clips]
    rare = rare_words(references, options.common)
    pool = sorted(rare)
    draw = random.Random(SEED)
    lists = []
    for reference in references:
        own = set(reference) & rare
        others = [word for word in draw.sample(pool, min(len(pool), options.distractors + len(own))) if word not in own]
        lists.append((own, own | set(others[: options.distractors])))
    print(
        f"{len(clips)} clips, {sum(map(len, references))} words; {len(rare)} rare ones, {options.distractors} distractors"
    )
    print("boost | WER | U-WER | B-WER")
    with Engine(options.model, max_stream=1, beam_size=options.beam, lm=options.lm) as engine:
        for boost in [0.0, *map(float, options.boosts.split(","))]:
            count = Count()
            for clip, reference, (own, listed) in zip(clips, references, lists, strict=True):
                hotwords = dict.fromkeys(sorted(listed), boost) if boost else {}
                count.add(reference, hear(engine, clip, hotwords), own, listed)
            name = f"{boost:g}" if boost else "none"
            print(f"{name} | {count.percent(True, False)} | {count.percent(False)} | {count.percent(True)}", flush=True)


if __name__ == "__main__":
    main()
