"""The recordings of a folder, each channel a track of its own where that is wanted."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import soundfile

SUFFIXES = frozenset(
    f".{name.lower()}" for name in (*soundfile.available_formats(), "oga", "opus", "sph", "aif", "snd")
)


@dataclass(frozen=True)
class Track:
    """A recording, or one channel of it (counted from 0)."""

    path: Path
    name: str  # of the file within the folder
    channel: int | None
    size: int
    modified_ns: int

    @property
    def speaker(self) -> str:
        """A name for whoever is heard: nobody knows who it is, so each track has its own."""
        whole = str(Path(self.name).with_suffix(""))
        return whole if self.channel is None else f"{whole}#{self.channel}"


def recordings(folder: Path) -> Iterator[Path]:
    """Yield every recording in `folder` and below, in the order of their names; hidden ones are left alone."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if Path(name).suffix.lower() in SUFFIXES and not name.startswith("."):
                yield Path(place, name)


def tracks(path: Path, folder: Path, split: bool) -> list[Track]:
    """Return the tracks of a recording; raises OSError or soundfile.LibsndfileError where it cannot be read."""
    channels = soundfile.info(path).channels
    state = path.stat()
    numbers = range(channels) if split and channels > 1 else [None]
    name = str(path.relative_to(folder))
    return [Track(path, name, number, state.st_size, state.st_mtime_ns) for number in numbers]
