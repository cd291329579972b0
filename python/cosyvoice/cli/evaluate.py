"""``cosyvoice evaluate``: word error rate over a manifest."""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from cosyvoice.cli.options import ChunkMs, ConfigFile, Json, Model, open_engine
from cosyvoice.cli.runner import FileRunner
from cosyvoice.cli.word_errors import Edits, edits, normalise

AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class _Clip:
    audio: Path
    text: str
    speaker: str


def read_manifest(manifest: Path) -> list[_Clip]:
    """The clips of a manifest: JSON lines with ``audio`` (relative to it), ``text`` and, where known, ``speaker``."""
    clips: list[_Clip] = []
    try:
        lines = manifest.read_text("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise typer.BadParameter(
            f"{manifest} is not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            clips.append(_Clip(manifest.parent / row["audio"], normalise(row["text"]), str(row.get("speaker", ""))))
        except (json.JSONDecodeError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise typer.BadParameter(
                f"{manifest}:{number}: expected an object with audio and text ({error!r})"
            ) from error
    if not clips:
        raise typer.BadParameter(f"{manifest} names no clips")
    return clips


def _row(words: Edits, characters: Edits) -> dict[str, Any]:
    return {
        "wer": round(words.rate, 5),
        "cer": round(characters.rate, 5),
        "words": words.length,
        "substitutions": words.substitutions,
        "deletions": words.deletions,
        "insertions": words.insertions,
    }


def _print_table(report: dict[str, Any]) -> None:
    table = Table(title=f"{report['model']}, {report['chunk_ms']} ms chunks, real-time factor {report['rtf']:.3f}")
    columns = ("speaker", "words", "WER %", "CER %", "substitutions", "deletions", "insertions")
    for column in columns:
        table.add_column(column, justify="left" if column == "speaker" else "right")
    rows = list(report["by_speaker"].items()) if len(report["by_speaker"]) > 1 else []
    for name, row in [*rows, ("all", report)]:
        table.add_row(
            name, str(row["words"]), f"{100 * row['wer']:.2f}", f"{100 * row['cer']:.2f}",
            str(row["substitutions"]), str(row["deletions"]), str(row["insertions"]),
        )  # fmt: skip
    Console().print(table)


def evaluate(
    manifest: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="JSON lines of audio, text, speaker.")],
    model: Model = None,
    chunk_ms: ChunkMs = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Transcribe the clips of MANIFEST as streams and count the errors against its texts."""
    clips = read_manifest(manifest)
    by_speaker: dict[str, tuple[Edits, Edits]] = defaultdict(lambda: (Edits(), Edits()))
    seconds = 0.0
    failed = False
    with open_engine(config, model, chunk_ms=chunk_ms, max_stream=AT_ONCE, back_pressure="block") as engine:
        runner = FileRunner(engine, at_once=AT_ONCE)
        begin = time.monotonic()
        for clip, transcript in zip(clips, runner.run([clip.audio for clip in clips]), strict=True):
            seconds += transcript.seconds
            if transcript.error is not None:
                failed = True
                typer.echo(f"{transcript.path}: {transcript.error}", err=True)
            heard = normalise(transcript.text)
            words, characters = by_speaker[clip.speaker]
            by_speaker[clip.speaker] = (
                words + edits(clip.text.split(), heard.split()),
                characters + edits(clip.text, heard),
            )
        wall = time.monotonic() - begin
        info = engine.model
    total_words = sum((words for words, _ in by_speaker.values()), Edits())
    total_characters = sum((characters for _, characters in by_speaker.values()), Edits())
    report: dict[str, Any] = {
        "model": info.name,
        "chunk_ms": info.default_chunk_ms,
        **_row(total_words, total_characters),
        "clips": len(clips),
        "seconds": round(seconds, 2),
        "rtf": round(wall / seconds, 5) if seconds else 0.0,
        "by_speaker": {speaker: _row(*counts) for speaker, counts in sorted(by_speaker.items())},
    }
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False))
    else:
        _print_table(report)
    if failed:
        sys.exit(1)
