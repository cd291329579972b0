"""``cosyvoice transcribe``: recordings to text."""

from __future__ import annotations

import enum
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from cosyvoice.cli.audio_file import BadRecording, open_recording, shown
from cosyvoice.cli.options import ChunkMs, ConfigFile, Model, open_engine
from cosyvoice.cli.runner import FileRunner, Transcript

if TYPE_CHECKING:
    from collections.abc import Sequence

AT_ONCE = 32


class Format(enum.StrEnum):
    """How transcripts are written."""

    TEXT = "text"
    JSON = "json"


def _as_json(transcript: Transcript) -> str:
    words = [
        {"word": w.word, "start_ms": w.start_ms, "end_ms": w.end_ms, "confidence": w.confidence}
        for w in transcript.words
    ]
    record: dict[str, Any] = {
        "file": shown(transcript.path),
        "duration": round(transcript.seconds, 3),
        "text": transcript.text,
        "words": words,
    }
    if transcript.error is not None:
        record["error"] = transcript.error
    return json.dumps(record, ensure_ascii=False)


def _as_text(transcript: Transcript, *, prefix: bool) -> str:
    """One line for each utterance, with the file's name before it where there are several files."""
    name = f"{shown(transcript.path)}: " if prefix else ""
    return "\n".join(f"{name}{final.text}" for final in transcript.finals if final.text)


def _seconds(paths: Sequence[Path]) -> float:
    """What there is to do; bad files are reported when their turn comes."""
    total = 0.0
    for path in paths:
        try:
            total += open_recording(path).seconds
        except BadRecording:
            continue
    return total


def transcribe(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Audio files, 8 to 48 kHz; channels are mixed.")
    ],
    model: Model = None,
    output_format: Annotated[
        Format, typer.Option("--format", help="text: a line for each utterance; json: an object for each file.")
    ] = Format.TEXT,
    chunk_ms: ChunkMs = None,
    config: ConfigFile = None,
) -> None:
    """Transcribe audio files, several at once.

    A file that cannot be read gives one line on stderr; the others go on, and the exit code is 1.
    """
    at_once = min(AT_ONCE, len(files))
    failed = False
    errors = Console(stderr=True)
    with (
        open_engine(config, model, chunk_ms=chunk_ms, max_stream=at_once, back_pressure="block") as engine,
        Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:.0f} of {task.total:.0f} s"),
            TimeElapsedColumn(), console=errors, transient=True, disable=not errors.is_terminal,
        ) as bar,
    ):  # fmt: skip
        task = bar.add_task("transcribing", total=_seconds(files) if errors.is_terminal else None)
        runner = FileRunner(engine, at_once=at_once, progress=lambda seconds: bar.advance(task, seconds))
        for transcript in runner.run(files):
            line = _as_json(transcript) if output_format is Format.JSON else _as_text(transcript, prefix=len(files) > 1)
            if line and (transcript.finals or transcript.error is None or output_format is Format.JSON):
                typer.echo(line)
            if transcript.error is not None:
                failed = True
                typer.echo(f"{shown(transcript.path)}: {transcript.error}", err=True)
    if failed:
        sys.exit(1)
