"""A voice agent that lets people interrupt: who speaks while it speaks is heard, and it falls silent.

python barge_in.py RECORDING     (the recording is the caller; the agent's voice is a line of text here)
"""

import asyncio
import sys

import soundfile

import cosyvoice

# Short silence ends a turn; a detector tells of speech before the network has words.
OPTIONS = {"vad": "energy", "partial_timeout": 700, "start_timeout": 8000}


class Agent:
    def __init__(self):
        self.speaking = False

    def say(self, text):
        print("agent:", text)
        self.speaking = True  # until its audio has been played

    def stop(self):
        if self.speaking:
            print("agent: stops")
        self.speaking = False


async def converse(session, agent):
    agent.say("hello, how may I help you")
    async for event in session:
        if event.type == "speech_start":
            agent.stop()
        elif event.type == "final" and event.text:
            print("caller:", event.text)
        elif event.type == "final" and not event.ended:
            agent.say("are you still there")  # start_timeout: nobody spoke


async def main(path):
    pcm, rate = soundfile.read(path, dtype="int16")
    packet = rate * 20 // 1000
    with cosyvoice.Engine(max_stream=1, back_pressure="reject", **OPTIONS) as engine:
        session = engine.new_session(sample_rate=rate)
        conversation = asyncio.create_task(converse(session, Agent()))
        for start in range(0, len(pcm), packet):
            session.feed(pcm[start : start + packet])
            await asyncio.sleep(0.020)
        session.finish()
        await conversation


asyncio.run(main(sys.argv[1]))
