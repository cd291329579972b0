"""After fork the child's copy of an engine says so, and neither process hangs."""

from __future__ import annotations

import subprocess
import sys
import textwrap

from support import PATIENCE, complaints

PROGRAM = """
    import os, sys
    import cosyvoice

    engine = cosyvoice.Engine("en-lite", max_stream=2, workers=1)
    engine.register_callback(lambda line: None, lambda line: None)
    session = engine.new_session()
    session.feed(bytes(3200))
    child = os.fork()
    if child == 0:
        verbs = {
            "new_session": engine.new_session,
            "feed_pcm": lambda: engine.feed_pcm(session, bytes(2)),
            "end_utterance": session.end_utterance,
            "reset": session.reset,
            "finish": session.finish,
            "close_session": session.close,
            "partial": session.partial,
            "result": lambda: session.result(1),
            "stats": engine.stats,
            "register_callback": lambda: engine.register_callback(None, None),
            "model": lambda: engine.model,
            "close": engine.close,
        }
        for name, verb in verbs.items():
            try:
                verb()
            except cosyvoice.EngineForked:
                continue
            print(name, "did not raise EngineForked", flush=True)
        %(leave)s
    _, status = os.waitpid(child, 0)
    print("child", os.waitstatus_to_exitcode(status), flush=True)
    session.finish()
    engine.close()
    print("parent", engine.stats().finals, flush=True)
"""


def run(leave):
    program = textwrap.dedent(PROGRAM) % {"leave": leave}
    return subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


def test_every_verb_raises_in_the_child_and_its_exit_is_clean():
    done = run("sys.exit(0)")
    assert (done.stdout, complaints(done.stderr), done.returncode) == ("child 0\nparent 1\n", "", 0)


def test_dropping_the_engine_in_the_child_does_not_hang():
    done = run("del engine, session, verbs, verb; import gc; gc.collect(); os._exit(7)")
    assert (done.stdout, complaints(done.stderr), done.returncode) == ("child 7\nparent 1\n", "", 0)
