"""Recordings as blocks of float32 samples at their own rate."""

from __future__ import annotations

import enum
import math
import os
import re
import stat
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

LOWEST_RATE = 8000
HIGHEST_RATE = 48000
_BLOCK_SECONDS = 0.25
# By so much the end of a part may be past that of its recording: whoever cut it had rounded.
_ROUNDING_SECONDS = 0.1
# libsndfile's notes on a chunk that promises more than the file holds.
_SHORT_CHUNK = re.compile(r"^\s*data\s*:\s*(\d+) \(should be (\d+)\)", re.MULTILINE)
# Programs that write a WAV file into a pipe cannot know its length and promise the most there can be, or nearly.
_LENGTH_UNKNOWN = 0x7FFF0000


class RawEncoding(enum.StrEnum):
    """What bytes without a header are."""

    S16LE = "s16le"
    F32LE = "f32le"
    MULAW = "mulaw"
    ALAW = "alaw"


_SUBTYPES = {
    RawEncoding.S16LE: ("PCM_16", 2),
    RawEncoding.F32LE: ("FLOAT", 4),
    RawEncoding.MULAW: ("ULAW", 1),
    RawEncoding.ALAW: ("ALAW", 1),
}


@dataclass(frozen=True, slots=True)
class Raw:
    """How files without a header are read."""

    encoding: RawEncoding
    rate: int
    channels: int

    @property
    def frame_bytes(self) -> int:
        """One sample of every channel."""
        return _SUBTYPES[self.encoding][1] * self.channels

    def arguments(self) -> dict[str, Any]:
        """What soundfile wants to know."""
        return {
            "format": "RAW",
            "subtype": _SUBTYPES[self.encoding][0],
            "endian": "LITTLE",
            "samplerate": self.rate,
            "channels": self.channels,
        }


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
    channels: int
    frames: int
    modified_ns: int
    fault: str | None = None  # what is known to be missing at its end
    raw: Raw | None = None
    first: int = 0  # where it begins in the file: only a part of which may be meant
    track: int | None = None  # the one channel of the file that is meant

    @property
    def seconds(self) -> float:
        """Its duration."""
        return self.frames / self.sample_rate

    def blocks(self) -> Iterator[npt.NDArray[np.float32]]:
        """Its samples, frames × channels, a quarter of a second at a time; those before a fault come out, too."""
        size = int(self.sample_rate * _BLOCK_SECONDS)
        how = {} if self.raw is None else self.raw.arguments()
        read = 0
        try:
            with soundfile.SoundFile(os.fsencode(self.path), **how) as file:
                if self.first:
                    file.seek(self.first)
                # Not soundfile.blocks: where a file ends too early, that repeats what it read last.
                while read < self.frames:
                    block = file.read(min(size, self.frames - read), dtype="float32", always_2d=True)
                    if not len(block):
                        break
                    yield from self._good(block if self.track is None else block[:, self.track : self.track + 1], read)
                    read += len(block)
        except soundfile.LibsndfileError as error:
            raise BadRecording(f"cannot be read past {read / self.sample_rate:.2f} s: {error.error_string}") from error
        if read < self.frames:
            raise BadRecording(f"truncated: {self.frames} samples promised, {read} there")

    def _good(self, block: npt.NDArray[np.float32], read: int) -> Iterator[npt.NDArray[np.float32]]:
        """The block, up to a sample that is no number."""
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if not len(bad):
            yield block
            return
        if bad[0]:
            yield block[: bad[0]]
        number = read + int(bad[0])
        raise BadRecording(f"sample {number}, at {number / self.sample_rate:.3f} s, is NaN or infinite")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a recording, in seconds, without an end the rest; of one channel, counted from 0, or of all."""

    path: Path
    start: float = 0.0
    end: float | None = None
    channel: int | None = None

    def open(self) -> Recording:
        """Look at the file's header, as :func:`open_recording` does."""
        whole = open_recording(self.path)
        if self.end is not None and self.end > whole.seconds + _ROUNDING_SECONDS:
            raise BadRecording(f"has {whole.seconds:.2f} s, so no part of it ends at {self.end:.2f} s")
        first = round(self.start * whole.sample_rate)
        end = whole.frames if self.end is None else min(math.ceil(self.end * whole.sample_rate), whole.frames)
        if first >= end:
            raise BadRecording(f"has {whole.seconds:.2f} s, so no part of it begins at {self.start:.2f} s")
        if self.channel is None:
            return replace(whole, first=first, frames=end - first)
        if self.channel >= whole.channels:
            raise BadRecording(f"has {whole.channels} channels, counted from 0; there is no channel {self.channel}")
        return replace(whole, first=first, frames=end - first, channels=1, track=self.channel)


def open_recording(path: Path, raw: Raw | None = None) -> Recording:
    """Look at a file's header or, where it has none, take ``raw`` for it.

    Raises
    ------
    BadRecording
        When the file is missing, empty, no audio that libsndfile reads, or at a rate out of range.
    """
    facts = _facts(path)
    if raw is not None:
        left = facts.st_size % raw.frame_bytes
        fault = f"truncated: {left} bytes after the last whole sample" if left else None
        frames = facts.st_size // raw.frame_bytes
        if frames == 0:
            raise BadRecording("is shorter than one sample")
        return Recording(path, raw.rate, raw.channels, frames, facts.st_mtime_ns, fault, raw)
    try:
        with soundfile.SoundFile(os.fsencode(path)) as file:
            rate, channels, frames, notes = file.samplerate, file.channels, file.frames, file.extra_info
    except soundfile.LibsndfileError as error:
        raise BadRecording(f"is no audio that can be read: {error.error_string}") from error
    if frames == 0:
        raise BadRecording("holds a header and no audio")
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise BadRecording(f"has {rate} Hz; {LOWEST_RATE} to {HIGHEST_RATE} Hz are read, so resample it first")
    short = _SHORT_CHUNK.search(notes)
    truncated = short is not None and int(short[1]) < _LENGTH_UNKNOWN
    fault = "truncated: the header promises more" if truncated else None
    return Recording(path, rate, channels, frames, facts.st_mtime_ns, fault)


def _facts(path: Path) -> os.stat_result:
    """Of a regular file with something in it."""
    try:
        facts = path.stat()
    except FileNotFoundError:
        raise BadRecording("no such file") from None
    except (OSError, ValueError) as error:
        raise BadRecording(f"cannot be opened: {getattr(error, 'strerror', None) or error}") from error
    if stat.S_ISDIR(facts.st_mode):
        raise BadRecording("is a directory; name the files in it")
    if not stat.S_ISREG(facts.st_mode):
        raise BadRecording("is a pipe or a device; write it to a file first, or read it as standard input: - < NAME")
    if facts.st_size == 0:
        raise BadRecording("is empty")
    return facts
