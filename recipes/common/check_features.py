"""Compare `log_mel` with public front-ends: ``python -m recipes.common.check_features``.

Whisper's features come from faster-whisper, Kaldi's from kaldi-native-fbank.
"""

import kaldi_native_fbank
import numpy as np
import numpy.typing as npt
from faster_whisper.feature_extractor import FeatureExtractor

from recipes.common.features import log_mel

BASE = {
    "sample_rate": 16000,
    "window_ms": 25,
    "hop_ms": 10,
    "fft": 512,
    "spectrum": "power",
    "scale": 1.0,
    "offset": 0.0,
    "stack": {"frames": 1, "stride": 1},
}
MEL = {"bins": 80, "low_hz": 0, "high_hz": 8000}
WHISPER = BASE | {"fft": 400, "window": "hann", "pre_emphasis": 0, "remove_dc": False, "input_scale": 1, "log": "log10"}
WHISPER |= {"mel": MEL | {"scale": "slaney", "triangles": "hz", "norm": "slaney"}, "floor": 1e-10, "edges": "centred"}
KALDI = BASE | {"window": "povey", "pre_emphasis": 0.97, "remove_dc": True, "input_scale": 32768, "log": "ln"}
KALDI |= {"mel": MEL | {"scale": "htk", "triangles": "mel", "norm": "none", "low_hz": 20}, "floor": 1.1920929e-07}
KALDI |= {"edges": "snip"}


def whisper(pcm: npt.NDArray[np.int16]) -> tuple[float, float]:
    """Return the largest difference from Whisper's features, and from the 512-point form that ``en`` uses."""
    theirs = FeatureExtractor()(pcm.astype(np.float32) / 32768).T
    ours = log_mel(pcm, WHISPER)
    inner = slice(2, len(ours) - 2)  # Whisper mirrors the ends, the engine pads with zeros
    clipped = (np.maximum(ours, ours.max() - 8) + 4) / 4
    longer = log_mel(pcm, WHISPER | {"fft": 512, "offset": -np.log10(1.28)})
    longer = (np.maximum(longer, ours.max() - 8) + 4) / 4
    there = theirs[: len(ours)][inner]
    return float(np.abs(clipped[inner] - there).max()), float(np.abs(longer[inner] - there).mean())


def kaldi(pcm: npt.NDArray[np.int16]) -> float:
    """Return the largest difference from Kaldi's filter bank."""
    options = kaldi_native_fbank.FbankOptions()
    options.frame_opts.dither = 0
    options.mel_opts.num_bins = 80
    options.mel_opts.low_freq, options.mel_opts.high_freq = 20, 8000
    bank = kaldi_native_fbank.OnlineFbank(options)
    bank.accept_waveform(16000, pcm.astype(np.float32).tolist())
    theirs = np.stack([bank.get_frame(i) for i in range(bank.num_frames_ready)])
    return float(np.abs(log_mel(pcm, KALDI) - theirs).max())


def main() -> None:
    """Print the differences on noise under a slow envelope."""
    rng = np.random.default_rng(0)
    pcm = (6000 * rng.standard_normal(48000) * np.sin(np.arange(48000) / 5000) ** 2).astype(np.int16)
    exact, longer = whisper(pcm)
    print(f"whisper: largest difference {exact:.1e}; through 512 points, mean difference {longer:.3f}")
    print(f"kaldi: largest difference {kaldi(pcm):.1e}")


if __name__ == "__main__":
    main()
