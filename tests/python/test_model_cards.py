"""What is told of bundles: `cosyvoice model info`, the cards and their tables of results."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import cosyvoice
from support import REPOSITORY

import cosyvoice as package
from cosyvoice import _native
from cosyvoice.embedded import resolve_model

CARD = "MODEL_CARD.md"


def test_info():
    report = json.loads(cosyvoice("model", "info", "en-lite", "--json").stdout)
    assert (report["name"], report["chunk_ms"]) == ("en-lite", [128, 256, 512])
    assert report["precision"] in report["networks"]
    assert report["networks"]["f32"]["bytes"] > 1 << 20
    plain = cosyvoice("model", "info").stdout.splitlines()
    assert plain[0].split() == ["name", "en"]
    assert len(plain) == len(report)


def test_card():
    for name, arguments in (("en", ()), ("en-lite", ("en-lite",))):
        done = cosyvoice("model", "card", *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == Path(resolve_model(name), CARD).read_text("utf-8")


def test_a_bundle_without_a_card_says_where_it_was_looked_for(tmp_path):
    for file in Path(resolve_model("en-lite")).iterdir():
        if file.name != CARD:
            (tmp_path / file.name).symlink_to(file)
    done = cosyvoice("model", "card", tmp_path)
    assert done.returncode == 1
    assert f"looked for {tmp_path}/{CARD}" in done.stderr
    assert cosyvoice("model", "info", tmp_path / "nowhere").returncode == 1


HEADINGS = ["Make", "Data", "Licence", "Training cost", "Results", "Limits", "Meant for", "Not meant for"]


@pytest.mark.parametrize("name", package.embedded_models())
def test_cards_have_every_field_and_the_facts_of_the_manifest(name):
    facts = _native.read_manifest(resolve_model(name))
    text = Path(facts["path"], "MODEL_CARD.md").read_text("utf-8")
    assert text.startswith(f"# {name}\n")
    assert [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")] == HEADINGS
    assert f"Version {facts['version']}." in text
    assert f"## Licence\n\n{facts['licence']}." in text
    assert f"chunks of {', '.join(map(str, facts['chunk_ms'][:-1]))} and {facts['chunk_ms'][-1]} ms" in " ".join(
        text.split()
    )
    assert facts["weights"] == "trained" or "Random weights" in text.splitlines()[2]


def test_the_bundles_are_small_enough_for_a_wheel():
    files = [file for name in package.embedded_models() for file in Path(resolve_model(name)).iterdir()]
    models = [file for file in files if file.name == "lm.bin"]
    assert sum(file.stat().st_size for file in files if file not in models) <= 25e6
    assert sum(file.stat().st_size for file in models) <= 10e6


# ---- tables of results, by tools/card_results.py

ROWS = """
By set:
  - {row: "read", line: "a.jsonl:"}
  - {row: "talk", line: "b.jsonl:"}
By group:
  - {row: "children", age: [0, 12]}
  - {row: "Ann", speaker: ann}
"""
EMPTY = "# x\n\n## Results\n\n### By set\n\n### By group\n\nFew of them.\n\n## Limits\n\nMany.\n"


def heard(place, speaker, age, words, wrong):
    kinds = {"substitutions": wrong, "deletions": 0, "insertions": 0}
    return {"line": place, "speaker": speaker, "age": age, "heard": [{"words": words, **kinds}]}


def lines(first):
    """Three utterances of ten words; errors of the first one, and one and four."""
    return [
        heard("a.jsonl:1", "ann", "8", 10, first),
        heard("a.jsonl:2", "bob", "40", 10, 1),
        heard("b.jsonl:1", "ann", "", 10, 4),
    ]


@pytest.fixture
def fill(tmp_path):
    """Runs the tool over a card, rows and a file for each column."""
    (tmp_path / "card.md").write_text(EMPTY, "utf-8")
    (tmp_path / "rows.yaml").write_text(ROWS, "utf-8")

    def run(**columns):
        files = []
        for name, rows in columns.items():
            files.append(tmp_path / f"{name.strip('_').replace('_', '-')}.jsonl")
            files[-1].write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        tool = REPOSITORY / "tools" / "card_results.py"
        command = [sys.executable, tool, tmp_path / "card.md", tmp_path / "rows.yaml", *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done, (tmp_path / "card.md").read_text("utf-8")

    return run


def test_tables_of_results(fill):
    done, card = fill(_320=lines(5), _320_int8=lines(2))
    assert (done.returncode, done.stderr) == (0, "")
    # One utterance alone has no spread. The two of `read` are drawn as 5+5, 5+1 or 1+1 errors in 20 words.
    assert card == EMPTY.replace(
        "### By set\n",
        "### By set\n\n| | utterances | words | 320 ms | 320 ms, int8 |\n|---|---|---|---|---|\n"
        "| read | 2 | 20 | 30.0 (10.0 to 50.0) | 15.0 (10.0 to 20.0) |\n"
        "| talk | 1 | 10 | 40.0 (40.0 to 40.0) | 40.0 (40.0 to 40.0) |\n",
    ).replace(
        "Few of them.\n",
        "Few of them.\n\n| | utterances | words | 320 ms | 320 ms, int8 |\n|---|---|---|---|---|\n"
        "| children | 1 | 10 | 50.0 (50.0 to 50.0) | 20.0 (20.0 to 20.0) |\n"
        "| Ann | 2 | 20 | 45.0 (40.0 to 50.0) | 30.0 (20.0 to 40.0) |\n",
    )
    _, again = fill(_320=lines(1))
    assert again.count("| 320 ms |\n") == 2
    assert "int8" not in again
    assert again.endswith("|\n\n## Limits\n\nMany.\n")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"_160": lines(5), "_320": lines(5)[1:]}, "read: the files count other utterances, or other words"),
        ({"_160": lines(5)[:2]}, "talk: no line matches"),
        ({"_160": [*lines(5), {"line": "a.jsonl:3", "error": "no such file"}]}, "a.jsonl:3 could not be heard"),
    ],
)
def test_results_that_make_no_table(fill, columns, message):
    done, card = fill(**columns)
    assert done.returncode == 1
    assert message in done.stderr
    assert card == EMPTY
