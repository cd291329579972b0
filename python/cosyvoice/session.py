"""A session: an int that equals its sid, with the verbs as methods."""

from __future__ import annotations

import contextlib
import math
import time
import weakref
from typing import TYPE_CHECKING, Self

from cosyvoice._dispatcher import log_event
from cosyvoice.errors import CosyVoiceError, EngineClosed, UnknownSession, error_for
from cosyvoice.events import Event, parse_event

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Buffer

    from cosyvoice import _native
    from cosyvoice.engine import Engine
    from cosyvoice.hotwords import Hotwords

__all__ = ["Session"]


def _release(native: _native.Engine, sid: int) -> None:
    """Nobody can pull this session's events any more, so they must not keep its slot."""
    with contextlib.suppress(CosyVoiceError):
        native.release(sid)


class Claim:
    """The right to pull a session's events. It ends with the Session, which as an int cannot be referred to weakly."""

    def __init__(self, native: _native.Engine, sid: int) -> None:
        self.sid = sid
        weakref.finalize(self, _release, native, sid).atexit = False


class Session(int):
    """One live audio stream of an engine, made by :meth:`Engine.new_session`.

    It equals its ``sid``, so ``engine.feed_pcm(session, pcm)`` and ``session.feed(pcm)`` are the same. As a context manager it
    finishes on a clean exit (the last final still comes, to the callbacks or to :meth:`result`) and is closed, unread audio
    discarded, when the block raises.
    """

    _engine: Engine
    _claim: Claim
    _name: str | None

    def __new__(cls, engine: Engine, claim: Claim, name: str | None) -> Self:
        """Made by the engine."""
        self = super().__new__(cls, claim.sid)
        self._engine = engine
        self._claim = claim
        self._name = name
        return self

    def __repr__(self) -> str:
        return f"Session({int(self)}{'' if self._name is None else f', name={self._name!r}'})"

    def __str__(self) -> str:
        return int.__repr__(self)

    @property
    def name(self) -> str | None:
        """The name given to ``new_session``; events carry it as ``session``."""
        return self._name

    @property
    def engine(self) -> Engine:
        """The engine that carries this session."""
        return self._engine

    def feed(self, pcm: Buffer) -> None:
        """Hand over audio; see :meth:`Engine.feed_pcm`."""
        self._engine.feed_pcm(self, pcm)

    def set_hotwords(self, hotwords: Hotwords | None) -> None:
        """Replace this session's own hotwords; see :meth:`Engine.set_session_hotwords`."""
        self._engine.set_session_hotwords(self, hotwords)

    def end_utterance(self) -> None:
        """Close the utterance after the audio fed so far; see :meth:`Engine.end_utterance`."""
        self._engine.end_utterance(self)

    def reset(self) -> None:
        """Discard the open utterance; see :meth:`Engine.reset`."""
        self._engine.reset(self)

    def finish(self) -> None:
        """No more audio comes; see :meth:`Engine.finish`."""
        self._engine.finish(self)

    def close(self) -> None:
        """Discard unread audio and end; see :meth:`Engine.close_session`."""
        self._engine.close_session(self)

    def partial(self) -> Event | None:
        """The latest partial, if there is one that was not taken yet and no final came since."""
        try:
            line = self._engine.native.next_partial(self)
        except UnknownSession:
            return None
        return None if line is None else parse_event(line)

    def result(self, timeout: float | None = None) -> Event | None:
        """The next final, in order; None once the session has ended and its last final was taken.

        Parameters
        ----------
        timeout
            Seconds to wait; None waits without end.

        Raises
        ------
        TimeoutError
            When no final came in time.
        CosyVoiceError
            The cause, when an error ended the session.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            wait_ms = -1 if deadline is None else max(0, math.ceil(1000 * (deadline - time.monotonic())))
            try:
                line = self._engine.native.next_event(self, wait_ms)
            except UnknownSession:
                return None
            if line is None:
                raise TimeoutError(f"no final of session {self} came within {timeout} s")
            event = parse_event(line)
            if event.type == "final":
                return parse_event(self._engine._written(line))
            if event.type == "error" and event.ended:
                raise error_for(event.code, event.message)
            if event.type != "partial":
                log_event(line)

    def __aiter__(self) -> Self:
        """Every event of the session, partials included, up to the one with ``ended``."""
        return self

    async def __anext__(self) -> Event:
        dispatcher = self._engine._start_dispatcher()
        with dispatcher.waiter(self) as waiter:
            while True:
                closed = dispatcher.done
                try:
                    line = self._engine.native.next_event(self, 0)
                except (UnknownSession, EngineClosed):
                    raise StopAsyncIteration from None
                if line is not None:
                    event = parse_event(line)
                    return parse_event(self._engine._written(line)) if event.type == "final" else event
                if closed:
                    raise StopAsyncIteration
                await waiter.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # A session that has ended already (an error event, the engine's end) leaves nothing to do.
        with contextlib.suppress(UnknownSession, EngineClosed):
            if kind is None:
                self.finish()
            else:
                self.close()
