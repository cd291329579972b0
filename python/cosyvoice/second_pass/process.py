"""One worker of the second pass, as a process: ``python -m cosyvoice.second_pass.process`` with a :class:`Task`.

Lines of JSON on standard input and output; the audio lies in a file in memory that both sides hold::

    ← {"ready": true}, once, or {"error": "..."} where the model cannot be loaded
    → {"id": 7, "language": "en", "bytes": 64000}: so much of the file is 16-bit samples at 16 kHz
    ← {"id": 7, "text": "...", "words": [["...", 0, 320, 0.93], ...]}, times in milliseconds, or {"id": 7, "error": "..."}
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cosyvoice.doctor.files import parse_cpus

NICE = 10


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model heard: words as (word, start, end, probability), times in seconds, in the order of ``text``."""

    text: str
    words: list[tuple[str, float, float, float]]


# Float samples at 16 kHz and the language that is spoken ("" where nobody knows).
Hear = Callable[[npt.NDArray[np.float32], str], Heard]


@dataclass(frozen=True, slots=True)
class Task:
    """What a process is started with. ``loader`` names a module with ``load(directory, threads) -> Hear``."""

    loader: str
    directory: str
    threads: int
    cpus: str
    audio: int  # file descriptor


def give_way(cpus: str) -> None:
    """Take what the streams leave over, on the cores that are theirs."""
    cores = parse_cpus(cpus.replace(" ", ""))
    if cores:
        os.sched_setaffinity(0, cores)
    os.nice(NICE)
    with contextlib.suppress(OSError):  # a container may forbid it, and has the niceness
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _answer(hear: Hear, task: Task, request: dict[str, Any]) -> dict[str, Any]:
    pcm = np.frombuffer(os.pread(task.audio, request["bytes"], 0), np.int16)
    try:
        heard = hear(pcm.astype(np.float32) / np.float32(32768), request["language"])
    except Exception as error:  # noqa: BLE001 (whatever a model raises, the next utterance may be good)
        return {"id": request["id"], "error": f"{type(error).__name__}: {error}"}
    words = [(word, round(1000 * start), round(1000 * end), share) for word, start, end, share in heard.words]
    return {"id": request["id"], "text": heard.text, "words": words}


def main(arguments: str) -> int:
    """Load the model, then answer until standard input ends."""
    task = Task(**json.loads(arguments))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which ends us by closing our input
    # Our own way out; what libraries print must not get into it.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)

        def say(line: dict[str, Any]) -> None:
            out.write(json.dumps(line) + "\n")
            out.flush()

        give_way(task.cpus)
        try:
            hear: Hear = importlib.import_module(task.loader).load(Path(task.directory), task.threads)
        except Exception as error:  # noqa: BLE001
            say({"error": f"{type(error).__name__}: {error}"})
            return 1
        say({"ready": True})
        for line in sys.stdin:
            say(_answer(hear, task, json.loads(line)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
