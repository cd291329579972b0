"""Many sessions of one engine that are fed as fast as they take it, at batch priority, and what that cost."""

from __future__ import annotations

import resource
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from cosyvoice import Engine, Session
    from cosyvoice.stats import Stats

PACKET_MS = 64


@dataclass(frozen=True)
class Load:
    """Processor seconds of this process for a second of audio, and what became of the audio."""

    cpu_for_a_second: float
    words: int
    lost_samples: int
    stats: Stats


def hear(engine: Engine, audio: npt.NDArray[Any], rate: int, streams: int) -> Load:
    """So many sessions hear `audio` (mono, int16), each from its own place on."""
    packet = rate * PACKET_MS // 1000

    def feed(session: Session, shift: int) -> None:
        shifted = np.roll(audio, shift)
        for start in range(0, len(shifted), packet):
            session.feed(shifted[start : start + packet])
        session.finish()

    before = resource.getrusage(resource.RUSAGE_SELF)
    sessions = [engine.new_session(sample_rate=rate, priority="batch") for _ in range(streams)]
    threads = [
        threading.Thread(target=feed, args=(session, i * len(audio) // streams)) for i, session in enumerate(sessions)
    ]
    for thread in threads:
        thread.start()
    words = 0
    for session in sessions:
        while (final := session.result()) is not None:
            words += len(final.words)
    for thread in threads:
        thread.join()
    after = resource.getrusage(resource.RUSAGE_SELF)
    stats = engine.stats()
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    known = stats.decoded_samples + stats.dropped_samples + stats.skipped_samples
    return Load(used * rate / (len(audio) * streams), words, stats.accepted_samples - known, stats)
