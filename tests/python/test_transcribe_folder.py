"""A folder of two hundred recordings: every format, five that are broken, and a run that is killed."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import time
from itertools import cycle

import numpy as np
import pytest
import soundfile
from commands import COMMAND, LITE, cosyvoice
from support import PATIENCE

GOOD = 195
KINDS = (
    ("wav", 8000, 1, "PCM_16"),
    ("wav", 16000, 2, "PCM_16"),
    ("wav", 44100, 1, "PCM_24"),
    ("wav", 48000, 2, "FLOAT"),
    ("wav", 8000, 2, "ULAW"),
    ("WAV", 8000, 1, "ALAW"),
    ("flac", 16000, 1, "PCM_16"),
    ("flac", 22050, 2, "PCM_24"),
    ("ogg", 16000, 1, "VORBIS"),
    ("opus", 48000, 1, "OPUS"),
    ("mp3", 16000, 1, "MPEG_LAYER_III"),
)
CONTAINERS = {"opus": "OGG"}


def spoil(folder):
    """Five files and what must be said of each."""
    (folder / "empty.wav").write_bytes(b"")
    (folder / "cut.wav").write_bytes(b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt ")
    (folder / "text.wav").write_text("Minutes of the meeting\n", "utf-8")
    soundfile.write(folder / "nan.wav", np.full(8000, np.nan, np.float32), 16000, subtype="FLOAT")
    fmt = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 0, 16000, 32000, 2, 16)
    data = struct.pack("<4sI", b"data", 3200) + bytes(3200)
    (folder / "silent.wav").write_bytes(struct.pack("<4sI4s", b"RIFF", 4 + len(fmt + data), b"WAVE") + fmt + data)
    return {
        "empty.wav": "is empty",
        "cut.wav": "no audio that can be read",
        "text.wav": "no audio that can be read",
        "nan.wav": "finite",
        "silent.wav": "no audio that can be read",
    }


@pytest.fixture(scope="module")
def calls(tmp_path_factory, speech):
    """The folder, and the reasons for its broken files."""
    folder = tmp_path_factory.mktemp("calls")
    for day in range(5):
        (folder / f"day-{day}").mkdir()
    for number, (suffix, rate, channels, subtype) in zip(range(GOOD), cycle(KINDS), strict=False):
        length = 0.5 if number < GOOD - 1 else 6.0  # the last one is not done at once
        pcm = np.interp(np.arange(int(length * rate)) / rate, np.arange(len(speech)) / 16000, speech / 32768)
        soundfile.write(
            folder / f"day-{number % 5}" / f"call-{number:03}.{suffix}", np.column_stack([pcm] * channels), rate,
            format=CONTAINERS.get(suffix), subtype=subtype,
        )  # fmt: skip
    return folder, spoil(folder)


def results(folder):
    """Finished results with what changes when one is written again."""
    return {
        path.relative_to(folder): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in folder.rglob("*.json")
        if not path.name.startswith(".")
    }


def recordings(folder, reasons):
    return {path.relative_to(folder) for path in folder.rglob("*.*") if path.is_file() and path.name not in reasons}


def summary(done):
    """The lines of the end; libsndfile's MP3 decoder writes to stderr, too."""
    lines = done.stderr.splitlines()
    (at,) = (number for number, line in enumerate(lines) if " transcribed, " in line)
    return lines[:at], lines[at], lines[at + 1 :]


def test_every_good_recording_has_a_result_and_every_broken_one_its_reason(calls, tmp_path):
    folder, reasons = calls
    out = tmp_path / "out"
    command = ("transcribe", *LITE, "--format", "json", "--output", out, folder)
    done = cosyvoice(*command)
    assert (done.stdout, done.returncode) == ("", 1)
    before, counts, again = summary(done)
    assert counts == f"{GOOD} transcribed, 0 skipped, 5 failed"
    assert sorted(again) == sorted(f"  {line}" for line in before if str(folder) in line)
    for name, reason in reasons.items():
        assert any(line.startswith(f"  {folder / name}: ") and reason in line for line in again), name
    found = results(out)
    assert {str(path) for path in found} == {f"{path}.json" for path in recordings(folder, reasons)}
    for path in found:
        record = json.loads((out / path).read_text("utf-8"))
        assert record["file"] == str(folder / path.with_suffix(""))
        assert record["duration"] > 0
        assert "error" not in record
    # Again: nothing is done but what failed; then one recording is changed, to an earlier time even.
    assert summary(cosyvoice(*command))[1] == f"0 transcribed, {GOOD} skipped, 5 failed"
    assert results(out) == found
    changed = next(path for path in recordings(folder, reasons) if path.suffix == ".flac")
    os.utime(folder / changed, ns=(10**18, 10**18))
    assert summary(cosyvoice(*command))[1] == f"1 transcribed, {GOOD - 1} skipped, 5 failed"
    assert [path for path, was in results(out).items() if was != found[path]] == [
        changed.with_name(f"{changed.name}.json")
    ]


def test_a_killed_run_leaves_nothing_torn_and_the_next_does_only_the_rest(calls, tmp_path):
    folder, _ = calls
    out = tmp_path / "out"
    command = ("transcribe", *LITE, "--format", "json", "--output", out, folder)
    process = subprocess.Popen([*COMMAND, *map(str, command)], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + PATIENCE
    while len(list(out.rglob("*.json"))) < 20:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    assert process.wait(PATIENCE) == -signal.SIGKILL
    kept = results(out)
    assert 20 <= len(kept) < GOOD
    for path in kept:
        assert json.loads((out / path).read_text("utf-8"))["duration"] > 0
    done = cosyvoice(*command)
    assert summary(done)[1] == f"{GOOD - len(kept)} transcribed, {len(kept)} skipped, 5 failed"
    found = results(out)
    assert len(found) == GOOD
    assert kept == {path: found[path] for path in kept}
