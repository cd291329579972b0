"""A teacher's frames for every utterance of a pool, of which another network learns to say the same from less.

Such targets are dense and need no transcripts. ``NAME.teacher`` holds float16 frames of 40 ms, utterance after utterance
in the order of ``NAME.jsonl``: what an encoder says, whose mean and deviation ``teacher.npz`` has; or, where that names
their ``width``, the probabilities of the pieces.
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


def _about(folder: Path) -> dict[str, npt.NDArray[np.float64]]:
    path = folder / "teacher.npz"
    return dict(np.load(path)) if path.exists() else {}


def width(folder: Path) -> int:
    """Return how many numbers a frame of the pools' teacher has; 0 where there is none."""
    about = _about(folder)
    return int(about["width"]) if "width" in about else len(about.get("mean", ()))


def are_posteriors(folder: Path) -> bool:
    """Return whether the pools' teacher says how probable each piece is."""
    return "width" in _about(folder)


class Taught:
    """The frames of one pool, opened for reading."""

    def __init__(self, folder: Path, name: str, rows: Sequence[Row]) -> None:
        path, size = folder / f"{name}.teacher", width(folder)
        there = path.stat().st_size // (2 * size) if size and path.exists() else 0
        self._frames = np.memmap(path, "<f2", "r", shape=(there, size)) if there else np.zeros((0, size), np.float16)
        ends = np.cumsum([count(row) for row in rows])
        self._ends = {row.start: int(end) for row, end in zip(rows, ends, strict=True) if row.samples and end <= there}
        self._about = _about(folder)

    def __call__(self, row: Row) -> Frames | None:
        """Return an utterance's frames, shape [frames, width]; None where it has none yet.

        An encoder's have mean 0 and deviation 1.
        """
        end = self._ends.get(row.start)
        if end is None:
            return None
        frames = self._frames[end - count(row) : end].astype(np.float32)
        if "width" in self._about:
            return frames
        return np.asarray((frames - self._about["mean"]) / self._about["deviation"], np.float32)


def lay(frames: Frames, span: Span, frame: int, target: Frames, known: npt.NDArray[np.bool_]) -> None:
    """Copy an utterance's `frames` to where it lies in a recording: into `target` ([frames, width]), noted in `known`.

    `frame` counts the samples of a frame of `target`. The utterance may have been played faster or slower.
    """
    first, length = span
    centres = (np.arange(len(target)) + 0.5) * frame
    inside = np.flatnonzero((centres >= first) & (centres < first + length))
    target[inside] = frames[((centres[inside] - first) / length * len(frames)).astype(int)]
    known[inside] = True


def lay_posteriors(
    frames: Frames, span: Span, frame: int, target: Frames, known: npt.NDArray[np.bool_], blank: int
) -> None:
    """Do as :func:`lay` with the probabilities of pieces: no piece gets lost where frames of `target` are longer.

    Blank is there where it is in all that come together; what is left is for the pieces, as they share it.
    """
    first, length = span
    centres = first + (np.arange(len(frames)) + 0.5) * length / len(frames)
    places = (centres / frame).astype(int)
    inside = places < len(target)
    places, frames = places[inside], frames[inside]
    pieces = frames.copy()
    pieces[:, blank] = 0
    told = np.unique(places)
    target[told] = 0
    np.add.at(target, places, pieces)
    blanks = np.ones(len(target), np.float32)
    np.multiply.at(blanks, places, frames[:, blank])
    sums = np.maximum(target[told].sum(1), 1e-6)
    target[told] *= ((1 - blanks[told]) / sums)[:, None]
    target[told, blank] = blanks[told]
    known[told] = True
