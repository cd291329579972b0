"""Check that includes go one way: runtime ← bundle ← lm, config ← frontend, core, backend ← engine ← c_api, bench, python.

The tree is the data flow. Stages meet in the plain structs of types/ alone, public headers know nothing of the inside, and a
third-party header is included only where a .cc hides it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = "cosyvoice"
ALLOWED: dict[str, set[str]] = {
    "runtime": {PUBLIC},
    "types": {PUBLIC},
    "bundle": {PUBLIC, "runtime"},
    "lm": {PUBLIC, "runtime", "bundle"},
    "config": {PUBLIC, "runtime", "bundle"},
    "frontend": {PUBLIC, "runtime", "types", "bundle"},
    "core": {PUBLIC, "runtime", "types", "bundle"},
    "backend": {PUBLIC, "runtime", "types", "bundle", "lm"},
    "engine": {PUBLIC, "runtime", "types", "bundle", "lm", "config", "frontend", "core", "backend"},
    "c_api": {PUBLIC, "bundle", "config"},
    "bench": {PUBLIC},
    "python": {PUBLIC, "runtime", "types", "bundle", "lm", "config", "frontend", "core", "backend", "engine", "bench"},
}
C_HEADERS = {"stddef.h", "stdint.h"}
THIRD_PARTY = ("openvino", "yaml-cpp", "sodium", "tbb")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def faults_of(path: Path) -> list[str]:
    """What one file of src/ includes and may not."""
    folder = path.relative_to(ROOT / "src").parts[0]
    faults: list[str] = []
    for mark, name in INCLUDE.findall(path.read_text("utf-8")):
        target = name.split("/")[0]
        if mark == "<":
            if path.suffix == ".h" and target.removesuffix(".h") in THIRD_PARTY:
                faults.append(f"{path.relative_to(ROOT)}: <{name}> belongs in a .cc, so that nobody else depends on it")
            continue
        if target not in ALLOWED and target != PUBLIC:
            faults.append(f'{path.relative_to(ROOT)}: "{name}" is not below a folder of src/ or include/')
        elif target != folder and target not in ALLOWED[folder]:
            faults.append(f'{path.relative_to(ROOT)}: {folder}/ must not include "{name}"')
    return faults


def public_faults(path: Path) -> list[str]:
    """Public headers include the standard library and each other."""
    includes = INCLUDE.findall(path.read_text("utf-8"))
    inside = [name for mark, name in includes if mark == '"' and not name.startswith(f"{PUBLIC}/")]
    foreign = [
        name for mark, name in includes if mark == "<" and ("/" in name or "." in name) and name not in C_HEADERS
    ]
    return [f"{path.relative_to(ROOT)}: a public header must not include {name}" for name in inside + foreign]


def main() -> int:
    sources = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in {".h", ".cc"})
    faults = [fault for path in sources for fault in faults_of(path)]
    faults += [fault for path in sorted((ROOT / "include").rglob("*.h")) for fault in public_faults(path)]
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    return 1 if faults or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
