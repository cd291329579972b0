"""A language model from a few sentences, and what it thinks of others."""

import sys
from pathlib import Path

from cosyvoice.lm import LanguageModel, Scorer, TrainOptions, build, train
from cosyvoice.lm.text import read_sentences

text, folder = map(Path, sys.argv[1:3])
report = train(read_sentences(text), folder / "lm.arpa.gz", TrainOptions(order=3))
print("n-grams:", *report.ngrams)

build(folder / "lm.arpa.gz", folder / "lm.bin", quantise=True)
scorer = Scorer(LanguageModel.open(str(folder / "lm.bin")))
for word in scorer.score(["i", "want", "to", "change", "my", "order"]):
    print(f"{word.word:8}{word.log10:9.4f}{'' if word.known else '  unknown'}")
print(f"perplexity {scorer.total.perplexity:.1f}")
