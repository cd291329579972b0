"""The ``cosyvoice`` command; one file for each of its commands.

Exit codes: 0 good, 1 the work failed, 2 wrong usage.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import cosyvoice
from cosyvoice.cli import bench, config, demo, evaluate, listen, transcribe

app = typer.Typer(
    name="cosyvoice",
    help="Streaming speech recognition for hundreds of live sessions on one machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.demo)
app.command("transcribe")(transcribe.transcribe)
app.command("listen")(listen.listen)
app.command("evaluate")(evaluate.evaluate)
app.command("bench")(bench.bench)
app.command("config")(config.config)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cosyvoice {cosyvoice.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command; what went wrong in the work is one line and exit code 1."""
    try:
        app()
    except cosyvoice.CosyVoiceError as error:
        typer.echo(f"cosyvoice: {error}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        # The reader of a pipe went away, as `head` does.
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        typer.echo(f"cosyvoice: {error}", err=True)
        sys.exit(1)
