"""Whatever hears the clips of a manifest: a bundle in an engine, or a model beside it."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from cosyvoice.cli.evaluation.score import Heard, Spoken
from cosyvoice.cli.evaluation.whisper import Whisper, check_whisper
from cosyvoice.cli.options import open_engine
from cosyvoice.cli.runner import FileRunner, Progress
from cosyvoice.embedded import embedded_models

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cosyvoice.cli.audio_file import Part
    from cosyvoice.cli.transcript import Transcript
    from cosyvoice.engine import Engine

AT_ONCE = 32
_AHEAD = 8 * AT_ONCE  # results that wait for one before them


class System(Protocol):
    """``name`` is what the user calls it; without chunks it hears whole clips."""

    name: str
    chunk_ms: int | None

    def hear(self, parts: Iterable[Part], report: Progress) -> Iterator[Heard]:
        """One result for each part, in order."""


class Bundle:
    """A bundle in an engine; the clips are sessions of batch priority."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self.name = name
        self.chunk_ms: int | None = engine.model.default_chunk_ms

    def hear(self, parts: Iterable[Part], report: Progress) -> Iterator[Heard]:
        """One result for each part, in order."""
        runner = FileRunner(self._engine, at_once=AT_ONCE, progress=report, emission=True)
        return map(_heard, runner.run_ahead(parts, _AHEAD))


def _heard(transcript: Transcript) -> Heard:
    delays: list[int] = []
    unshown = 0
    spoken: list[Spoken] = []
    for track in transcript.tracks:
        for final, shown_ms in zip(track.finals, track.shown_ms, strict=True):
            for word, shown in zip(final.words, shown_ms, strict=True):
                spoken.append(Spoken(word.word, word.start_ms, word.confidence))
                if shown is None:
                    unshown += 1
                else:
                    delays.append(shown - word.end_ms)
    return Heard(
        transcript.text,
        transcript.seconds,
        tuple(delays),
        unshown,
        transcript.error,
        spoken=tuple(spoken),
        shown=sum(track.words_shown for track in transcript.tracks),
        changed=sum(track.words_changed for track in transcript.tracks),
    )


@contextmanager
def open_bundle(
    config: Path | None, model: str | None, chunk_ms: int | None = None, name: str | None = None, **search: Any
) -> Iterator[tuple[Bundle, Engine]]:
    """An engine with the bundle, called by its own name if by no other; ``search`` are options of the engine."""
    with open_engine(config, model, chunk_ms=chunk_ms, max_stream=AT_ONCE, back_pressure="block", **search) as engine:
        yield Bundle(engine, engine.model.name if name is None else name), engine


def check_other(spec: str) -> None:
    """Refuse what ``--compare`` cannot mean, before any model is loaded."""
    kind, _, path = spec.partition(":")
    if kind == "whisper" and path:
        check_whisper(spec, Path(path))
    elif not (kind == "model" and path) and spec not in embedded_models():
        raise typer.BadParameter(
            f"--compare {spec}: give {', '.join(embedded_models())}, model:DIRECTORY of a bundle, or whisper:DIRECTORY"
        )


@contextmanager
def open_other(spec: str, config: Path | None, language: str) -> Iterator[System]:
    """What ``--compare`` names, checked before."""
    kind, _, path = spec.partition(":")
    if kind == "whisper":
        yield Whisper(spec, Path(path), language)
    else:
        with open_bundle(config, path or spec, name=spec) as (bundle, _):
            yield bundle
