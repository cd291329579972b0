"""How an engine ends: once, from whatever thread asks, and before the interpreter takes the threads away."""

from __future__ import annotations

import logging
import os
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cosyvoice import _native
    from cosyvoice._dispatcher import Dispatcher
    from cosyvoice.second_pass.pool import SecondPass

logger = logging.getLogger("cosyvoice")

# Left for the callback that is running when the core has closed at the very end of close_timeout.
_LAST_CALLBACK_SECONDS = 1.0


class Shutdown:
    """Closes one engine. It knows the compiled engine, not the Python object, which may be garbage by then."""

    def __init__(
        self, native: _native.Engine, dispatcher: Dispatcher, second_pass: SecondPass | None, close_timeout: float
    ) -> None:
        self._native = native
        self._dispatcher = dispatcher
        self._second_pass = second_pass
        self._close_timeout = close_timeout
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._begun = False
        self._deferred: threading.Thread | None = None

    def __call__(self) -> None:
        """At the interpreter's exit, and when the engine is garbage. A forked child has nothing to close."""
        if os.getpid() == self._owner:
            self.close()

    def close(self) -> None:
        """Close the core and wait for the last callback; from a callback, leave that to a thread of its own."""
        if self._dispatcher.is_current_thread():
            self._defer()
            return
        self._close()
        if self._deferred is not None:
            self._deferred.join()

    def _defer(self) -> None:
        with self._lock:
            if self._begun or self._deferred is not None:
                return
            thread = threading.Thread(target=self._close, name="cosyvoice-close")
            try:
                thread.start()
            except RuntimeError:
                return  # the interpreter is leaving and starts no threads any more; its exit closes the engine
            self._deferred = thread

    def _close(self) -> None:
        with self._lock:
            self._begun = True
        deadline = time.monotonic() + self._close_timeout
        self._native.close()
        if self._second_pass is not None:
            self._second_pass.stop()
        if not self._dispatcher.join(max(_LAST_CALLBACK_SECONDS, deadline - time.monotonic())):
            logger.warning("a callback did not return within close_timeout; the engine was closed without it")
