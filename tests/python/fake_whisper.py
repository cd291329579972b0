"""A second pass without a model: what it does with an utterance stands in the file ``mood`` of its directory."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from cosyvoice import ModelNotFound
from cosyvoice.second_pass.process import Heard

if TYPE_CHECKING:
    from pathlib import Path

SAYS = "Fine, thanks."


def check(directory):
    if not (directory / "mood").is_file():
        raise ModelNotFound(f"second_pass = '{directory}' holds no mood")


def load(directory, threads):
    if (directory / "broken").exists():
        raise ValueError("these weights make no sense")
    if (directory / "crash").exists():
        os._exit(3)
    (directory / "pid").write_text(str(os.getpid()))
    (directory / "facts").write_text(f"{threads} {os.sched_getscheduler(0) == os.SCHED_BATCH} {os.nice(0)}")

    def hear(samples, language):
        assert language == "en"
        mood = (directory / "mood").read_text()
        (directory / "hears").touch()
        if mood == "hang":
            time.sleep(3600)
        if mood == "raise":
            raise ValueError("nothing is heard")
        if mood == "die":
            os._exit(9)
        if mood == "stop":  # until somebody lets it go on
            while (directory / "mood").read_text() == "stop":
                time.sleep(0.01)
        print("libraries print")
        seconds = len(samples) / 16000
        return Heard(SAYS, [("Fine,", 0.0, seconds / 2, 0.8), ("thanks.", seconds / 2, seconds, 0.6)])

    return hear


class Mood:
    """The directory of such a model, for tests."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.set("answer")

    def set(self, mood: str) -> None:
        # Whole or not at all: a worker may look at any time.
        (self.directory / "new").write_text(mood)
        (self.directory / "new").rename(self.directory / "mood")

    @property
    def hears(self) -> bool:
        """An utterance has come."""
        return (self.directory / "hears").exists()

    @property
    def pid(self) -> int:
        return int((self.directory / "pid").read_text() or 0)
