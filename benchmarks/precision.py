"""Float32, INT8 and INT8 weights alone, in one run: python benchmarks/precision.py [MODEL …] (default: en en-lite)

One infer request on one thread, compiled as the engine compiles, full batches of the default chunk with states of noise. The
three take turns, so that other work on the machine meets them alike; times are processor time of this thread. Memory is what
a fresh process grew by. Prints a JSON object a line, with the processor's name. Needs the extra `export`.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosyvoice import _native
from cosyvoice.bundle.calibration import recordings, utterances
from cosyvoice.bundle.export import export_int8
from cosyvoice.embedded import resolve_model

if TYPE_CHECKING:
    import openvino

BATCH = 16
TURNS = 60
OPTIONS = {
    "NUM_STREAMS": "1",
    "INFERENCE_NUM_THREADS": "1",
    "INFERENCE_PRECISION_HINT": "f32",
    "EXECUTION_MODE_HINT": "ACCURACY",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
}


def rss_mb() -> float:
    resident = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return resident * 4096 / 1e6


def processor() -> str:
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    return found[1] if found else "unknown"


def request(file: str, facts: dict[str, Any]) -> openvino.InferRequest:
    """Open in batch and time, as the engine's, and bound to one full batch of the default chunk."""
    import openvino

    core = openvino.Core()
    model = core.read_model(file)
    rows, ahead = openvino.Dimension(1, BATCH), facts["look_ahead"]
    frames = openvino.Dimension(facts["chunks"][0] + ahead, facts["chunks"][-1] + ahead)
    dim = model.input(facts["input"]).partial_shape[2].get_length()
    shapes = {facts["input"]: openvino.PartialShape([rows, frames, dim])}
    shapes |= {name: openvino.PartialShape([rows]) for name in facts["counters"]}
    noise = np.random.default_rng(0)
    bound: dict[str, Any] = {
        facts["input"]: noise.normal(0, 0.5, (BATCH, facts["default_chunk"] + ahead, dim)).astype(np.float32)
    }
    bound |= {name: np.full(BATCH, 64 * facts["default_chunk"]) for name in facts["counters"]}
    for state in facts["states"]:
        axis = model.input(state["input"]).partial_shape
        at = next(i for i in range(len(axis)) if axis[i].is_dynamic)
        shapes[state["input"]] = openvino.PartialShape([rows if i == at else n for i, n in enumerate(state["shape"])])
        shape = [BATCH if i == at else n for i, n in enumerate(state["shape"])]
        bound[state["input"]] = noise.normal(0, 0.5, shape).astype(np.float16 if state["type"] == "f16" else np.float32)
    model.reshape(shapes)
    made = core.compile_model(model, "CPU", OPTIONS).create_infer_request()
    for name, array in bound.items():
        made.set_tensor(name, openvino.Tensor(array))
    made.infer()
    return made


def memory_mb(file: str, bundle: str) -> float:
    """Growth of a fresh process by one request, its tensors included."""
    done = subprocess.run(
        [sys.executable, __file__, "--memory-of", file, bundle], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def measure(model: str, folder: Path) -> dict[str, Any]:
    bundle = resolve_model(model)
    facts = _native.read_manifest(bundle)
    heard = utterances(recordings(None), facts)
    files = {"f32": facts["file"]}
    for name, weights_only in (("int8", False), ("int8 weights", True)):
        export_int8(bundle, folder / name, heard, weights_only=weights_only)
        files[name] = _native.read_manifest(str(folder / name))["int8_file"]
    requests = {name: request(file, facts) for name, file in files.items()}
    times: dict[str, list[float]] = {name: [] for name in files}
    for _ in range(TURNS):
        for name, one in requests.items():
            begin = time.thread_time()
            one.infer()
            times[name].append(time.thread_time() - begin)
    ms = {name: 1000 * statistics.median(found) for name, found in times.items()}
    return {
        "model": facts["name"],
        "chunk_ms": facts["default_chunk_ms"],
        "batch": BATCH,
        "cpu": processor(),
        "ms": {name: round(value, 2) for name, value in ms.items()},
        "steps_per_second": {name: round(1000 * BATCH / value) for name, value in ms.items()},
        "speed_of_f32": {name: round(ms["f32"] / value, 2) for name, value in ms.items()},
        "memory_mb": {name: round(memory_mb(file, bundle), 1) for name, file in files.items()},
    }


def main() -> None:
    if sys.argv[1:2] == ["--memory-of"]:
        file, bundle = sys.argv[2:]
        facts = _native.read_manifest(bundle)
        import openvino

        openvino.Core().available_devices  # noqa: B018 - loads the plugin, which is no part of the network
        before = rss_mb()
        kept = request(file, facts)
        print(rss_mb() - before)
        del kept
        return
    with tempfile.TemporaryDirectory() as scratch:
        for model in sys.argv[1:] or ["en", "en-lite"]:
            print(json.dumps(measure(model, Path(scratch) / Path(model).name)), flush=True)


if __name__ == "__main__":
    main()
