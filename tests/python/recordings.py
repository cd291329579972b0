"""Recordings and lines of JSON that the tests of the recipes write."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt


def tone(hz: float, seconds: float, rate: int) -> npt.NDArray[np.float64]:
    return 0.5 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)


def pitch(audio: npt.NDArray[Any], rate: int = 16000) -> float:
    spectrum = np.abs(np.fft.rfft(np.asarray(audio, float) * np.hanning(len(audio))))
    return float(np.argmax(spectrum) * rate / len(audio))


def write(path: Path, audio: npt.NDArray[Any], rate: int = 16000, **how: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, audio, rate, **how)
    return path


def lines(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return path


def five_lines(tmp_path: Path) -> Path:
    """A manifest of five lines, three of them good, in different formats."""
    write(tmp_path / "a" / "one.wav", tone(440, 2, 8000), 8000)
    write(tmp_path / "a" / "two.ogg", tone(600, 1, 48000), 48000)
    (tmp_path / "a" / "broken.wav").write_text("no audio")
    return lines(
        tmp_path / "corpus.jsonl",
        {"audio": "a/one.wav", "text": "Yes!", "speaker": "x", "start": 0.5, "end": 1.5},
        "oops",
        {"audio": "a/two.ogg", "text": "It's the FIRST"},
        {"audio": "a/broken.wav", "text": "no"},
        {"audio": "a/one.wav", "text": "no", "offset": 1.0},
    )
