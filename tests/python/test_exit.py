"""Leaving the interpreter without close finishes what was fed."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest
from support import PATIENCE, complaints

PROGRAM = """
    import sys
    import cosyvoice, soundfile
    from cosyvoice.embedded import audio_path

    pcm, _ = soundfile.read(audio_path("demo"), dtype="int16")
    engine = cosyvoice.Engine("en-lite", max_stream=2, workers=1)
    engine.register_callback(lambda line: None, lambda line: print(line, flush=True))
    session = engine.new_session()
    for start in range(0, 32000, 1000):
        session.feed(pcm[start : start + 1000])
    %(leave)s
"""


def run(leave):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM) % {"leave": leave}],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("leave", "code"),
    [
        ("pass", 0),
        ("sys.exit(3)", 3),
        ("del engine, session", 0),
        ("engine = session = None; import gc; gc.collect()", 0),
    ],
)
def test_the_last_final_still_comes(leave, code):
    done = run(leave)
    assert (done.returncode, complaints(done.stderr)) == (code, "")
    last = json.loads(done.stdout.splitlines()[-1])
    assert last["ended"]
    assert last["reason"] == "finish"


def test_an_uncaught_exception_keeps_its_traceback_and_the_final():
    done = run("raise RuntimeError('the program fails')")
    assert done.returncode == 1
    assert "the program fails" in done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["ended"]


def test_a_callback_that_closes_the_engine_at_exit_does_not_hang():
    done = run("engine.register_callback(None, lambda line: (engine.close(), print(line, flush=True)))")
    assert (done.returncode, complaints(done.stderr)) == (0, "")
    assert json.loads(done.stdout.splitlines()[-1])["ended"]


def test_a_blocked_result_can_be_interrupted():
    done = run(
        "import os, signal, threading; main = threading.main_thread().ident; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); "  # a parent may have it ignored
        "threading.Thread(target=lambda: (engine.stats(), signal.pthread_kill(main, signal.SIGINT))).start(); "
        "session.result()"
    )
    assert "KeyboardInterrupt" in done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["ended"]
