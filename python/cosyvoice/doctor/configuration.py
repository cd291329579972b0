"""The configuration that everything else is judged against."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from cosyvoice.doctor.finding import Finding, good, problem, unseen
from cosyvoice.doctor.settings import Settings, allowed_cores
from cosyvoice.errors import CosyVoiceError

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice.doctor.core import Core


def read(root: Path, core: Core, file: Path | None, model: str | None) -> tuple[Settings, Finding]:
    """The file under the environment under ``model``, and the finding of this subject."""
    name = "config.file"
    allowed = allowed_cores(root)
    if core.native is None:
        return Settings(None, allowed), unseen(name, "not read: the compiled core, which checks it, cannot be loaded")
    try:
        options = core.native.read_config("" if file is None else str(file))
    except CosyVoiceError as error:
        command = f"cosyvoice config --check {shlex.quote(str(file))}" if file else "env | grep ^COSYVOICE_"
        return Settings(None, allowed), problem(name, str(error), command)
    if model is not None:
        options["model_path"] = model
    shown = str(file) if file else "no file: the defaults and the environment"
    return Settings(options, allowed), good(name, f"{shown}; max_stream {options['max_stream']}", options)
