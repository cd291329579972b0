"""The beam search with a compiled language model, against every text that the network's output allows."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from arpa_files import write_arpa
from commands import cosyvoice as command

import cosyvoice
from cosyvoice import _native
from cosyvoice.embedded import resolve_model

BUNDLE = Path(resolve_model("en-lite"))
TOKENS = [
    line.rsplit(" ", 1)[0] for line in (BUNDLE / "tokens.txt").read_text("utf-8").splitlines()
]  # by id, blank first
UNKNOWN = "<unk>"
WEIGHT, BONUS = 0.6, 0.4
GRAMS = {
    (UNKNOWN,): (-4.0, 0.0), ("<s>",): (-99.0, -0.3), ("</s>",): (-1.0, 0.0), ("in",): (-1.5, -0.2), ("s",): (-1.2, -0.4),
    ("sin",): (-2.5, 0.0), ("<s>", "s"): (-0.9, 0.0), ("s", "in"): (-0.2, 0.0), ("in", "</s>"): (-0.4, 0.0),
}  # fmt: skip


@pytest.fixture(scope="module")
def lm(tmp_path_factory):
    """GRAMS, compiled."""
    folder = tmp_path_factory.mktemp("lm")
    write_arpa(folder / "words.arpa", GRAMS)
    done = command("lm", "build", folder / "words.arpa", folder / "words.bin")
    assert (done.stderr, done.returncode) == ("", 0)
    return folder / "words.bin"


def log10(before, word):
    """Back-off, as ARPA means it; an unknown word leaves no history."""
    if (before, word) in GRAMS:
        return GRAMS[before, word][0]
    return (GRAMS[before,][1] if (before,) in GRAMS else 0.0) + GRAMS[word,][0]


def worth(text):
    """What the language model and the bonus add to a text."""
    known = [word if (word,) in GRAMS else UNKNOWN for word in text.split()]
    pairs = itertools.pairwise(["<s>", *known, "</s>"])
    return WEIGHT * math.log(10) * sum(log10(*pair) for pair in pairs) + BONUS * len(known)


def output(random, frames, pieces):
    """Random log-probabilities of blank and of these pieces; the others never come."""
    rows = np.full((frames, len(TOKENS)), -np.inf, np.float32)
    values = random.normal(0.0, 1.5, (frames, 1 + len(pieces)))
    rows[:, [0, *(TOKENS.index(piece) for piece in pieces)]] = values - np.log(np.exp(values).sum(1, keepdims=True))
    return rows


def sums(rows, pieces):
    """ln of the probability of each text: all alignments that spell it, through whatever pieces."""
    ids = [0, *(TOKENS.index(piece) for piece in pieces)]
    totals = {}
    for path in itertools.product(ids, repeat=len(rows)):
        kept = [TOKENS[one] for one, _ in itertools.groupby(path) if one != 0]
        text = "".join(kept).replace("▁", " ").strip()
        totals[text] = totals.get(text, 0.0) + math.exp(sum(rows[t, one] for t, one in enumerate(path)))
    return {text: math.log(total) for text, total in totals.items()}


@pytest.mark.parametrize("seed", range(8))
def test_texts_and_shares_are_those_of_all_alignments_and_the_language_model(seed, lm):
    pieces = ["▁s", "in", "▁in"][: 2 + seed % 2]
    rows = output(np.random.default_rng(seed), 4, pieces)
    scores = {text: score + worth(text) for text, score in sums(rows, pieces).items()}
    total = math.log(sum(math.exp(score) for score in scores.values()))
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    search = _native.Search(
        str(BUNDLE), beam_size=128, lm=str(lm), lm_weight=WEIGHT, word_bonus=BONUS, alternatives=5,
        token_threshold=1000, score_threshold=1000,
    )  # fmt: skip
    for chunk in (1, 3, 4):
        text, others = search.decode(rows, chunk)
        assert [text, *(other for other, _ in others)] == ranked[:6]
        assert [share for _, share in others] == pytest.approx(
            [math.exp(scores[text] - total) for text in ranked[1:6]], rel=1e-3
        )


def test_the_language_model_decides_between_words_that_sound_alike(lm):
    rows = np.full((4, len(TOKENS)), -20.0, np.float32)
    for t, likely in enumerate([{"▁s": -0.1}, {"in": -0.6, "▁in": -0.8}, {"<blank>": -0.1}, {"<blank>": -0.1}]):
        for piece, value in likely.items():
            rows[t, TOKENS.index(piece)] = value
    assert _native.Search(str(BUNDLE), beam_size=16).decode(rows)[0] == "sin"
    assert _native.Search(str(BUNDLE), lm=str(lm), lm_weight=2.0).decode(rows)[0] == "s in"


def test_an_engine_takes_the_language_model_and_says_what_is_wrong_with_a_file(lm, tmp_path):
    with cosyvoice.Engine("en-lite", max_stream=1, workers=1, lm=lm):
        pass
    with pytest.raises(cosyvoice.ModelNotFound, match=r"none\.bin"):
        cosyvoice.Engine("en-lite", max_stream=1, workers=1, lm=tmp_path / "none.bin")
    (tmp_path / "foreign.bin").write_bytes(b"no language model" * 100)
    with pytest.raises(cosyvoice.InvalidModel, match=r"foreign\.bin"):
        cosyvoice.Engine("en-lite", max_stream=1, workers=1, lm=tmp_path / "foreign.bin")


def test_units_of_another_token_list_are_refused(tmp_path):
    tokens = tmp_path / "tokens.txt"
    tokens.write_text("<blank> 0\na 1\n", "utf-8")
    write_arpa(tmp_path / "tokens.arpa", {("<s>",): (-99.0, 0.0), ("</s>",): (-1.0, 0.0), ("a",): (-0.5, 0.0)})
    made = tmp_path / "tokens.bin"
    done = command("lm", "build", tmp_path / "tokens.arpa", made, "--unit", "token", "--tokens", tokens)
    assert (done.stderr, done.returncode) == ("", 0)
    with pytest.raises(cosyvoice.InvalidModel, match="its units are the tokens of another list"):
        _native.Search(str(BUNDLE), lm=str(made))
