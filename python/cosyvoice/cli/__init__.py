"""The ``cosyvoice`` command; one file for each of its commands.

Exit codes: 0 good, 1 the work failed, 2 wrong usage.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cosyvoice.cli.commands import COMMANDS, CommandGroup
from cosyvoice.cli.version import version_text
from cosyvoice.errors import CosyVoiceError

app = typer.Typer(
    name="cosyvoice",
    cls=CommandGroup,
    help="Streaming speech recognition for hundreds of live sessions on one machine.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for _command in COMMANDS:
    _command.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(version_text())
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version and how it was built."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command; what went wrong in the work is one line and exit code 1."""
    if sys.stdout is None:  # what was said would be lost without a word
        sys.exit("cosyvoice: standard output is closed; send it to a file or to /dev/null")
    try:
        app()
    except CosyVoiceError as error:
        typer.echo(f"cosyvoice: {error}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        # The reader of a pipe went away, as `head` does.
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        typer.echo(f"cosyvoice: {error}", err=True)
        sys.exit(1)
    except ImportError as error:
        typer.echo(f"cosyvoice: {error}; `cosyvoice doctor` says more", err=True)
        sys.exit(1)
