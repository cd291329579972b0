"""A microphone by way of the package sounddevice, which is an extra."""

from __future__ import annotations

import importlib
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cosyvoice.cli.audio_file import HIGHEST_RATE, LOWEST_RATE

BLOCK_MS = 20
BACKLOG_S = 30  # of audio that waits for the engine


class NoMicrophone(OSError):
    """No sound can be recorded here; the message says what to install or choose."""


def load() -> Any:
    """The module sounddevice."""
    try:
        return importlib.import_module("sounddevice")
    except ImportError:
        raise NoMicrophone(
            "the Python package sounddevice is not installed: pip install 'cosyvoice-linux[listen]'"
        ) from None
    except OSError as error:
        raise NoMicrophone(f"the library PortAudio is missing ({error}): apt install libportaudio2") from None


def devices() -> list[str]:
    """A line for each device that records; an asterisk is before the default one."""
    sound = load()
    default = sound.default.device[0]
    return [
        f"{'*' if number == default else ' '} {number:2}  {device['name']}  "
        f"({device['max_input_channels']} channels, {device['default_samplerate']:.0f} Hz)"
        for number, device in enumerate(sound.query_devices())
        if device["max_input_channels"] > 0
    ]


class Microphone:
    """An open device. What it recorded comes out of :meth:`blocks`, one channel of 16-bit samples, until :meth:`stop`."""

    def __init__(self, sound: Any, device: int | str | None, facts: dict[str, Any]) -> None:
        self.name = str(facts["name"])
        # A device at 96 or 192 kHz can do 48.
        self.sample_rate = int(min(max(facts["default_samplerate"], LOWEST_RATE), HIGHEST_RATE))
        self.overflows = 0  # times that the device had lost sound before we got it
        self.late_ms = 0  # of sound that was not taken, because the engine was so far behind
        self.stopped_by_itself = False
        self._stopping = False
        # Reentrant, so that a signal handler may put the end into it.
        self._blocks: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._most = BACKLOG_S * 1000 // BLOCK_MS
        self.stream = sound.RawInputStream(
            samplerate=self.sample_rate,
            blocksize=self.sample_rate * BLOCK_MS // 1000,
            device=device,
            channels=1,
            dtype="int16",
            callback=self._take,
            finished_callback=self._finished,
        )

    def blocks(self) -> Iterator[bytes]:
        """As they are recorded."""
        while (block := self._blocks.get()) is not None:
            yield block

    def stop(self) -> None:
        """What was recorded so far still comes out. May be called from a signal handler."""
        self._stopping = True
        self._blocks.put(None)

    def _take(self, data: Any, _frames: int, _time: Any, status: Any) -> None:
        """On PortAudio's thread."""
        self.overflows += bool(status.input_overflow)
        if self._blocks.qsize() < self._most:
            self._blocks.put(bytes(data))
        else:
            self.late_ms += BLOCK_MS

    def _finished(self) -> None:
        """The stream came to an end, which it does by itself only when the device is gone."""
        if not self._stopping:
            self.stopped_by_itself = True
            self._blocks.put(None)


@contextmanager
def microphone(device: str | None) -> Iterator[Microphone]:
    """Open a device by number, by part of its name, or the default one, and record."""
    sound = load()
    which = int(device) if device is not None and device.isdecimal() else device
    try:
        opened = Microphone(sound, which, sound.query_devices(which, "input"))
        opened.stream.start()
    except (sound.PortAudioError, ValueError) as error:
        wanted = "no microphone can be opened" if device is None else f"the microphone {device!r} cannot be opened"
        raise NoMicrophone(f"{wanted}: {error}; cosyvoice listen --list-devices names those that there are") from None
    try:
        yield opened
    finally:
        opened.stream.close()
