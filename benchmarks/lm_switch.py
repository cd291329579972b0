"""Switching the language model while calls go on: what the live streams notice of it.

python benchmarks/lm_switch.py --lm one.bin --other two.bin [--model en-lite] [--streams 100] [--seconds 20] [--json]

So many live streams are fed in real time from one thread. For half of the time nothing is switched; for the other half the
configuration file names another language model, or none, under a risen version every second. Partial delays run from the moment
a chunk's audio is there to its partial; the longest one bounds the longest pause of any stream, and what it is above that
of the time without switches is what switching adds. A switch's time runs from the renamed file to the counted switch, with
reading and hashing the whole model.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import soundfile

from cosyvoice import Engine
from cosyvoice.embedded import audio_path

PACKET_MS = 32
WARM_UP_S = 3.0
EVERY_S = 1.0


def resolved(path: str) -> str:
    """The configuration file lies elsewhere."""
    return str(Path(path).resolve())


def write_config(path: Path, options: argparse.Namespace, lm: str, version: int) -> None:
    """As a configuration manager does: written beside, and renamed into place."""
    text = {
        "model": {"path": options.model},
        "engine": {"max_stream": options.streams},
        "search": {"lm": lm, "version": version},
        "logging": {"level": "warning"},
    }
    path.with_suffix(".new").write_text(json.dumps(text), "utf-8")  # JSON is YAML
    path.with_suffix(".new").replace(path)


class Load:
    """Streams that are fed in real time, each from its own place of the bench recording."""

    def __init__(self, engine: Engine, streams: int) -> None:
        self.audio, self.rate = soundfile.read(audio_path("bench"), dtype="int16")
        self.packet = self.rate * PACKET_MS // 1000
        self.sessions = [engine.new_session(sample_rate=self.rate) for _ in range(streams)]
        self.starts = [i * len(self.audio) // streams for i in range(streams)]
        self.fed = 0
        self.begin = time.monotonic()

    def feed_for(self, seconds: float) -> None:
        """Feed all streams, each at its own moment within a packet's time."""
        until = self.fed + round(seconds * 1000 / PACKET_MS)
        while self.fed < until:
            for i, (session, start) in enumerate(zip(self.sessions, self.starts, strict=True)):
                due = self.begin + (self.fed + i / len(self.sessions)) * PACKET_MS / 1000
                if (wait := due - time.monotonic()) > 0:
                    time.sleep(wait)
                at = (start + self.fed * self.packet) % (len(self.audio) - self.packet)
                session.feed(self.audio[at : at + self.packet])
            self.fed += 1


class Switcher(threading.Thread):
    """Edits the configuration file every second and waits for each switch."""

    def __init__(self, engine: Engine, config: Path, options: argparse.Namespace) -> None:
        super().__init__()
        self.engine, self.config, self.options = engine, config, options
        self.took_ms: list[float] = []
        self.over = threading.Event()

    def run(self) -> None:
        """Until `over`."""
        models = itertools.cycle([self.options.other, "none", self.options.lm])
        for version in itertools.count(2):
            if self.over.wait(EVERY_S):
                return
            began = time.monotonic()
            write_config(self.config, self.options, next(models), version)
            while self.engine.stats().search_swaps < version - 1 and not self.over.is_set():
                time.sleep(0.0005)
            self.took_ms.append(1e3 * (time.monotonic() - began))


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Delays without and with switches, the switches' times, and what became of the samples."""
    config = folder / "cosyvoice.yaml"
    write_config(config, options, options.lm, 1)
    with Engine(config=config) as engine:
        switcher = Switcher(engine, config, options)
        load = Load(engine, options.streams)
        load.feed_for(WARM_UP_S)
        engine.native.clear_delays()
        load.feed_for(options.seconds / 2)
        quiet = engine.stats().partial_delay
        engine.native.clear_delays()
        switcher.start()
        load.feed_for(options.seconds / 2)
        switcher.over.set()
        switcher.join()
        busy = engine.stats().partial_delay
        for session in load.sessions:
            session.finish()
        words = 0
        for session in load.sessions:
            while (final := session.result()) is not None:
                words += len(final.words)
        stats = engine.stats()
    return {
        "model": options.model,
        "streams": options.streams,
        "switches": stats.search_swaps,
        "refused": stats.config_failures,
        "switch_ms": {"median": statistics.median(switcher.took_ms), "longest": max(switcher.took_ms)},
        "without": {"p50": quiet.p50, "p99": quiet.p99, "longest": quiet.max},
        "with": {"p50": busy.p50, "p99": busy.p99, "longest": busy.max},
        "lost_samples": stats.accepted_samples - stats.decoded_samples - stats.dropped_samples - stats.skipped_samples,
        "words": words,
    }


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="en-lite")
    parser.add_argument("--lm", type=resolved, required=True)
    parser.add_argument("--other", type=resolved, required=True)
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(options, Path(folder))
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
