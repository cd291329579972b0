"""The features of a manifest, written to be read: this file is their definition.

``y = scale * (log(max(mel, floor)) + offset)``, where `mel` is a bank of triangles over the spectrum of one windowed
frame. Every number comes from the manifest's ``features`` keys.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]


def hz_to_mel(hz: Floats, scale: str) -> Floats:
    """Return `hz` on the mel scale named: ``htk`` (logarithmic) or ``slaney`` (linear below 1 kHz)."""
    if scale == "htk":
        return np.asarray(1127.0 * np.log1p(hz / 700.0))
    return np.where(hz < 1000, 3 * hz / 200, 15 + np.log(np.maximum(hz, 1e-9) / 1000) * 27 / np.log(6.4))


def mel_to_hz(mel: Floats, scale: str) -> Floats:
    """Return the inverse of `hz_to_mel`."""
    if scale == "htk":
        return np.asarray(700.0 * np.expm1(mel / 1127.0))
    return np.where(mel < 15, 200 * mel / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))


def window(name: str, length: int) -> Floats:
    """Return the window named, shape [length]: hann is periodic, hamming and povey are symmetric."""
    turn = 2 * np.pi * np.arange(length)
    if name == "hann":
        return 0.5 - 0.5 * np.cos(turn / length)
    if name == "hamming":
        return 0.54 - 0.46 * np.cos(turn / (length - 1))
    return np.asarray((0.5 - 0.5 * np.cos(turn / (length - 1))) ** 0.85)


def mel_filters(features: Mapping[str, Any], stretch: float = 1.0) -> Floats:
    """Return the bank of triangles, shape [fft / 2 + 1, bins].

    `stretch` is 1 in every manifest; training uses others, which make vocal tracts longer or shorter.
    """
    mel = features["mel"]
    ends = hz_to_mel(np.array([mel["low_hz"], mel["high_hz"]], float), mel["scale"])
    corners = np.linspace(ends[0], ends[1], mel["bins"] + 2)
    hz = stretch * np.arange(features["fft"] // 2 + 1) * features["sample_rate"] / features["fft"]
    corners_hz = mel_to_hz(corners, mel["scale"])
    if mel["triangles"] == "hz":
        at, corners = hz, corners_hz
    else:
        at = hz_to_mel(hz, mel["scale"])
    left, centre, right = corners[:-2], corners[1:-1], corners[2:]
    rise = (at[:, None] - left) / (centre - left)
    fall = (right - at[:, None]) / (right - centre)
    filters: Floats = np.maximum(0, np.minimum(rise, fall))
    if mel["norm"] == "slaney":
        filters *= 2 / (corners_hz[2:] - corners_hz[:-2])
    return filters


def frame(samples: Floats, features: Mapping[str, Any]) -> Floats:
    """Return the frames that `samples` ([samples]) complete, shape [frames, window].

    With ``snip`` frame t starts at sample t·hop; with ``centred`` its middle is there, with zeros before sample 0.
    """
    width = features["window_ms"] * features["sample_rate"] // 1000
    hop = features["hop_ms"] * features["sample_rate"] // 1000
    if features["edges"] == "centred":
        samples = np.concatenate([np.zeros(width // 2), samples])
    if len(samples) < width:
        return np.zeros((0, width))
    frames: Floats = np.lib.stride_tricks.sliding_window_view(samples, width)[::hop]
    return frames


def log_mel(pcm: npt.NDArray[np.int16], features: Mapping[str, Any]) -> npt.NDArray[np.float32]:
    """Return the features of `pcm` ([samples] at the manifest's rate), shape [frames, bins · stack.frames]."""
    frames = frame(pcm * (features["input_scale"] / 32768), features)
    if features["remove_dc"]:
        frames = frames - frames.mean(1, keepdims=True)
    if features["pre_emphasis"]:
        before = np.concatenate([frames[:, :1], frames[:, :-1]], 1)
        frames = frames - features["pre_emphasis"] * before
    spectrum = np.abs(np.fft.rfft(frames * window(features["window"], frames.shape[1]), features["fft"]))
    if features["spectrum"] == "power":
        spectrum = spectrum**2
    log = {"ln": np.log, "log10": np.log10}[features["log"]]
    values = log(np.maximum(spectrum @ mel_filters(features), features["floor"]))
    values = features["scale"] * (values + features["offset"])
    size, stride = features["stack"]["frames"], features["stack"]["stride"]
    if size > 1 or stride > 1:
        last = len(values) - size + 1
        values = np.stack([values[t : t + size].ravel() for t in range(0, last, stride)])
    return np.asarray(values, np.float32)
