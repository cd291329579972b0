"""The commands, each imported when it is run: help, version and completion need neither numpy nor OpenVINO."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from typer import _click as click


@dataclass(frozen=True, slots=True)
class Command:
    """``cosyvoice NAME`` is the function or the ``app`` of that name in the module ``cosyvoice.cli.NAME``."""

    name: str
    help: str

    def register(self, app: typer.Typer) -> None:
        """Make it known by name and help alone."""
        app.command(self.name, help=self.help)(_not_loaded)

    def load(self) -> click.Command:
        """The command with its options."""
        module = import_module(f"cosyvoice.cli.{self.name}")
        app = getattr(module, "app", None)
        if app is None:
            app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            app.command(self.name)(getattr(module, self.name))
        command: click.Command = typer.main.get_command(app)
        command.name = self.name
        return command


# The help is the first line of the command's own.
COMMANDS = (
    Command("demo", "Play a bundled recording into the engine in real time and show what it hears."),
    Command("transcribe", "Transcribe recordings, several at once."),
    Command("listen", "Show what a microphone hears, until Ctrl-C."),
    Command("evaluate", "Transcribe the clips of MANIFEST as streams and count the errors against its texts."),
    Command("bench", "Feed real speech to many sessions in real time, 64 ms packets, and show the delays."),
    Command("model", "Say what a bundle is, print its card, make an INT8 network for it."),
    Command("lm", "Train, compile and ask n-gram language models."),
    Command("config", "Print a configuration as a commented YAML file, or check one."),
    Command("doctor", "Look at this machine and this installation, and say what to change."),
)


def _not_loaded() -> None:
    """Stands for a command in the list that help shows."""


class CommandGroup(TyperGroup):
    """A group that loads a command once it is the one asked for."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """What click asks for when it runs a command or completes its arguments."""
        name, found, rest = super().resolve_command(ctx, args)
        for command in COMMANDS:
            if command.name == name:
                found = command.load()
        return name, found, rest
