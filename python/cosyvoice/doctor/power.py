"""The processor's frequency: its governor, and whether it may go above its nominal one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice.doctor.files import read_int, read_text, show_cpus
from cosyvoice.doctor.finding import Finding, advice, good, unseen

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice.doctor.settings import Settings

CPU = "sys/devices/system/cpu"
HIDDEN = "not visible here (virtual machine?)"
# File, its value where turbo is on, and what to write to turn it on.
SWITCHES = ((f"{CPU}/intel_pstate/no_turbo", 0), (f"{CPU}/cpufreq/boost", 1))


def look(root: Path, settings: Settings) -> list[Finding]:
    """The findings of this subject."""
    return [_governor(root, settings), _turbo(root)]


def _governor(root: Path, settings: Settings) -> Finding:
    found: dict[str, list[int]] = {}
    for core in sorted(settings.cores):
        if governor := read_text(root / CPU / f"cpu{core}/cpufreq/scaling_governor"):
            found.setdefault(governor, []).append(core)
    if not found:
        return unseen("tuning.governor", HIDDEN)
    value = {governor: show_cpus(cores) for governor, cores in found.items()}
    says = ", ".join(f"{governor} on cores {cores}" for governor, cores in value.items())
    if set(found) == {"performance"}:
        return good("tuning.governor", says, value)
    says += ": cores slow down between packets and take time to speed up"
    return advice("tuning.governor", says, "sudo cpupower frequency-set -g performance", value)


def _turbo(root: Path) -> Finding:
    for place, on in SWITCHES:
        state = read_int(root / place)
        if state not in (0, 1):
            continue
        value = {"turbo": state == on}
        if state == on:
            return good("tuning.turbo", "on", value)
        return advice(
            "tuning.turbo", "off: cores stay at their nominal frequency", f"echo {on} | sudo tee /{place}", value
        )
    return unseen("tuning.turbo", HIDDEN)
