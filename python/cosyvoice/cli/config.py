"""``cosyvoice config``: print or check a configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from cosyvoice import _native
from cosyvoice.cli.options import Json
from cosyvoice.errors import InvalidConfig


def config(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A YAML file; without one, the defaults.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--print", help="Print the whole configuration: defaults, the file, the environment.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Say whether the file and the environment are good.")] = False,
    as_json: Json = False,
) -> None:
    """Print a configuration as a commented YAML file, or check one.

    Variables of the environment, such as COSYVOICE_ENGINE_MAX_STREAM, override the file in both cases.
    """
    if show == check:
        raise typer.BadParameter("give one of --print and --check")
    if check and file is None:
        raise typer.BadParameter("--check needs a FILE")
    path = "" if file is None else str(file)
    if show:
        typer.echo(json.dumps(_native.read_config(path)) if as_json else _native.config_text(path), nl=as_json)
        return
    try:
        _native.read_config(path)
    except InvalidConfig as error:
        if as_json:
            typer.echo(json.dumps({"file": path, "good": False, "error": str(error)}))
            raise typer.Exit(1) from error
        raise
    typer.echo(json.dumps({"file": path, "good": True}) if as_json else f"{path}: good")
