"""Check that library code never prints, exits or aborts: it throws, reports an event, or calls the log callback.

The command line (python/cosyvoice/cli) is the one place that talks to a terminal.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPP = re.compile(
    r"\b(?:std::)?(?:printf|fprintf|puts|putchar|cout|cerr|clog|exit|_exit|quick_exit|abort|terminate|perror)\b"
)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
PYTHON_CALLS = {"print", "exit", "quit", "breakpoint"}
PYTHON_METHODS = {("sys", "exit"), ("os", "_exit"), ("os", "abort")}


def cpp_faults(path: Path) -> list[str]:
    """Lines of a C++ file that speak to the terminal or end the process."""
    text = COMMENT_OR_STRING.sub(lambda found: "\n" * found.group().count("\n"), path.read_text("utf-8"))
    lines = enumerate(text.splitlines(), 1)
    return [
        f"{path.relative_to(ROOT)}:{number}: {found.group()}" for number, line in lines if (found := CPP.search(line))
    ]


def python_faults(path: Path) -> list[str]:
    """Calls in a Python file that speak to the terminal or end the process."""
    faults: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id in PYTHON_CALLS:
            faults.append(f"{path.relative_to(ROOT)}:{node.lineno}: {called.id}")
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            name = (called.value.id, called.attr)
            if name in PYTHON_METHODS:
                faults.append(f"{path.relative_to(ROOT)}:{node.lineno}: {'.'.join(name)}")
    return faults


def main() -> int:
    cpp = [path for top in ("src", "include") for path in (ROOT / top).rglob("*") if path.suffix in {".h", ".cc"}]
    package = ROOT / "python" / "cosyvoice"
    python = [path for path in package.rglob("*.py") if (package / "cli") not in path.parents]
    faults = [fault for path in sorted(cpp) for fault in cpp_faults(path)]
    faults += [fault for path in sorted(python) for fault in python_faults(path)]
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    return 1 if faults or not cpp or not python else 0


if __name__ == "__main__":
    sys.exit(main())
