"""Recordings as blocks of mono float32 samples at their own rate."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import soundfile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

LOWEST_RATE = 8000
HIGHEST_RATE = 48000
_BLOCK_SECONDS = 0.25
# libsndfile's notes on a chunk that promises more than the file holds.
_SHORT_CHUNK = re.compile(r"^\s*data\s*:\s*(\d+) \(should be (\d+)\)", re.MULTILINE)


def shown(path: Path) -> str:
    """A file's name fit for one line of text, whatever bytes it is made of."""
    name = os.fsencode(path).decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)


class BadRecording(Exception):
    """A file that cannot be transcribed; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Recording:
    """An audio file whose header was read and found good."""

    path: Path
    sample_rate: int
    frames: int
    truncated: bool

    @property
    def seconds(self) -> float:
        """Its duration."""
        return self.frames / self.sample_rate

    def blocks(self) -> Iterator[npt.NDArray[np.float32]]:
        """Its samples, channels mixed to one, a quarter of a second at a time."""
        size = int(self.sample_rate * _BLOCK_SECONDS)
        read = 0
        try:
            for block in soundfile.blocks(os.fsencode(self.path), blocksize=size, dtype="float32", always_2d=True):
                read += len(block)
                yield np.ascontiguousarray(block[:, 0] if block.shape[1] == 1 else block.mean(axis=1, dtype=np.float32))
        except soundfile.LibsndfileError as error:
            raise BadRecording(f"cannot be read past {read / self.sample_rate:.2f} s: {error.error_string}") from error
        if read < self.frames:
            raise BadRecording(f"truncated: {self.frames} samples promised, {read} there")


def open_recording(path: Path) -> Recording:
    """Look at a file's header.

    Raises
    ------
    BadRecording
        When the file is missing, empty, no audio that libsndfile reads, or at a rate out of range.
    """
    try:
        facts = path.stat()
    except FileNotFoundError:
        raise BadRecording("no such file") from None
    except (OSError, ValueError) as error:
        raise BadRecording(f"cannot be opened: {getattr(error, 'strerror', None) or error}") from error
    if stat.S_ISDIR(facts.st_mode):
        raise BadRecording("is a directory; name the files in it")
    if not stat.S_ISREG(facts.st_mode):
        raise BadRecording("is a pipe or a device; write it to a file first")
    if facts.st_size == 0:
        raise BadRecording("is empty")
    try:
        with soundfile.SoundFile(os.fsencode(path)) as file:
            rate, frames, notes = file.samplerate, file.frames, file.extra_info
    except soundfile.LibsndfileError as error:
        raise BadRecording(f"is no audio that can be read: {error.error_string}") from error
    if frames == 0:
        raise BadRecording("holds a header and no audio")
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise BadRecording(f"has {rate} Hz; {LOWEST_RATE} to {HIGHEST_RATE} Hz are read, so resample it first")
    return Recording(path, rate, frames, truncated=_SHORT_CHUNK.search(notes) is not None)
