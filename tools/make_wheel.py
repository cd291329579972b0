#!/usr/bin/env python3
"""Builds the wheel as it is given to others.

    python tools/make_wheel.py [DIRECTORY]      dist, unless another is named

pip compiles in build/py, where `make install` compiled before, so only what changed is built again. auditwheel copies
the small libraries into the wheel, leaves OpenVINO's to the openvino wheel, and writes the platform tag that the used
symbols of libc and libstdc++ ask for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from auditwheel.wheeltools import InWheel

REPOSITORY = Path(__file__).resolve().parents[1]
PATCHELF = Path(sys.executable).parent / "patchelf"
FROM_OPENVINO = ("libopenvino*.so*", "libtbb*.so*")


def run(*command: str | Path) -> None:
    # auditwheel looks for patchelf on the PATH, and it lies beside this Python.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, cwd=REPOSITORY, env={**os.environ, "PATH": path}, check=False)
    if done.returncode:
        sys.exit(f"make_wheel: this failed: {' '.join(map(str, command))}")


def build(into: Path) -> Path:
    """What pip makes of the sources: fit for this machine alone."""
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check")
    run(*pip, "--no-build-isolation", "--no-deps", "--wheel-dir", into, REPOSITORY)
    (wheel,) = into.glob("*.whl")
    return wheel


def repair(wheel: Path, into: Path) -> Path:
    """The same with its libraries inside and a platform tag that is true."""
    excluded = [argument for pattern in FROM_OPENVINO for argument in ("--exclude", pattern)]
    run(sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", *excluded, "--wheel-dir", into, wheel)
    (repaired,) = into.glob("*.whl")
    return repaired


def use_runpath(wheel: Path, result: Path) -> None:
    """Turn auditwheel's RPATH into RUNPATH, which LD_LIBRARY_PATH can overrule."""
    with InWheel(wheel, result) as root:
        for library in (*root.glob("cosyvoice/_native*.so"), *root.glob("cosyvoice/lib/*.so")):
            found = subprocess.run([PATCHELF, "--print-rpath", library], capture_output=True, text=True, check=True)
            run(PATCHELF, "--set-rpath", found.stdout.strip(), library)


def main() -> None:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else REPOSITORY / "dist").resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        built, repaired = Path(scratch, "built"), Path(scratch, "repaired")
        wheel = repair(build(built), repaired)
        use_runpath(wheel, out / wheel.name)
    print(out / wheel.name)


if __name__ == "__main__":
    main()
