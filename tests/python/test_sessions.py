"""Sessions and verbs: what each promises."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest
from support import PATIENCE, Recorder, check_rules, feed, finals, transcribe

import cosyvoice
from cosyvoice import EngineConfig, Session, UnknownSession


def test_a_session_is_an_int_equal_to_its_sid(engine):
    with engine.new_session(name="caller 7") as session:
        assert isinstance(session, int)
        assert session == int(session)
        assert {int(session): "found"}[session] == "found"
        assert f"{session}" == str(int(session))
        assert repr(session) == f"Session({int(session)}, name='caller 7')"
        assert session.name == "caller 7"
        assert session.engine is engine
    finals(session)


def test_a_sid_is_never_used_again(engine):
    sids = []
    for _ in range(20):
        session = engine.new_session()
        sids.append(int(session))
        session.close()
        finals(session)
    assert len(set(sids)) == len(sids)
    assert 0 not in sids


def test_both_forms_of_a_verb_do_the_same(engine, speech):
    one, two = engine.new_session(), engine.new_session()
    feed(one, speech)
    for start in range(0, len(speech), 1024):
        engine.feed_pcm(int(two), speech[start : start + 1024].tobytes())
    one.finish()
    engine.finish(int(two))
    assert [final.text for final in finals(one)] == [final.text for final in finals(two)]


def test_finish_gives_one_last_final_that_has_ended(engine, speech):
    session = engine.new_session()
    feed(session, speech)
    session.finish()
    events = finals(session)
    assert [event.ended for event in events] == [False] * (len(events) - 1) + [True]
    assert events[-1].reason == "finish"
    assert session.result(0) is None
    assert session.partial() is None


def test_finish_without_audio_gives_an_empty_final(engine):
    session = engine.new_session()
    session.finish()
    (final,) = finals(session)
    assert (final.text, final.words, final.ended, final.reason) == ("", (), True, "finish")


def test_end_utterance_gives_a_final_and_the_session_goes_on(engine, speech):
    session = engine.new_session()
    for _ in range(3):
        feed(session, speech[:16000])
        session.end_utterance()
    session.finish()
    events = finals(session)
    assert [event.utterance for event in events] == [1, 2, 3, 4][: len(events)]
    assert len(events) >= 3
    assert events[-1].ended


def test_close_session_discards_and_counts(make_engine, speech):
    engine = make_engine()
    session = engine.new_session()
    feed(session, speech[:48000])
    session.close()
    last = finals(session)[-1]
    assert last.reason == "close"
    assert last.ended
    stats = engine.stats()
    assert stats.accepted_samples == 48000
    assert stats.decoded_samples + stats.dropped_samples == 48000


def test_reset_discards_the_open_utterance_without_a_final(make_engine, speech):
    engine = make_engine()
    session = engine.new_session()
    feed(session, speech[:32000])
    session.reset()
    session.finish()
    events = finals(session)
    assert len(events) == 1
    assert events[0].ended
    assert events[0].words == ()
    stats = engine.stats()
    assert stats.decoded_samples + stats.dropped_samples == stats.accepted_samples == 32000


def test_a_context_manager_finishes_and_closes_when_the_block_raises(engine, speech):
    with engine.new_session() as good:
        feed(good, speech[:8000])
    assert finals(good)[-1].reason == "finish"

    def fail() -> None:
        with engine.new_session() as session:
            sessions.append(session)
            feed(session, speech[:8000])
            raise KeyError("the caller's own error")

    sessions: list[Session] = []
    with pytest.raises(KeyError):
        fail()
    assert finals(sessions[0])[-1].reason == "close"


def test_audio_after_finish_is_refused(engine):
    session = engine.new_session()
    session.finish()
    with pytest.raises((cosyvoice.SessionFinished, cosyvoice.UnknownSession)) as caught:
        session.feed(b"\0\0")
    assert str(int(session)) in str(caught.value)
    finals(session)


@pytest.mark.parametrize("sid", [0, 10**6, 2**64 - 1, 2**64, -3])
def test_an_unknown_sid_is_named(engine, sid):
    for verb in (engine.finish, engine.reset, engine.end_utterance, engine.close_session):
        with pytest.raises(cosyvoice.UnknownSession, match=str(sid)):
            verb(sid)
    with pytest.raises(LookupError):
        engine.feed_pcm(sid, b"\0\0")


def test_a_sid_that_is_no_int_is_a_type_error(engine):
    with pytest.raises(TypeError, match="new_session"):
        engine.finish("7")


def test_more_sessions_than_max_stream_are_refused(make_engine):
    engine = make_engine(max_stream=2)
    first, second = engine.new_session(), engine.new_session()
    with pytest.raises(cosyvoice.EngineFull, match="2"):
        engine.new_session()
    first.close()
    finals(first)
    third = engine.new_session()
    assert third not in (first, second)
    assert engine.stats().sessions == 2


def test_a_forgotten_ended_session_gives_its_slot_back(make_engine):
    engine = make_engine(max_stream=1)
    for _ in range(5):
        session = engine.new_session()
        session.finish()
        session.result(PATIENCE)  # the network has done its last step; other events may wait
        del session
        gc.collect()
    assert engine.stats().sessions_opened == 5


def test_a_session_that_nobody_reads_gives_its_slot_back(make_engine, speech):
    engine = make_engine(max_stream=1)
    session = engine.new_session()
    feed(session, speech[:16000])
    session.close()
    del session
    gc.collect()
    session = None
    while session is None:
        try:
            session = engine.new_session()
        except cosyvoice.EngineFull:
            continue
    assert engine.stats().sessions == 1


def test_result_times_out_and_says_so(engine):
    session = engine.new_session()
    with pytest.raises(TimeoutError, match=str(int(session))):
        session.result(0.01)
    session.close()
    finals(session)


def test_a_waiting_result_is_woken_by_the_final(engine, speech):
    session = engine.new_session()
    found = []
    waiter = threading.Thread(target=lambda: found.append(session.result(PATIENCE)))
    waiter.start()
    feed(session, speech[:16000])
    session.finish()
    waiter.join(PATIENCE)
    assert found[0] is not None
    finals(session)


def test_two_feeders_at_once_are_told(make_engine):
    engine = make_engine(ring_bytes=8192)
    session = engine.new_session()
    refused = threading.Event()
    packet = np.zeros(2048, np.int16)

    def pump() -> None:
        while not refused.is_set():
            try:
                session.feed(packet)
            except cosyvoice.ConcurrentFeed:
                refused.set()

    threads = [threading.Thread(target=pump) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert refused.is_set()


def test_a_full_ring_rejects_and_takes_nothing(make_engine):
    engine = make_engine(back_pressure="reject", ring_bytes=8192)
    session = engine.new_session()
    packet = np.zeros(4096, np.int16)
    accepted = 0
    with pytest.raises(cosyvoice.BufferFull):
        while True:
            session.feed(packet)
            accepted += len(packet)
    session.finish()
    finals(session)
    assert engine.stats().accepted_samples == accepted


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"sample_rate": 7999}, "7999"),
        ({"sample_rate": 48001}, "48001"),
        ({"sample_rate": -1}, "sample_rate"),
        ({"encoding": "s24le"}, "s16le"),
        ({"priority": "high"}, "batch"),
        ({"chunk_ms": 123}, "123"),
    ],
)
def test_session_options_out_of_range_are_named(engine, options, named):
    with pytest.raises(cosyvoice.InvalidArgument, match=named):
        engine.new_session(**options)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"max_stream": 0}, "max_stream"),
        ({"max_stream": -1}, "max_stream"),
        ({"batch_size": 0}, "batch_size"),
        ({"partial_timeout": -5}, "partial_timeout"),
        ({"partial_timeout": 2**31}, "partial_timeout"),
        ({"ring_bytes": 1000}, "ring_bytes"),
        ({"fifo_bytes": 3}, "fifo_bytes"),
        ({"back_pressure": "drop"}, "block"),
        ({"max_batch_ms": -1.0}, "max_batch_ms"),
        ({"close_timeout": -1}, "close_timeout"),
    ],
)
def test_engine_options_out_of_range_are_named(options, named):
    with pytest.raises(cosyvoice.InvalidArgument, match=named):
        cosyvoice.Engine("en-lite", **options)


def test_keywords_win_over_the_configuration(make_engine):
    engine = make_engine(config=EngineConfig(max_stream=7, batch_size=4), max_stream=1)
    engine.new_session()
    with pytest.raises(cosyvoice.EngineFull):
        engine.new_session()


def test_a_configuration_of_another_type_is_refused():
    with pytest.raises(TypeError, match="EngineConfig"):
        cosyvoice.Engine(config={"max_stream": 3})


def test_every_chunk_length_of_the_model_serves(engine, speech):
    assert engine.model.name == "en-lite"
    for chunk_ms in engine.model.chunk_ms:
        session = engine.new_session(chunk_ms=chunk_ms)
        feed(session, speech[:16000])
        session.finish()
        assert finals(session)[-1].ended


def test_a_closed_engine_says_so_and_closes_twice(make_engine):
    engine = make_engine()
    session = engine.new_session()
    engine.close()
    engine.close()
    for verb in (engine.new_session, lambda: engine.feed_pcm(session, b""), lambda: engine.finish(session)):
        with pytest.raises(cosyvoice.EngineClosed):
            verb()
    assert engine.stats().sessions == 0


def test_close_finishes_what_was_fed(make_engine, speech):
    engine = make_engine()
    recorder = Recorder().register(engine)
    sessions = [engine.new_session() for _ in range(4)]
    for session in sessions:
        feed(session, speech[:32000])
    engine.close()
    stats = engine.stats()
    assert stats.decoded_samples == stats.accepted_samples == 4 * 32000
    for session in sessions:
        events = recorder.events[session]
        check_rules(events)
        assert events[-1].ended
        assert events[-1].reason == "finish"


def test_events_without_callbacks_stay_with_the_session_after_close(make_engine, speech):
    engine = make_engine()
    session = engine.new_session()
    feed(session, speech[:16000])
    engine.close()
    assert finals(session)[-1].ended


def test_the_same_audio_twice_gives_the_same_events(engine, speech):
    one, two = transcribe(engine, speech), transcribe(engine, speech)
    assert [(e.text, e.words, e.start_ms, e.end_ms, e.reason) for e in one] == [
        (e.text, e.words, e.start_ms, e.end_ms, e.reason) for e in two
    ]


def test_a_session_of_another_engine_is_refused(make_engine):
    one, two = make_engine(), make_engine()
    session, other = one.new_session(), two.new_session()
    assert session == other
    for verb in (two.finish, two.reset, two.end_utterance, two.close_session, lambda sid: two.feed_pcm(sid, bytes(2))):
        with pytest.raises(UnknownSession, match="another engine"):
            verb(session)
    assert two.stats().accepted_samples == 0


@pytest.mark.parametrize("sid", [2**64, -1, 10**5000], ids=["too large", "negative", "huge"])
def test_numbers_that_no_session_can_have_are_unknown(engine, sid):
    with pytest.raises(UnknownSession):
        engine.feed_pcm(sid, bytes(2))


def test_a_bool_is_no_sid(engine):
    with pytest.raises(TypeError, match="sid is of type bool"):
        engine.finish(True)
