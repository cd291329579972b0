"""What the beam costs beside the best path: processor time for a second of audio, of the search alone.

python benchmarks/beam_cost.py [--model en-lite] [--lm lm.bin] [--beams 4,8,16,32] [--hotwords 1000]

The network's output for the bench recording is computed once; each search then reads it again and again, as the Back-End does.
User time is counted, so other programs beside it disturb little. The last column is the search's share beside the network's own
time, measured through the same chunks one at a time: the share of the streams that are left where the search is added to it.
"""

from __future__ import annotations

import argparse
import resource
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile

from cosyvoice import _native
from cosyvoice.embedded import audio_path

if TYPE_CHECKING:
    from collections.abc import Callable

SEARCH_SECONDS = 2.0  # of processor time, for each row
REPEATS = 3


def cpu_seconds() -> float:
    """User time of all threads."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def cpu_of(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    begin = cpu_seconds()
    work()
    return cpu_seconds() - begin


def seconds_a_call(work: Callable[[], object]) -> float:
    """Processor time of one call, over enough of them."""
    work()
    calls, begin = 0, cpu_seconds()
    while (used := cpu_seconds() - begin) < SEARCH_SECONDS:
        work()
        calls += 1
    return used / calls


def main() -> None:
    """Print a row for each search."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="en-lite")
    parser.add_argument("--lm", default="")
    parser.add_argument("--beams", default="4,8,16,32")
    parser.add_argument("--hotwords", type=int, default=1000, help="how many invented names the last rows have")
    options = parser.parse_args()
    bundle = _native.resolve_bundle(options.model)
    manifest = _native.read_manifest(bundle)
    pcm, rate = soundfile.read(audio_path("bench"), dtype="float32")
    audio = len(pcm) / rate
    features = _native.log_mel(bundle, pcm, rate)
    chunk = manifest["default_chunk"]
    log_probs = _native.log_probs(bundle, features.ravel(), chunk)
    once = cpu_of(lambda: _native.log_probs(bundle, features.ravel(), chunk))
    longer = np.concatenate([features] * (1 + REPEATS)).ravel()
    network = (cpu_of(lambda: _native.log_probs(bundle, longer, chunk)) - once) / (REPEATS * audio)  # compiling apart
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
    print(f"network, one chunk at a time: {1e6 * network:.0f} µs for a second of audio")
    print("search | µs for a second of audio | µs a frame | share of the streams that are left")
    for name, how in rows:
        search = _native.Search(bundle, **how)
        used = seconds_a_call(partial(search.decode, log_probs))
        left = network / (network + used / audio)
        print(f"{name} | {1e6 * used / audio:.0f} | {1e6 * used / len(log_probs):.2f} | {100 * left:.0f} %")


if __name__ == "__main__":
    main()
