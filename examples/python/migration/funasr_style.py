"""What a client of FunASR's runtime in mode 2pass sees: text while somebody speaks, and better text once an utterance ends.

python funasr_style.py RECORDING     (prints messages of that form; the audio goes at the pace of speech)
"""

import asyncio
import json
import sys

import soundfile

import cosyvoice


def message(event):
    """An event as a message of that runtime."""
    final = event.type == "final"
    content = {
        "mode": "2pass-offline" if final else "2pass-online",
        "wav_name": event.session,
        "text": event.text,
        "is_final": event.ended,
    }
    if final:
        content["timestamp"] = json.dumps([[word.start_ms, word.end_ms] for word in event.words])
    return json.dumps(content)


async def receive(session):
    async for event in session:
        if event.type in ("partial", "final"):
            print(message(event))


async def main(path):
    pcm, rate = soundfile.read(path, dtype="int16")
    packet = rate * 60 // 1000  # chunk_size [5, 10, 5] and chunk_interval 10: 600 ms in ten packets
    with cosyvoice.Engine(max_stream=1, back_pressure="reject") as engine:
        session = engine.new_session(name=path, sample_rate=rate)  # the first message: wav_name, audio_fs
        receiving = asyncio.create_task(receive(session))
        for start in range(0, len(pcm), packet):
            session.feed(pcm[start : start + packet])
            await asyncio.sleep(0.060)
        session.finish()  # {"is_speaking": false}
        await receiving


asyncio.run(main(sys.argv[1]))
