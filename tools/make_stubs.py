"""Write python/cosyvoice/_native.pyi from the compiled module; with --check, compare instead.

python tools/make_stubs.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

from made_file import write_or_check
from nanobind.stubgen import StubGen

from cosyvoice import _native

STUB = Path(__file__).resolve().parent.parent / "python" / "cosyvoice" / "_native.pyi"
HEADER = "# Made by tools/make_stubs.py from the compiled module; do not edit.\n"


def generate() -> str:
    """The stub's text."""
    generator = StubGen(module=_native, include_docstrings=True, quiet=True)
    generator.put(_native)
    return HEADER + generator.get()


if __name__ == "__main__":
    sys.exit(write_or_check(STUB, generate(), __doc__))
