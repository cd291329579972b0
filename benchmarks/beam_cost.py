"""What the beam costs beside the best path: processor time for a second of audio, of the search alone.

python benchmarks/beam_cost.py [--model en-lite] [--lm lm.bin] [--beams 4,8,16,32] [--hotwords 1000] [--streams 32]

The network's output for the bench recording is computed once; each search then reads it again and again, as the Back-End does.
User time is counted, so other programs beside it disturb little. The second table is of whole engines with so many sessions
at once, in full batches: processor time for a second of audio, and with it the share of the best path's streams that a machine
carries.
"""

from __future__ import annotations

import argparse
import resource
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile
from batch_load import hear

from cosyvoice import Engine, _native
from cosyvoice.embedded import audio_path

if TYPE_CHECKING:
    from collections.abc import Callable

SEARCH_SECONDS = 2.0  # of processor time, for each row


def cpu_seconds() -> float:
    """User time of all threads."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def seconds_a_call(work: Callable[[], object]) -> float:
    """Processor time of one call, over enough of them."""
    work()
    calls, begin = 0, cpu_seconds()
    while (used := cpu_seconds() - begin) < SEARCH_SECONDS:
        work()
        calls += 1
    return used / calls


def engine_cost(model: str, how: dict[str, Any], streams: int) -> float:
    """Processor seconds of an engine for a second of audio, the lesser of two runs."""
    pcm, rate = soundfile.read(audio_path("bench"), dtype="int16")
    options = {"lm": "none", **how}
    with Engine(model, max_stream=streams, block_timeout=600_000, **options) as engine:
        hear(engine, pcm[: 5 * rate], rate, streams)  # warm
        return min(hear(engine, pcm, rate, streams).cpu_for_a_second for _ in range(2))


def main() -> None:
    """Print a row for each search."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="en-lite")
    parser.add_argument("--lm", default="")
    parser.add_argument("--beams", default="4,8,16,32")
    parser.add_argument("--hotwords", type=int, default=1000, help="how many invented names the last rows have")
    parser.add_argument("--streams", type=int, default=32)
    options = parser.parse_args()
    bundle = _native.resolve_bundle(options.model)
    manifest = _native.read_manifest(bundle)
    pcm, rate = soundfile.read(audio_path("bench"), dtype="float32")
    audio = len(pcm) / rate
    features = _native.log_mel(bundle, pcm, rate)
    chunk = manifest["default_chunk"]
    log_probs = _native.log_probs(bundle, features.ravel(), chunk)
    random = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    names = [("".join(random.choice(letters, 8)), 5.0) for _ in range(options.hotwords)]
    rows: list[tuple[str, dict[str, Any]]] = [("best path", {"beam_size": 0})]
    for size in map(int, options.beams.split(",")):
        rows.append((f"beam {size}", {"beam_size": size}))
        if options.lm:
            rows.append((f"beam {size}, language model", {"beam_size": size, "lm": options.lm}))
        rows.append((f"beam {size}, {len(names)} hotwords", {"beam_size": size, "hotwords": names}))
    print(f"{options.model}, {audio:.0f} s of audio, {len(log_probs)} frames")
    print("search | µs for a second of audio | µs a frame")
    for name, how in rows:
        search = _native.Search(bundle, **how)
        used = seconds_a_call(partial(search.decode, log_probs))
        print(f"{name} | {1e6 * used / audio:.0f} | {1e6 * used / len(log_probs):.2f}")
    print(f"engines with {options.streams} sessions | µs for a second of audio | streams, of those of the best path")
    first = 0.0
    for name, how in rows:
        cost = engine_cost(options.model, how, options.streams)
        first = first or cost
        print(f"{name} | {1e6 * cost:.0f} | {100 * first / cost:.0f} %")


if __name__ == "__main__":
    main()
