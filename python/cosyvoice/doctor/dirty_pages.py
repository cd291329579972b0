"""Written pages that wait for the disk: when many are written back at once, threads that write wait for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice.doctor.files import MIB, read_int, read_kib, show_bytes
from cosyvoice.doctor.finding import Finding, advice, good, unseen

if TYPE_CHECKING:
    from pathlib import Path

VM = "proc/sys/vm"
# Name, the kernel's, most that raises no advice, what is advised, what happens at it.
LIMITS = (
    ("tuning.dirty_background", "dirty_background", 1024 * MIB, 256 * MIB, "the kernel begins to write back"),
    ("tuning.dirty", "dirty", 4096 * MIB, 1024 * MIB, "programs that write are stopped"),
)


def look(root: Path) -> list[Finding]:
    """The findings of this subject."""
    return [_limit(root, *limit) for limit in LIMITS]


def _limit(root: Path, name: str, key: str, most: int, advised: int, event: str) -> Finding:
    count, ratio = read_int(root / VM / f"{key}_bytes"), read_int(root / VM / f"{key}_ratio")
    available = read_kib(root / "proc/meminfo", "MemAvailable")
    if count:  # in force where it is not 0, and the ratio then reads as 0
        amount, setting = count, f"vm.{key}_bytes = {count}"
    elif ratio is not None and available is not None:
        amount, setting = available * ratio // 100, f"vm.{key}_ratio = {ratio}"
    else:
        return unseen(name, "not visible here")
    says = f"{setting}: at {show_bytes(amount)} {event}"
    value = {"bytes": amount, "setting": setting}
    if amount <= most:
        return good(name, says, value)
    return advice(name, f"{says}; less comes in shorter stops", f"sudo sysctl -w vm.{key}_bytes={advised}", value)
