"""A folder of results, one file a recording, that a second run completes."""

from __future__ import annotations

import contextlib
import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cosyvoice.cli.inputs import Input


@dataclass(frozen=True, slots=True)
class ResultFolder:
    """Where the results go; ``suffix`` is that of their format.

    A result is named after the whole name of its recording, so call.wav and call.flac do not meet. It is written under another
    name and moved into place, and it bears its recording's time of change. So a result that is there is complete, and it belongs
    to the recording as it is now exactly when the times agree.
    """

    folder: Path
    suffix: str

    def prepare(self, inputs: Iterable[Input]) -> None:
        """Make the folder, and see that it can be written in and that no two recordings share a result."""
        owners: dict[Path, str] = {}
        for one in inputs:
            other = owners.setdefault(one.place, one.name)
            if other != one.name:
                raise typer.BadParameter(
                    f"{other} and {one.name} would both become {self._target(one)}; name the folder that holds both, "
                    "or give each an output folder of its own"
                )
        self.folder.mkdir(parents=True, exist_ok=True)
        trial = self.folder / _unfinished_name()
        trial.touch()
        trial.unlink()

    def has(self, one: Input) -> bool:
        """Whether the result is there and its recording has not changed since."""
        if one.kept is not None:
            return False
        try:
            result, recording = self._target(one).stat(), one.path.stat()
        except (OSError, ValueError):
            return False
        return result.st_mtime_ns // 1000 == recording.st_mtime_ns // 1000  # some disks keep no nanoseconds

    def write(self, one: Input, text: str, modified_ns: int) -> None:
        """The result of a recording as it was when it was read."""
        _replace(self._target(one), text, modified_ns)
        self._incomplete(one).unlink(missing_ok=True)

    def write_incomplete(self, one: Input, text: str, modified_ns: int) -> None:
        """What was heard of a recording that failed half-way; the next run does it again."""
        _replace(self._incomplete(one), text, modified_ns)

    def _target(self, one: Input) -> Path:
        return self.folder / one.place.with_name(one.place.name + self.suffix)

    def _incomplete(self, one: Input) -> Path:
        return self.folder / one.place.with_name(f"{one.place.name}.incomplete{self.suffix}")


def _unfinished_name() -> str:
    return f".cosyvoice-{uuid.uuid4().hex}.tmp"


def _replace(target: Path, text: str, modified_ns: int) -> None:
    """Put a file in its place, all of it or nothing, also when the power fails."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.parent / _unfinished_name()
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.utime(file.fileno(), ns=(modified_ns, modified_ns))
            os.fsync(file.fileno())
        unfinished.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
