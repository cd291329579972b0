"""Manifests, pools, tokens, preparation and recipes: what training is made from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import soundfile
from support import REPOSITORY

from cosyvoice.embedded import resolve_model

pytest.importorskip("recipes", reason="networks are trained from a clone")
from recipes.adapt import adapted
from recipes.common.audio import read_audio
from recipes.common.collect import collect
from recipes.common.manifest import Entry, ManifestError, Unusable, parse, read_entries, read_lines
from recipes.common.pool import Pool
from recipes.common.recipe import RecipeError, load
from recipes.common.text import normalise_mandarin
from recipes.common.tokens import Tokens
from recipes.data import Maker, options
from recipes.prepare import aishell1, an4, librispeech, speechocean762
from recipes.prepare.corpus import NotThisCorpus, hold_out, write_parts
from recipes.tokens import learn

if TYPE_CHECKING:
    import numpy.typing as npt


def tone(hz: float, seconds: float, rate: int) -> npt.NDArray[np.float64]:
    return 0.5 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)


def pitch(audio: npt.NDArray[Any], rate: int = 16000) -> float:
    spectrum = np.abs(np.fft.rfft(np.asarray(audio, float) * np.hanning(len(audio))))
    return float(np.argmax(spectrum) * rate / len(audio))


def write(path: Path, audio: npt.NDArray[Any], rate: int = 16000, **how: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, audio, rate, **how)
    return path


def lines(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return path


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
    """A manifest of five lines, three of them good, in different formats."""
    write(tmp_path / "a" / "one.wav", tone(440, 2, 8000), 8000)
    write(tmp_path / "a" / "two.ogg", tone(600, 1, 48000), 48000)
    (tmp_path / "a" / "broken.wav").write_text("no audio")
    return lines(
        tmp_path / "corpus.jsonl",
        {"audio": "a/one.wav", "text": "Yes!", "speaker": "x", "start": 0.5, "end": 1.5},
        "oops",
        {"audio": "a/two.ogg", "text": "It's the FIRST"},
        {"audio": "a/broken.wav", "text": "no"},
        {"audio": "a/one.wav", "text": "no", "offset": 1.0},
    )


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


# Corpora as published


def test_speechocean762(tmp_path: Path) -> None:
    folder = tmp_path / "speechocean762"
    for part, speakers in (("train", ("0001", "0005", "0006")), ("test", ("0003",))):
        keys = [f"0{speaker}0011" for speaker in speakers]
        for key, speaker in zip(keys, speakers, strict=True):
            write(folder / "WAVE" / f"SPEAKER{speaker}" / f"{key}.WAV", tone(440, 0.1, 16000), format="WAV")
        places = zip(keys, speakers, strict=True)
        lines(folder / part / "wav.scp", *(f"{key}\tWAVE/SPEAKER{who}/{key}.WAV" for key, who in places))
        lines(folder / part / "text", *(f"{key}\tWE CALL IT BEAR" for key in keys))
        lines(folder / part / "utt2spk", *(f"{key}\t{who}" for key, who in zip(keys, speakers, strict=True)))
    parts = speechocean762.prepare(folder, tmp_path)
    assert write_parts(parts, tmp_path)
    found = {name: read_entries(tmp_path / f"{name}.jsonl") for name in ("train", "dev", "test")}
    assert [len(entries) for entries in found.values()] == [2, 1, 1]
    assert found["test"] == [Entry(folder / "WAVE/SPEAKER0003/000030011.WAV", "WE CALL IT BEAR", "speechocean762_0003")]


def test_librispeech_has_a_manifest_for_each_held_subset(tmp_path: Path) -> None:
    for subset in ("train-clean-100", "train-other-500", "dev-clean"):
        chapter = tmp_path / "LibriSpeech" / subset / "84" / "121123"
        for number in range(2):
            write(chapter / f"84-121123-000{number}.flac", tone(440, 0.1, 16000))
        lines(chapter / "84-121123.trans.txt", "84-121123-0000 GO DO YOU HEAR", "84-121123-0001 BUT IN LESS THAN")
    parts = librispeech.prepare(tmp_path / "LibriSpeech", tmp_path)
    assert {name: len(found) for name, found in parts.items()} == {"train": 4, "dev-clean": 2}
    assert write_parts(parts, tmp_path)
    first = read_entries(tmp_path / "dev-clean.jsonl")[0]
    assert (first.text, first.speaker, first.audio.is_file()) == ("GO DO YOU HEAR", "librispeech_84", True)


def test_aishell_has_characters_and_recordings_without_transcripts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data_aishell"
    rows = []
    for part, speaker in (("train", "S0002"), ("dev", "S0724"), ("test", "S0764")):
        for number in range(2):
            key = f"BAC009{speaker}W012{number}"
            write(folder / "wav" / part / speaker / f"{key}.wav", tone(440, 0.1, 16000))
            rows += [f"{key} 而 对 楼市 成交"] if number == 0 else []
    lines(folder / "transcript" / "aishell_transcript_v0.8.txt", *rows)
    assert write_parts(aishell1.prepare(folder, tmp_path), tmp_path)
    assert "train: 1 recordings have no transcript" in capsys.readouterr().err
    assert [(one.text, one.speaker) for one in read_entries(tmp_path / "test.jsonl")] == [
        ("而对楼市成交", "aishell_S0764")
    ]
    for path in (folder / "wav" / "dev").rglob("*.wav"):
        path.unlink()
    (folder / "wav" / "S0724.tar.gz").touch()
    with pytest.raises(NotThisCorpus, match=r"unpack .*S0724\.tar\.gz and its siblings"):
        aishell1.prepare(folder, tmp_path)


@pytest.mark.parametrize("kind", ["sph", ">i2", "<i2"])
def test_an4_as_sphere_and_as_raw_samples_of_either_order(tmp_path: Path, kind: str) -> None:
    folder, samples = tmp_path / "an4", np.asarray(8000 * tone(440, 0.2, 16000), np.int16)
    for part, place, speakers in (("train", "an4_clstk", ("fash", "fbbh")), ("test", "an4test_clstk", ("fcaw",))):
        marks = ("<s> ", " </s>") if part == "train" else ("", "")
        keys = [f"an251-{speaker}-b" for speaker in speakers]
        lines(folder / "etc" / f"an4_{part}.transcription", *(f"{marks[0]}U M SIX{marks[1]} ({key})" for key in keys))
        for key, speaker in zip(keys, speakers, strict=True):
            there = folder / "wav" / place / speaker
            there.mkdir(parents=True)
            if kind == "sph":
                write(there / f"{key}.sph", samples, format="NIST")
            else:
                (there / f"{key}.raw").write_bytes(samples.astype(kind).tobytes())
    assert write_parts(an4.prepare(folder, tmp_path), tmp_path)
    (train,), (dev,) = (read_entries(tmp_path / f"{part}.jsonl") for part in ("train", "dev"))
    assert {train.speaker, dev.speaker} == {"an4_fash", "an4_fbbh"}
    (test,) = read_entries(tmp_path / "test.jsonl")
    assert (test.text, test.speaker) == ("U M SIX", "an4_fcaw")
    assert np.array_equal(soundfile.read(test.audio, dtype="int16")[0], samples)


def test_what_a_corpus_lacks_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for module in (speechocean762, librispeech, aishell1, an4):
        with pytest.raises(NotThisCorpus, match="give the folder"):
            module.prepare(tmp_path, tmp_path)
    chapter = tmp_path / "dev-clean" / "84" / "121123"
    write(chapter / "84-121123-0000.flac", tone(440, 0.1, 16000))
    lines(chapter / "84-121123.trans.txt", "84-121123-0000 GO", "84-121123-0001 BUT")
    command = [sys.executable, "-m", "recipes.prepare.librispeech", str(tmp_path), "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "dev-clean: 1 recordings cannot be read" in done.stderr
    assert len(read_entries(tmp_path / "dev-clean.jsonl")) == 1


def test_the_same_few_speakers_are_held_out_whole() -> None:
    from recipes.prepare.corpus import Utterance

    everyone = [Utterance(Path(f"{i}.wav"), "yes", f"speaker{i % 40}") for i in range(400)]
    train, dev = hold_out(everyone)
    assert hold_out(reversed(everyone))[1] == list(reversed(dev))
    assert {one.speaker for one in train}.isdisjoint(one.speaker for one in dev)
    assert (len(train), len(dev)) == (380, 20)


# Recipes


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


def test_make_model_goes_on_after_the_last_good_step(tmp_path: Path) -> None:
    python, log, corpus = tmp_path / "python", tmp_path / "log", lines(tmp_path / "calls.jsonl")
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)

    def make(fail: str = "") -> tuple[int, list[str], str]:
        log.write_text("")
        command = ["make", "-C", str(REPOSITORY / "recipes"), "model", f"CORPUS={corpus}", f"CACHE={tmp_path}"]
        done = subprocess.run(
            [*command, f"PYTHON={python}"],
            env=os.environ | {"LOG": str(log), "FAIL": fail, "MAKEFLAGS": ""},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, log.read_text().split(), done.stdout

    begin = ["recipes.adapt", "recipes.data", "recipes.en.published"]
    assert make("recipes.en.train")[:2] == (2, [*begin, "recipes.en.train"])
    end = ["recipes.en.train", "recipes.en.export", "recipes.en.evaluate"]
    assert make("recipes.en.evaluate")[:2] == (2, end)
    code, steps, output = make()
    assert (code, steps) == (0, ["recipes.en.evaluate"])
    assert f"the bundle: {tmp_path}/models/my-en/bundle\nWER 12.3 %\n" in output
    assert make()[1] == []
    os.utime(corpus, (2**31, 2**31))
    assert make()[1] == ["recipes.adapt", "recipes.data", *end]
