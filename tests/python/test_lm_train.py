"""Training of n-gram models, compared with lmplz and with the definition."""

from __future__ import annotations

import gzip
import math
import random

import pytest
from arpa_files import read_arpa
from oracles.kneser_ney import KneserNey
from support import REPOSITORY

from cosyvoice.errors import InvalidArgument
from cosyvoice.lm import LanguageModel, TrainOptions, build, train
from cosyvoice.lm.counts import read_corpora
from cosyvoice.lm.text import read_sentences

GOLDEN = REPOSITORY / "tests" / "golden" / "lmplz"


def train_on(sentences, folder, **options):
    report = train(sentences, folder / "made.arpa", TrainOptions(**options))
    return report, read_arpa(folder / "made.arpa")


@pytest.mark.parametrize(
    ("name", "lines", "options", "fallback"),
    [
        ("phrases-4", None, {"order": 4}, ()),
        ("phrases-3-pruned", None, {"order": 3, "prune": (0, 0, 1)}, ()),
        ("tiny-3", 3, {"order": 3}, (2, 3)),
    ],
)
def test_the_model_is_the_one_that_lmplz_makes(tmp_path, name, lines, options, fallback):
    sentences = list(read_sentences(GOLDEN / "phrases.txt"))[:lines]
    report, made = train_on(sentences, tmp_path, **options)
    expected = read_arpa(GOLDEN / f"{name}.arpa.gz")
    assert made.keys() == expected.keys()
    for gram, values in expected.items():
        assert made[gram] == pytest.approx(values, abs=2e-6), gram
    assert sum(report.ngrams) == len(expected)
    assert report.fallback == fallback
    assert (report.sentences, report.words) == (len(sentences), sum(map(len, sentences)))


def random_text(seed, sentences, words=12):
    source = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(words)]
    weights = [1 / (number + 1) for number in range(words)]
    return [source.choices(vocabulary, weights, k=source.randint(1, 9)) for _ in range(sentences)]


@pytest.mark.parametrize(
    ("order", "prune"),
    [(1, (0,)), (2, (0,)), (2, (0, 1)), (3, (0,)), (3, (0, 0, 2)), (4, (0, 1)), (5, (0,)), (5, (0, 0, 1, 2))],
)
def test_the_model_is_the_definition(tmp_path, order, prune):
    sentences = random_text(order, 60)
    _, made = train_on(sentences, tmp_path, order=order, prune=prune)
    thresholds = [*prune, *[prune[-1]] * order][:order]
    plain = KneserNey(sentences, order, thresholds)
    expected = {gram for n in range(1, order + 1) for gram in plain.raw[n] if plain.in_model(gram)} | {("<unk>",)}
    assert made.keys() == expected
    for gram, (probability, backoff) in made.items():
        assert probability == pytest.approx(0 if gram == ("<s>",) else math.log10(plain.probability(gram)), abs=2e-6)
        if len(gram) < order:
            assert backoff == pytest.approx(math.log10(plain.share_left(gram)), abs=2e-6)


@pytest.mark.parametrize("options", [{"order": 4}, {"order": 3, "prune": (0, 1)}, {"order": 4, "most_words": 5}])
def test_the_probabilities_of_all_words_add_up_to_one(tmp_path, options):
    sentences = random_text(9, 80)
    train_on(sentences, tmp_path, **options)
    build(tmp_path / "made.arpa", tmp_path / "lm.bin")
    add_up_to_one(LanguageModel.open(str(tmp_path / "lm.bin")), sentences[:10])


def add_up_to_one(model, sentences):
    words = [model.word(number) for number in range(model.words())]
    for sentence in sentences:
        for length in range(len(sentence) + 1):
            history = sentence[:length]
            rows = {word: model.score_sentence([*history, word])[length][0] for word in words}
            rows["</s>"] = model.score_sentence(history)[-1][0]
            del rows["<s>"]
            assert sum(10**log for log in rows.values()) == pytest.approx(1, abs=1e-4)


def mixed(seed):
    return random_text(seed, 60), [[word.replace("w", "v") for word in s] for s in random_text(seed + 1, 90, 8)]


def test_a_mixture_is_the_weighted_sum(tmp_path):
    own, background = mixed(20)
    background += own[:10]
    vocabulary = tuple({word for sentence in own + background for word in sentence})
    for name, text in (("own", own), ("background", background)):
        train(text, tmp_path / f"{name}.arpa", TrainOptions(3, vocabulary=vocabulary))
        build(tmp_path / f"{name}.arpa", tmp_path / name)
    options = TrainOptions(3, background_weight=0.2)
    report = train(own, tmp_path / "mixture.arpa", options, background)
    assert report.sentences == 160
    build(tmp_path / "mixture.arpa", tmp_path / "mixture")
    one, two, both = (LanguageModel.open(str(tmp_path / name)) for name in ("own", "background", "mixture"))
    made = read_arpa(tmp_path / "mixture.arpa")
    trigrams = [gram for gram in made if len(gram) == 3 and gram[0] == "<s>" and gram[2] != "</s>"]
    assert len(trigrams) > 50
    for _, *words in trigrams:  # of n-grams that either model has
        first, second, found = (model.score_sentence(words)[1][0] for model in (one, two, both))
        assert 10**found == pytest.approx(0.8 * 10**first + 0.2 * 10**second, rel=1e-4)


def test_the_probabilities_of_a_mixture_add_up_to_one(tmp_path):
    own, background = mixed(30)
    options = TrainOptions(4, (0, 0, 1), background_prune=(0, 1, 2))
    train(own, tmp_path / "made.arpa", options, background + own[:20])
    build(tmp_path / "made.arpa", tmp_path / "lm.bin")
    add_up_to_one(LanguageModel.open(str(tmp_path / "lm.bin")), own[:5] + background[:5])


def test_rare_words_become_unknown(tmp_path):
    sentences = [["a", "b", "c"], ["a", "b", "d"], ["a", "e"]]
    report, made = train_on(sentences, tmp_path, order=2, most_words=2)
    assert {word for (word, *rest) in made if not rest} == {"<unk>", "<s>", "</s>", "a", "b"}
    assert ("b", "<unk>") in made
    assert report.vocabulary == 5


def test_words_keep_their_frequency_order_where_the_number_is_limited():
    (corpus,) = read_corpora([[["x", "y", "y"], ["y", "z", "z"]]], most_words=1)
    assert corpus.words == ["<unk>", "<s>", "</s>", "y"]
    assert corpus.ids.tolist() == [1, 0, 3, 3, 2, 1, 3, 0, 0, 2]


def test_words_of_the_vocabulary_are_in_the_model_in_any_case(tmp_path):
    sentences = [["a", "b", "c"], ["a", "b", "d"], ["a", "e"]]
    _, made = train_on(sentences, tmp_path, order=2, most_words=2, vocabulary=("e", "zoë", "a", "zoë"))
    assert {word for (word, *rest) in made if not rest} == {"<unk>", "<s>", "</s>", "a", "b", "e", "zoë"}
    assert ("a", "e") in made
    assert made["zoë",][0] < made["e",][0]


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>"])
def test_a_text_has_none_of_the_models_own_words(tmp_path, word):
    with pytest.raises(InvalidArgument, match=f"the text has the word {word}, which a model keeps for itself"):
        train([["a", word]], tmp_path / "x.arpa")
    assert not list(tmp_path.iterdir())


def test_a_text_has_words(tmp_path):
    with pytest.raises(InvalidArgument, match="the text has no words; expected sentences, one a line"):
        train([], tmp_path / "x.arpa")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 6}, "order is 6; it must lie between 1 and 5"),
        ({"prune": (1,)}, "its first number, that of unigrams, must be 0"),
        ({"prune": ()}, "its first number"),
        ({"prune": (0, 2, 1)}, "no number may be below the one before it"),
        ({"order": 2, "prune": (0, 0, 1)}, "a model of order 2 takes 2 numbers at most"),
        ({"background_weight": 1.0}, "background_weight is 1.0; it must lie between 0 and 1"),
        ({"background_prune": (1,)}, "background_prune is"),
        ({"most_words": 0}, "most_words is 0; it must be 1 or more"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(InvalidArgument, match=message):
        TrainOptions(**options)


def test_a_packed_model_is_the_same_model(tmp_path):
    sentences = random_text(3, 20)
    train(sentences, tmp_path / "one.arpa")
    train(sentences, tmp_path / "two.arpa.gz")
    assert gzip.decompress((tmp_path / "two.arpa.gz").read_bytes()) == (tmp_path / "one.arpa").read_bytes()
    assert build(tmp_path / "one.arpa", tmp_path / "1") == build(tmp_path / "two.arpa.gz", tmp_path / "2")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
