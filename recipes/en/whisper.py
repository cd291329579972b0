"""Whisper tiny.en from CTranslate2's file into the streaming encoder."""

import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from recipes.en.model import LAYERS, WhisperStream

_TYPES = ("<f4", "i1", "<i2", "<i4", "<f2")


def read_ctranslate2(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """Return the variables of a CTranslate2 model file by name.

    The file: u32 version (6), string, u32 revision, u32 count; then for each variable a string, u8 rank, u32
    dimensions, u8 type, u32 bytes, data. A string is a u16 length that counts its closing zero, then the bytes.
    """
    data, place = path.read_bytes(), 0

    def take(form: str) -> tuple[int, ...]:
        nonlocal place
        values = struct.unpack_from("<" + form, data, place)
        place += struct.calcsize("<" + form)
        return values

    def text() -> str:
        nonlocal place
        (length,) = take("H")
        place += length
        return data[place - length : place - 1].decode()

    (version,) = take("I")
    if version != 6:
        raise ValueError(f"{path}: CTranslate2 file version {version}, this reads 6")
    text()
    _, count = take("II")
    variables = {}
    for _ in range(count):
        name = text()
        (rank,) = take("B")
        shape = take(f"{rank}I")
        kind, size = take("BI")
        if kind < len(_TYPES):
            variables[name] = np.frombuffer(data, _TYPES[kind], size // np.dtype(_TYPES[kind]).itemsize, place)
            variables[name] = variables[name].reshape(shape).astype(np.float32)
        place += size
    return variables


def whisper_start(path: Path, vocabulary: int) -> WhisperStream:
    """Return a streaming encoder with Whisper's weights and an untrained head."""
    variables = read_ctranslate2(path)
    network = WhisperStream(vocabulary)
    names = {"conv1": "conv1", "conv2": "conv2", "norm": "layer_norm"}
    for i in range(LAYERS):
        there = {"attention_norm": "self_attention/layer_norm", "attention.qkv": "self_attention/linear_0"}
        there |= {"attention.out": "self_attention/linear_1", "ffn_norm": "ffn/layer_norm"}
        there |= {"up": "ffn/linear_0", "down": "ffn/linear_1"}
        names |= {f"layers.{i}.{ours}": f"layer_{i}/{theirs}" for ours, theirs in there.items()}
    weights = {"positions": torch.from_numpy(variables["encoder/position_encodings/encodings"])}
    for ours, theirs in names.items():
        kinds = {"weight": "gamma", "bias": "beta"} if theirs.endswith("norm") else {"weight": "weight", "bias": "bias"}
        for mine, other in kinds.items():
            weights[f"{ours}.{mine}"] = torch.from_numpy(variables[f"encoder/{theirs}/{other}"])
    missing, unexpected = network.load_state_dict(weights, strict=False)
    if unexpected or set(missing) != {"head.weight", "head.bias"}:
        raise ValueError(f"{path} does not hold Whisper tiny's encoder: missing {missing}, unexpected {unexpected}")
    return network
