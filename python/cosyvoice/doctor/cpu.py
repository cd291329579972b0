"""The processor: what it is, how much of it this process may use, and which vectors the Front-End computes with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice.doctor import cgroup
from cosyvoice.doctor.files import parse_cpus, read_table, read_text, show_cpus
from cosyvoice.doctor.finding import Finding, advice, good, unseen

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice.doctor.core import Core
    from cosyvoice.doctor.settings import Settings

# What people ask for, and the kernel's names for it, any of which will do.
EXTENSIONS = {
    "avx2": {"avx2"},
    "avx512": {"avx512f"},
    "vnni": {"avx512_vnni", "avx_vnni"},
    "amx": {"amx_int8", "amx_bf16"},
}
HIDDEN = "not visible here (a virtual machine or a container may hide it)"


def look(root: Path, settings: Settings, core: Core) -> list[Finding]:
    """The findings of this subject."""
    facts = read_table(root / "proc/cpuinfo", ":")
    flags = set(facts.get("flags", "").split())
    return [
        _model(facts, flags),
        _cores(root, settings),
        _throttling(root),
        _flags(flags),
        _simd(settings, core),
        _workers(root, settings),
    ]


def _model(facts: dict[str, str], flags: set[str]) -> Finding:
    name = facts.get("model name")
    if name is None:
        return unseen("cpu.model", HIDDEN)
    where = ", in a virtual machine" if "hypervisor" in flags else ""
    return good("cpu.model", f"{name}{where}", {"name": name, "virtual": "hypervisor" in flags})


def usable_cores(root: Path, settings: Settings) -> float:
    """Cores' worth of time for the engine."""
    quota = cgroup.cpu_quota(root)
    cores = float(len(settings.cores))
    return cores if quota is None else min(cores, quota)


def _cores(root: Path, settings: Settings) -> Finding:
    if not settings.allowed:
        return unseen("cpu.cores", HIDDEN)
    online = parse_cpus(read_text(root / "sys/devices/system/cpu/online")) or settings.allowed
    quota = cgroup.cpu_quota(root)
    value = {"allowed": show_cpus(settings.allowed), "online": show_cpus(online), "quota": quota}
    says = f"{len(settings.allowed)} of {len(online)} usable ({show_cpus(settings.allowed)})"
    if quota is None or quota >= (settings.get("workers", 0) or len(settings.cores)):
        return good("cpu.cores", says, value)
    return advice(
        "cpu.cores",
        f"{says}, but the control group's quota is {quota:g}: more threads than that are stopped in mid-work",
        f"COSYVOICE_MACHINE_WORKERS={max(1, int(quota))}   # or machine.workers in the configuration",
        value,
    )


def _throttling(root: Path) -> Finding:
    counts = cgroup.throttled(root)
    if counts is None:
        return good("cpu.throttling", "no quota is counted for this process")
    stopped, periods = counts
    value = {"throttled": stopped, "periods": periods}
    if stopped == 0:
        return good("cpu.throttling", "the quota has never stopped this control group", value)
    return advice(
        "cpu.throttling",
        f"the quota stopped this control group in {stopped} of {periods} periods: each is a delay that all sessions see",
        "sudo systemctl set-property UNIT CPUQuota=   # of a container: docker update --cpus=N CONTAINER",
        value,
    )


def _flags(flags: set[str]) -> Finding:
    if not flags:
        return unseen("cpu.extensions", HIDDEN)
    found = {name: bool(flags & kernel) for name, kernel in EXTENSIONS.items()}
    has = ", ".join(name for name, there in found.items() if there) or "none"
    lacks = ", ".join(name for name, there in found.items() if not there) or "nothing"
    says = f"has {has}; lacks {lacks}"
    if found["avx2"]:
        return good("cpu.extensions", says, found)
    return advice("cpu.extensions", f"{says}. Without AVX2 a core carries far fewer sessions", None, found)


def _simd(settings: Settings, core: Core) -> Finding:
    if core.native is None:
        return unseen("cpu.simd", "the compiled core, which chooses, cannot be loaded")
    variants = core.native.simd_variants()
    asked = settings.get("simd", "auto")
    chosen = variants[-1] if asked == "auto" else asked
    value = {"chosen": chosen, "variants": variants, "asked": asked}
    if chosen == variants[-1]:
        return good("cpu.simd", f"{chosen}, the widest of {', '.join(variants)}", value)
    return advice(
        "cpu.simd",
        f"the configuration chooses {chosen}, where {variants[-1]} would do",
        "COSYVOICE_MACHINE_SIMD=auto   # or machine.simd: auto in the configuration",
        value,
    )


def _workers(root: Path, settings: Settings) -> Finding:
    usable = usable_cores(root, settings)
    workers = settings.get("workers", 0)
    if not settings.cores:
        return unseen("cpu.workers", HIDDEN)
    if workers == 0:
        return good("cpu.workers", f"one a core: {len(settings.cores)}", {"workers": len(settings.cores)})
    if workers <= usable:
        return good("cpu.workers", f"{workers}, for {usable:g} cores", {"workers": workers})
    return advice(
        "cpu.workers",
        f"{workers} on {usable:g} cores: they take turns, and each holds a compiled copy of the network",
        "COSYVOICE_MACHINE_WORKERS=0   # or machine.workers: 0 in the configuration",
        {"workers": workers},
    )
