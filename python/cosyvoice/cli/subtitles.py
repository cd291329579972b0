"""Utterances as subtitles: cues of two short lines, cut at words by their times."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cosyvoice.cli.transcript import Utterance
    from cosyvoice.events import Word

LINE = 42  # characters, as broadcasters have it
LONGEST_MS = 7000  # on screen
SHORTEST_MS = 1000  # where the next cue leaves room
PAUSE_MS = 1500  # between two words that belong to different cues


@dataclass(frozen=True, slots=True)
class Cue:
    """One or two lines and the time that they are shown."""

    speaker: str | None
    start_ms: int
    end_ms: int
    lines: tuple[str, ...]


def srt(utterances: Sequence[Utterance]) -> str:
    """SubRip; a speaker's name stands before the words."""
    found = _cues(utterances, name_shown=True)
    return "".join(
        f"{number}\n{_time(cue.start_ms, ',')} --> {_time(cue.end_ms, ',')}\n{chr(10).join(cue.lines)}\n\n"
        for number, cue in enumerate(found, 1)
    )


def vtt(utterances: Sequence[Utterance]) -> str:
    """WebVTT; a speaker's name is the cue's voice."""
    parts = ["WEBVTT\n\n"]
    for cue in _cues(utterances, name_shown=False):
        voice = "" if cue.speaker is None else f"<v {_escaped(cue.speaker)}>"
        text = "\n".join(map(_escaped, cue.lines))
        parts.append(f"{_time(cue.start_ms, '.')} --> {_time(cue.end_ms, '.')}\n{voice}{text}\n\n")
    return "".join(parts)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _time(ms: int, point: str) -> str:
    seconds, ms = divmod(ms, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{ms:03}"


def _cues(utterances: Sequence[Utterance], *, name_shown: bool) -> list[Cue]:
    """In time order; a short one stays until the next begins, a second at most."""
    cues = sorted(
        (cue for utterance in utterances for cue in _cues_of(utterance, name_shown=name_shown)),
        key=lambda cue: cue.start_ms,
    )
    for at, cue in enumerate(cues):
        wanted = cue.start_ms + SHORTEST_MS
        room = cues[at + 1].start_ms if at + 1 < len(cues) else wanted
        cues[at] = replace(cue, end_ms=max(cue.end_ms, min(wanted, room)))
    return cues


def _cues_of(utterance: Utterance, *, name_shown: bool) -> Iterator[Cue]:
    name = f"{utterance.speaker}: " if name_shown and utterance.speaker is not None else ""
    taken: list[Word] = []
    for word in utterance.words:
        if taken and (
            _lines(name, [*taken, word]) is None
            or word.end_ms - taken[0].start_ms > LONGEST_MS
            or word.start_ms - taken[-1].end_ms >= PAUSE_MS
        ):
            yield _cue(utterance.speaker, name, taken)
            taken = []
        taken.append(word)
    if taken:
        yield _cue(utterance.speaker, name, taken)


def _cue(speaker: str | None, name: str, words: Sequence[Word]) -> Cue:
    lines = _lines(name, words) or (name + " ".join(word.word for word in words),)  # a word longer than a line
    return Cue(speaker, words[0].start_ms, words[-1].end_ms, lines)


def _lines(name: str, words: Sequence[Word]) -> tuple[str, ...] | None:
    """The text in one line or, as even as it gets, in two; None where it does not fit."""
    texts = [word.word for word in words]
    whole = name + " ".join(texts)
    if len(whole) <= LINE:
        return (whole,)
    halves = [(name + " ".join(texts[:at]), " ".join(texts[at:])) for at in range(1, len(texts))]
    return min(
        (pair for pair in halves if max(map(len, pair)) <= LINE), key=lambda pair: max(map(len, pair)), default=None
    )
