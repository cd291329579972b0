"""Silero's voice-activity network, for ``vad="silero"``: where it lies, and how it comes there.

The package ``silero-vad`` depends on torch, which nothing here needs. So its one file is taken out of the package, with its
licence (MIT), and checked.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from cosyvoice.errors import InvalidArgument, ModelNotFound

PACKAGE = "silero-vad==6.2.3"
MEMBER = "silero_vad/data/silero_vad_openvino_16k.onnx"
SHA256 = "7776b81ad1b0350c15d7f1555943b9232eb53e9ca5d989c6d0cea9ebc8664d87"
FILE = "silero_vad_16k.onnx"
LICENCE = "silero_vad_LICENSE.txt"


def default_folder() -> Path:
    """Where :func:`fetch` puts the file unless told otherwise: ``cosyvoice`` in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "cosyvoice"


def find() -> Path:
    """The file that was fetched, or that of an installed ``silero-vad``.

    Raises
    ------
    ModelNotFound
        Where there is neither.
    """
    places = [default_folder() / FILE]
    package = importlib.util.find_spec("silero_vad")  # found, not imported: that would want torch
    if package is not None and package.origin is not None:
        places.append(Path(package.origin).parent / "data" / Path(MEMBER).name)
    for place in places:
        if place.is_file():
            return place
    raise ModelNotFound(
        f"vad = silero, but there is no {places[0]}; run `cosyvoice model fetch-vad`, or name the file in vad_model"
    )


def fetch(folder: Path, wheel: Path | None = None) -> Path:
    """Write the network and its licence into a folder.

    Parameters
    ----------
    folder
        Made where it is missing.
    wheel
        A wheel of ``silero-vad`` that is at hand; None downloads one with pip.

    Raises
    ------
    InvalidArgument
        Where the wheel cannot be had or holds another network than the one that was tried.
    """
    with tempfile.TemporaryDirectory() as scratch:
        path = _download(Path(scratch)) if wheel is None else wheel
        network, licence = _taken_out(path)
    found = hashlib.sha256(network).hexdigest()
    if found != SHA256:
        raise InvalidArgument(
            f"{path.name}: {MEMBER} has the SHA-256 {found}, expected {SHA256}; take the wheel of {PACKAGE}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / LICENCE).write_bytes(licence)
    unfinished = folder / f".{FILE}.{os.getpid()}"
    unfinished.write_bytes(network)
    unfinished.replace(folder / FILE)
    return folder / FILE


def _download(scratch: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest"]
    run = subprocess.run([*command, str(scratch), PACKAGE], capture_output=True, text=True, check=False)
    wheels = sorted(scratch.glob("*.whl"))
    if run.returncode != 0 or not wheels:
        reason = (run.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise InvalidArgument(
            f"pip could not download {PACKAGE}: {reason}; download its wheel where you can, without dependencies, and "
            "pass it with --wheel"
        )
    return wheels[0]


def _taken_out(wheel: Path) -> tuple[bytes, bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            licence = next(name for name in archive.namelist() if name.endswith("/licenses/LICENSE"))
            return archive.read(MEMBER), archive.read(licence)
    except (OSError, KeyError, StopIteration, zipfile.BadZipFile) as fault:
        raise InvalidArgument(f"{wheel}: not a wheel of {PACKAGE}: {fault or 'it has no licence'}") from fault
