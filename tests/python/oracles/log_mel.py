"""The features of a manifest by their definition, one frame after the other, in double precision."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt


def _to_mel(hz: float, scale: str) -> float:
    if scale == "htk":
        return 2595.0 * math.log10(1.0 + hz / 700.0)
    return hz * 3.0 / 200.0 if hz < 1000.0 else 15.0 + 27.0 * math.log(hz / 1000.0) / math.log(6.4)


def _to_hz(mel: float, scale: str) -> float:
    if scale == "htk":
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    return mel * 200.0 / 3.0 if mel < 15.0 else 1000.0 * 6.4 ** ((mel - 15.0) / 27.0)


def _window(kind: str, size: int) -> npt.NDArray[np.float64]:
    values = []
    for n in range(size):
        if kind == "hann":
            values.append(0.5 - 0.5 * math.cos(2.0 * math.pi * n / size))
        elif kind == "hamming":
            values.append(0.54 - 0.46 * math.cos(2.0 * math.pi * n / (size - 1)))
        elif kind == "povey":
            values.append((0.5 - 0.5 * math.cos(2.0 * math.pi * n / (size - 1))) ** 0.85)
        else:
            raise ValueError(kind)
    return np.array(values)


def _filters(features: dict[str, Any]) -> npt.NDArray[np.float64]:
    """One row of weights over the spectrum's bins for each mel bin."""
    mel, size = features["mel"], features["fft"]
    low, high = (_to_mel(mel[key], mel["scale"]) for key in ("low_hz", "high_hz"))
    corners = [low + (high - low) * i / (mel["bins"] + 1) for i in range(mel["bins"] + 2)]
    corners_hz = [_to_hz(corner, mel["scale"]) for corner in corners]
    weights = np.zeros((mel["bins"], size // 2 + 1))
    for row in range(mel["bins"]):
        for bin_ in range(size // 2 + 1):
            hz = bin_ * features["sample_rate"] / size
            at = hz if mel["triangles"] == "hz" else _to_mel(hz, mel["scale"])
            left, centre, right = (corners_hz if mel["triangles"] == "hz" else corners)[row : row + 3]
            rising, falling = (at - left) / (centre - left), (right - at) / (right - centre)
            weights[row, bin_] = max(0.0, min(rising, falling))
        if mel["norm"] == "slaney":
            weights[row] *= 2.0 / (corners_hz[row + 2] - corners_hz[row])
    return weights


def log_mel(samples: npt.NDArray[np.floating[Any]], frames: int, features: dict[str, Any]) -> npt.NDArray[np.float64]:
    """The first ``frames`` feature rows of samples in [-1, 1) at the manifest's rate; zeros follow the last sample."""
    rate = features["sample_rate"]
    size, hop = features["window_ms"] * rate // 1000, features["hop_ms"] * rate // 1000
    window, filters = _window(features["window"], size), _filters(features)
    log = {"ln": math.log, "log10": math.log10}[features["log"]]
    stack = features["stack"]
    mel_frames = (frames - 1) * stack["stride"] + stack["frames"]
    before = size // 2 if features["edges"] == "centred" else 0
    padded = np.concatenate([np.zeros(before), samples.astype(np.float64), np.zeros(mel_frames * hop + size)])
    rows = []
    for t in range(mel_frames):
        frame = padded[t * hop : t * hop + size] * features["input_scale"]
        if features["remove_dc"]:
            frame = frame - frame.mean()
        if features["pre_emphasis"]:
            frame = frame - features["pre_emphasis"] * np.concatenate([frame[:1], frame[:-1]])
        spectrum = np.abs(np.fft.rfft(frame * window, features["fft"]))
        if features["spectrum"] == "power":
            spectrum = spectrum**2
        energies = filters @ spectrum
        rows.append([features["scale"] * (log(max(e, features["floor"])) + features["offset"]) for e in energies])
    mel_rows = np.array(rows)
    return np.stack([mel_rows[t * stack["stride"] :][: stack["frames"]].ravel() for t in range(frames)])
