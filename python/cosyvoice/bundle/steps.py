"""A bundle's network streamed step by step in Python, with every input in view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt
    import openvino

Features = Any  # numpy.typing.NDArray[numpy.float32], [frames, dim]
Inputs = dict[str, Any]

_TYPES = {"f32": np.float32, "f16": np.float16}


class StepNetwork:
    """A network compiled for one stream; ``facts`` are those of ``_native.read_manifest``."""

    def __init__(self, model: openvino.Model, facts: Mapping[str, Any]) -> None:
        import openvino

        self._facts = facts
        shaped = model.clone()
        shapes: dict[str, list[int]] = {state["input"]: list(state["shape"]) for state in facts["states"]}
        shapes |= {counter: [1] for counter in facts["counters"]}
        dim = shaped.input(facts["input"]).partial_shape[2].get_length()
        shaped.reshape(shapes | {facts["input"]: [1, -1, dim]})
        options = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}
        self._compiled = openvino.Core().compile_model(shaped, "CPU", options)

    def run(self, features: Features, chunk: int) -> Iterator[tuple[Inputs, npt.NDArray[np.float32]]]:
        """The inputs of every step over one utterance's features, and the log-probabilities that came of them.

        Frames at the end that do not fill a chunk and the look-ahead are left out.
        """
        facts = self._facts
        states = {
            state["input"]: np.full(state["shape"], state["initial"], _TYPES[state["type"]])
            for state in facts["states"]
        }
        for start in self._starts(features, chunk):
            fed: Inputs = {facts["input"]: features[None, start : start + chunk + facts["look_ahead"]]}
            fed |= {counter: np.array([start]) for counter in facts["counters"]} | states
            outputs = self._compiled(fed)
            yield fed, outputs[facts["output"]][0].copy()
            for state in facts["states"]:
                states[state["input"]] = _advanced(states[state["input"]], outputs[state["output"]], state["ring_axis"])

    def steps(self, features: Features, chunk: int) -> int:
        """How many `run` will take."""
        return len(self._starts(features, chunk))

    def _starts(self, features: Features, chunk: int) -> range:
        return range(0, len(features) - chunk - self._facts["look_ahead"] + 1, chunk)


def _advanced(old: npt.NDArray[Any], new: npt.NDArray[Any], ring_axis: int | None) -> npt.NDArray[Any]:
    """A state after a step: its output, or the latest of what was kept and the output's new part."""
    if ring_axis is None:
        return new.copy()
    joined = np.concatenate([old, new], ring_axis)
    end = joined.shape[ring_axis]
    return np.take(joined, range(end - old.shape[ring_axis], end), ring_axis)


class Recorded:
    """The inputs of every step over some utterances at every chunk length; streamed anew each time they are asked for."""

    def __init__(self, network: StepNetwork, utterances: Sequence[Features], chunks: Sequence[int]) -> None:
        self._network = network
        self._utterances = utterances
        self._chunks = chunks

    def __iter__(self) -> Iterator[Inputs]:
        for chunk in self._chunks:
            for features in self._utterances:
                for fed, _ in self._network.run(features, chunk):
                    yield fed

    def __len__(self) -> int:
        return sum(self._network.steps(features, chunk) for chunk in self._chunks for features in self._utterances)
