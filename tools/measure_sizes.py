#!/usr/bin/env python3
"""Measures what an installation takes: the wheel, the package, and everything with and without pruning.

    python tools/measure_sizes.py [WHEEL] [--json]

Installs the wheel (dist/*.whl unless another is named) with its dependencies, in the tested versions, into a directory
that is removed afterwards. Sizes are sums of the files' lengths, in MB of a million bytes, without compiled .pyc files.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


def megabytes(*paths: Path) -> float:
    """The files' lengths together."""
    files = (file for path in paths for file in (path.rglob("*") if path.is_dir() else [path]))
    return round(sum(file.lstat().st_size for file in files if file.is_file() and file.suffix != ".pyc") / 1e6, 1)


def install(wheel: Path, into: Path) -> None:
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile")
    lock = REPOSITORY / "requirements" / "run.txt"
    subprocess.run((*pip, "--target", into, "--constraint", lock, wheel), check=True)


def prune(site: Path, *options: str) -> None:
    program = REPOSITORY / "deploy" / "docker" / "prune_openvino.py"
    subprocess.run((sys.executable, program, site, *options), check=True, stdout=subprocess.DEVNULL)


def measure(wheel: Path) -> dict[str, float]:
    """Sizes by what is measured, in the order of the table."""
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch)
        install(wheel, site)
        package, openvino = site / "cosyvoice", site / "openvino"
        ours = (package, site / "cosyvoice_linux.libs")
        sizes = {
            "wheel": megabytes(wheel),
            "package installed": megabytes(*ours),
            "of it engine and its libraries": megabytes(*package.glob("_native*.so"), ours[1]),
            "of it library for C++": megabytes(package / "lib", package / "include", package / "cmake"),
            "of it network en": megabytes(package / "models" / "en"),
            "of it network en-lite": megabytes(package / "models" / "en-lite"),
            "of it recordings": megabytes(package / "audio"),
            "numpy": megabytes(site / "numpy", site / "numpy.libs"),
            "openvino": megabytes(openvino),
            "all with dependencies": megabytes(site),
        }
        prune(site)
        sizes |= {"openvino, pruned": megabytes(openvino), "all, pruned": megabytes(site)}
        prune(site, "--no-onnx")
        sizes |= {"openvino, pruned, no ONNX": megabytes(openvino), "all, pruned, no ONNX": megabytes(site)}
        native = next(package.glob("_native*.so"))
        sizes["engine, OpenVINO without ONNX and en alone"] = megabytes(
            native, ours[1], openvino, package / "models" / "en"
        )
        return sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path, nargs="?")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    arguments = parser.parse_args()
    wheels = [arguments.wheel] if arguments.wheel else sorted((REPOSITORY / "dist").glob("*.whl"))
    if len(wheels) != 1 or not wheels[0].is_file():
        sys.exit(f"measure_sizes: expected one wheel, found {[str(path) for path in wheels]}: make wheel, or name it")
    sizes = measure(wheels[0])
    if arguments.json:
        print(json.dumps({"wheel": wheels[0].name, "python": platform.python_version(), "megabytes": sizes}))
        return
    print("| what | MB |\n|---|---|")
    for what, size in sizes.items():
        print(f"| {what} | {size:.1f} |")


if __name__ == "__main__":
    main()
