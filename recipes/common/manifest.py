"""Manifests: a line of JSON for each utterance.

``audio`` (a path, relative to the manifest) and ``text`` are required. ``speaker`` may be there; so may ``start`` and
``end``, or ``offset`` and ``duration``, in seconds, where the utterance is a part of the recording, and ``channel``,
counted from 0. Other keys are left to those who know them.
"""

import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class ManifestError(Exception):
    """A manifest that cannot be used; the message says which line and what to do."""


class Unusable(Exception):
    """A line that names nothing to learn from, and why."""


@dataclass(frozen=True)
class Entry:
    """One utterance of a manifest; times in seconds of its recording."""

    audio: Path
    text: str
    speaker: str = ""
    start: float = 0.0
    end: float | None = None
    channel: int | None = None


def _seconds(row: Mapping[str, Any], key: str) -> float | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise Unusable(f"{key} is {value!r}; it is a number of seconds, 0 or more")
    return float(value)


def _span(row: Mapping[str, Any]) -> tuple[float, float | None]:
    start, end, offset, duration = (_seconds(row, key) for key in ("start", "end", "offset", "duration"))
    if (start is not None or end is not None) and (offset is not None or duration is not None):
        raise Unusable("start and end are given beside offset and duration; give one pair")
    begin = start or offset or 0.0
    if duration is not None:
        end = begin + duration
    if end is not None and end <= begin:
        raise Unusable(f"it begins at {begin:g} s and ends at {end:g} s")
    return begin, end


def parse(line: str, folder: Path) -> Entry:
    """Return what a line names; raises Unusable with the reason where it names nothing."""
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Unusable(f"no JSON: {error}") from error
    if not isinstance(row, dict):
        raise Unusable(f"an object is wanted, here is {type(row).__name__}")
    for key in ("audio", "text"):
        if not isinstance(row.get(key), str):
            raise Unusable(f"{key} is {row[key]!r}; it is a string" if key in row else f"it has no {key}")
    if not row["audio"]:
        raise Unusable("audio names no file")
    channel = row.get("channel")
    if channel is not None and (isinstance(channel, bool) or not isinstance(channel, int) or channel < 0):
        raise Unusable(f"channel is {channel!r}; channels are counted from 0")
    start, end = _span(row)
    return Entry(folder / row["audio"], row["text"], str(row.get("speaker") or ""), start, end, channel)


def read_lines(manifest: Path) -> Iterator[tuple[int, Entry | Unusable]]:
    """Yield each line that is not blank with its number; a bad one stops nothing."""
    try:
        lines = manifest.read_text("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ManifestError(
            f"{manifest} is not UTF-8 ({error.reason} at byte {error.start}); save it as that"
        ) from error
    except OSError as error:
        raise ManifestError(f"{manifest} cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, parse(line, manifest.parent)
            except Unusable as error:
                yield number, error


def read_entries(manifest: Path) -> list[Entry]:
    """Return every utterance of a manifest; one bad line is too many here."""
    entries = []
    for number, item in read_lines(manifest):
        if isinstance(item, Unusable):
            raise ManifestError(f"{manifest}:{number}: {item}")
        entries.append(item)
    return entries


class BadLines:
    """Names the bad lines of a manifest on stderr and gives up when there are more than `most`."""

    def __init__(self, manifest: Path, most: int) -> None:
        self.manifest, self.most, self.count = manifest, most, 0

    def tell(self, number: int, reason: str) -> None:
        """Name one."""
        self.count += 1
        print(f"{self.manifest}:{number}: {reason}", file=sys.stderr)
        if self.count > self.most:
            raise ManifestError(
                f"{self.manifest} has more than {self.most} bad lines; mend them, or raise --most-bad to leave more out"
            )


def path_in(manifest: Path, audio: Path) -> str:
    """Return `audio` as `manifest` names it: relative where it lies beside or below the manifest, else absolute."""
    folder, whole = manifest.parent.resolve(), Path(os.path.abspath(audio))  # noqa: PTH100 - links stay links
    return str(whole.relative_to(folder)) if whole.is_relative_to(folder) else str(whole)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as lines of JSON; the file is complete before it takes its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    with new.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    new.replace(path)
