"""``cosyvoice evaluate``: word error rate over manifests, alone or beside other models."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from cosyvoice.cli.evaluation.edits import levenshtein
from cosyvoice.cli.evaluation.evaluation import Evaluation, failure
from cosyvoice.cli.evaluation.manifest import Manifests
from cosyvoice.cli.evaluation.score import Heard
from cosyvoice.cli.evaluation.spool import Spool
from cosyvoice.cli.evaluation.systems import System, check_other, open_bundle, open_other
from cosyvoice.cli.evaluation.text import Normalise
from cosyvoice.cli.evaluation.view import show
from cosyvoice.cli.options import Beam, ChunkMs, ConfigFile, HotwordFile, Json, LanguageModel, Model
from cosyvoice.cli.progress import file_progress


@dataclass
class _Run:
    """One system's way through the manifests, and the time it took."""

    system: System
    manifests: Manifests
    clips: int
    seconds: float = 0.0

    def __iter__(self) -> Iterator[Heard]:
        begin = time.monotonic()
        with file_progress(self.clips, f"{self.system.name}: ") as report:
            yield from self.system.hear((clip.part for clip in self.manifests), report)
        self.seconds = time.monotonic() - begin


def evaluate(
    manifests: Annotated[
        list[Path],
        typer.Argument(
            metavar="MANIFEST...",
            exists=True,
            dir_okay=False,
            help="JSON lines of audio, text, and perhaps speaker, start, end.",
        ),
    ],
    model: Model = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(
            "--compare", help="An embedded bundle's name, model:DIR or whisper:DIR; repeatable.", show_default=False
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", help="A field of the manifest's lines, such as age; repeatable.", show_default=False),
    ] = None,
    worst: Annotated[
        int, typer.Option("--worst", min=0, max=1000, help="Show so many utterances, errors aligned.")
    ] = 0,
    normalise: Annotated[
        Normalise, typer.Option("--normalise", help="plain: lower case, no punctuation; none: as it is written.")
    ] = Normalise.PLAIN,
    output: Annotated[
        Path | None,
        typer.Option("--output", dir_okay=False, help="A file for one JSON line an utterance.", show_default=False),
    ] = None,
    chunk_ms: ChunkMs = None,
    beam: Beam = None,
    lm: LanguageModel = None,
    hotwords: HotwordFile = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Transcribe the clips of MANIFEST as streams and count the errors against its texts."""
    levenshtein()  # before hours of audio are heard
    for path in manifests:
        if not path.is_file():
            raise typer.BadParameter(f"{path} is read several times, and this is no plain file; write it to one first")
    fields = list(dict.fromkeys(by or ()))
    others = list(dict.fromkeys(compare or ()))
    for other in others:
        check_other(other)
    clips = Manifests(manifests, list(dict.fromkeys(["speaker", *fields])))
    contents = clips.look()
    for fault in contents.faults:
        typer.echo(fault, err=True)
    if contents.clips == 0:
        raise typer.BadParameter(f"{', '.join(map(str, manifests))}: no line names a clip")
    for name in fields:
        if name not in contents.fields:
            raise typer.BadParameter(f"--by {name}: no line has it; there are {', '.join(sorted(contents.fields))}")
    with ExitStack() as stack:
        bundle, engine = stack.enter_context(
            open_bundle(config, model, chunk_ms, beam_size=beam, lm=lm, hotwords=hotwords)
        )
        systems = [bundle, *(stack.enter_context(open_other(each, config, engine.model.language)) for each in others)]
        results = None if output is None else stack.enter_context(output.open("w", encoding="utf-8"))
        runs = [_Run(system, clips, contents.clips) for system in systems]
        spools = [stack.enter_context(closing(Spool(run))) for run in runs[1:]]
        evaluation = Evaluation(systems, fields, normalise, worst)
        failed = len(contents.faults) + _add_all(evaluation, clips, [runs[0], *spools], results)
    if evaluation.clips == 0:
        typer.echo("cosyvoice: no clip could be heard, so there is nothing to report", err=True)
        sys.exit(1)
    report = evaluation.report([run.seconds for run in runs], failed)
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False))
    else:
        show(report)
    if failed:
        sys.exit(1)


def _add_all(
    evaluation: Evaluation, clips: Manifests, heard_by_all: list[Iterable[Heard]], results: IO[str] | None
) -> int:
    """How many clips failed: one that any of the systems could not hear is left out of all counts."""
    failed = 0
    for clip, *heard in zip(clips, *heard_by_all, strict=True):
        error = next((each.error for each in heard if each.error is not None), None)
        if error is None:
            line: dict[str, Any] = evaluation.add(clip, heard)
        else:
            failed += 1
            typer.echo(f"{clip.place}: {clip.audio}: {error}", err=True)
            line = failure(clip, error)
        if results is not None:
            results.write(json.dumps(line, ensure_ascii=False) + "\n")
    return failed
