"""Speech by Kokoro-82M in voices that nobody has: mixtures of its own, with accents of the phonemiser.

The folder of a :class:`KokoroVoices` holds ``model.onnx``, ``vocab.json`` (symbol to number) and ``voices/*.bin`` (float32,
510 x 256: the style for each number of symbols). Phonemes come from Debian's ``espeak-ng``.
"""

import json
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt

RATE = 24000
TIMBRE = 128  # the first numbers of a style; the others are its manner of speaking
MOST_SYMBOLS = 508

# The accents of the phonemiser, and how often each is drawn.
ACCENTS = {"en-us": 0.55, "en-gb": 0.2, "en-gb-scotland": 0.08, "en-029": 0.07, "en-gb-x-rp": 0.1}


def phonemes(text: str, accent: str) -> str:
    """The IPA of `text` in one line, its clauses with the marks that Kokoro knows."""
    command = ["espeak-ng", "-q", "--ipa=3", "-v", accent, "--", text]
    spoken = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    clauses = [" ".join(line.split()) for line in spoken.splitlines()]
    return ", ".join(clause for clause in clauses if clause) + ("?" if text.rstrip('"').endswith("?") else ".")


class KokoroVoices:
    """Kokoro with a new mixture of its voices for each sentence."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._vocabulary: dict[str, int] = json.loads((folder / "vocab.json").read_text("utf-8"))["vocab"]
        paths = sorted((folder / "voices").glob("*.bin"))
        self._names = [path.stem for path in paths]
        self._voices = np.stack([np.fromfile(path, "<f4").reshape(-1, 256) for path in paths])
        # English voices are drawn more often than those that speak it with an accent of their own.
        weights = np.array([3.0 if name[0] in "ab" else 1.0 for name in self._names])
        self._odds = weights / weights.sum()

    def _mixture(self, rng: np.random.Generator) -> tuple[npt.NDArray[np.float32], str]:
        """One to three voices, with weights of their own for timbre and manner."""
        count = int(rng.choice([1, 2, 3], p=[0.25, 0.5, 0.25]))
        chosen = rng.choice(len(self._names), count, replace=False, p=self._odds)
        style = np.empty(self._voices.shape[1:], np.float32)
        for half in (slice(None, TIMBRE), slice(TIMBRE, None)):
            style[:, half] = np.tensordot(rng.dirichlet(np.ones(count)), self._voices[chosen][:, :, half], 1)
        return style, "+".join(self._names[i] for i in sorted(chosen))

    def read(self, text: str, rng: np.random.Generator) -> tuple[npt.NDArray[np.float32], str]:
        """Return the samples ([samples], 24 kHz, full scale 1) of `text` and the name of the voice drawn."""
        style, name = self._mixture(rng)
        accent = str(rng.choice(list(ACCENTS), p=list(ACCENTS.values())))
        symbols = [self._vocabulary[c] for c in phonemes(text, accent) if c in self._vocabulary][:MOST_SYMBOLS]
        audio = self._session.run(
            None,
            {
                "tokens": np.array([[0, *symbols, 0]], np.int64),
                "style": style[len(symbols)][None],
                "speed": np.array([rng.uniform(0.8, 1.3)], np.float32),
            },
        )[0]
        return np.asarray(audio, np.float32).reshape(-1), f"kokoro_{accent}_{name}"
