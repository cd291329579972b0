"""The same audio gives the same words and times, in any packets, alone or beside others."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import feed, finals, transcribe, words

SECONDS = 3


@pytest.fixture(scope="module")
def clip(speech):
    return speech[: SECONDS * 16000]


@pytest.fixture(scope="module")
def expected(trained, clip):
    return transcribe(trained, clip)


def same(one, two):
    assert words(one) == words(two)
    assert [(event.text, event.utterance, event.reason) for event in one] == [
        (event.text, event.utterance, event.reason) for event in two
    ]
    for first, second in zip(one, two, strict=True):
        assert [w.confidence for w in first.words] == pytest.approx([w.confidence for w in second.words], abs=1e-3)


def test_the_clip_has_words(trained, expected):
    if trained.model.weights == "trained":
        assert words(expected)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sizes=st.lists(st.integers(1, 8000), min_size=1, max_size=20))
def test_any_packet_sizes(trained, clip, expected, sizes):
    session = trained.new_session()
    start, turn = 0, 0
    while start < len(clip):
        size = sizes[turn % len(sizes)]
        # Tiny packets only now and then, so that an example stays short.
        size = size if turn < 200 else 4000
        session.feed(clip[start : start + size])
        start, turn = start + size, turn + 1
    session.finish()
    same(finals(session), expected)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(starts=st.lists(st.integers(0, 32000), min_size=1, max_size=7), packet=st.integers(160, 4000))
def test_beside_others(trained, speech, clip, expected, starts, packet):
    session = trained.new_session()
    crowd = [trained.new_session() for _ in starts]
    for at in range(0, len(clip), packet):
        session.feed(clip[at : at + packet])
        for other, start in zip(crowd, starts, strict=True):
            other.feed(speech[start + at : start + at + packet])
    for each in (session, *crowd):
        each.finish()
    same(finals(session), expected)
    for other in crowd:
        finals(other)


def test_with_other_workers_and_batches(trained, clip, expected):
    from cosyvoice import Engine

    with Engine(max_stream=2, workers=1, batch_size=1) as engine:
        same(transcribe(engine, clip), expected)


def test_as_live_or_batch_priority(trained, clip, expected):
    session = trained.new_session(priority="batch")
    feed(session, clip)
    session.finish()
    same(finals(session), expected)
