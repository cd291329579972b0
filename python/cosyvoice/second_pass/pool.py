"""The workers of an engine's second pass, from its making until after it has closed."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cosyvoice.errors import InvalidModel
from cosyvoice.second_pass.process import Task
from cosyvoice.second_pass.worker import Worker

if TYPE_CHECKING:
    from cosyvoice import _native

# The module that knows the model: check(directory), here, and load(directory, threads), in each process.
LOADER = "cosyvoice.second_pass.whisper"
MOST_THREADS = 4


def check(directory: str) -> None:
    """Say what a model's directory lacks, or the machine, before anything is loaded."""
    importlib.import_module(LOADER).check(Path(directory))


class SecondPass:
    """Worker processes that have their model and hear the engine's utterances.

    Raises
    ------
    InvalidModel
        When a worker cannot load its model.
    """

    def __init__(self, native: _native.Engine, options: dict[str, Any]) -> None:
        directory = Path(options["second_pass"])
        count: int = options["second_pass_workers"]
        threads = max(1, min(MOST_THREADS, len(os.sched_getaffinity(0)) // count))
        task = Task(LOADER, os.fspath(directory.absolute()), threads, options["cpus"], -1)
        timeout = options["second_pass_timeout_ms"] / 1000
        self._workers = [Worker(number, task, timeout) for number in range(1, count + 1)]
        try:
            faults = [worker.wait_ready() for worker in self._workers]
        except BaseException:
            self.stop()
            raise
        if any(faults):
            self.stop()
            fault = next(filter(None, faults))
            raise InvalidModel(
                f"second_pass = '{directory}': {fault}; give the directory of a model that faster-whisper loads"
            )
        for worker in self._workers:
            worker.serve(native)

    def stop(self) -> None:
        """End the processes; a second call does nothing."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.stop()
