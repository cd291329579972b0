"""How exact word times are: python benchmarks/word_times.py [MODEL …] (default: en en-lite)

Single words, read by the voices of flite (Debian's package of that name) and cut to their sound, stand between silences of known
length: so it is known when each begins. `cosyvoice evaluate` hears them as streams, in every chunk length of the model. Prints
a JSON object a line: the median and the 90th percentile of the absolute errors of the words' starts, and the median lateness, by
which `emission_offset_ms` of the manifest would have to grow. Words that were not heard as they were said do not count.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import soundfile

from cosyvoice import _native
from cosyvoice.embedded import resolve_model

if TYPE_CHECKING:
    import numpy.typing as npt

VOICES = ("slt", "rms", "awb")  # of 16 kHz
RATE = 16000
TOGETHER = 6  # words in a recording
SILENCE_MS = (60, 500)
AUDIBLE = 0.01  # of a word's peak: -40 dB
WORDS = [
    "about", "after", "again", "always", "another", "because", "before", "between", "business", "children",
    "company", "country", "different", "evening", "every", "example", "family", "father", "follow", "friend",
    "garden", "general", "going", "government", "happen", "history", "holiday", "house", "important", "interest",
    "kitchen", "language", "letter", "little", "machine", "market", "members", "minister", "minute", "moment",
    "money", "morning", "mother", "mountain", "never", "nothing", "number", "office", "often", "other", "paper",
    "people", "person", "picture", "possible", "problem", "question", "reason", "report", "river", "second",
    "service", "several", "sister", "something", "station", "story", "student", "summer", "system", "teacher",
    "thousand", "together", "tomorrow", "under", "until", "village", "water", "weather", "whether", "window",
    "winter", "without", "woman", "wonder", "yellow", "yesterday",
]  # fmt: skip


def read(word: str, voice: str, folder: Path) -> npt.NDArray[np.float32]:
    """The sound of a word ([samples], 16 kHz) without the silence around it."""
    path = folder / "word.wav"
    subprocess.run(["flite", "-voice", voice, "-t", word, "-o", str(path)], check=True)
    audio, rate = soundfile.read(path, dtype="float32")
    if rate != RATE:
        raise SystemExit(f"flite's voice {voice} speaks at {rate} Hz, not at {RATE}; leave it out of VOICES")
    audible = np.flatnonzero(np.abs(audio) > AUDIBLE * np.abs(audio).max())
    return audio[audible[0] : audible[-1] + 1]


def record(words: list[str], voice: str, rng: np.random.Generator, folder: Path) -> dict[str, object]:
    """A recording of the words and its line in the manifest."""
    parts, starts, at = [], [], 0
    for word in words:
        silence = np.zeros(int(rng.integers(*SILENCE_MS)) * RATE // 1000, np.float32)
        sound = read(word, voice, folder)
        starts.append((at + len(silence)) / RATE)
        parts += [silence, sound]
        at += len(silence) + len(sound)
    name = f"{voice}-{words[0]}.wav"
    soundfile.write(folder / name, np.concatenate([*parts, np.zeros(RATE // 2, np.float32)]), RATE)
    return {"audio": name, "text": " ".join(words), "word_starts": starts, "speaker": voice}


def main() -> None:
    """A row for each model and chunk length."""
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        rows = [
            record(words[at : at + TOGETHER], voice, rng, folder)
            for voice in VOICES
            for words in [rng.permutation(WORDS).tolist()]
            for at in range(0, len(words), TOGETHER)
        ]
        manifest = folder / "words.jsonl"
        manifest.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        for model in sys.argv[1:] or ["en", "en-lite"]:
            for chunk_ms in _native.read_manifest(str(resolve_model(model)))["chunk_ms"]:
                command = ["evaluate", manifest, "--json", "--model", model, "--chunk-ms", chunk_ms]
                done = subprocess.run(
                    [sys.executable, "-m", "cosyvoice", *map(str, command)], check=True, stdout=subprocess.PIPE
                )
                report = json.loads(done.stdout)
                found = report["word_start_ms"] or {"words": 0}
                print(json.dumps({"model": model, "chunk_ms": chunk_ms, "said": report["words"], **found}), flush=True)


if __name__ == "__main__":
    main()
