"""A recording as if it were a call: events go to callbacks.

python callbacks.py RECORDING
"""

import json
import sys

import soundfile

import cosyvoice


def on_partial(line):
    print("partial:", json.loads(line)["text"])


def on_final(line):
    print("final:  ", json.loads(line)["text"])


pcm, rate = soundfile.read(sys.argv[1], dtype="int16")
with cosyvoice.Engine(max_stream=16) as engine:
    engine.register_callback(on_partial, on_final)
    with engine.new_session(name="line 12", sample_rate=rate) as session:
        for start in range(0, len(pcm), 1024):
            session.feed(pcm[start : start + 1024])
