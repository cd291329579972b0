"""What Whisper hears in a segment, and how sure it is."""

import math
import zlib
from dataclasses import dataclass
from typing import Protocol

from recipes.common.audio import Audio


@dataclass(frozen=True)
class Heard:
    """One segment's transcript as Whisper writes it."""

    text: str
    language: str
    language_probability: float
    log_probability: float  # mean over the tokens
    no_speech: float  # probability that nobody speaks
    compression: float  # bytes of the text for each byte of it compressed: high where it repeats itself


class Transcriber(Protocol):
    """Whatever turns a segment into a transcript."""

    def __call__(self, audio: Audio) -> Heard:
        """Return what is heard in `audio`, shape [samples] at 16 kHz."""


def compression(text: str) -> float:
    """Return how many times smaller zlib makes a text."""
    data = text.encode()
    return len(data) / len(zlib.compress(data)) if data else 0.0


class Whisper:
    """A Whisper model by faster-whisper: the folder of a CTranslate2 model, or a name that faster-whisper fetches.

    With a `language` nothing else is expected; without one, Whisper says which it hears. A model of English alone hears
    English in everything.
    """

    def __init__(self, model: str, language: str | None, device: str = "auto", threads: int = 1) -> None:
        from faster_whisper import WhisperModel

        self._model = WhisperModel(
            model, device, compute_type="default" if device == "cuda" else "int8", cpu_threads=threads
        )
        self._language = language

    def __call__(self, audio: Audio) -> Heard:
        found, info = self._model.transcribe(
            audio,
            language=self._language,
            beam_size=5,
            temperature=0.0,
            condition_on_previous_text=False,
            without_timestamps=True,
            vad_filter=False,
            # Everything is measured here and judged later.
            no_speech_threshold=None,
            log_prob_threshold=None,
            compression_ratio_threshold=None,
        )
        parts = list(found)
        text = " ".join(part.text.strip() for part in parts)
        tokens = sum(len(part.tokens) for part in parts)
        log_probability = sum(part.avg_logprob * len(part.tokens) for part in parts) / tokens if tokens else -math.inf
        no_speech = max((part.no_speech_prob for part in parts), default=1.0)
        return Heard(
            text, info.language, info.language_probability, max(log_probability, -99.0), no_speech, compression(text)
        )
