"""One worker of the second pass as the engine's process sees it.

Two threads: one keeps the process alive and reads what it says, the other brings it utterances, one at a time. Whatever becomes
of an utterance, the engine hears of it: an answer, or a refusal.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from cosyvoice.errors import CosyVoiceError, EngineClosed

if TYPE_CHECKING:
    from cosyvoice import _native
    from cosyvoice.second_pass.process import Task

logger = logging.getLogger("cosyvoice")

FIRST_PAUSE = 0.5  # seconds before a process that ended is started again, doubled each time until one answers
LONGEST_PAUSE = 30.0
GRACE = 10.0  # seconds past the time-out after which a process that is silent is taken for stuck


def _end_of(process: subprocess.Popen[str], said: IO[bytes]) -> str:
    """How a process ended and, where it failed by itself, the last line that it wrote."""
    code = process.wait()
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    said.seek(0)
    lines = said.read().decode("utf-8", errors="replace").strip().splitlines()
    return f"ended with exit code {code}" + (f" ({lines[-1]})" if lines else "")


class Worker:
    """Starts its process at once. :meth:`wait_ready`, then :meth:`serve`, then :meth:`stop`."""

    def __init__(self, number: int, task: Task, timeout: float) -> None:
        self.name = f"second-pass worker {number}"
        # One file for all the worker's processes; it holds one utterance at a time.
        self._audio = os.memfd_create("cosyvoice-second-pass")
        self._task = dataclasses.replace(task, audio=self._audio)
        self._timeout = timeout
        self._native: _native.Engine | None = None
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        # Under _changed.
        self._process: subprocess.Popen[str] | None = None
        self._ready = False
        self._fault: str | None = None  # why the last start failed
        self._asked: int | None = None  # the utterance that it hears
        self._threads = [threading.Thread(target=self._keep, name="cosyvoice-second-pass-keep", daemon=True)]
        self._threads[0].start()

    def wait_ready(self) -> str | None:
        """Wait until the model is loaded; what went wrong, or None."""
        with self._changed:
            self._changed.wait_for(lambda: self._ready or self._fault is not None)
            return self._fault

    def serve(self, native: _native.Engine) -> None:
        """Begin to hear the engine's utterances."""
        self._native = native
        self._threads.append(threading.Thread(target=self._serve, name="cosyvoice-second-pass", daemon=True))
        self._threads[-1].start()

    def stop(self) -> None:
        """End the process, and the threads soon after."""
        with self._changed:
            self._stopping.set()
            if self._process is not None:
                self._process.kill()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(GRACE)
        if not any(thread.is_alive() for thread in self._threads):
            os.close(self._audio)

    # ---- keeping the process alive

    def _keep(self) -> None:
        pause = FIRST_PAUSE
        while not self._stopping.is_set():
            answered = False
            with tempfile.TemporaryFile() as said:
                try:
                    process = self._start(said)
                except OSError as error:
                    end = f"cannot be started ({error})"
                else:
                    if process is None:
                        return
                    answered = self._read(process)
                    end = _end_of(process, said)
            native = self._note_end(end)
            if native is None:
                return  # it was never served: the engine's constructor tells what is wrong
            if answered:
                pause = FIRST_PAUSE
            logger.warning("%s %s; it is started again in %.1f s", self.name, end, pause)
            self._stopping.wait(pause)
            if not self._stopping.is_set():
                native.count_second_pass_restart()
            pause = min(2 * pause, LONGEST_PAUSE)

    def _start(self, said: IO[bytes]) -> subprocess.Popen[str] | None:
        command = [sys.executable, "-m", "cosyvoice.second_pass.process", json.dumps(dataclasses.asdict(self._task))]
        # It finds what this process finds.
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)}
        with self._changed:
            if self._stopping.is_set():
                return None
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
                text=True, encoding="utf-8", env=environment, pass_fds=(self._audio,),
            )  # fmt: skip
            return self._process

    def _read(self, process: subprocess.Popen[str]) -> bool:
        """Take what the process says until it ends; whether it answered anything."""
        assert process.stdout is not None
        assert process.stdin is not None
        answered = False
        with process.stdout:
            for text in process.stdout:
                if not text.endswith("\n"):
                    break  # it was killed in the middle of a line
                line = json.loads(text)
                if "id" in line:
                    answered = True
                    self._take(line)
                else:
                    self._note_start(line.get("error"))
        with contextlib.suppress(OSError):  # a request that it did not take
            process.stdin.close()
        return answered

    def _note_start(self, fault: str | None) -> None:
        with self._changed:
            self._fault = fault
            self._ready = fault is None
            self._changed.notify_all()

    def _note_end(self, end: str) -> _native.Engine | None:
        with self._changed:
            if not self._ready and self._fault is None:
                self._fault = f"the worker {end} before its model was loaded"
            lost, self._asked = self._asked, None
            self._ready = False
            self._process = None
            self._changed.notify_all()
        if lost is not None and self._native is not None:
            self._native.refuse_second_pass(lost)
        return None if self._stopping.is_set() else self._native

    def _take(self, line: dict[str, Any]) -> None:
        assert self._native is not None
        fault = line.get("error")
        if fault is None:
            try:
                self._native.answer_second_pass(line["id"], line["text"], [tuple(word) for word in line["words"]])
            except CosyVoiceError as error:
                fault = str(error)
        if fault is not None:
            logger.warning("%s: an utterance keeps the stream's words: %s", self.name, fault)
            self._native.refuse_second_pass(line["id"])
        with self._changed:
            self._asked = None
            self._changed.notify_all()

    # ---- bringing it utterances

    def _serve(self) -> None:
        assert self._native is not None
        while True:
            try:
                utterance = self._native.next_second_pass(-1)
            except EngineClosed:
                return
            if utterance is not None and not self._ask(*utterance):
                self._native.refuse_second_pass(utterance[0])

    def _ask(self, number: int, language: str, pcm: bytes) -> bool:
        """Have an utterance heard. False: there is no process that could."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._ready or self._fault is not None or self._stopping.is_set(), self._timeout
            )
            process = self._process
            if not self._ready or process is None or process.stdin is None:
                return False
            self._asked = number
            os.pwrite(self._audio, pcm, 0)
            request = json.dumps({"id": number, "language": language, "bytes": len(pcm)})
            with contextlib.suppress(OSError, ValueError):  # it has ended, which _keep notes
                process.stdin.write(request + "\n")
                process.stdin.flush()
            if not self._changed.wait_for(lambda: self._asked != number, self._timeout + GRACE):
                logger.warning("%s does not answer and is killed", self.name)
                process.kill()
                self._changed.wait_for(lambda: self._asked != number)
        return True
