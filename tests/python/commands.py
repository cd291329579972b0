"""The command line as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

from support import PATIENCE, complaints

COMMAND = (sys.executable, "-c", "from cosyvoice.cli import main; main()")
LITE = ("--model", "en-lite")


def cosyvoice(*arguments, stdin=None, env=None):
    """What it wrote, as text, and its exit code."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin, capture_output=True, timeout=PATIENCE, check=False, env=os.environ | (env or {}),
    )  # fmt: skip
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), complaints(done.stderr.decode())
    )
