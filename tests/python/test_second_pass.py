"""Finals that are heard again by worker processes, here of a model that does what the test says (fake_whisper.py)."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import soundfile
from fake_whisper import SAYS, Mood
from support import PATIENCE, Recorder, check_rules, feed, finals

import cosyvoice
from cosyvoice.cli import demo
from cosyvoice.cli.options import open_engine
from cosyvoice.cli.runner import FileRunner
from cosyvoice.second_pass import pool, whisper

LONG = 600_000


@pytest.fixture
def mood(tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "LOADER", "fake_whisper")
    return Mood(tmp_path)


@pytest.fixture
def make(mood):
    """Engines whose sessions hear words and whose finals are heard again."""
    with contextlib.ExitStack() as stack:

        def engine(**options):
            options = {"max_stream": 4, "workers": 1, "second_pass_timeout_ms": LONG} | options
            return stack.enter_context(cosyvoice.Engine(second_pass=mood.directory, **options))

        yield engine


@pytest.fixture
def clip(speech):
    return speech[:40000]


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "what the test waits for did not come"
        time.sleep(0.01)


def hear(engine, clip, utterances=1):
    session = engine.new_session()
    for _ in range(utterances):
        feed(session, clip)
        session.end_utterance()
    session.finish()
    return [final for final in finals(session) if final.text]


def test_finals_are_the_second_passs(make, mood, clip):
    engine = make(second_pass_workers=2)
    recorder = Recorder().register(engine)
    session = engine.new_session()
    for _ in range(3):
        feed(session, clip)
        session.end_utterance()
    session.finish()
    events = recorder.wait_ended(session)
    check_rules(events)
    heard = [final for final in recorder.finals(session) if final.text]
    assert [(final.text, final.pass_number, final.confidence) for final in heard] == [(SAYS, 2, 0.7)] * 3
    assert all(event.pass_number == 1 for event in events if event.type == "partial")
    assert [word.word for word in heard[1].words] == ["Fine,", "thanks."]
    assert 2500 <= heard[1].start_ms < heard[1].end_ms <= 5000
    stats = engine.stats()
    assert (stats.second_passes, stats.second_pass_failures, stats.second_pass_timeouts) == (3, 0, 0)
    assert stats.second_pass_delay.count == 3
    # Batch priority, and nicer than we are.
    threads, batch, nice = (mood.directory / "facts").read_text().split()
    assert (int(threads) >= 1, batch, int(nice)) == (True, "True", min(19, os.nice(0) + 10))


def test_a_worker_that_is_killed_costs_one_utterance_and_is_started_again(make, mood, clip, caplog):
    engine = make()
    mood.set("stop")
    session = engine.new_session()
    feed(session, clip)
    session.end_utterance()
    wait_for(lambda: mood.hears)
    first = mood.pid
    os.kill(first, signal.SIGKILL)
    mood.set("answer")
    feed(session, clip)
    session.finish()
    heard = [final for final in finals(session) if final.text]
    assert [final.pass_number for final in heard] == [1, 2]
    assert mood.pid != first
    stats = engine.stats()
    assert (stats.second_passes, stats.second_pass_failures, stats.second_pass_restarts) == (1, 1, 1)
    assert "was killed by SIGKILL; it is started again in 0.5 s" in caplog.text


@pytest.mark.parametrize("how", ["raise", "die"])
def test_an_utterance_that_a_worker_fails_on_keeps_the_streams_words(make, mood, clip, trained, how):
    engine = make()
    mood.set(how)
    session = engine.new_session()
    feed(session, clip)
    session.end_utterance()
    first = session.result(PATIENCE)
    assert first.pass_number == 1
    assert first.text not in ("", SAYS)
    mood.set("answer")
    feed(session, clip)
    session.finish()
    assert finals(session)[0].pass_number == 2
    stats = engine.stats()
    assert (stats.second_passes, stats.second_pass_failures) == (1, 1)
    assert stats.second_pass_restarts == (1 if how == "die" else 0)


def test_a_worker_that_hangs_costs_the_timeout_and_is_killed(make, mood, clip, monkeypatch, caplog):
    monkeypatch.setattr("cosyvoice.second_pass.worker.GRACE", 0.1)
    engine = make(second_pass_timeout_ms=300)
    mood.set("hang")
    assert [final.pass_number for final in hear(engine, clip)] == [1]
    assert engine.stats().second_pass_timeouts == 1
    mood.set("answer")
    wait_for(lambda: engine.stats().second_pass_restarts == 1)
    assert "does not answer and is killed" in caplog.text
    # The time-out is short, and the new process has to load: in the end it answers.
    wait_for(lambda: hear(engine, clip)[0].pass_number == 2)


def test_while_no_worker_can_start_finals_do_not_wait(make, mood, clip, monkeypatch):
    monkeypatch.setattr("cosyvoice.second_pass.worker.FIRST_PAUSE", 0.05)
    engine = make()
    (mood.directory / "broken").touch()
    os.kill(mood.pid, signal.SIGKILL)
    wait_for(lambda: engine.stats().second_pass_restarts >= 2)
    assert [final.pass_number for final in hear(engine, clip, 2)] == [1, 1]  # the time-out is ten minutes
    (mood.directory / "broken").unlink()
    wait_for(lambda: hear(engine, clip)[0].pass_number == 2)


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("broken", "ValueError: these weights make no sense"),
        ("crash", "the worker ended with exit code 3 before its model was loaded"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_told_at_the_start(make, mood, file, what):
    (mood.directory / file).touch()
    with pytest.raises(cosyvoice.InvalidModel, match=f"second_pass = '{mood.directory}': {what}; give"):
        make()


def test_closing_waits_for_answers_and_then_ends_the_processes(make, mood, clip):
    engine = make(close_timeout=LONG)
    recorder = Recorder().register(engine)
    mood.set("stop")
    session = engine.new_session()
    feed(session, clip)
    closing = threading.Thread(target=engine.close)
    closing.start()
    wait_for(lambda: mood.hears)  # its end was asked for by close()
    mood.set("answer")
    closing.join()
    assert [final.pass_number for final in recorder.finals(session)] == [2]
    with pytest.raises(ProcessLookupError):
        os.kill(mood.pid, 0)


def test_closing_does_not_wait_longer_than_close_timeout(make, mood, clip):
    engine = make(close_timeout=200)
    recorder = Recorder().register(engine)
    mood.set("hang")
    session = engine.new_session()
    feed(session, clip)
    session.end_utterance()
    wait_for(lambda: mood.hears)
    engine.close()
    heard = [final for final in recorder.finals(session) if final.text]
    assert [final.pass_number for final in heard] == [1]
    assert recorder.events[session][-1].ended
    with pytest.raises(ProcessLookupError):
        os.kill(mood.pid, 0)


def test_a_session_that_is_dropped_while_its_final_waits_frees_its_place(make, mood, clip):
    engine = make(max_stream=1)
    mood.set("stop")
    session = engine.new_session()
    feed(session, clip)
    session.end_utterance()
    wait_for(lambda: mood.hears)
    feed(session, clip)
    session.close()
    del session
    mood.set("answer")
    wait_for(lambda: engine.stats().sessions == 0)
    assert [final.pass_number for final in hear(engine, clip)] == [2]
    assert engine.stats().second_passes == 2


def test_an_engine_that_is_forgotten_ends_its_processes(mood):
    engine = cosyvoice.Engine("en-lite", max_stream=1, workers=1, second_pass=mood.directory)
    pid = mood.pid
    del engine
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_program_that_is_killed_leaves_no_worker(mood):
    program = f"""
import os, signal
from cosyvoice.second_pass import pool
pool.LOADER = "fake_whisper"
import cosyvoice
engine = cosyvoice.Engine("en-lite", max_stream=1, workers=1, second_pass={str(mood.directory)!r})
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or "." for path in sys.path)}
    subprocess.run([sys.executable, "-c", program], timeout=PATIENCE, check=False, env=environment)

    def gone():
        try:
            os.kill(mood.pid, 0)
        except ProcessLookupError:
            return True
        return False

    wait_for(gone)


def test_files_wait_and_the_command_line_takes_it_from_the_configuration(mood, clip, tmp_path):
    soundfile.write(tmp_path / "one.wav", clip, 16000)
    (tmp_path / "c.yaml").write_text("second_pass: {model: ., workers: 2, timeout_ms: 600000}\n", "utf-8")
    with open_engine(tmp_path / "c.yaml", None, max_stream=4) as engine:
        runner = FileRunner(engine, at_once=4)
        found = list(runner.run([tmp_path / "one.wav"] * 12))
        assert [transcript.text for transcript in found] == [SAYS] * 12
        assert engine.stats().second_passes == 12


def test_the_demo_uses_a_model_that_is_at_hand_and_says_so(mood, clip, tmp_path, monkeypatch, capsys):
    soundfile.write(tmp_path / "short.wav", clip, 16000)
    monkeypatch.setattr(demo, "audio_path", lambda _: tmp_path / "short.wav")
    monkeypatch.setenv("COSYVOICE_WHISPER", str(mood.directory))
    demo.demo()
    shown = capsys.readouterr().out
    assert f"second pass {mood.directory}: finals wait for its words" in shown
    assert f"final:   {SAYS}" in shown
    assert "second pass: 1 of 1 finals are its words; added delay: mean" in shown


def test_a_model_that_was_downloaded_before_is_found(tmp_path, monkeypatch):
    monkeypatch.delenv("COSYVOICE_WHISPER", raising=False)
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setattr(whisper, "installed", lambda: True)
    for size, files in (("tiny", whisper.FILES), ("tiny.en", whisper.FILES), ("base.en", whisper.FILES[:1])):
        snapshot = tmp_path / "hub" / f"models--Systran--faster-whisper-{size}" / "snapshots" / "1"
        snapshot.mkdir(parents=True)
        for name in files:
            (snapshot / name).touch()
    found = whisper.find_model()
    assert found is not None
    assert "tiny.en" in found.parts[-3]  # base.en was not downloaded to the end
    monkeypatch.setattr(whisper, "installed", lambda: False)
    assert whisper.find_model() is None
    monkeypatch.setenv("COSYVOICE_WHISPER", "/mine")
    assert str(whisper.find_model()) == "/mine"


def test_what_is_no_model(tmp_path, monkeypatch):
    monkeypatch.setattr(whisper, "installed", lambda: True)
    with pytest.raises(cosyvoice.ModelNotFound, match="nowhere': no such directory"):
        cosyvoice.Engine("en-lite", second_pass=tmp_path / "nowhere")
    with pytest.raises(cosyvoice.ModelNotFound, match=r"holds no config\.json, model\.bin, tokenizer\.json"):
        cosyvoice.Engine("en-lite", second_pass=tmp_path)
    monkeypatch.setattr(whisper, "installed", lambda: False)
    with pytest.raises(cosyvoice.InvalidArgument, match=r"pip install 'cosyvoice-linux\[whisper\]'"):
        cosyvoice.Engine("en-lite", second_pass=tmp_path)


def test_without_a_second_pass_there_is_nothing_to_serve(engine):
    with pytest.raises(cosyvoice.InvalidArgument, match="this engine has no second pass"):
        engine.native.next_second_pass(0)


def test_nothing_of_what_is_said_is_logged(make, mood, clip, caplog):
    with caplog.at_level(logging.DEBUG, logger="cosyvoice"):
        engine = make(log_level="debug")
        mood.set("die")
        hear(engine, clip)
        assert SAYS not in caplog.text
