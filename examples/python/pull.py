"""A recording without callbacks: the program asks for partials and finals when it wants them.

python pull.py RECORDING
"""

import sys

import soundfile

import cosyvoice

pcm, rate = soundfile.read(sys.argv[1], dtype="int16")
packet = rate // 10
with cosyvoice.Engine(max_stream=1) as engine:
    with engine.new_session(sample_rate=rate) as session:
        for start in range(0, len(pcm), packet):
            session.feed(pcm[start : start + packet])
            partial = session.partial()  # None when there is nothing new
            if partial is not None:
                print("partial:", partial.text)
    while (final := session.result(timeout=30)) is not None:
        for word in final.words:
            print(f"{word.start_ms / 1000:7.2f} s  {word.word}  ({word.confidence:.2f})")
        print("final:  ", final.text)
