"""What a second pass costs: memory of a worker, processor time for a second of audio, and how long an utterance takes.

python benchmarks/second_pass.py MODEL [--threads N]     (a faster-whisper directory; prints a row for each utterance length)

Processor time counts all threads, so other programs beside it disturb the last column alone.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np
import soundfile

from cosyvoice.embedded import audio_path
from cosyvoice.second_pass.process import give_way
from cosyvoice.second_pass.whisper import load

LENGTHS = (2, 5, 10, 20)  # seconds
REPEATS = 3


def rss_mb() -> float:
    """What this process holds in memory now."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text("utf-8").splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024


def cpu_seconds() -> float:
    """User time of all threads."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def main() -> None:
    """Measure one model."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    speech, rate = soundfile.read(audio_path("bench"), dtype="float32")
    before = rss_mb()
    give_way("")
    hear = load(options.model, options.threads)
    hear(speech[: 2 * rate], "en")
    print(f"{options.model.name}: {rss_mb():.0f} MB ({before:.0f} MB before the model), {options.threads} threads")
    print("utterance, s | processor, s | for a second of audio | elapsed, s")
    for seconds in LENGTHS:
        parts = [speech[at * seconds * rate : (at + 1) * seconds * rate] for at in range(REPEATS)]
        cpu, begin = cpu_seconds(), time.monotonic()
        for part in parts:
            hear(np.ascontiguousarray(part), "en")
        used, elapsed = (cpu_seconds() - cpu) / REPEATS, (time.monotonic() - begin) / REPEATS
        print(f"{seconds} | {used:.2f} | {used / seconds:.3f} | {elapsed:.2f}")
    print(f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
