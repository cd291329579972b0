"""Silence that skips the network, and speech_start: no first or last word is lost, and every sample is counted."""

from __future__ import annotations

import functools
import logging
import zipfile

import numpy as np
import pytest
import soundfile
from commands import cosyvoice
from support import Recorder, check_rules, feed, finals, transcribe, words

from cosyvoice import Engine, InvalidArgument, ModelNotFound
from cosyvoice import silero as silero_network

RATE = 16000
CHUNK = 5120  # samples of the default chunk, 320 ms
SENTENCE = (0.30, 2.45)  # seconds of the recording: a sentence, …
QUIET = 0.5  # … which begins so much later


@pytest.fixture(scope="session")
def silero_file(tmp_path_factory):
    """Silero's network, taken out of its package as users do."""
    return silero_network.fetch(tmp_path_factory.mktemp("silero"))


@pytest.fixture(scope="module", params=["energy", "silero"])
def listening(request):
    """An engine of the default network that skips silence."""
    vad_model = request.getfixturevalue("silero_file") if request.param == "silero" else None
    with Engine(max_stream=8, vad=request.param, vad_model=vad_model) as engine:
        yield engine


@pytest.fixture(scope="session")
def sentence(speech):
    return speech[int(SENTENCE[0] * RATE) : int(SENTENCE[1] * RATE)]


def line_noise(seconds):
    """What a quiet line sounds like."""
    noise = np.random.default_rng(1).normal(0, 8, round(seconds * RATE))
    return np.round(noise).astype(np.int16)


def text(engine, *parts):
    return " ".join(final.text for final in transcribe(engine, np.concatenate(parts)) if final.text)


@pytest.fixture(scope="module")
def heard_afresh(trained, sentence):
    """The sentence after so much silence, as sessions hear it that began on the same grid of chunks, up to a second before."""

    @functools.cache
    def heard(lead):
        audio = np.concatenate([line_noise(lead), sentence, line_noise(0.5)])
        speech = round((lead + QUIET) * RATE)
        return {text(trained, audio[at:]) for at in range(0, speech, CHUNK) if speech - at < 4 * CHUNK}

    return heard


def check_accounts(engine):
    stats = engine.stats()
    assert stats.accepted_samples == stats.decoded_samples + stats.dropped_samples + stats.skipped_samples
    return stats


@pytest.mark.parametrize("lead", [0.0, 0.3, 0.8, 1.7, 2.9, 5.0])
def test_the_first_word_survives_silence_before_it(listening, sentence, heard_afresh, lead):
    assert text(listening, line_noise(lead), sentence, line_noise(0.5)) in heard_afresh(lead)
    check_accounts(listening)


@pytest.mark.parametrize("after_ms", range(0, 501, 100))
def test_the_last_word_survives_a_cut_after_it(listening, trained, sentence, after_ms):
    after = line_noise(after_ms / 1000)
    assert text(listening, sentence, after) == text(trained, sentence, after)
    check_accounts(listening)


def test_silence_between_utterances_is_skipped_and_times_stay(listening, trained, sentence):
    call = np.concatenate([line_noise(4), sentence, line_noise(6), sentence, line_noise(4)])
    before = listening.stats().skipped_samples
    first, second, *_ = [final for final in transcribe(listening, call) if final.text]
    assert first.reason == "endpoint"
    assert 4000 <= first.start_ms <= 4800
    starts_ms = 1000 * (4 + len(sentence) / RATE + 6)
    assert starts_ms <= second.start_ms <= starts_ms + 800
    assert check_accounts(listening).skipped_samples - before > 5 * RATE
    plain = [final for final in transcribe(trained, call) if final.text]
    assert [final.text[:2] for final in plain] == [first.text[:2], second.text[:2]]


def test_packets_and_company_change_nothing(listening, sentence):
    call = np.concatenate([line_noise(3), sentence, line_noise(5), sentence])
    expected = words(transcribe(listening, call))
    for packet in (160, 5000, 60000):
        assert words(transcribe(listening, call, packet)) == expected
    crowd = [listening.new_session() for _ in range(6)]
    for start in range(0, len(call), 1600):
        for session in crowd:
            session.feed(call[start : start + 1600])
    for session in crowd:
        session.finish()
        assert words(finals(session)) == expected


@pytest.mark.parametrize("vad", ["off", "energy"])
def test_speech_start_comes_once_before_the_first_partial(sentence, vad):
    with Engine(max_stream=2, vad=vad) as engine:
        recorder = Recorder().register(engine)
        session = engine.new_session(name="desk")
        feed(session, np.concatenate([line_noise(2), sentence, line_noise(4), sentence]))
        session.finish()
        events = recorder.wait_ended(int(session))
    check_rules(events)
    for utterance in {event.utterance for event in events if event.text}:
        kinds = [event.type for event in events if event.utterance == utterance]
        assert kinds[0] == "speech_start"
        assert kinds.count("speech_start") == 1
    start = next(event for event in events if event.type == "speech_start")
    assert start.session == "desk"
    assert start.seq == 1
    assert 1900 <= start.start_ms <= 2800
    assert start.start_ms < start.heard_ms


def test_who_pulls_finals_is_not_warned_of_speech(make_engine, speech, caplog):
    caplog.set_level(logging.INFO, logger="cosyvoice")
    assert transcribe(make_engine(), speech)
    assert "speech_start" not in caplog.text


def test_a_file_is_transcribed_without_its_silence(heard_afresh, tmp_path, sentence):
    path = tmp_path / "call.wav"
    soundfile.write(path, np.concatenate([line_noise(5), sentence, line_noise(0.5)]), RATE)
    assert cosyvoice("transcribe", "--vad", "energy", path).stdout.strip() in heard_afresh(5.0)


def test_silero_without_its_file_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(ModelNotFound, match="cosyvoice model fetch-vad"):
        Engine("en-lite", max_stream=1, vad="silero")
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no network")
    with pytest.raises(Exception, match="Silero") as caught:
        Engine("en-lite", max_stream=1, vad="silero", vad_model=broken)
    assert "fetch-vad" in str(caught.value)


def test_a_threshold_in_decibels_is_no_probability(silero_file):
    with pytest.raises(InvalidArgument, match=r"vad_threshold = 6, but it must be a probability, 0 to 1"):
        Engine("en-lite", max_stream=1, vad="silero", vad_model=silero_file, vad_threshold=6.0)


def test_another_network_than_the_one_that_was_tried_is_refused(tmp_path):
    wheel = tmp_path / "silero_vad-0.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(silero_network.MEMBER, b"another")
        archive.writestr("silero_vad-0.dist-info/licenses/LICENSE", b"MIT")
    with pytest.raises(InvalidArgument, match=r"has the SHA-256 .*, expected"):
        silero_network.fetch(tmp_path / "out", wheel)
    assert not (tmp_path / "out").exists()
    run = cosyvoice("model", "fetch-vad", tmp_path / "out", "--wheel", tmp_path / "none.whl")
    assert run.returncode == 2
