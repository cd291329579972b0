"""Speech by a voice of Piper: a small network, some six times cheaper than Kokoro, but one speaker.

A voice is ``NAME.onnx`` with ``NAME.onnx.json`` beside it. Phonemes come from Debian's ``espeak-ng``, in the accent that
the voice learnt. Playing the samples faster or slower than they were made moves pitch and formants together, as a
shorter or longer vocal tract would.
"""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from recipes.common.kokoro import phonemes


class PiperVoice:
    """One voice, its pace and vocal tract drawn anew for each sentence."""

    def __init__(self, model: Path, threads: int = 1) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        onnxruntime.set_seed(1)  # the network draws noise of its own: a run that goes on after a stop draws other noise
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        settings = json.loads(Path(f"{model}.json").read_text("utf-8"))
        self._symbols: dict[str, list[int]] = settings["phoneme_id_map"]
        self._accent: str = settings["espeak"]["voice"]
        self._rate: int = settings["audio"]["sample_rate"]
        self._noise: float = settings["inference"]["noise_scale"]
        self._duration_noise: float = settings["inference"]["noise_w"]
        self._name = model.name.removesuffix(".onnx")

    def read(self, text: str, rng: np.random.Generator) -> tuple[npt.NDArray[np.float32], float, str]:
        """Return the samples ([samples], full scale 1) of `text`, their rate and the name of the voice drawn."""
        stretch = float(rng.uniform(0.9, 1.15))  # of pitch and formants: above 1 a shorter vocal tract
        pace = float(rng.uniform(0.8, 1.2))
        (pause,), (start,), (end,) = (self._symbols[mark] for mark in "_^$")
        symbols = [start, pause]
        for phoneme in phonemes(text, self._accent):
            if phoneme in self._symbols:
                symbols += [*self._symbols[phoneme], pause]
        symbols.append(end)
        audio = self._session.run(
            None,
            {
                "input": np.array([symbols], np.int64),
                "input_lengths": np.array([len(symbols)], np.int64),
                "scales": np.array([self._noise, stretch * pace, self._duration_noise], np.float32),
            },
        )[0]
        name = f"piper_{self._name}_{stretch:.2f}"
        return np.asarray(audio, np.float32).reshape(-1), self._rate * stretch, name
