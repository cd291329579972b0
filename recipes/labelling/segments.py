"""Where speech is, cut into stretches as long as a network is trained on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from recipes.common.audio import Audio
from recipes.common.pool import SAMPLE_RATE

Span = tuple[int, int]  # first sample and the one after the last
FindSpeech = Callable[[Audio], Sequence[Span]]
FRAME = SAMPLE_RATE // 50


@dataclass(frozen=True)
class Lengths:
    """How long a segment is, and how much silence parts two; in seconds."""

    shortest: float = 0.8
    longest: float = 20.0  # Whisper hears 30 s at once, training takes 27
    gap: float = 0.5


def silero(audio: Audio) -> list[Span]:
    """Return where Silero's voice-activity detector, which comes with faster-whisper, finds speech."""
    from faster_whisper.vad import get_speech_timestamps

    found = get_speech_timestamps(audio, min_silence_duration_ms=300, min_speech_duration_ms=100, speech_pad_ms=200)
    return [(int(one["start"]), int(one["end"])) for one in found]


def _quietest(audio: Audio, longest: int) -> int:
    """Return the middle of the quietest 0.3 s in the last 40 % of the first `longest` samples."""
    first = int(0.6 * longest) // FRAME
    energy = (audio[: longest // FRAME * FRAME].reshape(-1, FRAME).astype(np.float64) ** 2).mean(1)
    smooth = np.convolve(np.log(energy + 1e-9), np.ones(15) / 15, "same")
    return (first + int(np.argmin(smooth[first:-8]))) * FRAME


def _cut(audio: Audio, span: Span, longest: int) -> list[Span]:
    """Return a span in parts of at most `longest` samples."""
    start, end = span
    parts = []
    while end - start > longest:
        place = start + _quietest(audio[start:end], longest)
        parts.append((start, place))
        start = place
    return [*parts, (start, end)]


def segments(audio: Audio, find_speech: FindSpeech, lengths: Lengths) -> list[Span]:
    """Return the segments of `audio` ([samples] at 16 kHz): neighbours are joined where that makes none too long."""
    longest, gap = int(lengths.longest * SAMPLE_RATE), lengths.gap * SAMPLE_RATE
    parts = [part for span in find_speech(audio) for part in _cut(audio, span, longest)]
    joined: list[Span] = []
    for start, end in parts:
        if joined and start - joined[-1][1] <= gap and end - joined[-1][0] <= longest:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
