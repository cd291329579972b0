"""How late the network writes: ``python -m recipes.en.measure_delay --help``.

Compares when a word's first piece is written with where Whisper's attention puts the word's start, over words that
both agree on; the median is the manifest's ``emission_offset_ms``. Whisper's times are right to some 50 ms.
"""

import argparse
import difflib
from pathlib import Path

import numpy as np
import torch
import yaml
from faster_whisper import WhisperModel

from recipes.common.batches import FastLogMel, pad
from recipes.common.pool import SAMPLE_RATE, Pcm, Pool
from recipes.common.text import normalise
from recipes.common.tokens import BLANK, BOUNDARY, Tokens
from recipes.en.export import MANIFEST, trained


def words_of(ids: list[int], pieces: list[str], frame_ms: int) -> list[tuple[str, float]]:
    """Return words with the times (ms) at which their first pieces are written, from the best id of each frame."""
    words: list[tuple[str, float]] = []
    for frame, (before, now) in enumerate(zip([BLANK, *ids], ids, strict=False)):
        if now in (before, BLANK):
            continue
        if pieces[now].startswith(BOUNDARY) or not words:
            words.append((pieces[now].lstrip(BOUNDARY), float(frame * frame_ms)))
        else:
            words[-1] = (words[-1][0] + pieces[now], words[-1][1])
    return words


def spoken(whisper: WhisperModel, pcm: Pcm) -> list[tuple[str, float]]:
    """Return words with their starts (ms) as Whisper hears them."""
    audio = pcm.astype(np.float32) / 32768
    segments, _ = whisper.transcribe(audio, language="en", beam_size=1, word_timestamps=True)
    return [(normalise(word.word), 1000 * word.start) for segment in segments for word in segment.words or ()]


def main() -> None:
    """Print the delays' median and quartiles."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="a checkpoint")
    parser.add_argument("--tokens", type=Path, required=True, help="the SentencePiece model")
    parser.add_argument("--whisper", type=Path, required=True, help="the folder of a CTranslate2 Whisper model")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--name", default="librispeech", help="of the pool")
    parser.add_argument("--most", type=int, default=40, help="utterances")
    arguments = parser.parse_args()
    manifest = yaml.safe_load(MANIFEST.read_text("utf-8"))
    chunk, frame_ms = manifest["network"]["default_chunk"], manifest["network"]["output_frame_ms"]
    network, log_mel = trained(arguments.weights).eval(), FastLogMel(manifest["features"])
    pieces = [line.rsplit(" ", 1)[0] for line in Tokens(arguments.tokens).lines().splitlines()]
    whisper = WhisperModel(str(arguments.whisper), "cpu", compute_type="int8", cpu_threads=2)
    silence = log_mel(np.zeros(SAMPLE_RATE, np.float32))[-1]
    delays = []
    pool = Pool(arguments.pool, arguments.name)
    for row in [row for row in pool.rows if row.samples][: arguments.most]:
        pcm = pool.pcm(row)
        features = pad([log_mel(pcm.astype(np.float32) / 32768)], silence, chunk, network.look_ahead)
        with torch.no_grad():
            ids = network(features, chunk)[0].argmax(-1).tolist()
        written, heard = words_of(ids, pieces, frame_ms), spoken(whisper, pcm)
        matcher = difflib.SequenceMatcher(None, [word for word, _ in written], [word for word, _ in heard], False)
        for mine, theirs, size in matcher.get_matching_blocks():
            delays += [written[mine + i][1] - heard[theirs + i][1] for i in range(size)]
    low, middle, high = np.percentile(delays, [25, 50, 75])
    print(f"{len(delays)} words: first pieces come {middle:.0f} ms after the words' starts ({low:.0f} to {high:.0f})")


if __name__ == "__main__":
    main()
