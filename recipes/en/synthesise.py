"""Read sentences aloud in made-up voices: ``python -m recipes.en.synthesise --help``.

Hibari's network predicts pitch and spectral envelopes for each frame. Scaling the pitch and stretching the envelopes
along frequency before its signal processing turns the one voice of the wheel into many; phonemes of British English
turn it into others. Flite adds four voices of other makes, Kokoro mixtures of its 54, Piper one that is stretched.
"""

import argparse
import heapq
import subprocess
import tempfile
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from recipes.common import kokoro
from recipes.common.kokoro import KokoroVoices
from recipes.common.piper import PiperVoice
from recipes.common.pool import SAMPLE_RATE, Pcm, PoolWriter
from recipes.common.text import evaluation_texts, normalise

SEEDS = {"hibari": 1, "flite": 2, "kokoro": 3, "piper": 4}
FLITE_VOICES = ("slt", "rms", "awb", "kal16")
LONGEST_S = 15.0


def to_pcm(audio: npt.NDArray[np.float32], rate: float) -> Pcm:
    """Return `audio` ([samples], full scale 1) at 16 kHz as 16-bit samples, peak at half scale, ends cut at -50 dB."""
    audio = soxr.resample(audio, rate, SAMPLE_RATE)
    audio = 0.5 * audio / max(float(np.abs(audio).max(initial=0)), 1e-4)
    loud = np.flatnonzero(np.abs(audio) > 0.0016)
    if not len(loud):
        return np.zeros(0, np.int16)
    return (audio[max(0, loud[0] - 160) : loud[-1] + 160] * 32767).astype(np.int16)


class Voices(Protocol):
    """What reads a sentence in a voice that it draws."""

    def read(self, text: str, rng: np.random.Generator) -> tuple[Pcm, str]:
        """Return the samples ([samples], 16 kHz) of `text` and the name of the voice drawn."""


class HibariVoices:
    """Hibari's embedded voice, with pitch, formants and accent drawn anew for each sentence."""

    def __init__(self) -> None:
        from hibari import Hibari
        from hibari.g2p import G2P

        self._tts = Hibari(threads=1)
        self._g2p = (self._tts.g2p, G2P(british=True))

    def read(self, text: str, rng: np.random.Generator) -> tuple[Pcm, str]:
        """Return the samples ([samples], 16 kHz) of `text` and the name of the voice drawn."""
        from hibari import dsp

        british = rng.random() < 0.3
        self._tts._g2p = self._g2p[british]
        stretch = float(rng.uniform(0.82, 1.16))  # of formants: below 1 a longer vocal tract
        pitch = float(stretch**2.2 * rng.uniform(0.72, 1.2))
        range_ = float(rng.uniform(0.5, 1.3))  # of the pitch's movement
        parts = []
        for phonemes in self._tts.phonemize(text):
            ids = np.asarray([self._tts.ids(phonemes)], np.int64)
            speed = np.asarray([rng.uniform(0.85, 1.35)], np.float32)
            lh, th, ln, lr, _, f0 = (out[0] for out in self._tts.sess.run(None, {"ids": ids, "speed": speed}))
            voiced = f0 > 40
            middle = np.median(f0[voiced]) if voiced.any() else 200.0
            moved = pitch * middle * (np.maximum(f0, 1.0) / middle) ** range_
            f0 = np.where(voiced, np.maximum(moved, 60.0), f0).astype(np.float32)
            ln = np.logaddexp(ln, np.where(voiced, lr - 3.0, lr))  # its free-phase part, as noise
            bins = np.minimum(np.round(np.arange(len(lh)) / stretch), len(lh) - 1).astype(int)
            silent = np.full((1, lh.shape[1]), -20.0, np.float32).repeat(len(lh), 0)
            parts.append(dsp.synth(lh[bins], th[bins], ln[bins], silent, silent, f0, rng))
        audio = np.concatenate(parts) if parts else np.zeros(0, np.float32)
        return to_pcm(audio, dsp.SR), f"hibari_{'gb' if british else 'us'}_{stretch:.2f}"


class FliteVoices:
    """The voices of Debian's flite."""

    def read(self, text: str, rng: np.random.Generator) -> tuple[Pcm, str]:
        """Return the samples ([samples], 16 kHz) of `text` and the name of the voice drawn."""
        voice = FLITE_VOICES[rng.integers(len(FLITE_VOICES))]
        stretch = rng.uniform(0.8, 1.2)
        with tempfile.NamedTemporaryFile(suffix=".wav") as file:
            pace = f"duration_stretch={stretch:.2f}"
            command = ["flite", "-voice", voice, "--setf", pace, "-t", text, "-o", file.name]
            subprocess.run(command, check=True, capture_output=True)
            audio, rate = soundfile.read(file.name, dtype="float32")
        return to_pcm(audio, rate), f"flite_{voice}"


class MixedKokoroVoices:
    """Kokoro's voices, mixed anew for each sentence."""

    def __init__(self, folder: Path) -> None:
        self._voices = KokoroVoices(folder)

    def read(self, text: str, rng: np.random.Generator) -> tuple[Pcm, str]:
        """Return the samples ([samples], 16 kHz) of `text` and the name of the voice drawn."""
        audio, speaker = self._voices.read(text, rng)
        return to_pcm(audio, kokoro.RATE), speaker


class StretchedPiperVoice:
    """A voice of Piper, stretched anew for each sentence."""

    def __init__(self, model: Path) -> None:
        self._voice = PiperVoice(model)

    def read(self, text: str, rng: np.random.Generator) -> tuple[Pcm, str]:
        """Return the samples ([samples], 16 kHz) of `text` and the name of the voice drawn."""
        audio, rate, speaker = self._voice.read(text, rng)
        return to_pcm(audio, rate), speaker


def open_voices(arguments: argparse.Namespace) -> Voices:
    """The voices that the command line asks for."""
    match arguments.voices:
        case "kokoro":
            return MixedKokoroVoices(arguments.kokoro)
        case "piper":
            return StretchedPiperVoice(arguments.piper)
        case "hibari":
            return HibariVoices()
        case _:
            return FliteVoices()


def widest_first(lines: list[str]) -> list[str]:
    """The same lines, those first that bring the most words not yet seen for their length.

    So a pool that stops early has still heard most of the vocabulary.
    """
    words = [normalise(line).split() for line in lines]
    seen: set[str] = set()

    def worth(index: int) -> float:
        return -len(set(words[index]) - seen) / (len(words[index]) + 2)

    queue = [(worth(index), index) for index in range(len(lines))]
    heapq.heapify(queue)
    ordered = []
    while queue:
        known, index = heapq.heappop(queue)
        now = worth(index)
        if now > known:  # others have brought its words since
            heapq.heappush(queue, (now, index))
            continue
        seen.update(words[index])
        ordered.append(lines[index])
    return ordered


def main() -> None:
    """Read the sentences not yet in the pool, in an order and in voices that the seed fixes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=Path, required=True, help="a text, one sentence a line")
    parser.add_argument("--exclude", type=Path, nargs="+", required=True, help="manifests whose texts must not be read")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--voices", choices=tuple(SEEDS), required=True)
    parser.add_argument("--kokoro", type=Path, help="the folder of Kokoro's model and voices")
    parser.add_argument("--piper", type=Path, help="the .onnx of a voice of Piper, its .onnx.json beside it")
    parser.add_argument("--name", help="of the pool; the voices' name without it")
    parser.add_argument(
        "--shard", default="0/1", help="I/N: read every Nth sentence from the Ith, into a pool of its own"
    )
    parser.add_argument("--limit", type=int, default=10**9, help="sentences to read")
    arguments = parser.parse_args()
    if arguments.voices in ("kokoro", "piper") and not getattr(arguments, arguments.voices):
        parser.error(f"--voices {arguments.voices} needs --{arguments.voices}")

    excluded = evaluation_texts(arguments.exclude)
    lines = [line.strip().strip('"') for line in arguments.sentences.read_text("utf-8").splitlines()]
    lines = [line for line in dict.fromkeys(lines) if normalise(line) and normalise(line) not in excluded]
    seed = SEEDS[arguments.voices]
    lines = widest_first([lines[i] for i in np.random.default_rng(seed).permutation(len(lines))])[: arguments.limit]
    shard, shards = map(int, arguments.shard.split("/"))
    lines = lines[shard::shards]
    voices = open_voices(arguments)
    with PoolWriter(arguments.pool, (arguments.name or arguments.voices) + (f"-{shard}" if shards > 1 else "")) as pool:
        for index in range(pool.count, len(lines)):
            pcm, speaker = voices.read(lines[index], np.random.default_rng((seed, shard, index)))
            short = 0.3 < len(pcm) / SAMPLE_RATE < LONGEST_S
            pool.add(pcm if short else pcm[:0], normalise(lines[index]), speaker)


if __name__ == "__main__":
    main()
