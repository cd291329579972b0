"""What feed_pcm takes, and what it says to everything else."""

from __future__ import annotations

import array

import numpy as np
import pytest
from support import finals

import cosyvoice


@pytest.fixture
def session(engine):
    session = engine.new_session()
    yield session
    session.close()
    finals(session)


def accepted_by(engine, feed):
    before = engine.stats().accepted_samples
    feed()
    return engine.stats().accepted_samples - before


@pytest.mark.parametrize(
    "pcm",
    [
        bytes(640),
        bytearray(640),
        memoryview(bytes(640)),
        array.array("h", [0] * 320),
        array.array("f", [0.0] * 320),
        np.zeros(320, np.int16),
        np.zeros((320, 1), np.int16),
        np.zeros(320, np.float32),
        np.zeros(640, np.uint8),
        np.frombuffer(bytes(640), np.int16),
    ],
    ids=lambda pcm: type(pcm).__name__,
)
def test_bytes_and_one_channel_arrays_are_taken(engine, session, pcm):
    assert accepted_by(engine, lambda: session.feed(pcm)) == 320


def test_no_audio_is_no_error(engine, session):
    assert accepted_by(engine, lambda: (session.feed(b""), session.feed(np.zeros(0, np.int16)))) == 0


@pytest.mark.parametrize("size", [1, 3, 641])
def test_an_odd_byte_count_is_refused(engine, session, size):
    before = engine.stats().accepted_samples
    with pytest.raises(cosyvoice.InvalidAudio, match=str(size)):
        session.feed(bytes(size))
    assert engine.stats().accepted_samples == before


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers_refuse_the_call(engine, value):
    samples = np.zeros(1000, np.float32)
    samples[500] = value
    with engine.new_session(encoding="f32le") as session:
        for pcm in (samples, samples.tobytes()):
            with pytest.raises(cosyvoice.InvalidAudio, match="500"):
                session.feed(pcm)
    finals(session)


def test_floats_into_a_16_bit_session_are_checked_too(session):
    with pytest.raises(cosyvoice.InvalidAudio):
        session.feed(np.full(10, np.nan, np.float32))


@pytest.mark.parametrize(
    ("pcm", "named"),
    [
        (np.zeros(320, np.float64), "'d'"),
        (np.zeros(320, np.int32), "'i'"),
        (np.zeros(320, ">i2"), "'>h'"),
        (np.zeros(640, np.int16)[::2], "C-contiguous"),
        (np.zeros((320, 2), np.int16), "2 items in axis 1"),
        ([0] * 320, "list"),
        ("silence", "str"),
        (None, "NoneType"),
    ],
    ids=["float64", "int32", "big-endian", "strided", "stereo", "list", "str", "None"],
)
def test_anything_else_is_a_type_error_with_a_remedy(session, pcm, named):
    with pytest.raises(TypeError, match="one-channel C-contiguous") as caught:
        session.feed(pcm)
    assert named in str(caught.value)


def test_a_packet_larger_than_the_ring_is_refused(make_engine):
    engine = make_engine(ring_bytes=8192)
    session = engine.new_session()
    with pytest.raises(cosyvoice.InvalidAudio, match=r"8192|4096"):
        session.feed(bytes(8194))


@pytest.mark.parametrize("encoding", ["s16le", "f32le"])
def test_int16_and_float32_arrays_mean_the_same(engine, speech, encoding):
    pcm = speech[:32000]
    texts = []
    for samples in (pcm, pcm.astype(np.float32) / 32768):
        with engine.new_session(encoding=encoding) as session:
            for start in range(0, len(samples), 1000):
                session.feed(samples[start : start + 1000])
        texts.append([(final.text, final.words) for final in finals(session)])
    assert texts[0] == texts[1]


@pytest.mark.parametrize("encoding", ["mulaw", "alaw"])
def test_telephone_audio_is_taken_by_the_byte(engine, encoding):
    with engine.new_session(encoding=encoding, sample_rate=8000) as session:
        assert accepted_by(engine, lambda: session.feed(bytes(801))) == 801
    assert finals(session)[-1].ended


@pytest.mark.parametrize("sample_rate", [8000, 11025, 22050, 44100, 48000])
def test_times_do_not_depend_on_the_rate(engine, sample_rate):
    with engine.new_session(sample_rate=sample_rate) as session:
        silence = np.zeros(sample_rate // 10, np.int16)
        for _ in range(10):
            session.feed(silence)
    last = finals(session)[-1]
    assert last.ended
    assert last.end_ms <= 1000 + max(engine.model.chunk_ms)
