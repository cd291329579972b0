"""``cosyvoice lm``."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys

import pytest
from commands import cosyvoice
from support import PATIENCE, REPOSITORY

from cosyvoice.cli import main
from cosyvoice.errors import InvalidArgument, InvalidModel
from cosyvoice.lm import LanguageModel, Scorer, build

GOLDEN = REPOSITORY / "tests" / "golden" / "lmplz"
ARPA = GOLDEN / "phrases-4.arpa.gz"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("lm") / "lm.bin"
    build(ARPA, path)
    return path


def test_from_text_to_scores(tmp_path):
    text, arpa, compiled = (tmp_path / name for name in ("text.txt", "lm.arpa.gz", "lm.bin"))
    shutil.copy(GOLDEN / "phrases.txt", text)
    trained = cosyvoice("lm", "train", text, "-n", "3", "--prune", "0,0,1", "-o", arpa)
    assert (trained.returncode, trained.stderr) == (0, "")
    assert trained.stdout == f"{arpa}: 400 sentences, 4,038 words; n-grams by order: 514, 1,771, 524\n"
    built = cosyvoice("lm", "build", arpa, compiled, "--quantise", "--json")
    assert built.returncode == 0
    facts = json.loads(built.stdout)
    assert facts == {
        "path": str(compiled),
        "order": 3,
        "ngrams": [514, 1771, 524],
        "unit": "word",
        "tokens_sha256": "",
        "quantised": True,
        "unknown_missing": False,
        "bytes": compiled.stat().st_size,
    }
    told = cosyvoice("lm", "info", compiled, "--json")
    assert json.loads(told.stdout) == facts | {"good": True}
    plain = dict(line.split(maxsplit=1) for line in cosyvoice("lm", "info", compiled).stdout.splitlines())
    assert plain["ngrams"] == "514, 1,771, 524"
    assert plain["good"] == "yes"


def test_the_example_of_the_guide(tmp_path):
    example = REPOSITORY / "examples" / "python" / "language_model.py"
    done = subprocess.run(
        [sys.executable, example, GOLDEN / "phrases.txt", tmp_path],
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    first, *words, last = done.stdout.splitlines()
    assert first == "n-grams: 514 1771 2409"
    assert [line.split()[0] for line in words] == "i want to change my order </s>".split()
    assert 1 < float(last.removeprefix("perplexity ")) < 514


def test_standard_input_and_output():
    trained = cosyvoice("lm", "train", "-", "-n", "2", stdin=b"a b\nb a\n")
    assert trained.returncode == 0
    assert trained.stdout.startswith("\\data\\\nngram 1=5\n")
    assert "2 sentences" in trained.stderr
    assert "too little text for the discounts of order 1, 2: 0.5, 1 and 1.5 were used" in trained.stderr


def test_a_model_from_standard_input(tmp_path):
    for text in (ARPA.read_bytes(), gzip.decompress(ARPA.read_bytes())):
        done = cosyvoice("lm", "build", "-", tmp_path / "lm.bin", stdin=text)
        assert done.returncode == 0, done.stderr


def test_the_scores_of_words(model):
    text = b"the balance is zebra\n\nok\n"
    done = cosyvoice("lm", "score", model, stdin=text)
    assert (done.returncode, done.stderr) == (0, "")
    first, second, total = done.stdout.splitlines()
    scorer = Scorer(LanguageModel.open(str(model)))
    rows = scorer.score("the balance is zebra".split())
    assert first == (
        f"the {rows[0].log10:.4f}  balance {rows[1].log10:.4f}  is {rows[2].log10:.4f}  "
        f"zebra (unknown) {rows[3].log10:.4f}  </s> {rows[4].log10:.4f}  = {sum(row.log10 for row in rows):.4f}"
    )
    assert "</s>" in second
    scorer.score(["ok"])
    assert total.startswith(f"2 sentences, 7 words with the sentences' ends, {scorer.total.unknown} unknown: log10 ")
    as_json = json.loads(cosyvoice("lm", "score", model, "-", "--json", stdin=text).stdout)
    assert [row["word"] for row in as_json["scores"][0]["words"]] == ["the", "balance", "is", "zebra", "</s>"]
    assert [row["known"] for row in as_json["scores"][0]["words"]] == [True, True, True, False, True]
    assert as_json["log10"] == pytest.approx(scorer.total.log10)
    assert as_json["perplexity"] == pytest.approx(10 ** (-scorer.total.log10 / 7))
    known = scorer.total.log10_known / (7 - scorer.total.unknown)
    assert as_json["perplexity_known"] == pytest.approx(10**-known)
    short = cosyvoice("lm", "score", model, "--total", "--json", stdin=text)
    assert json.loads(short.stdout) == {key: value for key, value in as_json.items() if key != "scores"}


def test_a_model_of_pieces_holds_the_hash_of_its_tokens(tmp_path):
    tokens = tmp_path / "tokens.txt"
    tokens.write_text("<blank> 0\n▁a 1\nb 2\n", "utf-8")
    arpa = tmp_path / "lm.arpa"
    cosyvoice("lm", "train", "-", "-n", "2", "-o", arpa, stdin="▁a b\n▁a ▁a\n".encode())
    done = cosyvoice("lm", "build", arpa, tmp_path / "lm.bin", "--unit", "token", "--tokens", tokens, "--json")
    facts = json.loads(done.stdout)
    assert facts["unit"] == "token"
    assert facts["tokens_sha256"] == hashlib.sha256(tokens.read_bytes()).hexdigest()
    with pytest.raises(InvalidModel, match=r"expected pieces of .*tokens.txt, found 'the'; is it a model of words"):
        build(_arpa_of(tmp_path, "the"), tmp_path / "x.bin", unit="token", tokens=tokens)
    assert not (tmp_path / "x.bin").exists()


def _arpa_of(folder, word):
    path = folder / "words.arpa"
    path.write_text(f"\\data\\\nngram 1=3\n\n\\1-grams:\n-1 <s>\n-1 </s>\n-1 {word}\n\n\\end\\\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["build", "{arpa}", "{out}", "--unit", "token"], 2, "--unit token and --tokens go together"),
        (["build", "{arpa}", "{out}", "--tokens", "{text}"], 2, "--unit token and --tokens go together"),
        (["build", "{absent}", "{out}"], 1, "No such file or directory"),
        (["build", "{text}", "{out}"], 1, r"the text ends where \data\ was expected"),
        (["build", "{arpa}", "{absent}/lm.bin"], 1, "cannot be created (No such file or directory)"),
        (["build", "{cut}", "{out}"], 1, "the gzip file is damaged"),
        (["info", "{absent}"], 1, "cannot be opened (No such file or directory)"),
        (["info", "{arpa}"], 1, "this is a gzip file; if an ARPA file is in it, compile it first: cosyvoice lm build"),
        (["score", "{arpa}", "{text}"], 1, "compile it first"),
        (["score", "{model}", "{empty}"], 1, "no sentences; expected one a line"),
        (["score", "{model}", "{latin}"], 1, "latin.txt:2: expected UTF-8 text"),
        (["train", "{empty}", "-o", "{out}"], 1, "the text has no words; expected sentences, one a line"),
        (["train", "{text}", "-n", "6"], 2, "should be less than or equal to 5"),
        (["train", "{text}", "--prune", "x"], 2, "expected numbers such as 0,0,1"),
        (["train", "{text}", "--prune", "1"], 1, "its first number, that of unigrams, must be 0"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, model, arguments, code, message, monkeypatch, capsys):
    (tmp_path / "empty.txt").touch()
    (tmp_path / "latin.txt").write_bytes(b"fine\nna\xefve\n")
    (tmp_path / "cut.gz").write_bytes(ARPA.read_bytes()[:20_000])
    places = {"arpa": ARPA, "text": GOLDEN / "phrases.txt", "model": model, "out": tmp_path / "out"}
    places |= {name: tmp_path / f"{name}.txt" for name in ("empty", "latin", "absent")} | {"cut": tmp_path / "cut.gz"}
    monkeypatch.setattr(sys, "argv", ["cosyvoice", "lm", *(argument.format(**places) for argument in arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()  # as a process would, sooner
    assert stopped.value.code == code
    assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert not (tmp_path / "out").exists()


def test_info_finds_a_changed_byte(tmp_path, model):
    damaged = bytearray(model.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "lm.bin").write_bytes(damaged)
    done = cosyvoice("lm", "info", tmp_path / "lm.bin", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["good"] is False
    assert "its bytes are not those that were written; copy or build it again" in done.stderr


def test_a_failed_build_leaves_the_old_model(tmp_path, model):
    shutil.copy(model, tmp_path / "lm.bin")
    with pytest.raises(InvalidModel):
        build(GOLDEN / "phrases.txt", tmp_path / "lm.bin")
    (tmp_path / "cut.gz").write_bytes(ARPA.read_bytes()[:20_000])
    with pytest.raises(InvalidArgument):
        build(tmp_path / "cut.gz", tmp_path / "lm.bin")
    assert (tmp_path / "lm.bin").read_bytes() == model.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.gz", "lm.bin"]
