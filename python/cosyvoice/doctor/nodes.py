"""Memory nodes and interrupts: what is near the engine's cores, and what disturbs them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cosyvoice.doctor.files import parse_cpus, read_text, show_cpus
from cosyvoice.doctor.finding import Finding, advice, good, unseen

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice.doctor.settings import Settings

SHOWN = 3


def look(root: Path, settings: Settings) -> list[Finding]:
    """The findings of this subject."""
    return [_nodes(root, settings), _interrupts(root, settings)]


def node_cores(root: Path) -> dict[int, frozenset[int]]:
    """The cores of each memory node that has any."""
    found = {}
    for place in (root / "sys/devices/system/node").glob("node[0-9]*"):
        number = place.name.removeprefix("node")
        cores = parse_cpus(read_text(place / "cpulist"))
        if number.isdecimal() and cores:
            found[int(number)] = cores
    return dict(sorted(found.items()))


def _nodes(root: Path, settings: Settings) -> Finding:
    nodes = node_cores(root)
    if not nodes or not settings.cores:
        return unseen("tuning.numa", "not visible here")
    value = {str(node): show_cpus(cores) for node, cores in nodes.items()}
    used = {node: cores & settings.cores for node, cores in nodes.items() if cores & settings.cores}
    if len(nodes) == 1:
        return good("tuning.numa", "one memory node", value)
    if len(used) <= 1:
        return good("tuning.numa", f"{len(nodes)} memory nodes, the engine's cores belong to one", value)
    best = max(used, key=lambda node: len(used[node]))
    return advice(
        "tuning.numa",
        f"the engine's cores belong to {len(used)} memory nodes: threads reach over to the other's memory",
        f"COSYVOICE_MACHINE_CPUS={show_cpus(used[best])} numactl --cpunodebind={best} --membind={best} cosyvoice …"
        "   # one engine for each node",
        value,
    )


def interrupts_on(root: Path, cores: frozenset[int]) -> list[tuple[int, str, int]]:
    """(count on these cores since the start, name, number) of each device's interrupt that may come there, most first."""
    header, *lines = (read_text(root / "proc/interrupts") or "").splitlines() or [""]
    columns = [int(word[3:]) for word in header.split() if re.fullmatch(r"CPU\d{1,6}", word, re.ASCII)]
    found = []
    for line in lines:
        number, mark, rest = line.strip().partition(":")
        words = rest.split()
        counts = words[: len(columns)]
        if not mark or not number.isdecimal() or len(counts) < len(columns) or not all(map(str.isdecimal, counts)):
            continue
        place = root / "proc/irq" / number
        allowed = parse_cpus(read_text(place / "effective_affinity_list") or read_text(place / "smp_affinity_list"))
        count = sum(int(n) for core, n in zip(columns, counts, strict=True) if core in cores)
        if allowed and allowed & cores and count:
            found.append((count, words[-1], int(number)))
    return sorted(found, reverse=True)


def _interrupts(root: Path, settings: Settings) -> Finding:
    online = parse_cpus(read_text(root / "sys/devices/system/cpu/online"))
    if not online or read_text(root / "proc/interrupts") is None:
        return unseen("tuning.interrupts", "not visible here")
    others = online - settings.cores
    if not settings.confined or not others:
        return good("tuning.interrupts", "they share the engine's cores, as no others are kept apart (machine.cpus)")
    found = interrupts_on(root, settings.cores)
    value = [{"number": number, "name": name, "count": count} for count, name, number in found]
    if not found:
        return good("tuning.interrupts", f"those of devices come to other cores ({show_cpus(others)})", value)
    named = ", ".join(f"{number} ({name})" for _, name, number in found[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return advice(
        "tuning.interrupts",
        f"those of devices come to the engine's cores: {named}{more}",
        f"echo {show_cpus(others)} | sudo tee /proc/irq/{found[0][2]}/smp_affinity_list",
        value,
    )
