"""All subjects, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice.doctor import (
    clock,
    configuration,
    container,
    cpu,
    dirty_pages,
    huge_pages,
    inference,
    limits,
    memory,
    nodes,
    power,
    trial,
)  # fmt: skip

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice.doctor.core import Core
    from cosyvoice.doctor.finding import Finding


def examine(root: Path, core: Core, file: Path | None, model: str | None) -> list[Finding]:
    """Every finding, in the order in which people read them."""
    free = memory.room(root)  # before the self test takes some of it
    settings, read = configuration.read(root, core, file, model)
    tried = trial.run(settings, core)
    parts = memory.session_parts(settings, core, tried)
    return [
        read,
        *inference.look(root, core),
        *trial.look(tried, core, settings),
        *cpu.look(root, settings, core),
        *memory.look(root, settings, parts, tried, free),
        *limits.look(root, settings, memory.needed(settings, parts, tried)),
        *huge_pages.look(root, settings),
        *power.look(root, settings),
        *dirty_pages.look(root),
        *nodes.look(root, settings),
        *clock.look(root),
        *container.look(root),
    ]
