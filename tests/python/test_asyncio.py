"""Asynchronous iteration over a session's events."""

from __future__ import annotations

import asyncio

from support import PATIENCE, Recorder, check_rules, feed, finals


async def listen(session):
    return [event async for event in session]


async def within_patience(awaitable):
    return await asyncio.wait_for(awaitable, PATIENCE)


def test_iteration_gives_every_event_and_ends_after_ended(make_engine, speech):
    engine = make_engine()

    async def run():
        session = engine.new_session()
        listening = asyncio.create_task(listen(session))
        for start in range(0, len(speech), 1024):
            session.feed(speech[start : start + 1024])
            await asyncio.sleep(0)
        session.finish()
        return await listening

    events = asyncio.run(within_patience(run()))
    check_rules(events)
    assert events[-1].ended
    assert engine.stats().finals == sum(event.type == "final" for event in events)


def test_many_sessions_on_one_loop(make_engine, speech):
    engine = make_engine()

    async def one():
        session = engine.new_session()
        feed(session, speech[:32000])
        session.finish()
        return await listen(session)

    async def run():
        return await asyncio.gather(*(one() for _ in range(8)))

    for events in asyncio.run(within_patience(run())):
        check_rules(events)
        assert events[-1].ended


def test_iteration_beside_sessions_that_are_read_with_result(make_engine, speech):
    engine = make_engine()
    before = engine.new_session()
    feed(before, speech[:16000])

    async def run():
        session = engine.new_session()
        session.finish()
        return await listen(session)

    assert asyncio.run(within_patience(run()))[-1].ended
    after = engine.new_session()
    for session in (before, after):
        session.finish()
        assert finals(session)[-1].ended


def test_iteration_beside_callbacks(make_engine, speech):
    engine = make_engine()
    recorder = Recorder().register(engine)

    async def run():
        session = engine.new_session()
        listening = asyncio.create_task(listen(session))
        await asyncio.sleep(0)  # it has begun to listen
        feed(session, speech[:16000])
        session.finish()
        return session, await listening

    session, events = asyncio.run(within_patience(run()))
    recorder.wait_ended(session)
    assert [event for event in events if event.type == "final"] == recorder.finals(session)


def test_closing_the_engine_ends_the_iteration(make_engine, speech):
    engine = make_engine()

    async def run():
        session = engine.new_session()
        listening = asyncio.create_task(listen(session))
        await asyncio.sleep(0)
        feed(session, speech[:16000])
        await asyncio.to_thread(engine.close)
        return await listening

    assert asyncio.run(within_patience(run()))[-1].ended


def test_iterating_an_ended_session_gives_nothing(make_engine):
    engine = make_engine()
    session = engine.new_session()
    session.close()
    finals(session)
    assert asyncio.run(within_patience(listen(session))) == []
