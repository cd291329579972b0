"""The Front-End against its definition, and the resampler against mathematics."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from oracles.log_mel import log_mel

from cosyvoice import _native
from cosyvoice.embedded import resolve_model


def features_of(bundle):
    with open(f"{resolve_model(bundle)}/model.yaml", encoding="utf-8") as file:  # noqa: PTH123
        return yaml.safe_load(file)["features"]


@pytest.mark.parametrize("bundle", ["en", "en-lite"])
@pytest.mark.parametrize("signal", ["speech", "noise", "silence", "loud"])
def test_features_are_those_of_the_definition(bundle, signal, speech):
    noise = np.random.default_rng(7).normal(0, 0.05, 24001)
    samples = {
        "speech": speech[:24001] / 32768,
        "noise": noise,
        "silence": np.zeros(8000),
        "loud": np.sign(noise) * 0.999,
    }[signal].astype(np.float32)
    made = _native.log_mel(resolve_model(bundle), samples, 16000)
    wanted = log_mel(samples, len(made), features_of(bundle))
    assert made.shape == wanted.shape
    assert np.abs(made - wanted).max() <= 1e-3


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 32000, 44100, 48000])
def test_a_tone_keeps_its_pitch_phase_and_level_at_any_rate(rate):
    tone = 1000.0
    seconds = 1.0
    at = np.arange(int(rate * seconds)) / rate
    samples = (0.5 * np.sin(2 * np.pi * tone * at)).astype(np.float32)
    made = _native.resample(samples, rate, 16000)
    assert len(made) == -(-len(samples) * 16000 // rate)
    wanted = 0.5 * np.sin(2 * np.pi * tone * np.arange(len(made)) / 16000)
    inside = slice(400, len(made) - 400)
    error = made[inside] - wanted[inside]
    assert 10 * np.log10(np.mean(error**2) / np.mean(wanted[inside] ** 2)) < -60


@pytest.mark.parametrize("rate", [22050, 32000, 44100, 48000])
def test_what_the_model_cannot_hear_does_not_fold_back(rate):
    at = np.arange(rate) / rate
    frequency = 0.45 * rate
    samples = (0.5 * np.sin(2 * np.pi * frequency * at)).astype(np.float32)
    made = _native.resample(samples, rate, 16000)
    assert 20 * np.log10(np.sqrt(np.mean(made[400:-400] ** 2)) / (0.5 / np.sqrt(2)) + 1e-12) < -60


def test_features_at_another_rate_are_near_those_of_the_original(speech):
    # The audio itself has nothing above 3.4 kHz here, so that 8 kHz can hold all of it.
    spectrum = np.fft.rfft(speech[:32000] / 32768)
    spectrum[int(3400 / 8000 * len(spectrum)) :] = 0
    samples = np.fft.irfft(spectrum)
    half = np.fft.irfft(spectrum[: len(spectrum) // 2 + 1]) / 2
    directory = resolve_model("en")
    wide = _native.log_mel(directory, samples.astype(np.float32), 16000)
    narrow = _native.log_mel(directory, half.astype(np.float32), 8000)
    frames = slice(20, min(len(wide), len(narrow)) - 20)
    voiced = wide[frames] > wide[frames].mean()
    assert np.median(np.abs(wide[frames] - narrow[frames])[voiced]) < 0.02
