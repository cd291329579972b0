"""A Whisper model by way of the package faster-whisper, which is an extra."""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile
import typer

from cosyvoice.cli.audio_file import BadRecording
from cosyvoice.cli.evaluation.score import Heard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cosyvoice.cli.audio_file import Part, Recording
    from cosyvoice.cli.runner import Progress


class NoWhisper(OSError):
    """No Whisper model can be run here; the message says what to install."""


def check_whisper(name: str, folder: Path) -> None:
    """Refuse a directory that holds no model."""
    if not (folder / "model.bin").is_file():
        raise typer.BadParameter(f"--compare {name}: {folder} holds no model.bin; name a CTranslate2 model's directory")


class Whisper:
    """Hears each clip as a whole, one after the other, with the package's own settings, on all cores."""

    chunk_ms: int | None = None

    def __init__(self, name: str, folder: Path, language: str) -> None:
        self.name = name
        try:
            module = importlib.import_module("faster_whisper")
        except ImportError as error:
            raise NoWhisper(
                f"--compare {name} needs the Python package faster-whisper: pip install 'cosyvoice-linux[whisper]' ({error})"
            ) from error
        try:
            self._model: Any = module.WhisperModel(str(folder), device="cpu", local_files_only=True)
        except (RuntimeError, ValueError) as error:
            raise NoWhisper(f"--compare {name}: faster-whisper cannot load it: {error}") from error
        # A model of many languages would guess it anew for each clip.
        self._language = language

    def hear(self, parts: Iterable[Part], report: Progress) -> Iterator[Heard]:
        """One result for each part, in order."""
        for part in parts:
            heard = self._hear(part)
            report(1.0, heard.seconds)
            yield heard

    def _hear(self, part: Part) -> Heard:
        try:
            recording = part.open()
            audio = _as_wav(recording)
        except BadRecording as error:
            return Heard(error=str(error))
        segments, _ = self._model.transcribe(audio, language=self._language)
        return Heard(" ".join(segment.text for segment in segments), recording.seconds, error=recording.fault)


def _as_wav(recording: Recording) -> io.BytesIO:
    """The same samples that an engine is fed, channels averaged; the package resamples them."""
    samples = [block.mean(axis=1, dtype=np.float32) for block in recording.blocks()]
    wav = io.BytesIO()
    soundfile.write(wav, np.concatenate(samples), recording.sample_rate, format="WAV", subtype="FLOAT")
    wav.seek(0)
    return wav
