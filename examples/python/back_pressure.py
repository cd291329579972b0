"""A producer that is faster than the engine and must not block: it keeps the packet and offers it again.

python back_pressure.py RECORDING
"""

import sys
import time

import soundfile

import cosyvoice

pcm, rate = soundfile.read(sys.argv[1], dtype="int16")
refused = 0
with cosyvoice.Engine(max_stream=1, back_pressure="reject", ring_bytes=16 * 1024) as engine:
    with engine.new_session(sample_rate=rate) as session:
        for start in range(0, len(pcm), 1024):
            while True:
                try:
                    session.feed(pcm[start : start + 1024])
                    break
                except cosyvoice.BufferFull:  # nothing of the packet was taken
                    refused += 1
                    time.sleep(0.01)
    while (final := session.result(timeout=30)) is not None:
        print("final:  ", final.text)
    print(f"refused: {refused} times; dropped: {engine.stats().dropped_samples} samples")
