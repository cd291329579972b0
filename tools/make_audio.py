"""Remake python/cosyvoice/audio/ from a folder of LJ Speech clips at 16 kHz.

    python tools/make_audio.py FOLDER

Leading and trailing silence of every bench clip is cut, so that most of bench.flac is speech; the share is printed,
as measured by the energy of 20 ms frames against the clip's loudest.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import soundfile

RATE = 16000
FRAME = RATE // 50
SPEECH_BELOW_PEAK_DB = 40.0
MARGIN_FRAMES = 3
PAUSE = np.zeros(RATE // 10, np.int16)
DEMO = "LJ003-0041"
BENCH = (
    "LJ001-0123", "LJ001-0147", "LJ001-0157", "LJ002-0053", "LJ003-0009", "LJ003-0012",
    "LJ003-0029", "LJ003-0041", "LJ003-0056", "LJ003-0077", "LJ003-0086", "LJ003-0094",
)  # fmt: skip
OUT = Path(__file__).resolve().parent.parent / "python" / "cosyvoice" / "audio"


def speech_frames(pcm: np.ndarray) -> np.ndarray:
    """One truth value for every whole 20 ms frame: is its energy within 40 dB of the loudest frame's?"""
    frames = pcm[: len(pcm) // FRAME * FRAME].reshape(-1, FRAME).astype(np.float64)
    level = 10.0 * np.log10(np.mean(frames**2, axis=1) + 1e-3)
    return np.asarray(level > level.max() - SPEECH_BELOW_PEAK_DB)


def trimmed(pcm: np.ndarray) -> np.ndarray:
    """The clip from a little before its first speech frame to a little after its last."""
    speech = np.flatnonzero(speech_frames(pcm))
    first = max(0, int(speech[0]) - MARGIN_FRAMES)
    last = int(speech[-1]) + 1 + MARGIN_FRAMES
    return pcm[first * FRAME : last * FRAME]


def load(folder: Path, clip: str) -> np.ndarray:
    pcm, rate = soundfile.read(folder / f"{clip}.flac", dtype="int16")
    if rate != RATE or pcm.ndim != 1:
        raise SystemExit(f"{clip}: {rate} Hz, {pcm.ndim} dimensions; expected {RATE} Hz mono")
    return np.asarray(pcm)


def main(folder: Path) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    soundfile.write(OUT / "demo.flac", load(folder, DEMO), RATE)
    parts: list[np.ndarray] = []
    for clip in BENCH:
        parts += [trimmed(load(folder, clip)), PAUSE]
    bench = np.concatenate(parts)
    soundfile.write(OUT / "bench.flac", bench, RATE)
    print(f"demo.flac: {DEMO}; bench.flac: {len(bench) / RATE:.1f} s, {speech_frames(bench).mean():.1%} speech")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
