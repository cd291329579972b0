"""Transparent huge pages: fewer misses where they are asked for, stalls where the kernel makes them by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice.doctor.files import chosen_word, read_text
from cosyvoice.doctor.finding import Finding, advice, good, unseen

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice.doctor.settings import Settings

PLACE = "sys/kernel/mm/transparent_hugepage"
NAME = "tuning.huge_pages"


def look(root: Path, settings: Settings) -> list[Finding]:
    """The findings of this subject."""
    return [_enabled(root, bool(settings.get("huge_pages", False))), _defrag(root)]


def _enabled(root: Path, wanted: bool) -> Finding:
    mode = chosen_word(read_text(root / PLACE / "enabled"))
    if mode is None:
        return unseen(NAME, "not visible here (the kernel may have none)")
    value = {"mode": mode, "configured": wanted}
    command = f"echo madvise | sudo tee /{PLACE}/enabled"
    if mode == "always":
        return advice(NAME, "always: idle sessions take whole large pages of memory", command, value)
    if mode == "never" and wanted:
        return advice(NAME, "never, but machine.huge_pages asks for them and gets none", command, value)
    used = "the engine asks for them" if wanted else "the engine asks for none (machine.huge_pages)"
    return good(NAME, f"{mode}; {used}", value)


def _defrag(root: Path) -> Finding:
    mode = chosen_word(read_text(root / PLACE / "defrag"))
    if mode is None:
        return unseen("tuning.defrag", "not visible here (the kernel may have none)")
    if mode == "always":
        return advice(
            "tuning.defrag",
            "always: a thread that touches new memory may wait while the kernel makes a large page",
            f"echo madvise | sudo tee /{PLACE}/defrag",
            mode,
        )
    return good("tuning.defrag", mode, mode)
