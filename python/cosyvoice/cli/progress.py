"""How far the work on files has come."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from cosyvoice.cli.runner import Progress as Report


@contextmanager
def file_progress(files: int, title: str = "") -> Iterator[Report]:
    """In a terminal a bar that counts files, those half read by their part; else nothing."""
    errors = Console(stderr=True)
    if not errors.is_terminal:
        yield lambda _share, _seconds: None
        return
    with Progress(
        TextColumn("{task.description}{task.completed:.0f} of {task.total:.0f} files"),
        BarColumn(),
        TextColumn("{task.fields[heard]}"),
        TimeElapsedColumn(),
        console=errors,
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    ) as bar:
        task = bar.add_task(title, total=files, heard="")
        total = 0.0

        def report(share: float, seconds: float) -> None:
            nonlocal total
            total += seconds
            bar.update(task, advance=share, heard=f"{total / 60:.1f} min of audio")

        yield report
