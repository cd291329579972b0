"""A recording as if it were a call: a task of an event loop takes the session's events.

python pull_async.py RECORDING
"""

import asyncio
import sys

import soundfile

import cosyvoice


async def listen(session):
    async for event in session:
        print(f"{event.type}: {event.text}")


async def main(path):
    pcm, rate = soundfile.read(path, dtype="int16")
    packet = rate * 64 // 1000
    with cosyvoice.Engine(max_stream=16, back_pressure="reject") as engine:
        session = engine.new_session(sample_rate=rate)
        listening = asyncio.create_task(listen(session))
        for start in range(0, len(pcm), packet):
            session.feed(pcm[start : start + packet])
            await asyncio.sleep(0.064)  # where a socket would be awaited
        session.finish()
        await listening


asyncio.run(main(sys.argv[1]))
