"""What was heard so far, so that a run that was stopped goes on, and limits can be changed without hearing again.

The first line holds what the hearing was done with, every other one a track with all its segments, judged or not.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from recipes.labelling.hearing import Heard
from recipes.labelling.recordings import Track


class OtherSettings(Exception):
    """The journal was begun with other settings; the message says which."""


@dataclass(frozen=True)
class Segment:
    """A stretch of speech (seconds of its recording), what Whisper heard and, if it was asked, our own model."""

    start: float
    end: float
    heard: Heard
    ours: str | None = None


@dataclass(frozen=True)
class HeardTrack:
    """A track, its length in seconds and its segments."""

    track: Track
    seconds: float
    segments: tuple[Segment, ...]


def _track(row: dict[str, Any]) -> HeardTrack:
    found = tuple(Segment(**one | {"heard": Heard(**one["heard"])}) for one in row["segments"])
    return HeardTrack(Track(**row["track"] | {"path": Path(row["track"]["path"])}), row["seconds"], found)


def _key(track: Track) -> tuple[str, int | None]:
    return (track.name, track.channel)


class Journal:
    """Appends tracks to a file and knows those of earlier runs; a line that was cut short is dropped."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self._heard: dict[tuple[str, int | None], HeardTrack] = {}
        self._path = path
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        if lines and not lines[-1].endswith(b"\n"):
            lines.pop()
        if lines:
            self._check(json.loads(lines[0]), settings)
            for one in (_track(json.loads(line)) for line in lines[1:]):
                self._heard[_key(one.track)] = one
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("r+b" if lines else "wb")
        self._file.truncate(sum(map(len, lines)))
        self._file.seek(0, 2)
        if not lines:
            self._write(settings)

    def _check(self, before: dict[str, Any], now: dict[str, Any]) -> None:
        different = [f"{key} was {before.get(key)!r}, is {now[key]!r}" for key in now if before.get(key) != now[key]]
        if different:
            raise OtherSettings(
                f"{self._path} was begun with other settings ({'; '.join(different)}); "
                "use them again, choose another --out, or remove that file"
            )

    def _write(self, row: dict[str, Any]) -> None:
        self._file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    def find(self, track: Track) -> HeardTrack | None:
        """Return a track heard earlier, unless its file has changed since."""
        one = self._heard.get(_key(track))
        same = one is not None and (one.track.size, one.track.modified_ns) == (track.size, track.modified_ns)
        return one if same else None

    def add(self, one: HeardTrack) -> None:
        """Keep a track."""
        self._heard[_key(one.track)] = one
        track = asdict(one.track) | {"path": str(one.track.path)}
        self._write({"track": track, "seconds": one.seconds, "segments": [asdict(part) for part in one.segments]})

    def close(self) -> None:
        """Close the file."""
        self._file.close()
