"""Write python/cosyvoice/_native.pyi from the compiled module; with --check, compare instead.

python tools/make_stubs.py [--check]
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

from cosyvoice import _native

STUB = Path(__file__).resolve().parent.parent / "python" / "cosyvoice" / "_native.pyi"
HEADER = "# Made by tools/make_stubs.py from the compiled module; do not edit.\n"


def generate() -> str:
    """The stub's text."""
    generator = StubGen(module=_native, include_docstrings=True, quiet=True)
    generator.put(_native)
    return HEADER + generator.get()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail when the committed stub differs")
    arguments = parser.parse_args()
    made = generate()
    if not arguments.check:
        STUB.write_text(made, "utf-8")
        return 0
    committed = STUB.read_text("utf-8") if STUB.exists() else ""
    changes = difflib.unified_diff(committed.splitlines(), made.splitlines(), "committed", "compiled", lineterm="")
    difference = "\n".join(changes)
    if difference:
        print(difference, "\nthe stub is out of date: python tools/make_stubs.py", sep="\n", file=sys.stderr)
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
