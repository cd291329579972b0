"""What is heard, as it is heard: partials on one line that is updated in place."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console


class Screen:
    """Partials are shown in a terminal only; whoever wants them in a pipe prints them."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        if console.is_terminal:
            self._live = Live(console=console, transient=True, auto_refresh=False, redirect_stderr=sys.stderr.isatty())

    def __enter__(self) -> Screen:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    @property
    def is_live(self) -> bool:
        """Whether there is a terminal."""
        return self._live is not None

    def partial(self, text: str) -> None:
        """Show what an utterance sounds like so far."""
        if self._live is not None:
            self._live.update(Text(text, style="dim"), refresh=True)

    def line(self, text: str) -> None:
        """Print a line that stays; in a terminal the partial before it goes."""
        if self._live is not None:
            self._live.update(Text(""), refresh=True)
        self._console.print(Text(text), soft_wrap=True)
        self._console.file.flush()
