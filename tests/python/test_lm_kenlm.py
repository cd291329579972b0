"""Scores of compiled models, compared with those of KenLM."""

from __future__ import annotations

import random

import pytest
from arpa_files import random_grams, read_arpa, write_arpa
from support import REPOSITORY

from cosyvoice.lm import LanguageModel, TrainOptions, build, train

kenlm = pytest.importorskip("kenlm", reason="KenLM's module does not build on Python 3.13")

NEAR = 1e-4
PIECES = ["▁a", "▁b", "c", "d", "▁", "é", "天", "气"]
WORDS = ["the", "cat", "cats", "sat", "on", "a", "mat", "über"]


def compiled(folder, arpa, **options):
    build(arpa, folder / "lm.bin", **options)
    return LanguageModel.open(str(folder / "lm.bin"))


def for_kenlm(folder, grams):
    """KenLM takes no model of order 1: a bigram that costs what backing off costs makes it one of order 2."""
    if max(map(len, grams)) == 1:
        word = next(iter(grams))
        grams = {gram: (probability, 0.0) for gram, (probability, _) in grams.items()}
        grams["<s>", *word] = (grams[word][0], 0.0)
    write_arpa(folder / "kenlm.arpa", grams)
    return kenlm.Model(str(folder / "kenlm.arpa"))


def compare(model, oracle, words, source, sentences):
    unknown = 0
    for _ in range(sentences):
        sentence = [source.choice(words) if source.random() < 0.9 else "zebra" for _ in range(source.randint(0, 12))]
        rows = model.score_sentence(sentence)
        expected = list(oracle.full_scores(" ".join(sentence)))
        assert [score for score, _ in rows] == pytest.approx([score for score, *_ in expected], abs=NEAR), sentence
        assert [not known for _, known in rows] == [is_unknown for *_, is_unknown in expected], sentence
        unknown += sum(not known for _, known in rows)
    assert unknown > 0


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("unit", ["word", "token"])
@pytest.mark.parametrize("unknown", [True, False])
def test_random_models_of_words_and_of_pieces(tmp_path, order, unit, unknown):
    source = random.Random(f"{order} {unit} {unknown}")
    words = WORDS if unit == "word" else PIECES
    for _ in range(4):
        grams = random_grams(source, order, words, 400, unknown)
        write_arpa(tmp_path / "ours.arpa", grams)
        options = {}
        if unit == "token":
            options = {"unit": "token", "tokens": tmp_path / "tokens.txt"}
            lines = [f"{piece} {number}\n" for number, piece in enumerate(["<blank>", *PIECES])]
            (tmp_path / "tokens.txt").write_text("".join(lines), "utf-8")
        model = compiled(tmp_path, tmp_path / "ours.arpa", **options)
        assert model.facts()["order"] == order
        assert model.facts()["unknown_missing"] is not unknown
        # Some n-grams lacked one that they end with.
        assert order < 4 or sum(model.facts()["ngrams"]) > len(grams) + 1
        compare(model, for_kenlm(tmp_path, grams), words, source, 60)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_trained_models(tmp_path, order):
    text = (REPOSITORY / "tests" / "golden" / "lmplz" / "phrases.txt").read_text("utf-8")
    sentences = [line.split() for line in text.splitlines()]
    train(sentences, tmp_path / "trained.arpa", TrainOptions(order, (0, 0, 1)[: order - 1]))
    model = compiled(tmp_path, tmp_path / "trained.arpa")
    words = [word for sentence in sentences for word in sentence]
    compare(model, kenlm.Model(str(tmp_path / "trained.arpa")), words, random.Random(order), 200)


def test_a_quantised_model_stays_near(tmp_path):
    arpa = REPOSITORY / "tests" / "golden" / "lmplz" / "phrases-4.arpa.gz"
    model = compiled(tmp_path, arpa, quantise=True)
    write_arpa(tmp_path / "kenlm.arpa", read_arpa(arpa))
    oracle = kenlm.Model(str(tmp_path / "kenlm.arpa"))
    text = (REPOSITORY / "tests" / "golden" / "lmplz" / "phrases.txt").read_text("utf-8")
    errors = []
    for line in text.splitlines():
        expected = [score for score, *_ in oracle.full_scores(line)]
        rows = [score for score, _ in model.score_sentence(line.split())]
        errors += [abs(one - two) for one, two in zip(rows, expected, strict=True)]
    assert 0 < sum(errors) / len(errors) < 0.005
    assert max(errors) < 0.25  # rare values share an entry
