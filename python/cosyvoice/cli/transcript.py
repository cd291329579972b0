"""What came of a recording: its utterances in time order, of one speaker or of several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from cosyvoice.text import display

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from cosyvoice.events import Alternative, Event, Word

# Where one speaker waits so long, the other's words may come in between.
PAUSE_MS = 500
# Of somebody who talks on without a pause, so much stays together when another talks at the same time.
LONG_MS = 5000


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one speaker says before another does.

    ``speaker`` is None where nobody tells them apart, ``display`` where nobody asked for digits; ``alternatives`` are there where
    the engine was asked for them and one speaker speaks.
    """

    speaker: str | None
    text: str
    start_ms: int
    end_ms: int
    confidence: float
    words: tuple[Word, ...]
    display: str | None = None
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class Track:
    """The finals of one session and, for each of their words, how much audio had come when a partial first showed it.

    ``words_shown`` and ``words_changed`` count the words of partials (:class:`~cosyvoice.cli.emission.Emission`).
    """

    speaker: str | None
    finals: tuple[Event, ...]
    shown_ms: tuple[tuple[int | None, ...], ...] = ()
    words_shown: int = 0
    words_changed: int = 0


@dataclass(frozen=True)
class Transcript:
    """What came of one file; ``error`` says what was wrong with it, in one line."""

    path: Path
    seconds: float = 0.0
    tracks: tuple[Track, ...] = ()
    error: str | None = None
    modified_ns: int = 0  # the file's, when it was opened

    @cached_property
    def utterances(self) -> tuple[Utterance, ...]:
        """Every utterance with words, in time order, with times from the file's start."""
        if len(self.tracks) > 1:
            return tuple(_dialogue(self.tracks))
        return tuple(
            Utterance(
                track.speaker,
                final.text,
                final.start_ms,
                final.end_ms,
                final.confidence,
                final.words,
                final.display or None,
                final.alternatives,
            )
            for track in self.tracks
            for final in track.finals
            if final.text
        )

    @property
    def text(self) -> str:
        """The utterances' texts in one line."""
        return " ".join(utterance.text for utterance in self.utterances)

    @property
    def display(self) -> str | None:
        """The same with digits; None where nobody asked for them."""
        shown = [utterance.display for utterance in self.utterances if utterance.display is not None]
        return " ".join(shown) if shown else None


def _dialogue(tracks: Sequence[Track]) -> Iterator[Utterance]:
    """The speakers' utterances in the order in which they were begun.

    An engine's utterance ends with a long silence, and the other speaker answers sooner. So utterances are cut into phrases, the
    phrases put in order, and those of one utterance joined again where nobody else began to speak in between.
    """
    phrases = [
        (number, final.utterance, phrase)
        for number, track in enumerate(tracks)
        for final in track.finals
        for phrase in _phrases(final.words)
    ]
    with_digits = any(final.display for track in tracks for final in track.finals)
    phrases.sort(key=lambda each: each[2][0].start_ms)
    for (number, _), run in groupby(phrases, key=lambda each: each[:2]):
        words = tuple(word for _, _, phrase in run for word in phrase)
        text = " ".join(word.word for word in words)
        yield Utterance(
            speaker=tracks[number].speaker,
            text=text,
            start_ms=words[0].start_ms,
            end_ms=words[-1].end_ms,
            confidence=round(sum(word.confidence for word in words) / len(words), 4),
            words=words,
            display=display(text) if with_digits else None,
        )


def _phrases(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Words cut at every pause and, where a phrase is long all the same, at the widest of its gaps."""
    if not words:
        return
    gaps = [two.start_ms - one.end_ms for one, two in pairwise(words)]
    widest = max(range(len(gaps)), key=gaps.__getitem__, default=None)
    long = words[-1].end_ms - words[0].start_ms > LONG_MS
    if widest is None or (gaps[widest] < PAUSE_MS and not long):
        yield words
        return
    yield from _phrases(words[: widest + 1])
    yield from _phrases(words[widest + 1 :])
