"""No word is lost at the end of the audio, nor at the start of the next utterance."""

from __future__ import annotations

import numpy as np
import pytest
from support import transcribe

RATE = 16000
CHUNK = 5120  # samples of the default chunk, 320 ms
PIECE = 160
LOUD = 0.02  # of the loudest 10 ms: what counts as speech when a recording is cut tight


def tight(pcm):
    """From the first loud 10 ms to the last."""
    power = np.square(pcm[: len(pcm) // PIECE * PIECE].astype(np.float64)).reshape(-1, PIECE).mean(axis=1)
    loud = np.flatnonzero(power > LOUD * power.max())
    return pcm[loud[0] * PIECE : (loud[-1] + 1) * PIECE]


def silence(samples):
    return np.zeros(samples, np.int16)


def heard(engine, pcm):
    return [word.word for final in transcribe(engine, pcm) for word in final.words]


# The recording stops after these words of it, at the end of their sound: seconds.
@pytest.mark.parametrize("seconds", [2.45, 4.0, 5.2, 10.0])
def test_the_last_word_survives_a_cut_at_the_end_of_speech(trained, speech, seconds):
    cut = tight(speech[: int(seconds * RATE)])
    words = heard(trained, cut)
    assert words
    # What the padding at finish lets out is all that a second of true silence would.
    assert words == heard(trained, np.concatenate([cut, silence(RATE)]))


@pytest.mark.parametrize("shift", range(0, CHUNK, CHUNK // 8))
def test_the_first_word_after_an_end_point_survives(trained, speech, shift):
    sentence = tight(speech[: int(2.45 * RATE)])
    # Speech begins soon after 2.8 s of silence have made an end-point, at any place within a chunk.
    before = np.concatenate([sentence, silence(9 * CHUNK + shift)])
    first, second = transcribe(trained, np.concatenate([before, sentence]))
    assert first.reason == "endpoint"
    assert [word.word for word in first.words] == heard(trained, before)
    # A fresh utterance begins on a chunk's border, a few chunks before the speech; it hears what a fresh session would.
    leads = range(len(before) % CHUNK, 6 * CHUNK, CHUNK)
    alone = [heard(trained, np.concatenate([silence(lead), sentence])) for lead in leads]
    assert [word.word for word in second.words] in alone
