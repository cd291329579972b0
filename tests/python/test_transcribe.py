"""What `transcribe` reads and where it writes: patterns, folders, standard input, raw audio, outputs that cannot be."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from commands import COMMAND, LITE, cosyvoice
from support import PATIENCE
from typer.testing import CliRunner

from cosyvoice.cli import app
from cosyvoice.cli.audio_file import BadRecording, Raw, RawEncoding, open_recording
from cosyvoice.cli.inputs import AUDIO_SUFFIXES, find_inputs
from cosyvoice.embedded import audio_path


def run(*arguments):
    """In this process, which saves the start of another."""
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture
def folder(tmp_path, speech):
    """a.wav, a.flac, deep/b.WAV, a hidden file and notes."""
    top = tmp_path / "calls"
    (top / "deep").mkdir(parents=True)
    for name in ("a.wav", "a.flac", "deep/b.WAV", ".hidden.wav"):
        soundfile.write(top / name, speech[:8000], 16000, subtype="PCM_16")
    (top / "notes.txt").write_text("none", "utf-8")
    return top


# ---- which files


def found(*arguments):
    answer = find_inputs([Path(argument) for argument in arguments], AUDIO_SUFFIXES)
    return [str(one.path) for one in answer.inputs], answer.faults


def test_folders_patterns_and_names_come_to_each_recording_once(folder):
    every = [str(folder / name) for name in ("a.flac", "a.wav", "deep/b.WAV")]
    assert found(folder) == (every, [])
    assert found(folder / "*.wav") == ([every[1]], [])
    assert found(folder / "**" / "*.WAV") == ([every[2]], [])
    assert found(folder / "d*") == ([every[2]], [])  # a folder that matches
    assert found(folder / "a.wav", folder, folder / "a.w*", folder / "deep" / ".." / "a.flac")[0] == [
        every[1], every[0], every[2],
    ]  # fmt: skip
    (folder / "linked.wav").symlink_to(folder / "a.wav")
    assert len(found(folder)[0]) == 3


def test_a_file_whose_name_is_a_pattern_is_that_file(folder):
    odd = folder / "[a]*.wav"
    odd.write_bytes((folder / "a.wav").read_bytes())
    assert found(odd) == ([str(odd)], [])


def test_what_matches_nothing_is_said(folder):
    (folder / "none").mkdir()
    paths, faults = found(folder / "*.mp3", folder / "none", folder / "gone.wav")
    assert paths == [str(folder / "gone.wav")]  # its own reason comes when it is opened
    assert [reason for _, reason in faults] == ["no file matches", "holds no recordings of a known kind"]


def test_places_mirror_the_folders(folder):
    def places(*arguments):
        return [str(one.place) for one in find_inputs(list(arguments), AUDIO_SUFFIXES).inputs]

    assert places(folder) == ["a.flac", "a.wav", "deep/b.WAV"]
    assert places(folder.parent / "c*" / "**" / "*.WAV") == ["calls/deep/b.WAV"]
    assert places(folder / "deep" / "b.WAV") == ["b.WAV"]


# ---- raw audio and standard input


@pytest.mark.parametrize(
    ("encoding", "subtype"), [("s16le", "PCM_16"), ("f32le", "FLOAT"), ("mulaw", "ULAW"), ("alaw", "ALAW")]
)
def test_raw_files_hold_what_was_written(tmp_path, speech, encoding, subtype):
    stereo = np.column_stack([speech[:8000], speech[8000:16000]]) / 32768
    path = tmp_path / "a.raw"
    soundfile.write(path, stereo, 8000, format="RAW", subtype=subtype, endian="LITTLE")
    recording = open_recording(path, Raw(RawEncoding(encoding), 8000, 2))
    assert (recording.frames, recording.channels, recording.seconds, recording.fault) == (8000, 2, 1.0, None)
    assert np.concatenate(list(recording.blocks())) == pytest.approx(stereo, abs=0.03)


def test_raw_files_that_end_within_a_sample(tmp_path):
    path = tmp_path / "a.raw"
    path.write_bytes(bytes(4001))
    recording = open_recording(path, Raw(RawEncoding.S16LE, 8000, 1))
    assert recording.frames == 2000
    assert recording.fault == "truncated: 1 bytes after the last whole sample"
    path.write_bytes(b"x")
    with pytest.raises(BadRecording, match="shorter than one sample"):
        open_recording(path, Raw(RawEncoding.S16LE, 8000, 1))


def test_standard_input_is_a_recording_or_raw_audio(folder, speech):
    wav = (folder / "a.wav").read_bytes()
    done = cosyvoice("transcribe", *LITE, "--format", "json", "-", stdin=wav)
    assert (done.stderr, done.returncode) == ("", 0)
    named = run("transcribe", *LITE, "--format", "json", folder / "a.wav")
    assert json.loads(done.stdout) == json.loads(named.stdout) | {"file": "-"}
    # A program that writes into a pipe does not know the length; the header promises the most there can be.
    endless = wav[:40] + b"\xff\xff\xff\xff" + wav[44:]
    again = cosyvoice("transcribe", *LITE, "--format", "json", "-", stdin=endless)
    assert (again.stderr, again.stdout) == ("", done.stdout)
    raw = speech[:8000].tobytes()
    split = ("--raw", "s16le", "--rate", 8000, "--raw-channels", 2, "--channels", "split")
    done = cosyvoice("transcribe", *LITE, *split, "--format", "json", "-", stdin=raw)
    assert (done.stderr, done.returncode) == ("", 0)
    assert json.loads(done.stdout)["duration"] == 0.5


# ---- speakers


def test_names_must_be_as_many_as_channels(folder, speech):
    soundfile.write(folder / "a.wav", speech[:64000], 16000, subtype="PCM_16")
    done = run("transcribe", *LITE, "--channels", "split", "--names", "agent,customer", folder / "a.wav")
    assert done.exit_code == 1
    assert done.stderr == f"{folder / 'a.wav'}: has 1 channels, but there are 2 names for them\n"
    done = run("transcribe", *LITE, "--channels", "split", "--format", "jsonl", folder / "a.wav")
    assert {json.loads(line)["speaker"] for line in done.stdout.splitlines()} == {"channel-1"}


# ---- results


def test_results_of_one_name_and_two_kinds_do_not_meet_and_a_second_run_skips_them(folder, tmp_path):
    out = tmp_path / "out"
    done = run("transcribe", *LITE, folder, "--output", out)
    assert (done.stdout, done.stderr, done.exit_code) == ("", "3 transcribed, 0 skipped, 0 failed\n", 0)
    names = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert names == {"a.wav.txt", "a.flac.txt", "deep/b.WAV.txt"}
    assert run("transcribe", *LITE, folder, "--output", out).stderr == "0 transcribed, 3 skipped, 0 failed\n"
    assert run("transcribe", *LITE, folder, "--output", out, "--overwrite").stderr.startswith("3 transcribed")


def test_a_truncated_recording_has_an_incomplete_result_until_it_is_whole(folder, tmp_path, speech):
    out, path = tmp_path / "out", folder / "a.wav"
    soundfile.write(path, speech[:64000], 16000, subtype="PCM_16")
    whole = path.read_bytes()
    path.write_bytes(whole[:120000])
    for _ in range(2):
        done = run("transcribe", *LITE, path, "--output", out, "--format", "json")
        assert done.exit_code == 1
        assert [each.name for each in out.iterdir()] == ["a.wav.incomplete.json"]
        assert "truncated" in json.loads((out / "a.wav.incomplete.json").read_text("utf-8"))["error"]
    path.write_bytes(whole)
    assert run("transcribe", *LITE, path, "--output", out, "--format", "json").exit_code == 0
    assert [each.name for each in out.iterdir()] == ["a.wav.json"]


def test_two_recordings_for_one_result_are_wrong_usage(folder, tmp_path):
    (folder / "deep" / "a.wav").write_bytes((folder / "a.wav").read_bytes())
    done = run("transcribe", *LITE, folder / "a.wav", folder / "deep" / "a.wav", "--output", tmp_path / "out")
    assert done.exit_code == 2
    assert "name the folder that" in " ".join(done.stderr.replace("│", " ").split())


def test_an_output_that_cannot_be_written_is_one_line(folder, tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    done = cosyvoice("transcribe", *LITE, folder, "--output", tmp_path / "file")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("cosyvoice: ")
    out = tmp_path / "out"
    out.mkdir()
    (out / "deep").write_text("in the way", "utf-8")
    done = run("transcribe", *LITE, folder, "--output", out)
    assert done.exit_code == 1
    assert "2 transcribed, 0 skipped, 1 failed" in done.stderr
    assert f"{folder / 'deep' / 'b.WAV'}: its result cannot be written" in done.stderr
    assert not [path for path in out.iterdir() if path.name.startswith(".")]


def test_odd_names_have_results(folder, tmp_path):
    names = [b"\xff.wav", b"a\nb.wav", "\u00fc \u2603.wav".encode(), b"-x.wav", b"a b'c\".wav"]
    for name in names:
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes((folder / "a.wav").read_bytes())
    out = tmp_path / "out"
    done = cosyvoice("transcribe", *LITE, folder, "--output", out, "--format", "json")
    assert (done.stderr, done.returncode) == (f"{3 + len(names)} transcribed, 0 skipped, 0 failed\n", 0)
    assert {os.fsencode(path.name) for path in out.glob("*.json")} >= {name + b".json" for name in names}


def test_who_closes_the_pipe_gets_no_traceback(folder):
    reader = [sys.executable, "-c", "import sys; sys.stdin.buffer.read(1)"]
    for number in range(40):
        (folder / f"{number}.wav").write_bytes((folder / "a.wav").read_bytes())
    writer = subprocess.Popen(
        [*COMMAND, "transcribe", *LITE, "--format", "json", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    subprocess.run(reader, stdin=writer.stdout, check=True, timeout=PATIENCE)
    writer.stdout.close()
    assert b"Traceback" not in writer.stderr.read()
    writer.stderr.close()
    writer.wait(PATIENCE)


# ---- wrong usage


@pytest.mark.parametrize(
    "options",
    [
        "--rate 8000 a.wav",
        "--raw-channels 2 a.wav",
        "--raw mulaw a.ulaw",
        "--raw mp3 --rate 8000 a.ulaw",
        "--raw mulaw --rate 4000 a.ulaw",
        "--names agent,customer a.wav",
        "--channels split --names agent,agent a.wav",
        "--channels split --names agent, a.wav",
        "--overwrite a.wav",
        "--format srt a.wav b.wav",
        "--format xml a.wav",
        "--channels left a.wav",
    ],
)
def test_options_that_do_not_go_together_are_2(options):
    done = run("transcribe", *options.split())
    assert done.exit_code == 2
    assert done.stderr


def test_an_empty_name_is_2_and_never_the_current_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    done = run("transcribe", "")
    assert done.exit_code == 2
    assert "name is empty" in done.stderr


# ---- recordings that break off


def test_a_cut_mp3_ends_where_it_was_cut(tmp_path, speech):
    """The library that decodes would go on with what it read last."""
    whole = tmp_path / "whole.mp3"
    soundfile.write(whole, speech, 16000)
    (tmp_path / "cut.mp3").write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    done = run("transcribe", *LITE, "--format", "json", tmp_path / "cut.mp3")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    promised, there = map(int, re.findall(r"\d+", found["error"]))
    assert there < 0.8 * promised
    assert found["words"][-1]["end_ms"] <= there / 16 + 512  # what is left of a chunk, and one of silence


def test_what_was_heard_before_a_sample_that_is_no_number_is_kept(tmp_path, speech):
    samples = speech.astype(np.float32) / 32768
    samples[80000] = np.nan
    soundfile.write(tmp_path / "bad.wav", samples, 16000, subtype="FLOAT")
    soundfile.write(tmp_path / "before.wav", samples[:80000], 16000, subtype="FLOAT")
    done = run("transcribe", *LITE, "--format", "json", tmp_path / "bad.wav", tmp_path / "before.wav")
    assert done.exit_code == 1
    assert f"{tmp_path / 'bad.wav'}: sample 80000, at 5.000 s, is NaN or infinite" in done.stderr
    texts = {Path(line["file"]).name: line["text"] for line in map(json.loads, done.stdout.splitlines())}
    assert texts["bad.wav"] == texts["before.wav"] != ""


def test_closed_standard_streams_are_told():
    shell = f"{shlex.join(COMMAND)} transcribe --model en-lite"
    done = subprocess.run(
        f"{shell} {audio_path('demo')} >&-", shell=True, stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (
        1,
        "cosyvoice: standard output is closed; send it to a file or to /dev/null\n",
    )
    done = subprocess.run(f"{shell} - <&-", shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is standard input" in done.stderr


def test_alternatives_are_in_the_json_where_the_configuration_asks_for_them(tmp_path, speech):
    config = tmp_path / "cosyvoice.yaml"
    config.write_text("search: {alternatives: 2}\n", "utf-8")
    clip = tmp_path / "a.wav"
    soundfile.write(clip, speech[:48000], 16000, subtype="PCM_16")
    done = run("transcribe", "--model", "en", "--config", config, "--format", "jsonl", clip)
    assert done.exit_code == 0
    for line in map(json.loads, done.stdout.splitlines()):
        assert 0 < len(line["alternatives"]) <= 2
        assert all(other["text"] != line["text"] and 0 <= other["confidence"] <= 1 for other in line["alternatives"])
    plain = run("transcribe", "--model", "en", "--format", "jsonl", clip)
    assert plain.stdout
    assert '"alternatives"' not in plain.stdout
