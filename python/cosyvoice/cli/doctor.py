"""``cosyvoice doctor``: is everything there, and what would make it better. It runs where the core cannot be loaded."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape

from cosyvoice.cli.options import ConfigFile, Json, Model
from cosyvoice.cli.version import package_version
from cosyvoice.doctor.core import load_core
from cosyvoice.doctor.examination import examine
from cosyvoice.doctor.finding import Finding, Level

STYLES = {Level.GOOD: "green", Level.UNSEEN: "dim", Level.ADVICE: "yellow", Level.PROBLEM: "bold red"}


def _summary(count: Counter[Level]) -> str:
    tune, stop = count[Level.ADVICE], count[Level.PROBLEM]
    tuning = f"{tune or 'nothing'} to tune" if tune == 0 else f"{tune} {'thing' if tune == 1 else 'things'} to tune"
    if stop == 0:
        return f"{tuning}, nothing that stops the engine"
    return (
        f"{tuning}, {stop} {'problem' if stop == 1 else 'problems'} that {'stops' if stop == 1 else 'stop'} the engine"
    )


def _show(findings: list[Finding], summary: str) -> None:
    console = Console(highlight=False, soft_wrap=True)
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        style = STYLES[finding.level]
        console.print(f"[{style}]{finding.level:8}[/]{finding.name:{width}}  {escape(finding.says)}")
        if finding.command is not None:
            console.print(f"{'':8}{'':{width}}  [cyan]{escape(finding.command)}[/]")
    console.print(f"[bold]{summary}[/]")


def doctor(config: ConfigFile = None, model: Model = None, as_json: Json = False) -> None:
    """Look at this machine and this installation, and say what to change.

    It changes nothing itself. Exit code 1 means that something stops the engine.
    """
    findings = examine(Path("/"), load_core(), config, model)
    count = Counter(finding.level for finding in findings)
    summary = _summary(count)
    stopped = count[Level.PROBLEM] > 0
    if as_json:
        report = {
            "version": package_version(),
            "good": not stopped,
            "summary": summary,
            "advice": count[Level.ADVICE],
            "problems": count[Level.PROBLEM],
            "findings": [dataclasses.asdict(finding) for finding in findings],
        }
        typer.echo(json.dumps(report, ensure_ascii=False))
    else:
        _show(findings, summary)
    if stopped:
        raise typer.Exit(1)
