"""Manifests, pools, tokens, preparation and recipes: what training is made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recordings import five_lines, lines, pitch, tone, write

from cosyvoice.embedded import resolve_model

pytest.importorskip("recipes", reason="networks are trained from a clone")
from recipes.common.audio import read_audio
from recipes.common.collect import collect
from recipes.common.manifest import Entry, ManifestError, Unusable, parse, read_entries, read_lines
from recipes.common.pool import Pool
from recipes.common.text import normalise_mandarin
from recipes.common.tokens import Tokens
from recipes.tokens import learn

# Manifests


def test_a_line_names_a_part_of_a_recording() -> None:
    here = Path("here")
    whole = {"audio": "a.wav", "text": "yes"}
    assert parse(json.dumps(whole), here) == Entry(here / "a.wav", "yes")
    assert parse(json.dumps(whole | {"start": 1, "end": 2.5, "channel": 1, "speaker": "x"}), here) == Entry(
        here / "a.wav", "yes", "x", 1.0, 2.5, 1
    )
    assert parse(json.dumps(whole | {"offset": 1, "duration": 1.5}), here) == Entry(here / "a.wav", "yes", "", 1.0, 2.5)
    assert parse(json.dumps(whole | {"audio": "/calls/a.wav"}), here).audio == Path("/calls/a.wav")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no JSON"),
        ("[1]", "an object is wanted, here is list"),
        ('{"text": "yes"}', "it has no audio"),
        ('{"audio": "a.wav", "text": 7}', "text is 7"),
        ('{"audio": "", "text": "yes"}', "audio names no file"),
        ('{"audio": "a", "text": "yes", "start": 2, "end": 2}', "begins at 2 s and ends at 2 s"),
        ('{"audio": "a", "text": "yes", "start": -1}', "start is -1"),
        ('{"audio": "a", "text": "yes", "end": NaN}', "end is nan"),
        ('{"audio": "a", "text": "yes", "start": 1, "duration": 1}', "give one pair"),
        ('{"audio": "a", "text": "yes", "channel": true}', "channel is True"),
    ],
)
def test_a_bad_line_says_why(line: str, reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        parse(line, Path())


def test_bad_lines_have_the_numbers_that_an_editor_shows(tmp_path: Path) -> None:
    manifest = lines(tmp_path / "m.jsonl", "\ufeff" + json.dumps({"audio": "a", "text": "b"}), "", "oops")
    assert [(number, type(item)) for number, item in read_lines(manifest)] == [(1, Entry), (3, Unusable)]
    with pytest.raises(ManifestError, match=r"m\.jsonl:3: no JSON"):
        read_entries(manifest)


# Recordings


@pytest.mark.parametrize(("rate", "suffix", "how"), [(8000, "wav", {"subtype": "ULAW"}), (44100, "flac", {})])
def test_any_rate_and_format_and_a_part_of_either_channel(tmp_path: Path, rate: int, suffix: str, how: Any) -> None:
    left = np.concatenate([tone(440, 1, rate), tone(880, 1, rate)])
    right = np.concatenate([tone(1500, 1, rate), tone(2000, 1, rate)])
    path = write(tmp_path / f"call.{suffix}", np.stack([left, right], 1), rate, **how)
    assert len(read_audio(path)) == 32000
    assert pitch(read_audio(path, 0, 1, 0)) == pytest.approx(440, abs=2)
    assert pitch(read_audio(path, 1, 2, 1)) == pytest.approx(2000, abs=2)
    assert len(read_audio(path, 0.25, 1, 1)) == 12000
    with pytest.raises(ValueError, match="channel 2 is asked for"):
        read_audio(path, channel=2)
    with pytest.raises(ValueError, match=r"3 s is asked for, .* ends at 2 s"):
        read_audio(path, 1, 3)


# Pools


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return five_lines(tmp_path)


def test_good_lines_become_utterances_and_bad_ones_are_named(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect(corpus, tmp_path / "pool") == (3, 3.0, 2)
    errors = capsys.readouterr().err
    assert "corpus.jsonl:2: no JSON" in errors
    assert "corpus.jsonl:4:" in errors
    assert "broken.wav cannot be read" in errors
    pool = Pool(tmp_path / "pool", "corpus")
    assert [(row.text, row.speaker, row.samples) for row in pool.rows] == [
        ("yes", "x", 16000), ("", "", 0), ("it's the first", "corpus", 16000), ("", "", 0), ("no", "corpus", 16000),
    ]  # fmt: skip
    assert [round(pitch(pcm)) for _, pcm in pool if len(pcm)] == [440, 600, 440]


def test_collecting_goes_on_where_it_was_stopped(corpus: Path, tmp_path: Path) -> None:
    collect(corpus, tmp_path / "whole")
    collect(corpus, tmp_path / "cut")
    rows = tmp_path / "cut" / "corpus.jsonl"
    rows.write_text("".join(rows.read_text().splitlines(keepends=True)[:3]))
    collect(corpus, tmp_path / "cut")
    for suffix in ("pcm", "jsonl"):
        assert (tmp_path / "cut" / f"corpus.{suffix}").read_bytes() == (
            tmp_path / "whole" / f"corpus.{suffix}"
        ).read_bytes()


def test_a_manifest_that_changed_is_not_mixed_into_an_old_pool(corpus: Path, tmp_path: Path) -> None:
    collect(corpus, tmp_path / "pool")
    corpus.write_text(corpus.read_text().replace("Yes!", "Maybe"))
    with pytest.raises(ManifestError, match="the pool corpus holds other lines"):
        collect(corpus, tmp_path / "pool")


def test_too_many_bad_lines_stop(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="more than 1 bad lines"):
        collect(corpus, tmp_path / "pool", most_bad=1)


def test_mandarin_is_collected_in_characters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert normalise_mandarin("甚至, 出现 Ａb。") == "甚至出现ab"
    write(tmp_path / "a.wav", tone(440, 1, 16000))
    manifest = lines(
        tmp_path / "zh.jsonl",
        *({"audio": "a.wav", "text": text} for text in ("甚至 出现", "一二", "在2023年", "鑫", "。")),
    )
    tokens = learn(["甚至出现", "一二"], "zh", "char", 4095, tmp_path / "zh.model")
    assert collect(manifest, tmp_path / "pool", "zh", tokens) == (2, 2.0, 3)
    assert [row.text for row in Pool(tmp_path / "pool", "zh").rows] == ["甚至出现", "一二", "", "", ""]
    errors = capsys.readouterr().err
    for reason in ("zh.jsonl:3: digits in", "zh.jsonl:4: the tokens lack '鑫'", "zh.jsonl:5: no words in"):
        assert reason in errors


# Tokens


def test_a_bundles_tokens_spell_as_the_model_that_they_were_learnt_with(tmp_path: Path) -> None:
    import sentencepiece

    sentences = ["she sells sea shells on the sea shore", "the shells that she sells are sea shells i'm sure"] * 20
    learnt = learn(sentences, "en", "pieces", 40, tmp_path / "en.model")
    model = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "en.model"))
    tokens = Tokens(tmp_path / "en.txt")
    assert tokens.lines() == learnt.lines() == (tmp_path / "en.txt").read_text("utf-8")
    assert len(tokens) == 41
    rng = np.random.default_rng(0)
    letters = sorted(set("".join(sentences)))
    texts = [" ".join("".join(rng.choice(letters, rng.integers(1, 40))).split()) for _ in range(300)]
    for text in (text for text in [*sentences, *texts] if text):
        assert tokens.encode(text) == model.encode(text)
        assert tokens.decode(tokens.encode(text)) == text
    assert tokens.missing("she quickly") == "qcky"
    with pytest.raises(ValueError, match="lack 'qcky', which 'she quickly' needs"):
        tokens.encode("she quickly")


def test_the_embedded_tokens_spell_every_letter() -> None:
    tokens = Tokens(Path(resolve_model("en")) / "tokens.txt")
    text = "the quick brown fox jumps over the lazy dog's back"
    assert tokens.decode(tokens.encode(text)) == text
    assert tokens.missing(text) == ""


def test_characters_without_spaces_for_mandarin_and_with_the_mark_elsewhere(tmp_path: Path) -> None:
    mandarin = learn(["甚至 出现", "甚至"], "zh", "char", 3, tmp_path / "zh.model")
    assert mandarin.lines() == "<blank> 0\n甚 1\n至 2\n出 3\n"  # the most frequent, then by code point
    assert mandarin.decode(mandarin.encode("甚至 出")) == "甚至出"
    english = learn(["no one"], "en", "char", 4095, tmp_path / "en.model")
    assert english.decode(english.encode("no no")) == "no no"
    assert "▁" in [line.split(" ")[0] for line in english.lines().splitlines()]
