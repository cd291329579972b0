"""Reading /proc and /sys. Whatever is missing or makes no sense reads as None; nothing is ever written."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST_CORES = 65536
MIB = 1024 * 1024


def read_text(path: Path) -> str | None:
    """A file's text without the white space around it."""
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except OSError:
        return None


def read_int(path: Path) -> int | None:
    """A file that holds one whole number."""
    text = read_text(path)
    return int(text) if text is not None and re.fullmatch(r"-?\d{1,19}", text, re.ASCII) else None


def read_table(path: Path, separator: str) -> dict[str, str]:
    """Lines of a key and a value; of a key that comes again the first."""
    found: dict[str, str] = {}
    for line in (read_text(path) or "").splitlines():
        key, mark, value = line.partition(separator)
        if mark:
            found.setdefault(key.strip(), value.strip())
    return found


def read_kib(path: Path, key: str) -> int | None:
    """One line of a file like /proc/meminfo, in bytes."""
    found = re.fullmatch(r"(\d{1,19}) kB", read_table(path, ":").get(key, ""), re.ASCII)
    return int(found[1]) * 1024 if found else None


def parse_cpus(text: str | None) -> frozenset[int] | None:
    """``0-3,8`` as core numbers."""
    if text is None or not re.fullmatch(r"\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*", text, re.ASCII):
        return None
    cores: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cores.update(range(int(first), min(int(last or first), MOST_CORES) + 1))
    return frozenset(cores)


def show_cpus(cores: Iterable[int]) -> str:
    """Core numbers as ``0-3,8``."""
    runs = []
    for _, run in groupby(enumerate(sorted(cores)), key=lambda pair: pair[1] - pair[0]):
        members = [core for _, core in run]
        runs.append(str(members[0]) if len(members) == 1 else f"{members[0]}-{members[-1]}")
    return ",".join(runs)


def show_bytes(count: int) -> str:
    """A number of bytes for people."""
    if count >= 1024 * MIB:
        return f"{count / MIB / 1024:.1f} GiB"
    return f"{count / MIB:.1f} MiB" if count >= MIB else f"{count / 1024:.0f} KiB"


def chosen_word(text: str | None) -> str | None:
    """``always [madvise] never``: the word in brackets."""
    found = re.search(r"\[([\w+]+)\]", text or "")
    return found[1] if found else None
