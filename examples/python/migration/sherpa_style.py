"""What a program for sherpa-onnx's OnlineRecognizer does: one loop feeds many streams and prints each text that changed.

python sherpa_style.py RECORDING...
"""

import sys

import soundfile

import cosyvoice


def show(stream):
    """What is new of a stream: get_result(), and the end-points that is_endpoint() would have told."""
    while True:
        try:
            final = stream.result(timeout=0)
        except TimeoutError:
            break
        if final is None:
            return
        print(f"{stream.name} {final.start_ms / 1000:.2f} s final: {final.text}")  # the reset() has been done
    if (partial := stream.partial()) is not None:
        print(f"{stream.name} partial: {partial.text}")


recordings = {path: soundfile.read(path, dtype="float32") for path in sys.argv[1:]}
with cosyvoice.Engine(max_stream=len(recordings), block_timeout=60_000) as engine:  # OnlineRecognizer.from_…(…)
    streams = {path: engine.new_session(name=path, sample_rate=rate) for path, (_, rate) in recordings.items()}
    for second in range(max(len(samples) // rate + 1 for samples, rate in recordings.values())):
        for path, stream in streams.items():  # create_stream()
            samples, rate = recordings[path]
            part = samples[second * rate : (second + 1) * rate]
            if len(part):
                stream.feed(part)  # accept_waveform(rate, part); no is_ready() and decode_streams()
            show(stream)
    for stream in streams.values():
        stream.finish()  # input_finished(), without samples of silence before it
    for stream in streams.values():
        while (final := stream.result(timeout=60)) is not None:
            print(f"{stream.name} {final.start_ms / 1000:.2f} s final: {final.text}")
