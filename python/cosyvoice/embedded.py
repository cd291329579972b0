"""The bundles and recordings that come with the package."""

from __future__ import annotations

import os
from pathlib import Path

from cosyvoice.errors import ModelNotFound

__all__ = ["DEFAULT_MODEL", "audio_path", "embedded_models", "resolve_model"]

DEFAULT_MODEL = "en"
_PACKAGE = Path(__file__).resolve().parent


def embedded_models() -> tuple[str, ...]:
    """The names of the embedded bundles."""
    return tuple(sorted(manifest.parent.name for manifest in (_PACKAGE / "models").glob("*/model.yaml")))


def resolve_model(model: str | os.PathLike[str] | None) -> str:
    """The directory of a bundle: None is the default, then come the embedded names, then paths.

    Raises
    ------
    ModelNotFound
        When it is neither; the message lists the names.
    """
    name = DEFAULT_MODEL if model is None else os.fspath(model)
    embedded = embedded_models()
    if name in embedded:
        return str(_PACKAGE / "models" / name)
    if not Path(name).exists():
        raise ModelNotFound(
            f"no model '{name}': it is neither a bundle's directory nor one of the embedded bundles ({', '.join(embedded)})"
        )
    return name


def audio_path(name: str) -> Path:
    """A bundled recording: ``demo`` or ``bench``."""
    return _PACKAGE / "audio" / f"{name}.flac"
