"""Corpora in the layout in which they are published become manifests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from recordings import lines, tone, write
from support import REPOSITORY

pytest.importorskip("recipes", reason="networks are trained from a clone")
from recipes.common.manifest import Entry, read_entries
from recipes.prepare import aishell1, an4, librispeech, speechocean762
from recipes.prepare.corpus import NotThisCorpus, hold_out, write_parts


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
