"""Options that several commands have, and the configuration that they run with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cosyvoice.cli.completion import models_and_directories

if TYPE_CHECKING:
    from cosyvoice.engine import Engine

Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="An embedded bundle's name or a bundle's directory.",
        show_default=False,
        autocompletion=models_and_directories,
    ),
]
ChunkMs = Annotated[
    int | None,
    typer.Option("--chunk-ms", min=1, max=60000, help="One of the model's chunk lengths.", show_default=False),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", envvar="COSYVOICE_CONFIG", help="A YAML file; `cosyvoice config` writes one.", show_default=False
    ),
]
Vad = Annotated[
    Literal["off", "energy", "silero"] | None,
    typer.Option("--vad", help="Who tells silence, which then skips the network.", show_default=False),
]
Itn = Annotated[
    bool | None,
    typer.Option("--itn/--no-itn", help="Write English numbers, times and money with digits.", show_default=False),
]
Beam = Annotated[
    int | None,
    typer.Option("--beam", min=0, max=128, help="Hypotheses of the search; 0: as needed.", show_default=False),
]
LanguageModel = Annotated[
    str | None,
    typer.Option(
        "--lm",
        metavar="FILE",
        help="A compiled language model, of `cosyvoice lm build`; 'none': not even the model's own.",
        show_default=False,
    ),
]
HotwordFile = Annotated[
    Path | None,
    typer.Option(
        "--hotwords",
        exists=True,
        dir_okay=False,
        help="A file of phrases to prefer, one a line, and behind a tab its boost.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def open_engine(config: Path | None, model: str | None, **options: Any) -> Engine:
    """An engine with the options of a command over the environment's variables over the configuration file."""
    from cosyvoice.config import EngineConfig  # `doctor` has these options and runs where the core cannot be loaded
    from cosyvoice.engine import Engine

    return Engine(model, config=EngineConfig.load(config), **options)
