"""What several tests share: feeding, collecting events, and the rules that every session's events keep."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from cosyvoice import Event, parse_event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    import numpy.typing as npt

    from cosyvoice import Engine, Session

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENCE = 120.0  # seconds until a test that waits in vain fails


def complaints(stderr: str) -> str:
    """What a program wrote to its error stream, but for the remark that the machine is slow, as one with much to do is."""
    return "".join(line for line in stderr.splitlines(True) if "more than max_batch_ms" not in line)


def feed(session: Session, pcm: npt.NDArray[np.int16], packet: int = 1024) -> None:
    """All of ``pcm`` in packets."""
    for start in range(0, len(pcm), packet):
        session.feed(pcm[start : start + packet])


def finals(session: Session) -> list[Event]:
    """The finals that are left, once the session was finished or closed."""
    found = []
    while (final := session.result(PATIENCE)) is not None:
        found.append(final)
    return found


def words(events: Iterable[Event]) -> list[tuple[str, int, int]]:
    """What invariance means: the words and their times."""
    return [(word.word, word.start_ms, word.end_ms) for event in events for word in event.words]


def transcribe(engine: Engine, pcm: npt.NDArray[np.int16], packet: int = 1024) -> list[Event]:
    """The finals of one session that hears ``pcm``."""
    session = engine.new_session()
    feed(session, pcm, packet)
    session.finish()
    return finals(session)


def texts_of(engine: Engine, pcm: npt.NDArray[np.int16]) -> list[str]:
    """The words that one session hears in ``pcm``."""
    return [word.word for final in transcribe(engine, pcm) for word in final.words]


def wait_for(good: Callable[[], bool]) -> None:
    """Until it is so."""
    deadline = time.monotonic() + PATIENCE
    while not good():
        assert time.monotonic() < deadline
        time.sleep(0.02)


class Recorder:
    """Callbacks that keep every event, by session, and let a test wait for what it needs."""

    def __init__(self) -> None:
        self.events: dict[int, list[Event]] = defaultdict(list)
        self._changed = threading.Condition()

    def register(self, engine: Engine) -> Recorder:
        engine.register_callback(self, self, self)
        return self

    def __call__(self, line: str) -> None:
        event = parse_event(line)
        with self._changed:
            self.events[event.sid].append(event)
            self._changed.notify_all()

    def wait(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, PATIENCE), "what the test waits for did not come"

    def wait_ended(self, sid: int) -> list[Event]:
        self.wait(lambda: any(event.ended for event in self.events[sid]))
        return self.events[sid]

    def finals(self, sid: int) -> list[Event]:
        return [event for event in self.events[sid] if event.type == "final"]


def check_rules(events: list[Event]) -> None:
    """The rules for one session's events, in the order they came."""
    assert all(event.sid == events[0].sid for event in events)
    counted = [event for event in events if event.type != "partial"]
    assert [event.seq for event in counted] == list(range(1, len(counted) + 1))
    seq = 0
    finished = 0  # the last utterance that had its final
    for event in events:
        if event.type == "partial":
            assert event.seq == seq, "a partial repeats the last event's seq"
            assert event.utterance > finished, "no partial comes after its final"
        else:
            seq = event.seq
        if event.type == "final":
            assert event.utterance > finished, "one final for each utterance"
            finished = event.utterance
            for word in event.words:
                assert event.start_ms <= word.start_ms < word.end_ms <= event.end_ms
            assert event.text == " ".join(word.word for word in event.words)
            for one, two in pairwise(event.words):
                assert one.end_ms <= two.start_ms
    assert not any(event.ended for event in events[:-1]), "nothing follows `ended`"
