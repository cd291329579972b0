"""An INT8 network from a float one, by NNCF, which is an extra."""

from __future__ import annotations

import importlib
import io
import logging
import os
import sys
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

from cosyvoice.errors import InvalidModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized

    import openvino


class NoQuantiser(OSError):
    """NNCF is not installed; the message says what to install."""


def load_nncf() -> Any:
    """The module nncf."""
    os.environ.setdefault("NNCF_CI", "1")  # no telemetry
    try:
        nncf = importlib.import_module("nncf")
    except ImportError as error:
        raise NoQuantiser(
            f"the Python package nncf cannot be loaded ({error}): pip install 'cosyvoice-linux[export]'"
        ) from None
    nncf.set_log_level(logging.ERROR)
    return nncf


def quantised(model: openvino.Model, output: str, inputs: Sized) -> openvino.Model:
    """Weights and activations in INT8; ``inputs`` are those of real steps, states included, and may be iterated anew.

    A scale for each output channel of the weights, which are symmetric; one for each activation, by what ``inputs`` show.
    What `in_float` names stays as it is.
    """
    nncf = load_nncf()
    advanced = nncf.AdvancedQuantizationParameters(
        # Moves outliers of activations into the weights; it made `en` worse (docs/decisions/015-precision.md).
        smooth_quant_alphas=nncf.AdvancedSmoothQuantParameters(matmul=-1, convolution=-1)
    )
    with _progress_aside():
        result: openvino.Model = nncf.quantize(
            model,
            nncf.Dataset(inputs),
            subset_size=len(inputs),
            model_type=nncf.ModelType.TRANSFORMER,
            ignored_scope=nncf.IgnoredScope(names=in_float(model, output)),
            advanced_parameters=advanced,
        )
    return result


def weights_quantised(model: openvino.Model) -> openvino.Model:
    """Weights alone in INT8, a scale for each output channel; they become floats again while the network computes."""
    nncf = load_nncf()
    with _progress_aside():
        result: openvino.Model = nncf.compress_weights(model, mode=nncf.CompressWeightsMode.INT8_SYM)
    return result


@contextmanager
def _progress_aside() -> Iterator[None]:
    """NNCF draws its progress where results belong; it may do so where a person looks on, and elsewhere not at all."""
    with redirect_stdout(sys.stderr if sys.stderr.isatty() else io.StringIO()):
        yield


def in_float(model: openvino.Model, output: str) -> list[str]:
    """Operations that INT8 activations would harm most for what they cost.

    The convolutions, which see raw features; the layer that gives ``output``; attention, and the layer that reads it, whose
    inputs have rare large values that one scale does not fit.
    """
    names = []
    for node in model.get_ordered_ops():
        if node.get_type_name() in ("Convolution", "GroupConvolution", "ScaledDotProductAttention"):
            names.append(node.get_friendly_name())
        if node.get_type_name() == "ScaledDotProductAttention":
            names += [reader.get_friendly_name() for reader in _readers(node)]
    names.append(_last_layer(model.output(output).get_node()).get_friendly_name())
    return list(dict.fromkeys(names))


def _readers(node: openvino.Node) -> Iterator[openvino.Node]:
    """The matrix products that a result reaches first."""
    waiting = [node]
    while waiting:
        for reader in waiting.pop().output(0).get_target_inputs():
            following = reader.get_node()
            if following.get_type_name() == "MatMul":
                yield following
            elif following.get_output_size() == 1:
                waiting.append(following)


def _last_layer(node: openvino.Node) -> openvino.Node:
    """The matrix product nearest before a result."""
    while node.get_type_name() not in ("MatMul", "Convolution"):
        if node.get_input_size() == 0:
            raise InvalidModel(
                "no matrix product leads to the network's output; this network cannot be exported in INT8"
            )
        node = node.input_value(0).get_node()
    return node
