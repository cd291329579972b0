"""Load the compiled module, with OpenVINO's libraries made known to the dynamic linker first.

A normal installation needs nothing of this: the compiled module finds ``../openvino/libs`` beside its own package. Where
the two packages lie in different places (user site, several ``sys.path`` entries) the library is loaded by its path.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def _openvino_libs() -> Path:
    # find_spec does not import openvino, which would take longer than everything else here.
    spec = importlib.util.find_spec("openvino")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("cosyvoice needs openvino, which is not installed: pip install cosyvoice-linux")
    return Path(spec.submodule_search_locations[0]) / "libs"


def preload_openvino() -> None:
    """Load ``libopenvino`` by path unless it lies where the compiled module looks for it."""
    libs = _openvino_libs()
    native = importlib.util.find_spec("cosyvoice._native")
    if native is not None and native.origin is not None:
        beside = Path(native.origin).parent.parent / "openvino" / "libs"
        if beside.is_dir() and libs.is_dir() and beside.samefile(libs):
            return
    found = sorted(libs.glob("libopenvino.so*"))
    if not found:
        raise ImportError(f"{libs} holds no libopenvino.so: reinstall openvino")
    ctypes.CDLL(str(found[0]), mode=ctypes.RTLD_GLOBAL)


def load_native() -> ModuleType:
    """The compiled module, told where the embedded bundles lie: an editable installation keeps the two apart."""
    preload_openvino()
    native = importlib.import_module("cosyvoice._native")
    native.set_embedded_bundles(str(Path(__file__).resolve().parent / "models"))
    return native
