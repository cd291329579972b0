"""``cosyvoice --version`` and the completion of shells."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import cosyvoice
from support import PATIENCE

import cosyvoice as package

PROGRAM = Path(sys.executable).with_name("cosyvoice")


def test_the_version_and_how_it_was_built():
    done = cosyvoice("--version")
    assert (done.stderr, done.returncode) == ("", 0)
    first, *facts = done.stdout.splitlines()
    assert first == f"cosyvoice {package.__version__}"
    told = {line.split()[0] for line in facts}
    assert {"commit", "compiler", "OpenVINO", "SIMD", "Python", "platform"} <= told


def complete(*words):
    """What a shell would offer for the last of the words."""
    line = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1), "_COSYVOICE_COMPLETE": "complete_bash"}
    done = subprocess.run(
        [PROGRAM], capture_output=True, text=True, timeout=PATIENCE, env=os.environ | line, check=False
    )
    return done.stdout.split()


def test_commands_are_completed():
    assert complete("cosyvoice", "tran") == ["transcribe"]


def test_options_are_completed():
    assert "--channels" in complete("cosyvoice", "transcribe", "--ch")


def test_models_are_completed():
    assert {"en", "en-lite"} <= set(complete("cosyvoice", "demo", "--model", "e"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell):
    script = {"_COSYVOICE_COMPLETE": f"source_{shell}"}
    done = subprocess.run(
        [PROGRAM], capture_output=True, text=True, timeout=PATIENCE, env=os.environ | script, check=False
    )
    assert "_COSYVOICE_COMPLETE" in done.stdout


def test_help_needs_neither_numpy_nor_the_core():
    program = (
        "import sys; from cosyvoice.cli import app; app(['--help'], standalone_mode=False); print(sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "transcribe" in done.stdout
    modules = done.stdout.splitlines()[-1]
    assert "'numpy'" not in modules
    assert "'cosyvoice._native'" not in modules
