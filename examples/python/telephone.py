"""µ-law at 8 kHz, as telephone exchanges send it, with an end of utterance that the program decides.

python telephone.py RECORDING.ulaw     (bytes without a header)
"""

import sys
from pathlib import Path

import cosyvoice

PACKET = 160  # bytes: 20 ms

audio = Path(sys.argv[1]).read_bytes()
pressed = len(audio) // 2 // PACKET * PACKET
with cosyvoice.Engine(max_stream=1) as engine:
    with engine.new_session(sample_rate=8000, encoding="mulaw") as session:
        for start in range(0, len(audio), PACKET):
            if start == pressed:  # the caller pressed a key: all audio before it belongs to this utterance
                session.end_utterance()
            session.feed(audio[start : start + PACKET])
    while (final := session.result(timeout=30)) is not None:
        print(f"utterance {final.utterance}, {final.reason}: {final.text}")
