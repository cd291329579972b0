"""Every WAV and FLAC file of a folder, several at once, as sessions of batch priority.

python transcribe_folder.py FOLDER
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import soundfile

import cosyvoice

AT_ONCE = 8


class Transcript:
    def __init__(self):
        self.texts = []
        self.ended = threading.Event()


def main(folder):
    files = sorted(path for path in folder.iterdir() if path.suffix in {".wav", ".flac"})
    transcripts = {str(path): Transcript() for path in files}

    def take(line):
        event = cosyvoice.parse_event(line)
        transcript = transcripts[event.session]
        transcript.texts.append(event.message if event.type == "error" else event.text)
        if event.ended:
            transcript.ended.set()

    def transcribe(path):
        rate = soundfile.info(path).samplerate
        with engine.new_session(name=str(path), sample_rate=rate, encoding="f32le", priority="batch") as session:
            for block in soundfile.blocks(path, blocksize=rate // 4, dtype="float32", always_2d=True):
                session.feed(block.mean(axis=1))  # channels mixed to one
        transcripts[str(path)].ended.wait()  # now its place is free for the next file
        return " ".join(filter(None, transcripts[str(path)].texts))

    # Files wait for the engine as long as it takes, hence the long block_timeout.
    with cosyvoice.Engine(max_stream=AT_ONCE, block_timeout=600_000) as engine, ThreadPoolExecutor(AT_ONCE) as pool:
        engine.register_callback(None, take, take)
        for path, text in zip(files, pool.map(transcribe, files), strict=True):
            print(f"{path}: {text}")


main(Path(sys.argv[1]))
