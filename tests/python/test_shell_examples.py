"""The scripts of the guide to recordings, run as a person would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from commands import LITE
from support import PATIENCE, REPOSITORY

SHELL = REPOSITORY / "examples" / "shell"
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def run(script, *arguments, cwd, stdin=None):
    done = subprocess.run(
        ["sh", SHELL / script, *arguments],
        cwd=cwd, input=stdin, capture_output=True, timeout=PATIENCE, env=os.environ | {"PATH": PATH}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def calls(tmp_path, speech):
    (tmp_path / "calls" / "day-1").mkdir(parents=True)
    silence = np.zeros(40000, np.int16)
    both = np.column_stack([np.concatenate([speech[:40000], silence]), np.concatenate([silence, speech[40000:80000]])])
    soundfile.write(tmp_path / "calls" / "day-1" / "call.wav", both, 16000)
    return tmp_path


def test_a_folder_and_once_more(calls):
    _, said = run("folder.sh", "calls", "results", *LITE, cwd=calls)
    assert "1 transcribed, 0 skipped, 0 failed" in said
    result = json.loads((calls / "results" / "day-1" / "call.wav.json").read_text("utf-8"))
    assert result["duration"] == 5.0
    _, said = run("folder.sh", "calls", "results", *LITE, cwd=calls)
    assert "0 transcribed, 1 skipped, 0 failed" in said


def test_a_dialogue(calls):
    said, _ = run("dialogue.sh", "calls/day-1/call.wav", cwd=calls)
    assert [line.split(":")[0] for line in said.splitlines()] == ["agent", "customer"]


def test_telephone_audio_from_a_pipe(tmp_path, speech):
    raw = tmp_path / "call.ul"
    soundfile.write(raw, speech[::2], 8000, format="RAW", subtype="ULAW")
    said, _ = run("telephone.sh", "--format", "json", *LITE, cwd=tmp_path, stdin=raw.read_bytes())
    assert json.loads(said)["duration"] == round(len(speech[::2]) / 8000, 3)


def test_subtitles_beside_a_recording(calls):
    run("subtitles.sh", "calls/day-1/call.wav", cwd=calls)
    lines = (calls / "calls" / "day-1" / "call.vtt").read_text("utf-8").splitlines()
    assert lines[0] == "WEBVTT"
    assert any("-->" in line for line in lines)
