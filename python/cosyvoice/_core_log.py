"""The core's log messages, handed to the ``cosyvoice`` logger by one thread.

No thread of the core takes the GIL, so a message waits in a queue of the core until this thread has come for it.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading

from cosyvoice import _native

logger = logging.getLogger("cosyvoice")
_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)


class _Forwarder:
    """The forwarding thread of this process. A forked child has none: the queue it inherits counts a waiter that is gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._forked = False
        atexit.register(self.stop)
        os.register_at_fork(after_in_child=self._forget)

    def start(self) -> None:
        """Begin to forward, once for the process."""
        with self._lock:
            if self._thread is None and not self._forked:
                _native.open_log()
                self._thread = threading.Thread(target=self._run, name="cosyvoice-log", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Forward what waits and end the thread."""
        with self._lock:
            if self._thread is not None:
                _native.close_log()
                self._thread.join()
                self._thread = None

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._thread = None
        self._forked = True

    @staticmethod
    def _run() -> None:
        while (message := _native.next_log()) is not None:
            level, text = message
            logger.log(_LEVELS[level], "%s", text)


forwarder = _Forwarder()
