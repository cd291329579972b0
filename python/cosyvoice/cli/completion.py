"""What the shell offers for an argument that is half typed. Where nothing is offered, shells complete file names."""

from __future__ import annotations

import glob
from pathlib import Path


def models_and_directories(incomplete: str) -> list[str]:
    """For ``--model``: the embedded bundles' names, and directories."""
    from cosyvoice.embedded import embedded_models

    names = [name for name in embedded_models() if name.startswith(incomplete)]
    directories = [f"{path}/" for path in glob.glob(f"{glob.escape(incomplete)}*") if Path(path).is_dir()]
    return names + sorted(directories)
