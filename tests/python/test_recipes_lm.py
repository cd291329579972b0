"""The recipe of a language model: which sentences it takes."""

from __future__ import annotations

import json
import sys

import pytest
from support import REPOSITORY

pytest.importorskip("recipes", reason="networks are trained from a clone")
pytest.importorskip("yaml")

from cosyvoice.lm import LanguageModel
from recipes import lm
from recipes.common.lm_recipe import RecipeError, load_lm


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """A recipe of three kinds of text, one of whose sentences is evaluated."""
    monkeypatch.setenv("PLACE", str(tmp_path))
    sentences = [f"The {a} {b} goes on." for a in ("old", "new", "red") for b in ("ship", "road", "war", "cat")]
    (tmp_path / "sentences.txt").write_text("\n".join([*sentences, sentences[0], "", "Evaluated sentence!"]), "utf-8")
    (tmp_path / "prose.txt").write_text("Mr. Ahab came.\nHe said: “Go!”  Nobody went;\n\nthe end", "utf-8")
    (tmp_path / "dict.txt").write_text("ZEBRA  Z IY1\nZEBRA(1)  Z\nA.  EY1\n;;; no\n", "utf-8")
    for name in ("train", "dev"):
        (tmp_path / f"{name}.wav").touch()
    (tmp_path / "train.jsonl").write_text(json.dumps({"audio": "train.wav", "text": "A train row"}), "utf-8")
    (tmp_path / "dev.jsonl").write_text(json.dumps({"audio": "dev.wav", "text": "evaluated SENTENCE"}), "utf-8")
    path = tmp_path / "lm.yaml"
    path.write_text(
        """
order: 3
held_out: 1000000
evaluation: [$PLACE/dev.jsonl]
dictionaries: [$PLACE/dict.txt]
sources:
  - {name: sentences, sentences: $PLACE/sentences.txt}
  - {name: transcripts, manifest: $PLACE/train.jsonl}
background:
  - {name: prose, prose: $PLACE/prose.txt}
""",
        "utf-8",
    )
    return path


def test_prose_becomes_sentences(tmp_path, recipe):
    found = list(lm.read_source("prose", tmp_path / "prose.txt"))
    assert found == ["Mr Ahab came.", "He said: “Go!", "Nobody went;", "the end"]


def test_repeated_and_evaluated_sentences_are_left_out(recipe):
    collector = lm.Collector(load_lm(recipe))
    taken = collector.take(load_lm(recipe).sources)
    assert len(taken) == 13
    assert "the old ship goes on" in taken
    assert "a train row" in taken
    assert "evaluated sentence" not in taken
    assert dict(collector.left_out) == {"evaluation": 1, "repeated": 1}


def test_what_is_held_out_is_not_trained_on(recipe):
    recipe.write_text(recipe.read_text("utf-8").replace("1000000", "3"), "utf-8")
    collector = lm.Collector(load_lm(recipe))
    taken = collector.take(load_lm(recipe).sources)
    held_out = [sentence for some in collector.held_out.values() for sentence in some]
    assert held_out
    assert not set(held_out) & set(taken)
    assert len(held_out) + len(taken) == 13


def test_from_recipe_to_model(tmp_path, recipe, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["lm", str(recipe), "--out", str(tmp_path / "out")])
    lm.main()
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    model = LanguageModel.open(str(tmp_path / "out" / "lm.bin"))
    assert report["bytes"] == (tmp_path / "out" / "lm.bin").stat().st_size
    assert report["left_out"] == {"evaluation": 1, "repeated": 1}
    assert report["vocabulary"] == model.words()
    assert all(model.find(word) for word in ("ahab", "train", "zebra", "ship"))
    assert not model.find("evaluated")
    assert model.facts()["quantised"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("order: 3", "orders: 3", "orders is no key of a recipe"),
        ("order: 3", "order: three", "order is 'three', which it cannot be"),
        ("sentences: $PLACE/sentences.txt", "text: x", "the source sentences is nothing; give one of"),
        ("$PLACE/train.jsonl", "$NOWHERE/train.jsonl", r"\$NOWHERE is not set"),
    ],
)
def test_a_recipe_that_is_wrong(recipe, old, new, message):
    recipe.write_text(recipe.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(RecipeError, match=message):
        load_lm(recipe)


def test_the_published_recipe_can_be_read(monkeypatch):
    for name in ("CACHE", "SPEECH", "TEXT"):
        monkeypatch.setenv(name, "/nowhere")
    assert load_lm(REPOSITORY / "recipes" / "en" / "lm.yaml").order == 4
