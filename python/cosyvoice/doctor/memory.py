"""Memory: what a session takes, and whether ``max_stream`` of them fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosyvoice.doctor import cgroup
from cosyvoice.doctor.files import read_int, read_kib, read_table, show_bytes
from cosyvoice.doctor.finding import Finding, advice, good, problem, unseen

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice.doctor.core import Core
    from cosyvoice.doctor.settings import Settings
    from cosyvoice.doctor.trial import Trial

TIGHT = 0.8  # more than this share of what is free leaves too little for the program around the engine
CALM_SWAPPINESS = 10


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes that an engine could take, and what bounds them."""

    size: int
    bound: str


def room(root: Path) -> Room | None:
    """What is free: of the machine, or to the control group's limit. Read it before a model is loaded."""
    free = read_kib(root / "proc/meminfo", "MemAvailable")
    left = cgroup.memory_left(root)
    found = [Room(free, "available")] if free is not None else []
    found += [Room(left, "left to the control group")] if left is not None else []
    return min(found, key=lambda one: one.size, default=None)


def rss(root: Path) -> int | None:
    """What this process holds in memory."""
    return read_kib(root / "proc/self/status", "VmRSS")


def session_parts(settings: Settings, core: Core, trial: Trial) -> dict[str, int] | None:
    """Bytes of one session by part; None where the core or the model cannot be asked."""
    if core.native is None or settings.options is None or not trial.loaded:
        return None
    sized_by = ("ring_bytes", "fifo_bytes", "max_utterance", "second_pass", "beam_size")
    parts: dict[str, int] = core.native.session_memory(*(settings.options[name] for name in sized_by))
    return parts | {"states": trial.state_bytes}


def needed(settings: Settings, parts: dict[str, int] | None, trial: Trial) -> int | None:
    """Bytes for the networks, as measured, and for all sessions."""
    return None if parts is None else trial.network_bytes + settings.get("max_stream", 0) * sum(parts.values())


def look(
    root: Path, settings: Settings, parts: dict[str, int] | None, trial: Trial, free: Room | None
) -> list[Finding]:
    """The findings of this subject."""
    return [_session(parts), _room(settings, parts, trial, free), _swap(root)]


def _session(parts: dict[str, int] | None) -> Finding:
    if parts is None:
        return unseen("memory.session", "not known, as no model was loaded")
    named = ", ".join(f"{part.replace('_', ' ')} {show_bytes(size)}" for part, size in parts.items())
    return good("memory.session", f"{show_bytes(sum(parts.values()))} each: {named}", parts)


def _room(settings: Settings, parts: dict[str, int] | None, trial: Trial, free: Room | None) -> Finding:
    wanted = needed(settings, parts, trial)
    if parts is None or wanted is None:
        return unseen("memory.room", "not known, as no model was loaded")
    if free is None:
        return unseen("memory.room", f"{show_bytes(wanted)} are needed; what is free is not visible here")
    streams = settings.get("max_stream", 0)
    fit = max(0, int(free.size * TIGHT) - trial.network_bytes) // sum(parts.values())
    value = {"needed": wanted, "free": free.size, "max_stream": streams, "fit": fit}
    says = (
        f"{show_bytes(wanted)} for {streams} sessions and the networks, {show_bytes(free.size)} {free.bound}; "
        f"{fit} sessions fit"
    )
    if wanted <= free.size * TIGHT:
        return good("memory.room", says, value)
    command = f"COSYVOICE_ENGINE_MAX_STREAM={fit}   # or engine.max_stream in the configuration" if fit else None
    return (problem if wanted > free.size else advice)("memory.room", says, command, value)


def _swap(root: Path) -> Finding:
    total = read_kib(root / "proc/meminfo", "SwapTotal")
    swappiness = read_int(root / "proc/sys/vm/swappiness")
    if total is None:
        return unseen("memory.swap", "not visible here")
    swapped = read_table(root / "proc/self/status", ":").get("VmSwap")
    value = {"bytes": total, "swappiness": swappiness, "of_this_process": swapped}
    if total == 0:
        return good("memory.swap", "none: no session waits for a disk", value)
    says = f"{show_bytes(total)}, swappiness {'unknown' if swappiness is None else swappiness}"
    if swappiness is not None and swappiness <= CALM_SWAPPINESS:
        return good("memory.swap", says, value)
    says += ": a quiet session's memory may go to the disk, and its next packet waits for it"
    return advice("memory.swap", says, f"sudo sysctl -w vm.swappiness={CALM_SWAPPINESS}", value)
