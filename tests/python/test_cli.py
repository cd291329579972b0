"""The command line: output, one clear line for each bad file, exit codes."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile
from commands import LITE, cosyvoice
from support import PATIENCE, transcribe, words

from cosyvoice.cli.runner import FileRunner


@pytest.fixture
def wav(tmp_path, speech):
    path = tmp_path / "speech.wav"
    soundfile.write(path, speech[:48000], 16000, subtype="PCM_16")
    return path


def test_the_demo_shows_partials_the_text_its_words_and_its_cost():
    done = cosyvoice("demo")
    assert (done.stderr, done.returncode) == ("", 0)
    assert "partial: " in done.stdout
    assert "final: " in done.stdout
    assert "real-time factor" in done.stdout
    assert "confidence" in done.stdout
    assert "partial delay: mean" in done.stdout
    last = [line for line in done.stdout.splitlines() if line.startswith("final: ")][-1]
    for word in last.removeprefix("final:").split():
        assert f" {word} " in done.stdout


def test_text_is_a_line_for_each_utterance(wav, trained, speech):
    done = cosyvoice("transcribe", wav)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.splitlines() == [final.text for final in transcribe(trained, speech[:48000]) if final.text]


def test_json_is_an_object_for_each_file(wav, trained, speech):
    copy = wav.with_name("copy.wav")
    copy.write_bytes(wav.read_bytes())
    done = cosyvoice("transcribe", "--format", "json", wav, copy)
    assert (done.stderr, done.returncode) == ("", 0)
    one, two = (json.loads(line) for line in done.stdout.splitlines())
    assert one | {"file": str(copy)} == two
    assert one["file"] == str(wav)
    assert one["duration"] == 3.0
    expected = transcribe(trained, speech[:48000])
    assert one["text"] == " ".join(final.text for final in expected if final.text)
    assert [(w["word"], w["start_ms"], w["end_ms"]) for w in one["words"]] == words(expected)


@pytest.mark.parametrize(
    ("rate", "channels", "subtype", "suffix"),
    [
        (8000, 1, "PCM_16", "wav"),
        (16000, 2, "PCM_16", "wav"),
        (44100, 1, "PCM_24", "wav"),
        (48000, 2, "FLOAT", "wav"),
        (16000, 1, "PCM_16", "flac"),
        (8000, 1, "ULAW", "wav"),
    ],
)
def test_rates_channels_and_formats_that_are_read(tmp_path, rate, channels, subtype, suffix):
    path = tmp_path / f"tone.{suffix}"
    tone = 0.1 * np.sin(np.arange(rate) / rate * 2 * np.pi * 440)
    soundfile.write(path, np.column_stack([tone] * channels), rate, subtype=subtype)
    done = cosyvoice("transcribe", *LITE, "--format", "json", path)
    assert (done.stderr, done.returncode) == ("", 0)
    assert json.loads(done.stdout)["duration"] == 1.0


def empty(path):
    path.write_bytes(b"")


def header_only(path):
    soundfile.write(path, np.zeros(0), 16000)


def no_audio(path):
    path.write_text("hello", "utf-8")


def not_numbers(path):
    soundfile.write(path, np.full(16000, np.nan, np.float32), 16000, subtype="FLOAT")


def too_fast(path):
    soundfile.write(path, np.zeros(96000), 96000)


def truncated(path):
    soundfile.write(path, np.zeros(32000), 16000, subtype="PCM_16")
    path.write_bytes(path.read_bytes()[:32044])


def truncated_flac(path):
    noise = np.random.default_rng(3).normal(0, 0.1, 64000)
    soundfile.write(path, noise, 16000, format="FLAC")
    path.write_bytes(path.read_bytes()[:40000])


def directory(path):
    path.mkdir()


def missing(path):
    assert not path.exists()


def cut_header(path):
    path.write_bytes(b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt ")


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (empty, "is empty"),
        (header_only, "no audio"),
        (no_audio, "no audio that can be read"),
        (not_numbers, "finite|NaN|nan"),
        (too_fast, "96000 Hz"),
        (truncated, "truncated"),
        (truncated_flac, "truncated|past"),
        (directory, "holds no recordings"),
        (missing, "no such file"),
        (cut_header, "audio"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_bad_file_is_one_line_and_the_others_go_on(tmp_path, wav, spoil, named):
    bad = tmp_path / "bad.wav"
    spoil(bad)
    done = cosyvoice("transcribe", *LITE, "--format", "json", bad, wav)
    assert done.returncode == 1
    line, *summary = done.stderr.splitlines()
    assert summary == ["1 transcribed, 0 skipped, 1 failed", f"  {line}"]
    assert line.startswith(f"{bad}: ")
    assert any(part in line for part in named.split("|")), line
    first, second = (json.loads(each) for each in done.stdout.splitlines())
    assert f"{first['file']}: {first['error']}" == line
    assert second["duration"] == 3.0
    assert "error" not in second


@pytest.mark.parametrize("name", [b"\xff.wav", b"a\nb.wav", "\u00fc.wav".encode()])
def test_any_file_name_is_one_line(tmp_path, wav, name):
    odd = os.fsencode(tmp_path) + b"/" + name
    Path(os.fsdecode(odd)).write_bytes(wav.read_bytes())
    for form in ("text", "json"):
        done = cosyvoice("transcribe", *LITE, "--format", form, os.fsdecode(odd), wav)
        assert (done.stderr, done.returncode) == ("", 0)
        assert len(done.stdout.splitlines()) == 2


def test_a_name_too_long_and_a_pipe_are_bad_files(tmp_path, wav):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = cosyvoice("transcribe", *LITE, "--format", "json", "x" * 5000, pipe, wav)
    assert done.returncode == 1
    assert [json.loads(line)["text"] != "" for line in done.stdout.splitlines()] == [False, False, True]
    long, piped, *_ = done.stderr.splitlines()
    assert "too long" in long
    assert "pipe" in piped


def test_who_stops_asking_stops_the_files_in_flight(make_engine, tmp_path, wav):
    engine = make_engine()
    # The file's first block is fed; the second only once the runner has been told to stop.
    runner = FileRunner(engine, at_once=2, progress=lambda _, seconds: seconds and runner._stopped.wait(PATIENCE))
    transcripts = runner.run([tmp_path / "missing.wav", wav])
    assert next(transcripts).error == "no such file"
    transcripts.close()
    assert engine.stats().accepted_samples <= 16000 // 4
    assert engine.stats().sessions == 0


@pytest.mark.parametrize("together", [[], ["--together"]])
def test_bench_prints_one_object(together):
    done = cosyvoice("bench", *LITE, "--streams", 3, "--seconds", 3, "--chunk-ms", 128, "--json", *together)
    assert (done.stderr, done.returncode) == ("", 0)
    report = json.loads(done.stdout)
    assert {"model", "chunk_ms", "lookahead_ms", "streams", "seconds", "cpu_percent", "rss_mb"} <= set(report)
    assert (report["model"], report["chunk_ms"], report["streams"], report["seconds"]) == ("en-lite", 128, 3, 3.0)
    assert (report["lost_samples"], report["dropped_samples"], report["refused_samples"]) == (0, 0, 0)
    for delay in (report["partial_delay_ms"], report["final_delay_ms"]):
        assert 0 < delay["p50"] <= delay["p99"] <= delay["max"]
        assert delay["mean"] <= delay["max"]
    assert report["together"] == bool(together)


def test_bench_prints_a_table():
    done = cosyvoice("bench", *LITE, "--streams", 1, "--seconds", 2.5)
    assert (done.stderr, done.returncode) == ("", 0)
    assert "P99" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["transcribe"],
        ["transcribe", "--format", "xml", "a.wav"],
        ["evaluate", "/nowhere.jsonl"],
        ["bench", "--seconds", "1"],
        ["bench", "--seconds", "nan"],
        ["bench", "--streams", "99999999999999999999999"],
        ["transcribe", "--chunk-ms", "99999999999999999999", "x.wav"],
        ["bench", "--streams", "0"],
        ["sing"],
        [],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2(arguments):
    done = cosyvoice(*arguments)
    assert done.returncode == 2
    assert done.stderr or done.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["demo", "--help"], ["--version"]])
def test_help_is_0(arguments):
    done = cosyvoice(*arguments)
    assert (done.stderr, done.returncode) == ("", 0)


def test_a_wrong_model_is_one_line_and_1(wav):
    done = cosyvoice("transcribe", "--model", "klingon", wav)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("cosyvoice: no model at 'klingon'")


def test_a_wrong_chunk_length_is_one_line_and_1(wav):
    done = cosyvoice("transcribe", *LITE, "--chunk-ms", 7, wav)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "128" in line
