"""A file of the repository that a tool makes: written, or with ``--check`` held against what would be written."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path


def write_or_check(path: Path, made: str, description: str | None) -> int:
    """Do what the command line asks for; the exit code."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, fail when the committed file differs")
    if not parser.parse_args().check:
        path.write_text(made, "utf-8")
        return 0
    committed = path.read_text("utf-8") if path.exists() else ""
    changes = difflib.unified_diff(committed.splitlines(), made.splitlines(), "committed", "made", lineterm="")
    difference = "\n".join(changes)
    if difference:
        print(
            difference,
            f"\n{path.name} is out of date: python tools/{Path(sys.argv[0]).name}",
            sep="\n",
            file=sys.stderr,
        )
    return 1 if difference else 0
