"""Every verb in random order from several threads: the events keep their rules and no sample is lost."""

from __future__ import annotations

import random
import threading

import pytest
from support import Recorder, check_rules

import cosyvoice

THREADS = 4
STEPS = 120


def storm(engine, speech, seed):
    """One thread's calls; returns the sessions it opened, all of them ended or finished."""
    choose = random.Random(seed)
    opened: list[cosyvoice.Session] = []
    live: list[cosyvoice.Session] = []
    for _ in range(STEPS):
        verb = choose.choices(["open", "feed", "mark", "reset", "finish", "close", "read"], [2, 12, 2, 1, 2, 1, 2])[0]
        if verb == "open" or not live:
            try:
                live.append(engine.new_session(chunk_ms=choose.choice([None, *engine.model.chunk_ms])))
            except cosyvoice.EngineFull:
                continue
            opened.append(live[-1])
            continue
        session = choose.choice(live)
        if verb == "feed":
            start = choose.randrange(len(speech) - 8000)
            session.feed(speech[start : start + choose.randrange(1, 8000)])
        elif verb == "mark":
            session.end_utterance()
        elif verb == "reset":
            session.reset()
        elif verb == "read":
            engine.stats()
        else:
            session.finish() if verb == "finish" else session.close()
            live.remove(session)
    for session in live:
        session.finish()
    return opened


@pytest.mark.parametrize("seed", range(4))
def test_storms_keep_the_rules(make_engine, speech, seed):
    engine = make_engine(max_stream=12, workers=2, partial_timeout=600, max_utterance=1500, idle_timeout=50)
    recorder = Recorder().register(engine)
    sessions: list[cosyvoice.Session] = []
    faults: list[BaseException] = []

    def run(thread):
        try:
            sessions.extend(storm(engine, speech, f"{seed} {thread}"))
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=run, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    for session in sessions:
        events = recorder.wait_ended(session)
        check_rules(events)
        assert not any(event.type == "error" for event in events)
    engine.close()
    stats = engine.stats()
    assert stats.sessions_opened == stats.sessions_ended == len(sessions)
    assert stats.accepted_samples == stats.decoded_samples + stats.dropped_samples
    assert stats.finals == sum(len(recorder.finals(session)) for session in sessions)
    assert stats.callback_errors == 0


def test_threads_that_race_for_one_session(make_engine, speech):
    engine = make_engine()
    recorder = Recorder().register(engine)
    session = engine.new_session()
    expected = (cosyvoice.ConcurrentFeed, cosyvoice.SessionFinished, cosyvoice.UnknownSession)
    gate = threading.Barrier(4)
    faults: list[BaseException] = []

    def run(verbs):
        gate.wait()
        for verb in verbs:
            try:
                verb()
            except expected:
                continue
            except BaseException as error:
                faults.append(error)

    packets = [speech[start : start + 500] for start in range(0, 40000, 500)]
    feeding = [lambda packet=packet: session.feed(packet) for packet in packets]
    plans = [feeding, feeding, [session.end_utterance, session.reset] * 20, [engine.stats] * 30 + [session.finish]]
    threads = [threading.Thread(target=run, args=(plan,)) for plan in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    check_rules(recorder.wait_ended(session))
    engine.close()
    stats = engine.stats()
    assert stats.accepted_samples == stats.decoded_samples + stats.dropped_samples
