"""Audio that shows a network's activations as they are in use."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile

from cosyvoice import _native
from cosyvoice.embedded import audio_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cosyvoice.bundle.steps import Features

MOST_SECONDS = 120.0  # of audio: every step of it is computed at every chunk length
_OF_ONE_FILE = 15.0
_SUFFIXES = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3")


class NoAudio(OSError):
    """Nothing to calibrate with; the message says where it was looked for."""


def recordings(source: Path | None) -> Sequence[Path]:
    """The files of a folder, or of a manifest (JSON lines with ``audio``); the bundled recording without a source."""
    if source is None:
        return [audio_path("demo")]
    if source.is_dir():
        found = sorted(path for path in source.rglob("*") if path.suffix.lower() in _SUFFIXES)
    else:
        found = _of_manifest(source)
    if not found:
        raise NoAudio(f"{source} names no recordings; give a folder of {', '.join(_SUFFIXES)} or a manifest")
    return found


def _of_manifest(manifest: Path) -> list[Path]:
    try:
        lines = manifest.read_text("utf-8-sig").splitlines()
        return [manifest.parent / json.loads(line)["audio"] for line in lines if line.strip()]
    except (ValueError, KeyError, TypeError) as error:
        raise NoAudio(f"{manifest} is no manifest: expected JSON lines with audio ({error!r})") from None


def utterances(paths: Sequence[Path], facts: Mapping[str, Any]) -> list[Features]:
    """Features of recordings from all over the list, of each its beginning, up to `MOST_SECONDS` together."""
    step = max(1, int(len(paths) * _OF_ONE_FILE / MOST_SECONDS) // 2)
    result, seconds = [], 0.0
    for path in paths[::step]:
        if seconds >= MOST_SECONDS:
            break
        pcm, rate = _beginning(path)
        seconds += len(pcm) / rate
        result.append(_native.log_mel(facts["path"], pcm, rate))
    return result


def _beginning(path: Path) -> tuple[Any, int]:
    try:
        with soundfile.SoundFile(path) as file:
            pcm = file.read(int(_OF_ONE_FILE * file.samplerate), dtype="float32", always_2d=True)
            return np.ascontiguousarray(pcm.mean(1, dtype=np.float32)), file.samplerate
    except (soundfile.LibsndfileError, OSError) as error:
        raise NoAudio(f"{path} cannot be read: {error}") from None
