"""An engine whose options stand in a file; the environment overrides them, a keyword overrides both.

python from_config.py CONFIG.yaml RECORDING
"""

import sys

import soundfile

import cosyvoice

config, recording = sys.argv[1:]
pcm, rate = soundfile.read(recording, dtype="int16")
with cosyvoice.Engine(config=config) as engine:
    with engine.new_session(sample_rate=rate) as session:
        session.feed(pcm)
    while (final := session.result(timeout=30)) is not None:
        print(final.text)
