"""Make one recording sound like many: speed, room, noise, babble, telephone, lost packets, level, silence around it."""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.fft
import scipy.signal
import soundfile
import soxr

from recipes.common.pool import SAMPLE_RATE, Pcm, Span

Audio = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Augmentation:
    """Chances and ranges; levels in dB, times in seconds."""

    speed: tuple[float, float] = (0.9, 1.12)
    stretch: tuple[float, float] = (0.92, 1.08)  # of the mel filters
    room: float = 0.12
    noise: float = 0.3
    noise_below_db: tuple[float, float] = (10, 35)
    babble: float = 0.08
    babble_below_db: tuple[float, float] = (8, 25)
    telephone: float = 0.12
    lost: float = 0.04
    lost_share: tuple[float, float] = (0.005, 0.04)  # of the packets
    clipped: float = 0.04
    clipped_db: tuple[float, float] = (2, 10)  # of the peaks, over full scale
    peak_db: tuple[float, float] = (-26, -1)
    lead_s: float = 0.9
    tail_s: float = 0.4  # of zeros, at least in `zero_tail` of the cases, as the engine adds at `finish`
    zero_tail: float = 0.7
    bins_masked: int = 8  # at most, twice
    frames_masked: int = 10  # at most, once a second


def _coloured(samples: int, rng: np.random.Generator) -> Audio:
    """Return noise of power one whose spectrum falls by 0 to 6 dB an octave, shape [samples]."""
    length = scipy.fft.next_fast_len(samples, real=True)
    spectrum = scipy.fft.rfft(rng.standard_normal(length, dtype=np.float32))
    spectrum /= np.maximum(np.arange(len(spectrum), dtype=np.float32), length / 400) ** np.float32(rng.uniform(0, 1))
    noise = scipy.fft.irfft(spectrum, length)[:samples]
    return np.asarray(noise / (noise.std() + 1e-9), np.float32)


def _room(audio: Audio, rng: np.random.Generator) -> Audio:
    """Return `audio` in a room of 0.1 to 0.6 s."""
    length = int(rng.uniform(0.1, 0.6) * SAMPLE_RATE)
    tail = rng.standard_normal(length) * 10 ** (-3 * np.arange(length) / length)
    tail *= rng.uniform(0.1, 0.7) / np.sqrt((tail**2).sum())
    tail[0] = 1
    return np.asarray(scipy.signal.fftconvolve(audio, tail)[: len(audio)], np.float32)


def _babble(audio: Audio, others: list[Pcm], rng: np.random.Generator) -> Audio:
    """Return `others` spoken at once, repeated to the length of `audio`, power one."""
    crowd = sum(np.roll(np.resize(one, len(audio)), rng.integers(len(audio))).astype(np.float32) for one in others)
    return np.asarray(crowd / (np.std(crowd) + 1e-9), np.float32)


def _mu_law(narrow: Audio) -> Audio:
    """Return `narrow` ([samples], full scale 1) as 8 bits of mu-law carry it."""
    law = np.sign(narrow) * np.log1p(255 * np.abs(narrow)) / np.log(256)
    law = np.round(law * 127) / 127
    return np.asarray(np.sign(law) * np.expm1(np.abs(law) * np.log(256)) / 255, np.float32)


def _gsm(narrow: Audio) -> Audio:
    """Return `narrow` ([samples] at 8 kHz, full scale 1) through the full-rate coder of GSM."""
    file = io.BytesIO()
    soundfile.write(file, narrow, 8000, "GSM610", format="WAV")
    file.seek(0)
    coded, _ = soundfile.read(file, dtype="float32")
    return np.asarray(np.resize(coded, len(narrow)), np.float32)


def _telephone(audio: Audio, rng: np.random.Generator) -> Audio:
    """Return `audio` through a telephone: 8 kHz, no deep bass, some as mu-law or GSM code it."""
    narrow = soxr.resample(audio, SAMPLE_RATE, 8000, "LQ")
    narrow = scipy.signal.lfilter([1, -1], [1, -rng.uniform(0.8, 0.97)], narrow).astype(np.float32)
    narrow /= np.abs(narrow).max() + 1e-9
    coder = rng.random()
    narrow = _mu_law(narrow) if coder < 0.4 else _gsm(narrow) if coder < 0.6 else narrow
    return np.asarray(soxr.resample(narrow, 8000, SAMPLE_RATE, "LQ")[: len(audio)], np.float32)


def _lose(audio: Audio, share: float, rng: np.random.Generator) -> Audio:
    """Return `audio` without a share of its packets of 20 ms: silence in place of some, the packet before of others."""
    packet = SAMPLE_RATE // 50
    packets = audio[: len(audio) // packet * packet].reshape(-1, packet).copy()
    for place in np.flatnonzero(rng.random(len(packets)) < share):
        packets[place] = packets[place - 1] if place and rng.random() < 0.5 else 0
    return np.concatenate([packets.ravel(), audio[packets.size :]])


def _spans(pieces: list[Audio], first: int) -> list[Span]:
    """Return where every second piece lies, from the one of number `first`."""
    ends = np.cumsum([len(piece) for piece in pieces])
    return [(int(ends[i]) - len(pieces[i]), len(pieces[i])) for i in range(first, len(pieces), 2)]


def clean(parts: list[Pcm], rng: np.random.Generator) -> tuple[Audio, list[Span]]:
    """Return recordings joined by short silences, as they are, with zeros at the end; full scale 1; and where each lies."""
    gap = np.zeros(int(rng.uniform(0.1, 0.6) * SAMPLE_RATE), np.float32)
    pieces: list[Audio] = [piece for pcm in parts for piece in (pcm.astype(np.float32) / 32768, gap)]
    return np.concatenate([*pieces[:-1], np.zeros(int(0.4 * SAMPLE_RATE), np.float32)]), _spans(pieces, 0)


def vary(parts: list[Pcm], others: list[Pcm], how: Augmentation, rng: np.random.Generator) -> tuple[Audio, list[Span]]:
    """Return recordings joined and changed at random, full scale 1, and where each lies; `others` babble behind some."""
    pieces: list[Audio] = [np.zeros(int(rng.random() * how.lead_s * SAMPLE_RATE * (rng.random() < 0.7)), np.float32)]
    for pcm in parts:
        full = pcm.astype(np.float32) / 32768
        pieces.append(soxr.resample(full, SAMPLE_RATE * rng.uniform(*how.speed), SAMPLE_RATE, "LQ"))
        pieces.append(np.zeros(int(rng.uniform(0.1, 0.7) * SAMPLE_RATE), np.float32))
    spans = _spans(pieces, 1)
    zero_tail = rng.random() < how.zero_tail
    if zero_tail:
        pieces.pop()
    audio: Audio = np.concatenate(pieces)
    if rng.random() < how.room:
        audio = _room(audio, rng)
    if rng.random() < how.noise:
        below = 10 ** (-rng.uniform(*how.noise_below_db) / 20)
        audio = audio + below * float(audio.std()) * _coloured(len(audio), rng)
    if others and rng.random() < how.babble:
        below = 10 ** (-rng.uniform(*how.babble_below_db) / 20)
        audio = audio + below * float(audio.std()) * _babble(audio, others, rng)
    if rng.random() < how.telephone:
        audio = _telephone(audio, rng)
    if rng.random() < how.lost:
        audio = _lose(audio, rng.uniform(*how.lost_share), rng)
    if rng.random() < how.clipped:
        audio = np.clip(audio / (float(np.abs(audio).max()) + 1e-9) * 10 ** (rng.uniform(*how.clipped_db) / 20), -1, 1)
    audio = audio * (10 ** (rng.uniform(*how.peak_db) / 20) / (float(np.abs(audio).max()) + 1e-9))
    tail = np.zeros(int(how.tail_s * SAMPLE_RATE), np.float32)
    return (np.concatenate([audio, tail]) if zero_tail else audio).astype(np.float32), spans


def mask(features: npt.NDArray[np.float32], how: Augmentation, rng: np.random.Generator) -> None:
    """Put the mean over stretches of bins and of frames of `features` ([frames, bins]), in place."""
    mean, (frames, bins) = features.mean(), features.shape
    for _ in range(2):
        width = int(rng.integers(how.bins_masked + 1))
        start = int(rng.integers(bins - width))
        features[:, start : start + width] = mean
    for _ in range(frames // 100):
        width = int(rng.integers(how.frames_masked + 1))
        start = int(rng.integers(max(1, frames - width)))
        features[start : start + width] = mean
