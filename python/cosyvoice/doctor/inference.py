"""OpenVINO, which computes the networks: is it there, is it the right one, where does it come from."""

from __future__ import annotations

import re
from importlib import metadata
from typing import TYPE_CHECKING

from cosyvoice.doctor.files import read_text
from cosyvoice.doctor.finding import Finding, advice, good, problem, unseen

if TYPE_CHECKING:
    from pathlib import Path

    from cosyvoice.doctor.core import Core

NOT_LOADED = "the compiled core, which knows, cannot be loaded"


def wanted_version() -> str | None:
    """The version that the installed package asks for."""
    try:
        needs = metadata.requires("cosyvoice-linux") or []
    except metadata.PackageNotFoundError:
        return None
    pins = (re.match(r"openvino==([\w.]+)", need) for need in needs)
    return next((pin[1] for pin in pins if pin), None)


def installed_version() -> str | None:
    """The version of the openvino package that is installed."""
    try:
        return metadata.version("openvino")
    except metadata.PackageNotFoundError:
        return None


def look(root: Path, core: Core) -> list[Finding]:
    """The findings of this subject."""
    return [_core(core), _version(core, wanted_version(), installed_version()), _libraries(root), *_devices(core)]


def _core(core: Core) -> Finding:
    if core.native is not None:
        facts = core.native.build_facts()
        says = f"loaded: {facts['version']}, commit {facts['commit']}, {facts['compiler']}, {facts['build_type']}"
        return good("openvino.core", says, facts)
    return problem(
        "openvino.core",
        f"the compiled core cannot be loaded: {core.error}",
        "pip install --force-reinstall cosyvoice-linux",
        {"error": core.error},
    )


def _version(core: Core, wanted: str | None, installed: str | None) -> Finding:
    loaded = core.native.build_facts()["openvino_loaded"] if core.native is not None else None
    value = {"wanted": wanted, "installed": installed, "loaded": loaded}
    command = f"pip install openvino=={wanted}" if wanted else "pip install --force-reinstall cosyvoice-linux"
    if loaded is None and installed is None:
        return problem("openvino.version", f"OpenVINO {wanted or ''} is not installed", command, value)
    if installed is not None and wanted is not None and installed != wanted:
        return problem("openvino.version", f"{installed} is installed, but this package needs {wanted}", command, value)
    if loaded is not None and wanted is not None and loaded.split("-")[0] != wanted:
        return problem(
            "openvino.version",
            f"{loaded} is loaded, but this package needs {wanted}: another copy comes first",
            "env -u LD_LIBRARY_PATH -u LD_PRELOAD cosyvoice doctor",
            value,
        )
    if wanted is None:
        return advice("openvino.version", f"{loaded or installed}; which is needed is not known here", command, value)
    return good("openvino.version", f"{loaded or installed}, as this package needs", value)


def _libraries(root: Path) -> Finding:
    maps = read_text(root / "proc/self/maps") or ""
    found = sorted(set(re.findall(r"^[^/\n]*(/\S.*/(?:libopenvino|libtbb)[^/\n]*\.so[^/\n]*)$", maps, re.MULTILINE)))
    if not found:
        return unseen("openvino.libraries", "none is loaded in this process")
    folders = sorted({path.rpartition("/")[0] for path in found})
    if len(folders) == 1:
        return good("openvino.libraries", f"from {folders[0]}", found)
    return advice(
        "openvino.libraries",
        f"from several places ({', '.join(folders)}), which may not fit together",
        "env -u LD_LIBRARY_PATH -u LD_PRELOAD cosyvoice doctor",
        found,
    )


def _devices(core: Core) -> list[Finding]:
    if core.native is None:
        return [unseen("openvino.devices", NOT_LOADED), unseen("openvino.precision", NOT_LOADED)]
    try:
        devices = core.native.inference_devices()
    except RuntimeError as error:
        devices, fault = [], f": {error}"
    else:
        fault = ""
    if any(device["name"] == "CPU" for device in devices):
        names = ", ".join(f"{device['name']} ({device['full_name']})" for device in devices)
        device = good("openvino.devices", f"{names}; networks run on the CPU", devices)
    else:
        device = problem(
            "openvino.devices",
            f"OpenVINO finds no CPU device{fault}",
            "pip install --force-reinstall openvino",
            devices,
        )
    precision = core.native.inference_precision()
    why = (
        "set by name: left alone, OpenVINO takes bfloat16 where the processor has it, and words would differ by machine"
    )
    return [device, good("openvino.precision", f"{precision}, {why}", precision)]
