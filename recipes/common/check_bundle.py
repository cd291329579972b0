"""Stream a golden file through a bundle's network: ``python -m recipes.common.check_bundle BUNDLE GOLDEN``.

Says how far OpenVINO's log-probabilities lie from the golden ones, where those are above -10.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov
import yaml

Floats = npt.NDArray[np.float32]


def compile_step(bundle: Path, network: dict[str, Any], chunk: int) -> ov.CompiledModel:
    """Return the step for one stream at `chunk` feature frames, float32 arithmetic, one thread."""
    core = ov.Core()
    model = core.read_model(bundle / network["file"])
    shapes = {state["input"]: state["shape"] for state in network["states"]}
    shapes |= {counter["input"]: [1] for counter in network["counters"]}
    bins = model.input(network["input"]).partial_shape[2].get_length()
    shapes[network["input"]] = [1, chunk + network["look_ahead"], bins]
    model.reshape(shapes)
    return core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})


def stream(step: ov.CompiledModel, network: dict[str, Any], features: Floats, chunk: int) -> Floats:
    """Return the log-probabilities of `features` ([frames + look_ahead, bins]), shape [output frames, vocabulary]."""
    fed: dict[str, Any] = {
        state["input"]: np.full(state["shape"], state["initial"], np.float32) for state in network["states"]
    }
    results = []
    for start in range(0, len(features) - network["look_ahead"], chunk):
        fed[network["input"]] = features[None, start : start + chunk + network["look_ahead"]]
        fed |= {counter["input"]: np.array([start]) for counter in network["counters"]}
        outputs = step(fed)
        results.append(outputs[network["output"]][0].copy())
        for state in network["states"]:
            new = outputs[state["output"]].copy()
            if state["advance"] == "ring":
                window = state["shape"][state["axis"]]
                joined = np.concatenate([fed[state["input"]], new], state["axis"])
                new = np.take(
                    joined, range(joined.shape[state["axis"]] - window, joined.shape[state["axis"]]), state["axis"]
                )
            fed[state["input"]] = new
    return np.concatenate(results)


def main() -> None:
    """Print the largest difference for each chunk length."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("golden", type=Path)
    arguments = parser.parse_args()
    network = yaml.safe_load((arguments.bundle / "model.yaml").read_text("utf-8"))["network"]
    golden = np.load(arguments.golden)
    for chunk in network["chunks"]:
        expected = golden[f"log_probs_{chunk}"]
        step = compile_step(arguments.bundle, network, chunk)
        difference = np.abs(stream(step, network, golden[f"features_{chunk}"], chunk) - expected)[expected > -10]
        print(f"chunk {chunk}: largest difference {difference.max():.1e}")


if __name__ == "__main__":
    main()
