"""What the shell offers for an argument that is half typed. Where nothing is offered, shells complete file names."""

from __future__ import annotations

import contextlib
from pathlib import Path


def models_and_directories(incomplete: str) -> list[str]:
    """For ``--model``: the embedded bundles' names, and directories."""
    from cosyvoice.embedded import embedded_models

    names = [name for name in embedded_models() if name.startswith(incomplete)]
    folder, slash, start = incomplete.rpartition("/")
    directories: list[str] = []
    with contextlib.suppress(OSError):
        directories += [
            f"{folder}{slash}{path.name}/"
            for path in sorted(Path(folder or slash or ".").iterdir())
            if path.name.startswith(start) and path.is_dir()
        ]
    return names + directories
