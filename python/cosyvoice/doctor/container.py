"""Is this a container? There the kernel's settings are the host's, and limits come from whoever started it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cosyvoice.doctor.files import read_text
from cosyvoice.doctor.finding import Finding, good

if TYPE_CHECKING:
    from pathlib import Path

MARKS = {".dockerenv": "docker", "run/.containerenv": "podman"}
IN_PATHS = re.compile(r"/(kubepods|docker|libpod|lxc|containerd)\b")


def kind(root: Path) -> str | None:
    """What the container is, as far as its marks say; None outside of one."""
    if (root / "var/run/secrets/kubernetes.io").is_dir():
        return "kubernetes"
    if named := read_text(root / "run/systemd/container"):
        return named
    for mark, name in MARKS.items():
        if (root / mark).exists():
            return name
    found = IN_PATHS.search(read_text(root / "proc/1/cgroup") or "")
    return found[1] if found else None


def look(root: Path) -> list[Finding]:
    """The findings of this subject."""
    found = kind(root)
    if found is None:
        return [good("machine.container", "none seen", {"kind": None})]
    says = f"{found}: settings of the kernel are the host's, and are set there"
    return [good("machine.container", says, {"kind": found})]
