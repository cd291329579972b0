"""The workers of an engine's second pass, from before the engine is made until after it has closed."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from cosyvoice.errors import InvalidModel
from cosyvoice.second_pass.process import Task
from cosyvoice.second_pass.worker import Worker

if TYPE_CHECKING:
    from cosyvoice import _native

# The module that knows the model: check(directory), here, and load(directory, threads), in each process.
LOADER = "cosyvoice.second_pass.whisper"
MOST_THREADS = 4


class SecondPass:
    """Worker processes, whose models load while the engine's does."""

    def __init__(self, options: dict[str, Any]) -> None:
        directory = Path(options["second_pass"])
        importlib.import_module(LOADER).check(directory)
        self._directory = directory
        count: int = options["second_pass_workers"]
        threads = max(1, min(MOST_THREADS, len(os.sched_getaffinity(0)) // max(1, count)))
        task = Task(LOADER, os.fspath(directory.absolute()), threads, options["cpus"], -1)
        timeout = options["second_pass_timeout_ms"] / 1000
        self._workers = [Worker(number, task, timeout) for number in range(1, count + 1)]

    @classmethod
    def of(cls, options: dict[str, Any]) -> Self | None:
        """None where the options name no model."""
        return cls(options) if options["second_pass"] else None

    def serve(self, native: _native.Engine) -> None:
        """Wait until every worker has its model, then hear the engine's utterances.

        Raises
        ------
        InvalidModel
            When a worker cannot load it.
        """
        for worker in self._workers:
            fault = worker.wait_ready()
            if fault is not None:
                raise InvalidModel(
                    f"second_pass = '{self._directory}': {fault}; give the directory of a model that faster-whisper loads"
                )
        for worker in self._workers:
            worker.serve(native)

    def stop(self) -> None:
        """End the processes; a second call does nothing."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.stop()
