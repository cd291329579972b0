"""The one thread of an engine that takes events out of the core and calls the callbacks.

It waits in the core's ``drain`` without the GIL. It also wakes the asyncio tasks that wait for a session's events; those
take the events themselves.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cosyvoice import _native

logger = logging.getLogger("cosyvoice")


@dataclass(frozen=True, slots=True)
class Callbacks:
    """Where events go; each callable gets one JSON string."""

    on_partial: Callable[[str], object] | None
    on_final: Callable[[str], object] | None
    on_event: Callable[[str], object] | None


class _Waiter:
    """An asyncio task that waits for a session's next event."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    def wake(self) -> None:
        """From any thread; a loop that is closed has nobody to wake."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self) -> None:
        """Until the next wake() since the last wait()."""
        await self._event.wait()
        self._event.clear()


def log_event(line: str) -> None:
    """Note an event that nobody takes: its type, session, code and message, never a transcript."""
    event = json.loads(line)
    details = (event.get(key) for key in ("code", "message", "reason"))
    level = logging.DEBUG if event["type"] == "speech_start" else logging.WARNING
    logger.log(level, "session %d: %s %s", event["sid"], event["type"], " ".join(filter(None, details)))


class Dispatcher:
    """Started at the first registered callback or the first asynchronous iteration, ends with the engine.

    ``written`` is what a final goes through on its way to a callback.
    """

    def __init__(self, native: _native.Engine, written: Callable[[str], str]) -> None:
        self._native = native
        self._written = written
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._waiters: dict[int, set[_Waiter]] = defaultdict(set)
        self._done = False
        self.callbacks: Callbacks | None = None

    def start(self) -> None:
        """Begin to drain; a second call does nothing."""
        with self._lock:
            self._native.attach_drain()  # every time: it raises where the engine cannot be used any more
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="cosyvoice-dispatcher", daemon=True)
                self._thread.start()

    @property
    def started(self) -> bool:
        """Events are being drained."""
        return self._thread is not None

    @property
    def done(self) -> bool:
        """The engine was closed and everything was delivered."""
        return self._done

    def is_current_thread(self) -> bool:
        """The caller is a callback."""
        return threading.current_thread() is self._thread

    def join(self, timeout: float) -> bool:
        """Wait until the last callback has returned; False on time-out."""
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    @contextlib.contextmanager
    def waiter(self, sid: int) -> Iterator[_Waiter]:
        """A waiter that is woken at every event of ``sid``, and at the engine's end."""
        waiter = _Waiter()
        with self._lock:
            self._waiters[sid].add(waiter)
        try:
            yield waiter
        finally:
            with self._lock:
                self._waiters[sid].discard(waiter)
                if not self._waiters[sid]:
                    del self._waiters[sid]

    def _run(self) -> None:
        self._native.mark_dispatcher_thread()
        while self._native.drain_open():
            for kind, sid, line in self._native.drain(-1):
                self._wake(sid)
                self._call(kind, sid, line)
        self._done = True
        with self._lock:
            waiting = list(self._waiters)
        for sid in waiting:
            self._wake(sid)

    def _wake(self, sid: int) -> None:
        if not self._waiters:
            return
        with self._lock:
            waiters = tuple(self._waiters.get(sid, ()))
        for waiter in waiters:
            waiter.wake()

    def _call(self, kind: str, sid: int, line: str) -> None:
        callbacks = self.callbacks
        if callbacks is None:
            return
        if kind == "partial":
            callback = callbacks.on_partial
        elif kind == "final":
            callback = callbacks.on_final
        else:
            callback = callbacks.on_event or log_event
        if callback is None:
            return
        try:
            callback(self._written(line) if kind == "final" else line)
        except BaseException:  # whatever a callback raises, the other sessions' events must go on
            self._native.count_callback_error()
            logger.exception("a callback raised on a %s event of session %d", kind, sid)
