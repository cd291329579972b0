"""Callbacks: what they get, and that they may call anything."""

from __future__ import annotations

import json
import logging
import threading

import pytest
from support import PATIENCE, Recorder, check_rules, feed, words

import cosyvoice


def test_each_callback_gets_one_json_string_with_text(make_engine, speech):
    engine = make_engine()
    lines: dict[str, list[str]] = {"partial": [], "final": []}
    ended = threading.Event()

    def on_final(line):
        lines["final"].append(line)
        if json.loads(line)["ended"]:
            ended.set()

    engine.register_callback(lines["partial"].append, on_final)
    session = engine.new_session(name="näme \N{SNOWMAN}")
    feed(session, speech)
    session.finish()
    assert ended.wait(PATIENCE)
    assert lines["final"]
    for kind, found in lines.items():
        for line in found:
            event = json.loads(line)
            assert "\n" not in line
            assert isinstance(event["text"], str)
            assert event["type"] == kind
            assert event["schema"] == 1
            assert event["sid"] == session
            assert event["session"] == "näme \N{SNOWMAN}"
            assert event["model"]["name"] == "en-lite"


def test_sessions_side_by_side_keep_the_rules(make_engine, speech):
    engine = make_engine()
    recorder = Recorder().register(engine)
    sessions = [engine.new_session() for _ in range(8)]
    for start in range(0, len(speech), 1024):
        for session in sessions:
            session.feed(speech[start : start + 1024])
    for session in sessions:
        session.finish()
    heard = [recorder.wait_ended(session) for session in sessions]
    for events in heard:
        check_rules(events)
        assert words(e for e in events if e.type == "final") == words(e for e in heard[0] if e.type == "final")


def test_a_raising_callback_is_counted_and_logged_and_the_rest_goes_on(make_engine, speech, caplog):
    engine = make_engine()
    recorder = Recorder()

    def on_final(line):
        recorder(line)
        raise ValueError("the callback's own fault")

    engine.register_callback(None, on_final, recorder)
    with caplog.at_level(logging.ERROR, "cosyvoice"):
        for _ in range(3):
            session = engine.new_session()
            feed(session, speech[:16000])
            session.finish()
            recorder.wait_ended(session)
        engine.close()
    assert engine.stats().callback_errors == sum(len(recorder.finals(sid)) for sid in recorder.events)
    assert "the callback's own fault" in caplog.text


def test_a_callback_may_open_feed_and_close_sessions(make_engine, speech):
    engine = make_engine()
    recorder = Recorder()
    opened: list[int] = []

    def on_final(line):
        if len(opened) < 3:
            session = engine.new_session()
            opened.append(session)
            feed(session, speech[:16000])
            session.end_utterance()
            session.reset() if len(opened) == 2 else session.finish()
            if len(opened) == 2:
                session.close()
        engine.stats()
        recorder(line)

    engine.register_callback(None, on_final, recorder)
    session = engine.new_session()
    session.finish()
    recorder.wait(lambda: len(opened) == 3 and all(any(e.ended for e in recorder.events[sid]) for sid in opened))
    for sid in opened:
        check_rules([event for event in recorder.events[sid] if event.type != "partial"])


def test_a_callback_is_never_blocked_by_a_full_ring(make_engine):
    engine = make_engine(ring_bytes=8192)
    refused = threading.Event()

    def on_final(_line):
        session = engine.new_session()
        try:
            for _ in range(10000):
                session.feed(bytes(8192))
        except cosyvoice.BufferFull:
            refused.set()

    engine.register_callback(None, on_final)
    engine.new_session().finish()
    assert refused.wait(PATIENCE)


def test_a_callback_may_close_the_engine(make_engine, speech):
    engine = make_engine()
    recorder = Recorder()
    returned = threading.Event()

    def on_final(line):
        recorder(line)
        if not returned.is_set():
            engine.close()
            returned.set()

    engine.register_callback(recorder, on_final, recorder)
    sessions = [engine.new_session() for _ in range(3)]
    for session in sessions:
        feed(session, speech[:16000])
    sessions[0].finish()
    assert returned.wait(PATIENCE)
    for session in sessions:
        recorder.wait_ended(session)
    engine.close()
    with pytest.raises(cosyvoice.EngineClosed):
        engine.new_session()


def test_a_session_that_is_pulled_gets_its_events_beside_the_callbacks(make_engine, speech):
    engine = make_engine()
    recorder = Recorder().register(engine)
    session = engine.new_session()
    assert session.partial() is None  # from here on its events wait for it too
    feed(session, speech[:32000])
    session.finish()
    pulled = []
    while (final := session.result(PATIENCE)) is not None:
        pulled.append(final)
    recorder.wait_ended(session)
    assert pulled == recorder.finals(session)


def test_callbacks_can_be_replaced(make_engine):
    engine = make_engine()
    first, second = Recorder().register(engine), Recorder()
    session = engine.new_session()
    session.finish()
    first.wait_ended(session)
    second.register(engine)
    session = engine.new_session()
    session.finish()
    second.wait_ended(session)
    assert session not in first.events


def test_what_cannot_be_called_is_refused(make_engine):
    with pytest.raises(TypeError, match="on_final"):
        make_engine().register_callback(print, "print")
