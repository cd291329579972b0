#!/usr/bin/env python3
"""Removes what CosyVoice does not use of an installed OpenVINO: for images, where size counts.

    python prune_openvino.py SITE_PACKAGES [--no-onnx]

The engine reads networks (.xml; .onnx unless --no-onnx) and computes on the CPU, from C++. So of the openvino package it
needs the library, the CPU plugin, the readers of these two formats and the thread pool. The rest are plugins for other
devices, readers of other formats, headers and Python's own way in: `import openvino` no longer works afterwards.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

NEEDED = (
    "libopenvino.so",
    "libopenvino_intel_cpu_plugin.so",
    "libopenvino_ir_frontend.so",
    "libtbb.so",
    "libtbbmalloc.so",
    "libtbbbind_2_5.so",  # the pool learns from these two which cores belong together
    "libhwloc.so",
)
ONNX = "libopenvino_onnx_frontend.so"


def size_of(directory: Path) -> int:
    return sum(path.lstat().st_size for path in directory.rglob("*") if path.is_file())


def prune(site: Path, *, onnx: bool) -> tuple[int, int]:
    """The sizes before and after, in bytes."""
    package = site / "openvino"
    libs = package / "libs"
    needed = (*NEEDED, *((ONNX,) if onnx else ()))
    missing = [name for name in needed if not any(libs.glob(f"{name}*"))]
    if missing:
        raise FileNotFoundError(f"{libs} lacks {', '.join(missing)}: is this a whole openvino of the pinned version?")
    before = size_of(package)
    kept = {path for name in needed for path in libs.glob(f"{name}*")}
    for path in libs.iterdir():
        if path not in kept:
            path.unlink()
    for path in package.iterdir():
        if path.is_dir() and not path.is_symlink():
            if path != libs:
                shutil.rmtree(path)
        elif path.name != "__init__.py":  # by which the package is found
            path.unlink()
    return before, size_of(package)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path, metavar="SITE_PACKAGES")
    parser.add_argument("--no-onnx", action="store_true", help="bundles with .onnx networks will not load")
    arguments = parser.parse_args()
    try:
        before, after = prune(arguments.site, onnx=not arguments.no_onnx)
    except OSError as error:
        sys.exit(f"prune_openvino: {error}")
    print(f"openvino: {before / 1e6:.0f} MB before, {after / 1e6:.0f} MB after")


if __name__ == "__main__":
    main()
