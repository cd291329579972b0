"""Streams gained by silence that skips the network: processor time of one call, half of it silence, with and without.

python benchmarks/silence_skip.py [--model en] [--vad off,energy] [--silence 0.5] [--streams 8] [--seconds 60] [--json]

Every detector hears the same calls in the same process, one after the other, `off` first; the ratio of processor times is the
ratio of the streams that a machine carries. Audio goes as fast as it is taken, at batch priority, so that nothing waits.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
import soundfile
from batch_load import hear

from cosyvoice import Engine
from cosyvoice.embedded import audio_path

TURN_S = 4.0  # of speech, before as much silence as the share asks for
LINE_NOISE = 8.0  # of 32768: what a quiet telephone line has


def call(seconds: float, silence: float) -> tuple[Any, int]:
    """The bench recording in turns with silence between them, and its rate."""
    speech, rate = soundfile.read(audio_path("bench"), dtype="int16")
    turn, gap = round(TURN_S * rate), round(TURN_S * rate * silence / (1 - silence))
    parts, at = [], 0
    while sum(map(len, parts)) < seconds * rate:
        parts += [np.take(speech, range(at, at + turn), mode="wrap"), np.zeros(gap, np.int16)]
        at += turn
    audio = np.concatenate(parts)[: round(seconds * rate)].astype(np.float64)
    audio += np.random.default_rng(1).normal(0, LINE_NOISE, len(audio))
    return np.clip(np.round(audio), -32768, 32767).astype(np.int16), rate


def measure(vad: str, audio: Any, rate: int, options: argparse.Namespace) -> dict[str, Any]:
    """Processor seconds for a second of audio, and what became of the samples."""
    with Engine(options.model, max_stream=options.streams, vad=vad, block_timeout=600_000) as engine:
        load = hear(engine, audio, rate, options.streams)
    return {
        "vad": vad,
        "cpu_for_a_second": load.cpu_for_a_second,
        "skipped": load.stats.skipped_samples / load.stats.accepted_samples,
        "words": load.words,
        "lost_samples": load.lost_samples,
    }


def main() -> None:
    """Print a row for each detector."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="en")
    parser.add_argument("--vad", default="off,energy")
    parser.add_argument("--silence", type=float, default=0.5, help="share of the call")
    parser.add_argument("--streams", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each call")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not 0.0 <= options.silence < 1.0:
        parser.error("--silence is a share from 0 to below 1")
    audio, rate = call(options.seconds, options.silence)
    rows = [measure(vad, audio, rate, options) for vad in options.vad.split(",")]
    for row in rows:
        row["streams_gained"] = rows[0]["cpu_for_a_second"] / row["cpu_for_a_second"]
    report = {"model": options.model, "silence": options.silence, "streams": options.streams, "rows": rows}
    if options.json:
        print(json.dumps(report))
        return
    print(f"{options.model}, {100 * options.silence:.0f} % silence, {options.streams} calls of {options.seconds:g} s")
    print("vad | processor s for a second | streams, times those of the first row | skipped | words | lost")
    for row in rows:
        print(
            f"{row['vad']} | {row['cpu_for_a_second']:.4f} | {row['streams_gained']:.2f} | {100 * row['skipped']:.0f} % | "
            f"{row['words']} | {row['lost_samples']}"
        )


if __name__ == "__main__":
    main()
