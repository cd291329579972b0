"""The compiled core, if it can be loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Core:
    """``native`` is the compiled module, or None and ``error`` says why."""

    native: Any = None
    error: str = ""


def load_core() -> Core:
    """Load it, or say what the dynamic linker says."""
    try:
        from cosyvoice import _native
    except (ImportError, OSError) as error:
        return Core(error=str(error))
    return Core(_native)
