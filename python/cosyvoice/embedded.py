"""The bundles and recordings that come with the package."""

from __future__ import annotations

import os
from pathlib import Path

from cosyvoice import _native

__all__ = ["audio_path", "embedded_models", "resolve_model"]

_PACKAGE = Path(__file__).resolve().parent


def embedded_models() -> tuple[str, ...]:
    """The names of the embedded bundles."""
    return tuple(_native.embedded_bundles())


def resolve_model(model: str | os.PathLike[str] | None) -> str:
    """The directory of a bundle: None is the default, then come the embedded names, then paths."""
    return _native.resolve_bundle("" if model is None else os.fspath(model))


def audio_path(name: str) -> Path:
    """A bundled recording: ``demo`` or ``bench``."""
    return _PACKAGE / "audio" / f"{name}.flac"
