"""Audio pools: one file of samples and one of rows for each source, appended to and read by mapping.

``NAME.pcm`` holds 16-bit mono samples at 16 kHz, utterance after utterance; ``NAME.jsonl`` one row for each:
its text (normalised), its speaker, its first sample and its number of samples.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

SAMPLE_RATE = 16000

Pcm = npt.NDArray[np.int16]
Span = tuple[int, int]  # where a recording lies in what was made of it: first sample and number of samples


@dataclass(frozen=True)
class Row:
    """One utterance of a pool; `start` and `samples` count samples at 16 kHz."""

    text: str
    speaker: str
    start: int
    samples: int


class PoolWriter:
    """Appends utterances to a pool; opening a pool that exists goes on after its last complete row."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        rows = folder / f"{name}.jsonl"
        self.kept = [Row(**json.loads(line)) for line in rows.read_text().splitlines()] if rows.exists() else []
        self._end = self.kept[-1].start + self.kept[-1].samples if self.kept else 0
        self._pcm = (folder / f"{name}.pcm").open("r+b" if self.kept else "w+b")
        self._pcm.truncate(2 * self._end)
        self._pcm.seek(2 * self._end)
        self._rows = rows.open("a")

    @property
    def count(self) -> int:
        """Rows written, with those of earlier runs."""
        return len(self.kept)

    def add(self, pcm: Pcm, text: str, speaker: str) -> None:
        """Append one utterance; `pcm` has shape [samples]."""
        self._pcm.write(pcm.astype("<i2").tobytes())
        self._pcm.flush()
        self.kept.append(Row(text, speaker, self._end, len(pcm)))
        self._rows.write(json.dumps(asdict(self.kept[-1])) + "\n")
        self._rows.flush()
        self._end += len(pcm)

    def __enter__(self) -> "PoolWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._pcm.close()
        self._rows.close()


class Pool:
    """A pool opened for reading, without loading it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.rows = [Row(**json.loads(line)) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        self._pcm: Pcm = np.memmap(folder / f"{name}.pcm", "<i2", "r")

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[Row, Pcm]]:
        return ((row, self.pcm(row)) for row in self.rows)

    def pcm(self, row: Row) -> Pcm:
        """Return the samples of `row`, shape [samples]."""
        return self._pcm[row.start : row.start + row.samples]

    @property
    def hours(self) -> float:
        """Hours of audio in the pool."""
        return sum(row.samples for row in self.rows) / SAMPLE_RATE / 3600
