"""A bundle with an INT8 network beside the one that it has."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosyvoice import _native
from cosyvoice.bundle.calibration import NoAudio
from cosyvoice.bundle.quantise import load_nncf, quantised, weights_quantised
from cosyvoice.bundle.steps import Recorded, StepNetwork
from cosyvoice.errors import InvalidModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import openvino

    from cosyvoice.bundle.steps import Features

INT8_FILE = "acoustic.int8.xml"


@dataclass(frozen=True, slots=True)
class Int8Report:
    """What came of it. ``differing_frames`` is the share of output frames whose likeliest piece is another one now."""

    path: str
    float_bytes: int
    int8_bytes: int
    frames: int
    differing_frames: float


def export_int8(bundle: str, folder: Path, utterances: Sequence[Features], *, weights_only: bool) -> Int8Report:
    """Write to ``folder`` the files of ``bundle`` and its network in INT8, calibrated by the features of ``utterances``.

    Raises
    ------
    InvalidModel, ModelNotFound
        As an engine would.
    FileExistsError
        When ``folder`` is there and not empty.
    """
    facts = _native.read_manifest(bundle)
    if folder.is_dir() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty; name a new folder")
    load_nncf()
    import openvino

    core = openvino.Core()
    core.set_property({"ENABLE_MMAP": False})
    model = core.read_model(facts["file"])
    network = StepNetwork(model, facts)
    steps = Recorded(network, utterances, facts["chunks"])
    if len(steps) == 0:
        raise NoAudio("the recordings are shorter than one chunk; calibrate with longer ones")
    small = weights_quantised(model) if weights_only else quantised(model, facts["output"], steps)
    frames, differing = _compare(network, StepNetwork(small, facts), utterances, facts["default_chunk"])
    written = _write(facts, folder, small)
    return Int8Report(str(folder), network_bytes(facts["file"]), network_bytes(written["int8_file"]), frames, differing)


def _compare(one: StepNetwork, other: StepNetwork, utterances: Sequence[Features], chunk: int) -> tuple[int, float]:
    frames = differing = 0
    for features in utterances:
        for (_, ours), (_, theirs) in zip(one.run(features, chunk), other.run(features, chunk), strict=True):
            frames += len(ours)
            differing += int(np.count_nonzero(ours.argmax(-1) != theirs.argmax(-1)))
    return frames, differing / frames if frames else 0.0


def network_bytes(xml: str) -> int:
    """The size of a network's file and, beside an .xml, of its weights."""
    path = Path(xml)
    return sum(file.stat().st_size for file in {path, path.with_suffix(".bin")} if file.exists())


def _write(facts: Mapping[str, Any], folder: Path, small: openvino.Model) -> dict[str, Any]:
    """All of the new bundle or, on an error, none; returns the facts of what was written."""
    import openvino

    source = Path(facts["path"])
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".cosyvoice-") as scratch:
        new = Path(scratch) / "bundle"
        shutil.copytree(source, new)
        openvino.save_model(small, new / INT8_FILE, compress_to_fp16=True)
        (new / INT8_FILE).write_bytes(re.sub(rb">\s+<", b"><", (new / INT8_FILE).read_bytes()))  # without indents
        files = [INT8_FILE, str(Path(INT8_FILE).with_suffix(".bin"))]
        digests = {file: hashlib.sha256((new / file).read_bytes()).hexdigest() for file in files}
        text = (source / "model.yaml").read_text("utf-8")
        (new / "model.yaml").write_text(with_int8(text, digests), "utf-8")
        _native.read_manifest(str(new))  # refuses what an engine would refuse
        if folder.exists():
            folder.rmdir()
        new.rename(folder)
    return _native.read_manifest(str(folder))


def with_int8(manifest: str, digests: Mapping[str, str]) -> str:
    """A manifest's text that names the INT8 network too; what it said of another one is replaced."""
    names = "|".join(map(re.escape, digests))
    text = re.sub(rf"^ +(int8_file:|['\"]?(?:{names})['\"]?:).*\n", "", manifest, flags=re.MULTILINE)
    text, in_network = re.subn(
        r"^(network:[ \t]*\n(?:[ \t].*\n)*?( +)file:.*\n)", rf"\1\2int8_file: {INT8_FILE}\n", text, flags=re.MULTILINE
    )
    lines = "".join(f"\\2{name}: {digest}\n" for name, digest in digests.items())
    text, in_files = re.subn(r"^(files:[ \t]*\n)(?=( +))", rf"\1{lines}", text, flags=re.MULTILINE)
    if (in_network, in_files) != (1, 1):
        raise InvalidModel(
            "the bundle's model.yaml writes network or files in braces; write their keys one a line, and export again"
        )
    return text
