"""Recipes of data, and the steps from manifests to a model."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from recordings import five_lines, lines
from support import REPOSITORY

pytest.importorskip("recipes", reason="networks are trained from a clone")
from recipes.adapt import adapted
from recipes.common.pool import Pool
from recipes.common.recipe import RecipeError, load
from recipes.common.tokens import Tokens
from recipes.data import Maker, options
from recipes.tokens import learn


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return five_lines(tmp_path)


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("CACHE", "SPEECH", "TEXT", "WHISPER"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))


@pytest.mark.usefixtures("variables")
def test_the_recipe_of_en_can_be_read(tmp_path: Path) -> None:
    recipe = load(REPOSITORY / "recipes" / "en" / "recipe.yaml")
    assert sum(source.share or 0 for source in recipe.pools.values()) == pytest.approx(1)
    assert recipe.sentences == str(tmp_path / "text")
    assert recipe.shares(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pools: {a: {manifest: m}}", "training is missing"),
        ("training: {hours: long}\npools: {a: {manifest: m}}", "training.hours is 'long'"),
        ("training: {hours: 1}\npools: {}", "pools is empty"),
        ("training: {hours: 1}\npools: {a: {share: 1}}", "pools.a comes from nothing"),
        ("training: {hours: 1}\npools: {a: {manifest: m, label: {}}}", "give one of"),
        ("training: {hours: 1}\npools: {a: {manifest: m, share: 0}}", "it is above 0"),
        ("training: {hours: 1}\npools: {a: {manifest: m, share: 1}, b: {manifest: n}}", "every pool a share or none"),
        ("training: {hours: 1}\nlanguage: tlh\npools: {a: {manifest: m}}", "language is 'tlh'; choose from en, zh"),
        ("training: {hours: 1, sed: 3}\npools: {a: {manifest: m}}", "training.sed is no key"),
        ("training: {hours: 1}\npools: {a: {manifest: $NOWHERE_TO_BE_SEEN/m}}", "NOWHERE_TO_BE_SEEN is not set"),
        ("training: [", "cannot be read"),
    ],
)
def test_a_recipe_says_what_is_wrong(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "recipe.yaml").write_text(text)
    with pytest.raises(RecipeError, match=reason):
        load(tmp_path / "recipe.yaml")


def test_a_recipe_of_manifests_becomes_tokens_and_pools(corpus: Path, tmp_path: Path) -> None:
    import yaml

    base = {"tokens": {"unit": "char", "sentences": "none"}, "training": {"hours": 2}, "pools": {"other": {}}}
    recipe = adapted(base, [corpus], [tmp_path / "dev.jsonl"], 0.5)
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    made = load(tmp_path / "recipe.yaml")
    assert (made.hours, made.evaluation, list(made.pools)) == (0.5, (tmp_path / "dev.jsonl",), ["corpus"])
    maker = Maker(made, tmp_path / "tokens.model", tmp_path / "pool", 50)
    for _ in range(2):  # the second time there is nothing to do
        maker.tokens()
        maker.pool("corpus", made.pools["corpus"])
    assert Tokens(tmp_path / "tokens.model").missing("yes it's the first no") == ""
    assert made.shares(tmp_path / "pool") == {"corpus": pytest.approx(3 / 3600)}
    with pytest.raises(RecipeError, match="two manifests have one name"):
        adapted(base, [corpus, tmp_path / "b" / "corpus.jsonl"], [], None)


def test_pools_are_labelled_and_read_aloud_by_their_commands(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "recipe.yaml").write_text(
        f"""
        training: {{hours: 1}}
        evaluation: [{tmp_path}/dev/*.jsonl]
        pools:
          calls: {{label: {{recordings: /calls, whisper: tiny, must_not_contain: [a b, c]}}}}
          voices: {{synthesise: {{voices: flite, limit: 9}}}}
        """
    )
    for name in ("a", "b"):
        lines(tmp_path / "dev" / f"{name}.jsonl")
    recipe, pools, ran = load(tmp_path / "recipe.yaml"), tmp_path / "pool", []

    def run(*words: str) -> None:
        ran.append(words)
        if words[0] == "recipes.label":
            rows = [row for row in corpus.read_text("utf-8").splitlines() if row != "oops"]
            lines(Path(words[3]), *(row.replace('"a/', f'"{tmp_path}/a/') for row in rows))

    monkeypatch.setattr("recipes.data._run", run)
    learn(["yes it's the first no"], "en", "char", 99, tmp_path / "tokens.model")
    maker = Maker(recipe, tmp_path / "tokens.model", pools, 50)
    for _ in range(2):  # the second time there is nothing to do
        for name, source in recipe.pools.items():
            maker.pool(name, source)
    labels = ["--language", "en", "--whisper", "tiny", "--must-not-contain", "a b", "c"]
    dev = [f"{tmp_path}/dev/{name}.jsonl" for name in ("a", "b")]
    spoken = ["--pool", str(pools), "--exclude", *dev, "--name", "voices", "--voices", "flite", "--limit", "9"]
    assert ran == [
        ("recipes.label", "/calls", "--out", f"{pools}/calls.labels.jsonl", *labels),
        ("recipes.en.synthesise", *spoken),
    ]
    assert [row.text for row in Pool(pools, "calls").rows] == ["yes", "it's the first", "", "no"]


def test_options_of_a_recipe_are_those_of_a_command_line() -> None:
    values = {"must_not_contain": ["public domain", "x"], "limit": 9, "assume_language": True}
    assert options(values) == ["--must-not-contain", "public domain", "x", "--limit", "9", "--assume-language"]


FAKE_PYTHON = """#!/bin/sh
# Stands for Python with its recipes: notes the module, and fails in the one that FAIL names.
echo "$2" >> "$LOG"
[ "$2" = "$FAIL" ] && exit 1
case "$2" in *evaluate) echo "WER 12.3 %";; esac
exit 0
"""


@pytest.mark.parametrize(("network", "module"), [("en", "en"), ("en-lite", "en_lite")])
def test_make_model_goes_on_after_the_last_good_step(tmp_path: Path, network: str, module: str) -> None:
    python, log, corpus = tmp_path / "python", tmp_path / "log", lines(tmp_path / "calls.jsonl")
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)

    def make(fail: str = "") -> tuple[int, list[str], str]:
        log.write_text("")
        command = ["make", "-C", str(REPOSITORY / "recipes"), "model", f"NETWORK={network}", f"CORPUS={corpus}"]
        done = subprocess.run(
            [*command, f"CACHE={tmp_path}", f"PYTHON={python}"],
            env=os.environ | {"LOG": str(log), "FAIL": fail, "MAKEFLAGS": ""},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, log.read_text().split(), done.stdout

    begin = ["recipes.adapt", "recipes.data", f"recipes.{module}.published"]
    assert make(f"recipes.{module}.train")[:2] == (2, [*begin, f"recipes.{module}.train"])
    end = [f"recipes.{module}.{step}" for step in ("train", "export", "evaluate")]
    assert make(end[-1])[:2] == (2, end)
    code, steps, output = make()
    assert (code, steps) == (0, end[-1:])
    assert f"the bundle: {tmp_path}/models/my-{network}/bundle\nWER 12.3 %\n" in output
    assert make()[1] == []
    os.utime(corpus, (2**31, 2**31))
    assert make()[1] == ["recipes.adapt", "recipes.data", *end]
