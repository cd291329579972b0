"""Let a teacher hear every utterance of the pools, in full context: ``python -m recipes.common.teacher --help``.

Either Whisper's encoder, or a trained ``en``, which says how probable each piece is. It writes what
:mod:`recipes.common.taught` reads. Running it again goes on.
"""

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
import yaml

from recipes.common.batches import FastLogMel, pad
from recipes.common.pool import SAMPLE_RATE, Pool
from recipes.common.taught import FRAME, count, width
from recipes.en.export import MANIFEST
from recipes.en.model import DIM, WhisperStream
from recipes.en.whisper import whisper_start

SAMPLE_FRAMES = 20000  # of which mean and deviation are taken

Frames = npt.NDArray[np.float16]


class Teacher:
    """A network, of which either the encoder speaks or the head."""

    def __init__(self, network: WhisperStream, posteriors: int) -> None:
        self.network, self.posteriors = network.eval(), posteriors
        self.width = posteriors or DIM

    @torch.no_grad()
    def __call__(self, features: npt.NDArray[np.float32], frames: int) -> Frames:
        """Return what it says of an utterance ([feature frames, bins]), shape [frames, width]."""
        network = self.network
        whole = pad([features], features[-1:] * 0, network.stride, network.look_ahead)
        said = network.encode(whole, whole.shape[1])
        said = network.classify(said).softmax(-1) if self.posteriors else said.reshape(1, -1, 2, DIM).mean(2)
        heard = said[0].numpy().astype(np.float16)
        return np.concatenate([heard, heard[-1:].repeat(max(0, frames - len(heard)), 0)])[:frames]


def teach(teacher: Teacher, folder: Path, name: str, log_mel: FastLogMel) -> None:
    """Append the frames of the utterances that have none yet."""
    pool = Pool(folder, name)
    path = folder / f"{name}.teacher"
    size = 2 * teacher.width
    there = path.stat().st_size // size if path.exists() else 0
    end = 0
    with path.open("r+b" if path.exists() else "wb") as file:
        for row, pcm in pool:
            end += count(row)
            if end <= there or not row.samples:
                continue
            file.seek(size * (end - count(row)))
            audio = np.concatenate([pcm.astype(np.float32) / 32768, np.zeros(SAMPLE_RATE // 10, np.float32)])
            file.write(teacher(log_mel(audio), count(row)).astype("<f2").tobytes())
    print(f"{name}: {end * FRAME / SAMPLE_RATE / 3600:.2f} h", flush=True)


def write_moments(folder: Path, name: str) -> None:
    """Take mean and deviation from a sample of a pool's frames."""
    frames = np.fromfile(folder / f"{name}.teacher", "<f2").reshape(-1, DIM)
    sample = np.random.default_rng(0).permutation(frames)[:SAMPLE_FRAMES].astype(np.float64)
    np.savez(folder / "teacher.npz", mean=sample.mean(0, dtype=np.float64), deviation=sample.std(0) + 1e-3)


def main() -> None:
    """Go through the pools."""
    parser = argparse.ArgumentParser(description=__doc__)
    teachers = parser.add_mutually_exclusive_group(required=True)
    teachers.add_argument("--whisper", type=Path, help="Whisper tiny.en as CTranslate2's model.bin")
    teachers.add_argument("--weights", type=Path, help="a checkpoint of en, for the probabilities of pieces")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    if arguments.weights:
        weights = torch.load(arguments.weights, weights_only=True)["network"]
        network = WhisperStream(len(weights["head.weight"]))
        network.load_state_dict(weights)
        teacher = Teacher(network, len(weights["head.weight"]))
    else:
        teacher = Teacher(whisper_start(arguments.whisper, 1), 0)
    about = arguments.pool / "teacher.npz"
    if about.exists() and width(arguments.pool) != teacher.width:
        parser.error(f"{arguments.pool} has another teacher: remove its *.teacher and teacher.npz")
    log_mel = FastLogMel(yaml.safe_load(MANIFEST.read_text("utf-8"))["features"])
    for path in sorted(arguments.pool.glob("*.pcm")):
        teach(teacher, arguments.pool, path.stem, log_mel)
        if not about.exists():
            if teacher.posteriors:
                np.savez(about, width=teacher.posteriors)
            else:
                write_moments(arguments.pool, path.stem)


if __name__ == "__main__":
    main()
