"""Let a full-context Whisper hear every utterance of the pools: ``python -m recipes.common.teacher --help``.

It writes what :mod:`recipes.common.taught` reads. Running it again goes on.
"""

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
import yaml

from recipes.common.batches import FastLogMel, pad
from recipes.common.pool import SAMPLE_RATE, Pool
from recipes.common.taught import FRAME, count
from recipes.en.export import MANIFEST
from recipes.en.model import DIM, WhisperStream
from recipes.en.whisper import whisper_start

SAMPLE_FRAMES = 20000  # of which mean and deviation are taken

Frames = npt.NDArray[np.float16]


@torch.no_grad()
def _hear(network: WhisperStream, features: npt.NDArray[np.float32], frames: int) -> Frames:
    whole = pad([features], features[-1:] * 0, network.stride, network.look_ahead)
    heard = network.encode(whole, whole.shape[1])[0].reshape(-1, 2, DIM).mean(1).numpy().astype(np.float16)
    return np.concatenate([heard, heard[-1:].repeat(max(0, frames - len(heard)), 0)])[:frames]


def teach(network: WhisperStream, folder: Path, name: str, log_mel: FastLogMel) -> None:
    """Append the frames of the utterances that have none yet."""
    pool = Pool(folder, name)
    path = folder / f"{name}.teacher"
    there = path.stat().st_size // (2 * DIM) if path.exists() else 0
    end = 0
    with path.open("r+b" if path.exists() else "wb") as file:
        for row, pcm in pool:
            end += count(row)
            if end <= there or not row.samples:
                continue
            file.seek(2 * DIM * (end - count(row)))
            audio = np.concatenate([pcm.astype(np.float32) / 32768, np.zeros(SAMPLE_RATE // 10, np.float32)])
            file.write(_hear(network, log_mel(audio), count(row)).astype("<f2").tobytes())
    print(f"{name}: {end * FRAME / SAMPLE_RATE / 3600:.2f} h", flush=True)


def write_moments(folder: Path, name: str) -> None:
    """Take mean and deviation from a sample of a pool's frames."""
    frames = np.fromfile(folder / f"{name}.teacher", "<f2").reshape(-1, DIM)
    sample = np.random.default_rng(0).permutation(frames)[:SAMPLE_FRAMES].astype(np.float64)
    np.savez(folder / "teacher.npz", mean=sample.mean(0, dtype=np.float64), deviation=sample.std(0) + 1e-3)


def main() -> None:
    """Go through the pools."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whisper", type=Path, required=True, help="Whisper tiny.en as CTranslate2's model.bin")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    network = whisper_start(arguments.whisper, 1).eval()
    log_mel = FastLogMel(yaml.safe_load(MANIFEST.read_text("utf-8"))["features"])
    for path in sorted(arguments.pool.glob("*.pcm")):
        teach(network, arguments.pool, path.stem, log_mel)
        if not (arguments.pool / "teacher.npz").exists():
            write_moments(arguments.pool, path.stem)


if __name__ == "__main__":
    main()
