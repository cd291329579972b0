"""Whisper by way of the package faster-whisper, which is an extra."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice.errors import InvalidArgument, ModelNotFound
from cosyvoice.second_pass.process import Heard

if TYPE_CHECKING:
    import numpy.typing as npt

    from cosyvoice.second_pass.process import Hear

# What faster-whisper would look for on the network.
FILES = ("config.json", "model.bin", "tokenizer.json")
# Models for English that answer in time on few cores, best first.
PREFERRED = ("base.en", "tiny.en", "base", "tiny")


def installed() -> bool:
    """The extra is there."""
    return find_spec("faster_whisper") is not None


def find_model() -> Path | None:
    """A model that is at hand: what ``COSYVOICE_WHISPER`` names, or one that faster-whisper has downloaded before."""
    named = os.environ.get("COSYVOICE_WHISPER")
    if named:
        return Path(named)
    if not installed():
        return None
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    hub = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub")
    for size in PREFERRED:
        for directory in sorted(hub.glob(f"models--Systran--faster-whisper-{size}/snapshots/*")):
            if all((directory / name).is_file() for name in FILES):
                return directory
    return None


def check(directory: Path) -> None:
    """Say what is missing, before anything is started."""
    if not installed():
        raise InvalidArgument(
            "second_pass needs the Python package faster-whisper: pip install 'cosyvoice-linux[whisper]'"
        )
    if not directory.is_dir():
        raise ModelNotFound(f"second_pass = '{directory}': no such directory; give that of a faster-whisper model")
    missing = [name for name in FILES if not (directory / name).is_file()]
    if missing:
        raise ModelNotFound(
            f"second_pass = '{directory}' holds no {', '.join(missing)}; give the directory of a faster-whisper model"
        )


def load(directory: Path, threads: int) -> Hear:
    """The model of a directory, for as many threads."""
    from faster_whisper import WhisperModel

    model = WhisperModel(str(directory), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True)

    def hear(samples: npt.NDArray[np.float32], language: str) -> Heard:
        # Greedy, once and without a memory of earlier utterances, so that the time it takes is bounded.
        segments, _ = model.transcribe(
            samples, language=language.split("-")[0] or None, beam_size=1, temperature=0.0,
            condition_on_previous_text=False, word_timestamps=True,
        )  # fmt: skip
        # Each word comes with the blank before it, where its language has blanks.
        words = [word for segment in segments for word in segment.words or () if word.word.strip()]
        return Heard(
            "".join(word.word for word in words).strip(),
            [(word.word.strip(), word.start, word.end, word.probability) for word in words],
        )

    hear(np.zeros(1600, np.float32), "en")  # the first call is slow, and nobody should wait for it
    return hear
