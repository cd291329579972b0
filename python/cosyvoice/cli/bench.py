"""``cosyvoice bench``: delays of many live sessions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import soundfile
import typer
from rich.console import Console
from rich.table import Table

from cosyvoice import _native
from cosyvoice.cli.options import ChunkMs, ConfigFile, Json, Model, Vad, open_engine
from cosyvoice.embedded import audio_path

if TYPE_CHECKING:
    from cosyvoice.stats import ModelInfo

WARM_UP_SECONDS = 2.0
MOST_SECONDS = 86400.0

PIPED_WIDTH = 120  # columns where there is no terminal to ask: no figure is cut


def _delay(summary: _native.DelaySummary) -> dict[str, float]:
    return {name: round(getattr(summary, name), 3) for name in ("mean", "p50", "p99", "max")}


def _report(
    info: ModelInfo, streams: int, seconds: float, together: bool, paced: _native.PacerReport
) -> dict[str, Any]:
    return {
        "model": info.name,
        "chunk_ms": info.default_chunk_ms,
        "lookahead_ms": info.look_ahead_ms,
        "precision": info.precision,
        "precision_reason": info.precision_reason,
        "streams": streams,
        "seconds": seconds,
        "together": together,
        "partial_delay_ms": _delay(paced.partial_delay),
        "final_delay_ms": _delay(paced.final_delay),
        "cpu_percent": round(paced.cpu_percent, 1),
        "rss_mb": round(paced.rss_mb, 1),
        "lost_samples": paced.lost_samples,
        "dropped_samples": paced.dropped_samples,
        "skipped_samples": paced.skipped_samples,
        "refused_samples": paced.refused_samples,
        "errors": paced.error_events,
        "feeder_late_ms": round(paced.feeder_late_ms, 3),
    }


def _skipping(report: dict[str, Any]) -> str:
    return f"{report['skipped_samples']} samples of silence skipped" if report["skipped_samples"] else "no skipping"


def _print_table(report: dict[str, Any]) -> None:
    partial, final = report["partial_delay_ms"], report["final_delay_ms"]
    starts = "all starts at once" if report["together"] else "starts spread over a second"
    table = Table(
        title=f"delay in ms over {report['seconds']:g} s, {starts}, look-ahead {report['lookahead_ms']} ms, "
        f"{report['precision']}, {_skipping(report)}"
    )
    columns = (
        "model", "chunk", "streams", "mean", "P50", "P99", "max", "chunk + P99", "final P99", "CPU %", "memory MB", "lost"
    )  # fmt: skip
    for column in columns:
        table.add_column(column, justify="left" if column == "model" else "right")
    table.add_row(
        report["model"], str(report["chunk_ms"]), str(report["streams"]),
        *(f"{partial[name]:.1f}" for name in ("mean", "p50", "p99", "max")),
        f"{report['chunk_ms'] + partial['p99']:.0f}", f"{final['p99']:.1f}",
        f"{report['cpu_percent']:.0f}", f"{report['rss_mb']:.0f}", str(report["lost_samples"]),
    )  # fmt: skip
    console = Console()
    if not console.is_terminal:
        console.width = max(console.width, PIPED_WIDTH)
    console.print(table)
    if report["refused_samples"] or report["errors"]:
        typer.echo(
            f"{report['refused_samples']} samples were refused, {report['errors']} errors: too many streams", err=True
        )


def bench(
    streams: Annotated[int, typer.Option(min=1, max=65536, help="Sessions at once.")] = 16,
    seconds: Annotated[
        float, typer.Option(help=f"Of audio for each, of which {WARM_UP_SECONDS:g} s are warm-up.")
    ] = 20.0,
    model: Model = None,
    chunk_ms: ChunkMs = None,
    vad: Vad = None,
    together: Annotated[bool, typer.Option("--together", help="All sessions start at once.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Inference threads; one a core without it.")] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Feed real speech to many sessions in real time, 64 ms packets, and show the delays."""
    if not WARM_UP_SECONDS < seconds <= MOST_SECONDS:
        raise typer.BadParameter(f"--seconds must exceed the warm-up of {WARM_UP_SECONDS:g} s, up to {MOST_SECONDS:g}")
    pcm, rate = soundfile.read(audio_path("bench"), dtype="int16")
    options = {"chunk_ms": chunk_ms, "vad": vad, "max_stream": streams, "workers": workers, "back_pressure": "reject"}
    with open_engine(config, model, **options) as engine:
        info = engine.model
        if info.sample_rate != rate:
            typer.echo(
                f"the recording has {rate} Hz, the model {info.sample_rate}: the run includes resampling", err=True
            )
        paced = _native.run_pacer(
            engine.native,
            pcm,
            streams=streams,
            seconds=seconds,
            warm_up_seconds=WARM_UP_SECONDS,
            chunk_ms=0,
            together=together,
        )
    report = _report(info, streams, seconds, together, paced)
    if as_json:
        typer.echo(json.dumps(report))
    else:
        _print_table(report)
