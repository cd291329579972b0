"""A teacher's frames for every utterance of a pool, of which another network learns to say the same from less.

Such targets are dense and need no transcripts. ``NAME.teacher`` holds float16 frames of 40 ms, utterance after utterance
in the order of ``NAME.jsonl``; ``teacher.npz`` the mean and the deviation of each of their numbers.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from recipes.common.pool import SAMPLE_RATE, Row, Span

FRAME = SAMPLE_RATE // 25

Frames = npt.NDArray[np.float32]


def count(row: Row) -> int:
    """Return how many frames an utterance has."""
    return -(-row.samples // FRAME)


def width(folder: Path) -> int:
    """Return how many numbers a frame of the pools' teacher has; 0 where there is none."""
    path = folder / "teacher.npz"
    return len(np.load(path)["mean"]) if path.exists() else 0


class Taught:
    """The frames of one pool, opened for reading."""

    def __init__(self, folder: Path, name: str, rows: Sequence[Row]) -> None:
        path, size = folder / f"{name}.teacher", width(folder)
        there = path.stat().st_size // (2 * size) if size and path.exists() else 0
        self._frames = np.memmap(path, "<f2", "r", shape=(there, size)) if there else np.zeros((0, size), np.float16)
        ends = np.cumsum([count(row) for row in rows])
        self._ends = {row.start: int(end) for row, end in zip(rows, ends, strict=True) if row.samples and end <= there}
        self._moments = dict(np.load(folder / "teacher.npz")) if size else {}

    def __call__(self, row: Row) -> Frames | None:
        """Return an utterance's frames with mean 0 and deviation 1, shape [frames, width]; None where it has none yet."""
        end = self._ends.get(row.start)
        if end is None:
            return None
        frames = self._frames[end - count(row) : end].astype(np.float32)
        return np.asarray((frames - self._moments["mean"]) / self._moments["deviation"], np.float32)


def lay(frames: Frames, span: Span, frame: int, target: Frames, known: npt.NDArray[np.bool_]) -> None:
    """Copy an utterance's `frames` to where it lies in a recording: into `target` ([frames, width]), noted in `known`.

    `frame` counts the samples of a frame of `target`. The utterance may have been played faster or slower.
    """
    first, length = span
    centres = (np.arange(len(target)) + 0.5) * frame
    inside = np.flatnonzero((centres >= first) & (centres < first + length))
    target[inside] = frames[((centres[inside] - first) / length * len(frames)).astype(int)]
    known[inside] = True
