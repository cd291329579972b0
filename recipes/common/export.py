"""From a network and a manifest's text to a bundle on disk."""

import argparse
import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import openvino as ov
import torch
import yaml

from recipes.common.network import Network, Step, as_stored
from recipes.common.tokens import Tokens

LM_FILE = "lm.bin"


class _Line(dict[str, Any]):
    """A mapping that the manifest shows on one line."""


def _all_plain(items: list[Any]) -> bool:
    return not any(isinstance(item, dict | list) for item in items)


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Writes mappings in the order given, `_Line` and lists of numbers on one line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)


_Dumper.add_representer(_Line, lambda to, data: to.represent_mapping("tag:yaml.org,2002:map", data, flow_style=True))
_Dumper.add_representer(list, lambda to, data: to.represent_sequence("tag:yaml.org,2002:seq", data, _all_plain(data)))


def manifest_states(network: Network) -> list[dict[str, Any]]:
    """Return the ``network.states`` of the manifest."""
    lines: list[dict[str, Any]] = []
    for state in network.states():
        output = f"{state.name}_{'next' if state.ring_axis is None else 'new'}"
        line = _Line(input=state.name, output=output, shape=list(state.shape), batch_axis=0, type="f32", initial=0.0)
        advance = {"advance": "replace"} if state.ring_axis is None else {"advance": "ring", "axis": state.ring_axis}
        lines.append(_Line(line | advance))
    return lines


def convert(network: Network, manifest: Mapping[str, Any]) -> ov.Model:
    """Return the step as an OpenVINO model whose batch and time dimensions are open and whose tensors bear names."""
    described = manifest["network"]
    bins = manifest["features"]["mel"]["bins"] * manifest["features"]["stack"]["frames"]
    frames = described["default_chunk"] + network.look_ahead
    inputs: dict[str, tuple[int, ...]] = {described["input"]: (2, frames, bins)}
    inputs |= {counter["input"]: (2,) for counter in described["counters"]}
    inputs |= {state.name: (2, *state.shape[1:]) for state in network.states()}
    counters = [counter["input"] for counter in described["counters"]]
    types = [torch.int64 if name in counters else torch.float32 for name in inputs]
    example = tuple(torch.zeros(shape, dtype=type_) for shape, type_ in zip(inputs.values(), types, strict=True))
    open_shapes = [ov.PartialShape([-1, *shape[1:]]) for shape in inputs.values()]
    open_shapes[0] = ov.PartialShape([-1, -1, bins])
    model = ov.convert_model(Step(network), example_input=example, input=open_shapes)
    outputs = [described["output"], *(line["output"] for line in manifest_states(network))]
    for port, name in [*zip(model.inputs, inputs, strict=True), *zip(model.outputs, outputs, strict=True)]:
        port.get_tensor().set_names({name})
        node = port.get_node() if port in model.inputs else port.get_node().input_value(0).get_node()
        node.set_friendly_name(name)
    return model


def write_bundle(folder: Path, network: Network, manifest: dict[str, Any], tokens: str, lm: Path | None = None) -> None:
    """Write a bundle to `folder`, `lm` being its language model; each file is complete before it takes its name."""
    folder.mkdir(parents=True, exist_ok=True)
    name = manifest["network"]["file"]
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        new = Path(scratch)
        ov.save_model(convert(as_stored(network), manifest), new / name, compress_to_fp16=True)
        (new / name).write_bytes(re.sub(rb">\s+<", b"><", (new / name).read_bytes()))  # indents are a seventh of it
        (new / "tokens.txt").write_text(tokens, "utf-8")
        files = [name, str(Path(name).with_suffix(".bin")), "tokens.txt"]
        search = manifest["search"]
        if lm is not None:
            shutil.copyfile(lm, new / LM_FILE)
            files.append(LM_FILE)
            search = search | {"lm": LM_FILE}
        states = {"states": manifest_states(network)}
        digests = {file: hashlib.sha256((new / file).read_bytes()).hexdigest() for file in files}
        whole = manifest | {"network": manifest["network"] | states, "search": search, "files": digests}
        text = yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=140)
        (new / "model.yaml").write_text(text, "utf-8")
        for file in [*files, "model.yaml"]:
            (new / file).replace(folder / file)


def add_int8(bundle: Path, kind: str, calibrate: Path | None) -> None:
    """Put the network in INT8 beside the one that `bundle` has, and say what it changes."""
    try:
        from cosyvoice import _native
        from cosyvoice.bundle.calibration import recordings, utterances
        from cosyvoice.bundle.export import export_int8
    except ImportError as error:
        raise SystemExit(f"--int8 needs this package beside the recipes ({error}): pip install '..[export]'") from None
    with tempfile.TemporaryDirectory(dir=bundle.parent) as scratch:
        heard = utterances(recordings(calibrate), _native.read_manifest(str(bundle)))
        report = export_int8(str(bundle), Path(scratch) / "bundle", heard, weights_only=kind == "weights")
        for file in (Path(scratch) / "bundle").iterdir():
            shutil.move(file, bundle / file.name)
    print(f"INT8: {report.int8_bytes / 1e6:.1f} MB, {100 * report.differing_frames:.2f} % of frames name another piece")


def main(description: str | None, manifest: Path, trained: Callable[[Path], Network]) -> None:
    """Serve the command line of a network's export; `trained` makes the network from a checkpoint."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--weights", type=Path, required=True, help="a checkpoint or an average of some")
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model")
    parser.add_argument("--bundle", type=Path, required=True, help="the folder to write")
    for key in ("name", "language", "notes"):
        parser.add_argument(f"--{key}", help="in place of the manifest's own")
    parser.add_argument("--version", type=int, help="which must rise for a swap")
    parser.add_argument("--lm", type=Path, help="a compiled language model that the bundle brings")
    parser.add_argument("--int8", choices=("full", "weights"), help="write the network in INT8 too; needs this package")
    parser.add_argument("--calibrate", type=Path, help="recordings or a manifest; without, the bundled recording")
    arguments = parser.parse_args()
    written = yaml.safe_load(manifest.read_text("utf-8"))
    given = {key: getattr(arguments, key) for key in ("name", "version", "language", "notes")}
    written |= {key: value for key, value in given.items() if value is not None}
    write_bundle(arguments.bundle, trained(arguments.weights), written, Tokens(arguments.tokens).lines(), arguments.lm)
    if arguments.int8:
        add_int8(arguments.bundle, arguments.int8, arguments.calibrate)
