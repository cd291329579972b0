"""A recording with names that the model does not know, then as a choice of a few phrases.

python hotwords.py RECORDING
"""

import sys

import soundfile

import cosyvoice


def hear(session: cosyvoice.Session) -> str:
    session.feed(pcm)
    session.finish()
    texts = []
    while (final := session.result(timeout=30)) is not None:
        texts.append(final.text)
    return " ".join(texts)


pcm, rate = soundfile.read(sys.argv[1], dtype="int16")
with cosyvoice.Engine(max_stream=1) as engine:
    print("plain:   ", hear(engine.new_session(sample_rate=rate)))
    print("hotwords:", hear(engine.new_session(sample_rate=rate, hotwords={"Anderson": 5.0})))

    engine.set_hotwords(["Anderson", "San Francisco"])  # for all sessions, with the default boost, while they run
    print("engine's:", hear(engine.new_session(sample_rate=rate)))
    engine.set_hotwords(None)

    commands = ["call mister Anderson", "tomorrow morning", "[unk]"]
    print("grammar: ", hear(engine.new_session(sample_rate=rate, grammar=commands)))
