"""The limits of this process that could stop an engine or the server around it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cosyvoice.doctor.files import read_text, show_bytes
from cosyvoice.doctor.finding import Finding, advice, good, problem, unseen

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice.doctor.settings import Settings

OTHER_FILES = 256  # libraries, logs, the model: beside one connection for each session
OTHER_THREADS = 64  # the engine's other stages, and the program around it


def soft_limit(root: Path, name: str) -> float | None:
    """One line of /proc/self/limits; infinity for "unlimited"."""
    text = read_text(root / "proc/self/limits") or ""
    found = re.search(rf"^{re.escape(name)} +(\d{{1,19}}|unlimited) ", text, re.MULTILINE | re.ASCII)
    if found is None:
        return None
    return float("inf") if found[1] == "unlimited" else int(found[1])


def _shown(limit: float) -> str:
    return "unlimited" if limit == float("inf") else f"{limit:.0f}"


def _value(limit: float) -> int | None:
    return None if limit == float("inf") else int(limit)


def look(root: Path, settings: Settings, needed: int | None) -> list[Finding]:
    """The findings of this subject; ``needed`` are the bytes that the engine takes, where they are known."""
    files = int(settings.get("max_stream", 128)) + OTHER_FILES
    threads = (int(settings.get("workers", 0)) or len(settings.cores)) + OTHER_THREADS
    return [
        _enough(root, "limits.open_files", "Max open files", files, "a connection for each session", "n"),
        _enough(root, "limits.threads", "Max processes", threads, "the engine's threads and the program's", "u"),
        _locked(root),
        _address_space(root, needed),
    ]


def _enough(root: Path, name: str, line: str, wanted: int, why: str, flag: str) -> Finding:
    limit = soft_limit(root, line)
    if limit is None:
        return unseen(name, "not visible here")
    value = {"limit": _value(limit), "wanted": wanted}
    if limit >= wanted:
        return good(name, _shown(limit), value)
    unit = {"n": "LimitNOFILE", "u": "LimitNPROC"}[flag]
    command = f"ulimit -{flag} {wanted}   # of a unit of systemd: {unit}={wanted}"
    return advice(name, f"{_shown(limit)}, but {why} make {wanted}", command, value)


def _locked(root: Path) -> Finding:
    limit = soft_limit(root, "Max locked memory")
    if limit is None:
        return unseen("limits.locked_memory", "not visible here")
    return good("limits.locked_memory", f"{_shown(limit)}; the engine locks none", {"limit": _value(limit)})


def _address_space(root: Path, needed: int | None) -> Finding:
    limit = soft_limit(root, "Max address space")
    if limit is None:
        return unseen("limits.address_space", "not visible here")
    value = {"limit": _value(limit), "needed": needed}
    if needed is None or limit >= needed:
        return good("limits.address_space", _shown(limit), value)
    says = f"{show_bytes(int(limit))}, but the engine needs {show_bytes(needed)}"
    return problem("limits.address_space", says, "ulimit -v unlimited", value)
