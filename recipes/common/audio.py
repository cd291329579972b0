"""Recordings of any rate and format that libsndfile reads, as the recipes take them."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from recipes.common.pool import SAMPLE_RATE, Pcm

Audio = npt.NDArray[np.float32]
SPARE_S = 0.1  # by which a span may pass the recording's end: times in manifests are rounded


def read_audio(path: Path, start: float = 0.0, end: float | None = None, channel: int | None = None) -> Audio:
    """Return a recording, or what lies between two times of it (seconds), at 16 kHz, full scale 1, shape [samples].

    `channel` counts from 0; without it the channels are averaged. Raises ValueError where the recording has no such
    channel or span, and soundfile.LibsndfileError where it cannot be read.
    """
    with soundfile.SoundFile(path) as file:
        rate, seconds = file.samplerate, file.frames / file.samplerate
        if channel is not None and channel >= file.channels:
            raise ValueError(f"channel {channel} is asked for, {path} has {file.channels}, counted from 0")
        if max(start, end or 0) > seconds + SPARE_S:
            raise ValueError(f"{start:g} s to {end or seconds:g} s is asked for, {path} ends at {seconds:g} s")
        file.seek(min(round(start * rate), file.frames))
        frames = -1 if end is None else round((end - start) * rate)
        audio = file.read(frames, dtype="float32", always_2d=True)
    mono = audio.mean(1) if channel is None else audio[:, channel]
    return np.asarray(soxr.resample(mono, rate, SAMPLE_RATE), np.float32)


def read_pcm(path: Path, start: float = 0.0, end: float | None = None, channel: int | None = None) -> Pcm:
    """Return what `read_audio` does, as 16-bit samples."""
    return np.asarray(np.clip(read_audio(path, start, end, channel), -1, 1) * 32767, np.int16)
