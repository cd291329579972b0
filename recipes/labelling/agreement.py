"""What our own model hears, as a stream, to compare with Whisper."""

import numpy as np

from recipes.common.audio import Audio
from recipes.common.pool import SAMPLE_RATE
from recipes.common.text import NORMALISERS, units
from recipes.common.word_errors import edits


class OwnModel:
    """A bundle, by name or folder, in the installed engine."""

    def __init__(self, model: str) -> None:
        import cosyvoice

        self._engine = cosyvoice.Engine(model, max_stream=1, workers=1, back_pressure="block")

    def __call__(self, audio: Audio) -> str:
        """Return the words of `audio`, shape [samples] at 16 kHz."""
        samples = np.ascontiguousarray(audio, np.float32)
        texts = []
        with self._engine.new_session(sample_rate=SAMPLE_RATE, encoding="f32le", priority="batch") as session:
            for start in range(0, len(samples), SAMPLE_RATE):
                session.feed(samples[start : start + SAMPLE_RATE].data)
            session.finish()
            while (event := session.result()) is not None:
                texts.append(event.text)
        return " ".join(text for text in texts if text)


def error_rate(reference: str, heard: str, language: str) -> float:
    """Return errors a word (in Mandarin a character) of a normalised `reference`."""
    wanted = units(reference, language)
    return edits(wanted, units(NORMALISERS[language](heard), language)) / max(len(wanted), 1)
