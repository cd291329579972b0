"""What the control group of this process allows: version 1, version 2, and both side by side."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from cosyvoice.doctor.files import read_int, read_table, read_text

UNLIMITED = 1 << 60  # version 1 writes "no limit" as a number about this large, and larger ones


def _own_path(root: Path, controller: str) -> tuple[str, str] | None:
    """The file system's type and this process's path in it; version 2 has no controller's name in its line."""
    unified = None
    for line in (read_text(root / "proc/self/cgroup") or "").splitlines():
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if controller in names.split(","):
            return "cgroup", path
        if number == "0" and not names:
            unified = path
    return None if unified is None else ("cgroup2", unified)


def _mounts(root: Path, kind: str, controller: str) -> list[tuple[str, str]]:
    """Where it is mounted: the part that is shown, and the place."""
    found = []
    for line in (read_text(root / "proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        mount, system = before.split(), after.split()
        if len(mount) < 5 or len(system) < 3 or system[0] != kind:
            continue
        if kind == "cgroup2" or controller in system[2].split(","):
            found.append((mount[3], mount[4]))
    return found


def directories(root: Path, controller: str) -> list[Path]:
    """Directories that limit this process, its own first: a limit of any of them holds."""
    own = _own_path(root, controller)
    for shown, place in _mounts(root, own[0], controller) if own else []:
        assert own is not None
        top = root / place.lstrip("/")
        path = PurePosixPath(own[1])
        if shown != "/" and path.is_relative_to(shown):
            path = PurePosixPath("/") / path.relative_to(shown)
        inner = top / str(path).lstrip("/")
        # In a container the path may be the host's, which is not mounted here.
        if ".." in path.parts or not inner.is_dir():
            inner = top
        return [inner, *(parent for parent in inner.parents if parent.is_relative_to(top))]
    return []


def _quota(directory: Path) -> float | None:
    unified = re.fullmatch(r"(\d+) (\d+)", read_text(directory / "cpu.max") or "", re.ASCII)
    quota = int(unified[1]) if unified else read_int(directory / "cpu.cfs_quota_us")
    period = int(unified[2]) if unified else read_int(directory / "cpu.cfs_period_us")
    return quota / period if quota is not None and period and quota > 0 else None


def cpu_quota(root: Path) -> float | None:
    """Cores' worth of time that this process may use; None is no limit."""
    return min((quota for found in directories(root, "cpu") if (quota := _quota(found)) is not None), default=None)


def throttled(root: Path) -> tuple[int, int] | None:
    """(periods in which the quota stopped this process's group, periods counted); None where nothing counts them."""
    for directory in directories(root, "cpu"):
        counts = read_table(directory / "cpu.stat", " ")
        stopped, periods = counts.get("nr_throttled", ""), counts.get("nr_periods", "")
        if stopped.isdecimal() and periods.isdecimal():
            return int(stopped), int(periods)
    return None


def _memory_left(directory: Path) -> int | None:
    limit = read_int(directory / "memory.max")
    used = read_int(directory / "memory.current")
    if limit is None:
        limit = read_int(directory / "memory.limit_in_bytes")
        used = read_int(directory / "memory.usage_in_bytes")
    return max(0, limit - (used or 0)) if limit is not None and limit < UNLIMITED else None


def memory_left(root: Path) -> int | None:
    """Bytes until the tightest memory limit; None is no limit."""
    return min(
        (left for found in directories(root, "memory") if (left := _memory_left(found)) is not None), default=None
    )
