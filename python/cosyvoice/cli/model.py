"""``cosyvoice model``: what a bundle is, its card, an INT8 network for it, and Silero's detector."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from cosyvoice import _native
from cosyvoice.cli.completion import models_and_directories
from cosyvoice.cli.options import ConfigFile, Json
from cosyvoice.embedded import resolve_model

app = typer.Typer(
    help="Say what a bundle is, print its card, make an INT8 network for it; fetch Silero's detector.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Bundle = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="An embedded bundle's name or a bundle's directory.",
        autocompletion=models_and_directories,
    ),
]
CARD = "MODEL_CARD.md"


@app.command()
def info(model: Bundle = "en", config: ConfigFile = None, as_json: Json = False) -> None:
    """Say what a bundle is, and which of its networks an engine takes here."""
    from cosyvoice.bundle.export import network_bytes

    bundle = resolve_model(model)
    facts = _native.read_manifest(bundle)
    asked = _native.read_config("" if config is None else str(config))["precision"]
    chosen, reason = _native.network_choice(bundle, asked)
    keys = ("name", "version", "language", "licence", "weights", "notes", "path", "sample_rate", "tokens", "chunk_ms")
    report: dict[str, Any] = {key: facts[key] for key in (*keys, "default_chunk_ms", "look_ahead_ms")}
    report["networks"] = {
        name: {"file": Path(file).name, "bytes": network_bytes(file)}
        for name, file in (("f32", facts["file"]), ("int8", facts["int8_file"]))
        if file
    }
    report |= {"precision": chosen, "precision_reason": reason}
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False))
        return
    for key, value in report.items():
        typer.echo(f"{key:18}{_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} ({one['file']}, {one['bytes'] / 1e6:.1f} MB)" for name, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@app.command()
def card(model: Bundle = "en") -> None:
    """Print a bundle's card: data, results, limits, what it is fit for."""
    path = Path(_native.read_manifest(resolve_model(model))["path"]) / CARD
    if not path.is_file():
        typer.echo(
            f"cosyvoice: the bundle has no card: looked for {path}; `cosyvoice model info` has its notes", err=True
        )
        raise typer.Exit(1)
    typer.echo(path.read_text("utf-8"), nl=False)


@app.command("fetch-vad")
def fetch_vad(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="Where to; the user's cache without it.", show_default=False),
    ] = None,
    wheel: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="A wheel of silero-vad, instead of pip.", show_default=False),
    ] = None,
) -> None:
    """Take Silero's voice-activity network (MIT) out of its package, for `vad: silero`; nothing else is installed."""
    from cosyvoice import silero

    path = silero.fetch(silero.default_folder() if folder is None else folder, wheel)
    typer.echo(f"{path}: {path.stat().st_size / 1e6:.1f} MB; its licence is beside it")
    if folder is not None:
        typer.echo(f"name it to the engine: vad_model, in a configuration file vad: {{model: {path}}}")


@app.command()
def export(
    model: Bundle,
    folder: Annotated[Path, typer.Argument(metavar="OUTDIR", help="The new bundle's directory.", show_default=False)],
    int8: Annotated[bool, typer.Option("--int8", help="Add a network in INT8 to those that the bundle has.")] = False,
    weights_only: Annotated[
        bool, typer.Option("--weights-only", help="Weights alone in INT8; activations stay floats.")
    ] = False,
    calibrate: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            help="Audio like what will be heard: a folder, or a manifest. Without it the bundled recording.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a bundle with more networks than MODEL has; MODEL stays as it is."""
    if not int8:
        raise typer.BadParameter("say what to add: --int8")
    from cosyvoice.bundle.calibration import recordings, utterances
    from cosyvoice.bundle.export import export_int8

    bundle = resolve_model(model)
    features = utterances(recordings(calibrate), _native.read_manifest(bundle))
    report = export_int8(bundle, folder, features, weights_only=weights_only)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(report)))
        return
    typer.echo(
        f"{report.path}: {report.int8_bytes / 1e6:.1f} MB in INT8 beside {report.float_bytes / 1e6:.1f} MB; of "
        f"{report.frames} frames {100 * report.differing_frames:.2f} % name another piece"
    )
    typer.echo(
        "Count word errors before you use it: COSYVOICE_MODEL_PRECISION=int8 cosyvoice evaluate MANIFEST --model "
        f"{report.path}"
    )
