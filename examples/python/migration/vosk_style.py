"""What a program for Vosk's KaldiRecognizer does: after each packet either the utterance's result or the text so far.

python vosk_style.py RECORDING     (prints JSON as Vosk writes it)
"""

import json
import sys

import soundfile

import cosyvoice


def result(final):
    """A final as Vosk's Result() with SetWords(True): times in seconds."""
    words = [
        {"word": word.word, "start": word.start_ms / 1000, "end": word.end_ms / 1000, "conf": word.confidence}
        for word in final.words
    ]
    return json.dumps({"result": words, "text": final.text})


def next_final(session):
    """The next final if it is there; AcceptWaveform would say True for it."""
    try:
        return session.result(timeout=0)
    except TimeoutError:
        return None


pcm, rate = soundfile.read(sys.argv[1], dtype="int16")
with cosyvoice.Engine(max_stream=1) as engine:  # Model(path)
    session = engine.new_session(sample_rate=rate)  # KaldiRecognizer(model, rate)
    for start in range(0, len(pcm), 4000):
        session.feed(pcm[start : start + 4000])  # AcceptWaveform, which would decode here and now
        if (final := next_final(session)) is not None:
            print(result(final))  # Result()
        elif (partial := session.partial()) is not None:
            print(json.dumps({"partial": partial.text}))  # PartialResult()
    session.finish()
    while (final := session.result(timeout=30)) is not None:
        print(result(final))  # FinalResult()
