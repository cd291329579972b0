"""The kernel's clock source: the engine reads the clock with every packet and every batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice.doctor.files import read_text
from cosyvoice.doctor.finding import Finding, advice, good, unseen

if TYPE_CHECKING:
    from pathlib import Path

PLACE = "sys/devices/system/clocksource/clocksource0"
# These are read without entering the kernel; the best first.
FAST = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter")


def look(root: Path) -> list[Finding]:
    """The findings of this subject."""
    current = read_text(root / PLACE / "current_clocksource")
    if not current:
        return [unseen("tuning.clock", "not visible here")]
    available = (read_text(root / PLACE / "available_clocksource") or "").split()
    value = {"current": current, "available": available}
    if current in FAST:
        return [good("tuning.clock", f"{current}, read without a system call", value)]
    better = next((name for name in FAST if name in available), None)
    says = f"{current}: reading the time enters the kernel"
    if better is None:
        return [advice("tuning.clock", f"{says}, and this machine offers nothing faster", None, value)]
    command = f"echo {better} | sudo tee /{PLACE}/current_clocksource"
    return [advice("tuning.clock", f"{says}; {better} does not", command, value)]
