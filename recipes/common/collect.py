"""Transcribed recordings into pools: ``python -m recipes.common.collect --help``."""

import argparse
import json
from pathlib import Path

import numpy as np
import soundfile
import soxr

from recipes.common.pool import SAMPLE_RATE, Pcm, PoolWriter
from recipes.common.text import normalise


def read_pcm(path: Path) -> Pcm:
    """Return a recording as 16-bit samples at 16 kHz, shape [samples]."""
    audio, rate = soundfile.read(path, dtype="float32")
    if audio.ndim > 1:
        audio = audio.mean(1)
    return np.asarray(np.clip(soxr.resample(audio, rate, SAMPLE_RATE), -1, 1) * 32767, np.int16)


def main() -> None:
    """Copy each manifest's recordings into a pool of the manifest's name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifests", type=Path, nargs="+", help="rows of audio, text, speaker; audio lies beside them")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    arguments = parser.parse_args()
    for manifest in arguments.manifests:
        rows = [json.loads(line) for line in manifest.read_text("utf-8").splitlines()]
        with PoolWriter(arguments.pool, manifest.stem) as pool:
            for row in rows[pool.count :]:
                pool.add(read_pcm(manifest.parent / row["audio"]), normalise(row["text"]), row["speaker"])


if __name__ == "__main__":
    main()
