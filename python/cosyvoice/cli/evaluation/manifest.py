"""Manifests: JSON lines that name clips of audio and what is said in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cosyvoice.cli.audio_file import Part, shown
from cosyvoice.cli.evaluation.text import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cosyvoice.cli.evaluation.text import Normalise


MOST_SECONDS = 1e9


class BadLine(Exception):
    """A line that names no clip; the message says where it is and why."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A stretch of audio and what is said in it.

    ``place`` is its line, ``groups`` its value of each wanted field, ``starts`` the seconds at which the words of ``text`` begin,
    where the manifest knows them.
    """

    place: str
    audio: str
    part: Part
    text: str
    groups: dict[str, str]
    starts: tuple[float, ...] | None = None

    def starts_ms(self, normalise: Normalise) -> list[int] | None:
        """One for each word that is counted, from the beginning of the part that is heard."""
        if self.starts is None:
            return None
        said = zip(self.text.split(), self.starts, strict=True)
        return [round(1000 * (start - self.part.start)) for word, start in said for _ in words(normalise.applied(word))]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a first look at the manifests finds."""

    clips: int
    faults: tuple[str, ...]
    fields: frozenset[str]


class Manifests:
    """The clips of several manifests, read anew each time, so that none of them is kept."""

    def __init__(self, paths: Sequence[Path], fields: Sequence[str]) -> None:
        self._paths = paths
        self._fields = fields

    def look(self) -> Contents:
        """Every line is read."""
        clips = 0
        faults: list[str] = []
        fields: set[str] = set()
        for place, line, folder in self._lines():
            try:
                self._clip(place, line, folder, fields)
            except BadLine as fault:
                faults.append(str(fault))
            else:
                clips += 1
        return Contents(clips, tuple(faults), frozenset(fields))

    def __iter__(self) -> Iterator[Clip]:
        """Those of the good lines."""
        for place, line, folder in self._lines():
            try:
                yield self._clip(place, line, folder, set())
            except BadLine:
                continue

    def _lines(self) -> Iterator[tuple[str, bytes, Path]]:
        for path in self._paths:
            with path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    if line.strip():
                        yield f"{shown(path)}:{number}", line, path.parent

    def _clip(self, place: str, line: bytes, folder: Path, fields: set[str]) -> Clip:
        try:
            row = json.loads(line.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise BadLine(f"{place}: is not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8") from error
        except (ValueError, RecursionError) as error:
            raise BadLine(f"{place}: is no JSON ({error})") from error
        if not isinstance(row, dict):
            raise BadLine(
                f'{place}: expected an object with audio and text, like {{"audio": "a.wav", "text": "hello"}}'
            )
        for name in ("audio", "text"):
            if not isinstance(row.get(name), str):
                what = f"is {json.dumps(row[name])[:40]}, not a string" if name in row else "is missing"
                raise BadLine(f"{place}: {name} {what}")
        start, end = _seconds(place, row, "start"), _seconds(place, row, "end")
        if end is not None and end <= (start or 0.0):
            raise BadLine(f"{place}: ends at {end:g} s, but starts at {start or 0.0:g} s")
        channel = row.get("channel")
        if channel is not None and (not isinstance(channel, int) or isinstance(channel, bool) or channel < 0):
            raise BadLine(
                f"{place}: channel is {json.dumps(channel)[:40]}; give 0 for the first channel, 1 for the next"
            )
        fields.update(row)
        groups = {name: _label(row[name]) if name in row else "" for name in self._fields}
        part = Part(folder / row["audio"], start or 0.0, end, channel)
        return Clip(place, row["audio"], part, row["text"], groups, _starts(place, row))


def _seconds(place: str, row: dict[str, Any], name: str) -> float | None:
    value = row.get(name)
    if value is None:
        return None
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_SECONDS
    if not good:
        raise BadLine(f"{place}: {name} is {json.dumps(value)[:40]}; give seconds from the recording's start")
    return float(value)


def _starts(place: str, row: dict[str, Any]) -> tuple[float, ...] | None:
    """One for each word of the text."""
    given = row.get("word_starts")
    if given is None:
        return None
    wanted = len(row["text"].split())
    if not isinstance(given, list) or len(given) != wanted:
        found = f"{len(given)}" if isinstance(given, list) else json.dumps(given)[:40]
        raise BadLine(
            f"{place}: word_starts: give a list of seconds, one for each of the {wanted} words of text, not {found}"
        )
    return tuple(_seconds(place, {"word_starts": each}, "word_starts") or 0.0 for each in given)


def _label(value: object) -> str:
    """A field's value as the name of a group."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
