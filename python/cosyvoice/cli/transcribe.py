"""``cosyvoice transcribe``: recordings to text."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from cosyvoice.cli.audio_file import HIGHEST_RATE, LOWEST_RATE, Raw, RawEncoding
from cosyvoice.cli.formats import Format, written
from cosyvoice.cli.inputs import AUDIO_SUFFIXES, RAW_SUFFIXES, Input, find_inputs, named
from cosyvoice.cli.options import (
    Beam,
    ChunkMs,
    ConfigFile,
    HotwordFile,
    Itn,
    LanguageModel,
    Model,
    Vad,
    open_engine,
)
from cosyvoice.cli.progress import file_progress
from cosyvoice.cli.results import ResultFolder
from cosyvoice.cli.runner import FileRunner, Split
from cosyvoice.cli.transcript import Transcript

AT_ONCE = 32


class Channels(enum.StrEnum):
    """What becomes of a recording's channels."""

    MIX = "mix"
    SPLIT = "split"


class _Faults:
    """Each is told when it happens and once more at the end."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._lines: list[str] = []

    def tell(self, name: str, reason: str) -> None:
        self.names.add(name)
        self._lines.append(f"{name}: {reason}")
        typer.echo(self._lines[-1], err=True)

    def tell_again(self) -> None:
        for line in self._lines:
            typer.echo(f"  {line}", err=True)


def _raw(encoding: RawEncoding | None, rate: int | None, channels: int | None) -> Raw | None:
    if encoding is None:
        if rate is not None or channels is not None:
            raise typer.BadParameter("--rate and --raw-channels belong to --raw; a file with a header says it itself")
        return None
    if rate is None:
        raise typer.BadParameter(f"--raw {encoding} needs --rate, for example --rate 8000 for telephone audio")
    return Raw(encoding, rate, channels or 1)


def _split(channels: Channels, names: str | None) -> Split | None:
    if channels is Channels.MIX:
        if names is not None:
            raise typer.BadParameter("--names belong to --channels split")
        return None
    if names is None:
        return Split()
    speakers = tuple(name.strip() for name in names.split(","))
    if len(set(speakers)) < len(speakers) or not all(name and name.isprintable() for name in speakers):
        raise typer.BadParameter(f"--names {names!r}: give one name a channel, like agent,customer, each another")
    return Split(speakers)


def transcribe(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            parser=named,
            help="Recordings, folders, patterns like 'calls/*.wav', or - (standard input).",
        ),
    ],
    model: Model = None,
    output_format: Annotated[
        Format,
        typer.Option(
            "--format", help="json: an object for each file; jsonl: a line for each utterance; srt, vtt: subtitles."
        ),
    ] = Format.TEXT,
    channels: Annotated[
        Channels, typer.Option("--channels", help="mix: all to one; split: a channel is a speaker.")
    ] = Channels.MIX,
    names: Annotated[
        str | None,
        typer.Option("--names", help="The speakers of split channels, like agent,customer.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", help="A folder for one file a recording; what is in it is skipped.", show_default=False
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="With --output: do finished recordings again.")
    ] = False,
    raw: Annotated[
        RawEncoding | None, typer.Option("--raw", help="The files have no header and hold this.", show_default=False)
    ] = None,
    rate: Annotated[
        int | None,
        typer.Option("--rate", min=LOWEST_RATE, max=HIGHEST_RATE, help="With --raw: Hz.", show_default=False),
    ] = None,
    raw_channels: Annotated[
        int | None,
        typer.Option("--raw-channels", min=1, max=AT_ONCE, help="With --raw; 1 if not given.", show_default=False),
    ] = None,
    itn: Itn = None,
    chunk_ms: ChunkMs = None,
    vad: Vad = None,
    beam: Beam = None,
    lm: LanguageModel = None,
    hotwords: HotwordFile = None,
    config: ConfigFile = None,
) -> None:
    """Transcribe recordings, several at once.

    One that cannot be read is named on stderr with the reason; the others go on, and the exit code is 1.
    """
    headerless, split = _raw(raw, rate, raw_channels), _split(channels, names)
    if overwrite and output is None:
        raise typer.BadParameter("--overwrite belongs to --output")
    found = find_inputs(files, AUDIO_SUFFIXES if headerless is None else RAW_SUFFIXES)
    if output_format.is_subtitles and output is None and len(found.inputs) > 1:
        raise typer.BadParameter(f"--format {output_format} of several recordings needs --output FOLDER")
    faults = _Faults()
    for name, reason in found.faults:
        faults.tell(name, reason)
        if output is None:
            _print(Transcript(Path(name), error=reason), name, output_format, prefix=True)
    todo = found.inputs
    results = None if output is None else ResultFolder(output, output_format.suffix)
    if results is not None:
        results.prepare(todo)
        todo = [one for one in todo if overwrite or not results.has(one)]
    if todo:
        sessions = AT_ONCE if split else min(AT_ONCE, len(todo))
        with (
            open_engine(
                config,
                model,
                chunk_ms=chunk_ms,
                vad=vad,
                itn=itn,
                beam_size=beam,
                lm=lm,
                hotwords=hotwords,
                max_stream=sessions,
                back_pressure="block",
            ) as engine,
            file_progress(len(todo)) as report,
        ):
            runner = FileRunner(engine, at_once=sessions, progress=report, split=split, raw=headerless)
            by_path = {one.path: one for one in todo}
            for transcript in runner.run(list(by_path), in_order=results is None):
                one = by_path[transcript.path]
                if results is None:
                    _print(transcript, one.name, output_format, prefix=len(found.inputs) > 1)
                else:
                    _store(results, transcript, one, output_format, faults)
                if transcript.error is not None:
                    faults.tell(one.name, transcript.error)
    many = len(found.inputs) + len(found.faults) > 1
    if results is not None or (many and faults.names):
        _sum_up(len(found.inputs), todo, faults)
    if faults.names:
        sys.exit(1)


def _print(transcript: Transcript, name: str, form: Format, *, prefix: bool) -> None:
    text = written(transcript, name, form, prefix=prefix)
    # Subtitles of a file that could not be opened would be a header and nothing.
    if text and (transcript.tracks or not form.is_subtitles):
        typer.echo(text, nl=False)


def _store(results: ResultFolder, transcript: Transcript, one: Input, form: Format, faults: _Faults) -> None:
    text = written(transcript, one.name, form)
    try:
        if transcript.error is None:
            results.write(one, text, transcript.modified_ns)
        elif transcript.utterances:
            results.write_incomplete(one, text, transcript.modified_ns)
    except OSError as error:
        faults.tell(one.name, f"its result cannot be written: {error}")


def _sum_up(found: int, todo: list[Input], faults: _Faults) -> None:
    """An argument that came to no recording is a failure, too."""
    done = sum(one.name not in faults.names for one in todo)
    typer.echo(f"{done} transcribed, {found - len(todo)} skipped, {len(faults.names)} failed", err=True)
    faults.tell_again()
