"""Recordings without transcripts into a pool, as Whisper hears them: ``python -m recipes.en.label --help``.

Recordings are cut at pauses into utterances; those that Whisper is unsure of are left out.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from faster_whisper import BatchedInferencePipeline, WhisperModel

from recipes.common.collect import read_pcm
from recipes.common.pool import SAMPLE_RATE, Pcm, PoolWriter
from recipes.common.text import normalise

LONGEST_S = 26.0
LEAST_LOG_PROB = -0.45
FRAME = SAMPLE_RATE // 50


def cut(pcm: Pcm) -> list[Pcm]:
    """Return a recording in utterances of at most `LONGEST_S`, each cut in the quietest place of its last 40 %."""
    longest = int(LONGEST_S * SAMPLE_RATE)
    pieces = []
    while len(pcm) > longest:
        first = int(0.6 * longest) // FRAME
        energy = (pcm[: longest // FRAME * FRAME].astype(np.float32).reshape(-1, FRAME) ** 2).mean(1)
        smooth = np.convolve(np.log(energy + 1), np.ones(15) / 15, "same")  # 0.3 s
        place = (first + int(np.argmin(smooth[first:-8]))) * FRAME
        pieces.append(pcm[:place])
        pcm = pcm[place:]
    return [*pieces, pcm]


def believable(text: str, seconds: float) -> bool:
    """Whether a text has a likely pace and is no notice of LibriVox."""
    pace = len(text) / seconds
    return 5 < pace < 25 and "librivox" not in text and "public domain" not in text


def main() -> None:
    """Label every recording of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whisper", type=Path, required=True, help="the folder of a CTranslate2 Whisper model")
    parser.add_argument("--audio", type=Path, required=True, help="a folder of .wav and .flac files")
    parser.add_argument("--slots", type=Path, help="a JSON file of words that must occur, by the file's name")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--name", required=True, help="of the pool")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    whisper = WhisperModel(str(arguments.whisper), "cpu", compute_type="int8", cpu_threads=arguments.threads)
    pipeline = BatchedInferencePipeline(whisper)
    slots = json.loads(arguments.slots.read_text()) if arguments.slots else {}
    paths = sorted(path for path in arguments.audio.iterdir() if path.suffix in (".wav", ".flac"))
    pieces = [(path, piece) for path in paths for piece in cut(read_pcm(path)) if len(piece) > SAMPLE_RATE]
    with PoolWriter(arguments.pool, arguments.name) as pool:
        for start in range(pool.count, len(pieces), 64):
            group = pieces[start : start + 64]
            ends = np.cumsum([len(piece) for _, piece in group]) / SAMPLE_RATE
            clips = [{"start": float(a), "end": float(b)} for a, b in zip([0, *ends[:-1]], ends, strict=True)]
            audio = np.concatenate([piece for _, piece in group]).astype(np.float32) / 32768
            options = {"beam_size": 1, "temperature": 0.0, "vad_filter": False}
            segments, _ = pipeline.transcribe(audio, language="en", clip_timestamps=clips, batch_size=16, **options)
            heard = {round(segment.start, 1): segment for segment in segments}
            for (path, piece), clip in zip(group, clips, strict=True):
                segment = heard.get(round(clip["start"], 1))
                text = normalise(segment.text) if segment else ""
                wanted = slots.get(path.name, {}).get("slots", {}).values()
                sure = segment is not None and segment.avg_logprob > LEAST_LOG_PROB
                good = sure and believable(text, len(piece) / SAMPLE_RATE) and all(w.strip() in text for w in wanted)
                pool.add(piece if good else piece[:0], text, f"{arguments.name}_{path.stem}")


if __name__ == "__main__":
    main()
