"""The report in a terminal or a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cosyvoice.cli.evaluation.aligned import aligned
from cosyvoice.cli.evaluation.edits import align
from cosyvoice.cli.evaluation.text import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Report = dict[str, Any]


def show(report: Report) -> None:
    """Print the worst clips, the groups and, last, the sums."""
    console = Console()
    for clip in report["worst"]:
        _show_clip(console, clip)
    systems = [report, *report["compare"]]
    if len(report["by_speaker"]) > 1:
        console.print(_groups("speaker", [system["by_speaker"] for system in systems], systems))
    for field in report["by"]:
        console.print(_groups(field, [system["by"][field] for system in systems], systems))
    console.print(_sums(report, systems))


def _show_clip(console: Console, clip: Report) -> None:
    console.print(Text(f"{clip['line']}  {clip['audio']}", style="bold"), soft_wrap=True)
    for heard in clip["heard"]:
        wrong = heard["substitutions"] + heard["deletions"] + heard["insertions"]
        console.print(Text(f"  {heard['model']}: {wrong} errors in {heard['words']} words"), soft_wrap=True)
        for line in aligned(align(words(clip["reference"]), words(heard["text"])), console.width):
            line.rstrip()
            if line:
                console.print(line, soft_wrap=True)
    console.print()


def _column(system: Report, above: str = "") -> Text:
    chunks = "" if system["chunk_ms"] is None else f", {system['chunk_ms']} ms"
    return Text(f"{above}{system['model']}{chunks}")


def _groups(field: str, groups: list[Report], systems: list[Report]) -> Table:
    """With one system its kinds of errors, with several their rates side by side."""
    table = Table()
    table.add_column(Text(field))
    table.add_column("words", justify="right")
    alone = len(systems) == 1
    for system in systems:
        for measure in ("WER %", "CER %"):
            table.add_column(measure if alone else _column(system, f"{measure}\n"), justify="right")
    kinds = ("substitutions", "deletions", "insertions") if alone else ()
    for kind in kinds:
        table.add_column(kind, justify="right")
    for value, first in groups[0].items():
        rates = [f"{100 * group[value][key]:.2f}" for group in groups for key in ("wer", "cer")]
        table.add_row(Text(value or "(none)"), str(first["words"]), *rates, *(str(first[kind]) for kind in kinds))
    return table


def _sums(report: Report, systems: list[Report]) -> Table:
    failed = f", {report['failed']} failed" if report["failed"] else ""
    table = Table(
        title=f"{report['clips']} utterances, {report['words']} words, {report['seconds'] / 60:.1f} min{failed}"
    )
    table.add_column("")
    for system in systems:
        table.add_column(_column(system), justify="right", overflow="fold")
    for name, values in _measures(report, systems):
        table.add_row(Text(name), *values)
    return table


def _measures(report: Report, systems: list[Report]) -> Iterator[tuple[str, list[str]]]:
    yield "WER %", [f"{100 * system['wer']:.2f}" for system in systems]
    yield "  95 % interval", [_between(system["wer_interval"]) for system in systems]
    yield "CER %", [f"{100 * system['cer']:.2f}" for system in systems]
    for kind in ("substitutions", "deletions", "insertions"):
        yield kind, [str(system[kind]) for system in systems]
    yield "real-time factor", [f"{system['rtf']:.3f}" for system in systems]
    for name, key in (("median", "p50"), ("P90", "p90")):
        delays = [system["word_delay_ms"] for system in systems]
        yield f"word delay, {name} ms", ["–" if delay is None else str(delay[key]) for delay in delays]
    yield from _trust(systems)
    if report["compare"]:
        others = report["compare"]
        yield f"WER % less that of {report['model']}", ["", *(f"{100 * other['difference']:+.2f}" for other in others)]
        yield "  95 % interval", ["", *(_between(other["difference_interval"], "+") for other in others)]
        for name in ("better", "worse", "equal"):
            yield f"{name} utterances", ["", *(str(other[name]) for other in others)]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _trust(systems: list[Report]) -> Iterator[tuple[str, list[str]]]:
    """How far partials, confidences and times can be relied upon; times only where the manifest knows them."""
    rows: list[tuple[str, str, str, Callable[[Any], str]]] = [
        ("words of partials changed, %", "flicker", "share", _percent),
        ("confidence: calibration error, %", "confidence", "calibration_error", _percent),
        ("  normalised cross entropy", "confidence", "normalised_cross_entropy", "{:.3f}".format),
    ]
    if any(system["word_start_ms"] for system in systems):
        rows.append(("word start, median error ms", "word_start_ms", "median_error", str))
        rows.append(("  median lateness ms", "word_start_ms", "median_lateness", str))
    for name, kind, key, shown in rows:
        found = [(system[kind] or {}).get(key) for system in systems]
        yield name, ["–" if value is None else shown(value) for value in found]


def _between(interval: list[float], sign: str = "") -> str:
    return " to ".join(f"{100 * end:{sign}.2f}" for end in interval)
