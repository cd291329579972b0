"""How exact word times are: python benchmarks/word_times.py [MODEL …] (default: en en-lite)

flite (Debian's package of that name) reads, so that it is known when each word begins. Of sentences flite itself says when each
phone ends. Single words are cut to their sound, with silences of known length between them. `cosyvoice evaluate` hears both as
streams, in every chunk length of the model. Prints a JSON object a line: the median and the 90th percentile of the absolute
errors of the words' starts, and the median lateness. Words that were not heard as they were said do not count.
`--keep FOLDER` leaves the recordings and their manifests there and hears nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from itertools import pairwise
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
SENTENCES = [
    "the weather report for tomorrow morning was better than we expected",
    "please send the letter to the office before the end of the month",
    "my mother and father moved to another country many years ago",
    "there is a little garden behind the house where the children play",
    "he asked the teacher a question about the history of the village",
    "the station is open until midnight every day of the week",
    "nobody knows what will happen to the company next summer",
    "i would like to speak with somebody about my last bill",
    "the river rose during the night and the water covered the road",
    "she found an old picture of her sister in the kitchen",
    "we need more time and more money to finish the work",
    "the doctor said that she should come again on monday",
    "could you tell me how to get to the market from here",
    "it took them almost a year to build the new machine",
    "most people in this town read the paper in the evening",
    "the minister gave a short answer and left the room",
]
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


def single_words(words: list[str], voice: str, rng: np.random.Generator, folder: Path) -> dict[str, object]:
    """A recording of words with silences between them, and its line in the manifest."""
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


def phones(text: str, voice: str, path: str) -> list[tuple[str, float]]:
    """What flite says, silences included, with the second at which each phone ends."""
    command = ["flite", "-voice", voice, "-psdur", "-t", text, "-o", path]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return [(phone, float(end)) for phone, end in (one.split(":") for one in said)]


def sentence(text: str, voice: str, folder: Path) -> dict[str, object] | None:
    """The same of a sentence; None where its words are said otherwise than alone: whose phones are whose is not known."""
    name = f"{voice}-{text.replace(' ', '-')}.wav"
    said = [("", 0.0), *phones(text, voice, str(folder / name))]
    begins = [before[1] for before, (phone, _) in pairwise(said) if phone != "pau"]
    starts, at = [], 0
    for word in text.split():
        starts.append(begins[min(at, len(begins) - 1)])
        at += sum(phone != "pau" for phone, _ in phones(word, voice, "none"))
    return {"audio": name, "text": text, "word_starts": starts, "speaker": voice} if at == len(begins) else None


def record(folder: Path) -> list[Path]:
    """The recordings, and a manifest of each kind."""
    rng = np.random.default_rng(1)
    rows = {"sentences": [row for voice in VOICES for text in SENTENCES if (row := sentence(text, voice, folder))]}
    rows["words"] = []
    for voice in VOICES:
        words = rng.permutation(WORDS).tolist()
        rows["words"] += [
            single_words(words[at : at + TOGETHER], voice, rng, folder) for at in range(0, len(words), TOGETHER)
        ]
    manifests = [folder / f"{kind}.jsonl" for kind in rows]
    for manifest, lines in zip(manifests, rows.values(), strict=True):
        manifest.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return manifests


def hear(manifest: Path, model: str, chunk_ms: int) -> dict[str, object]:
    """A row of the results."""
    command = ["evaluate", manifest, "--json", "--model", model, "--chunk-ms", chunk_ms]
    done = subprocess.run([sys.executable, "-m", "cosyvoice", *map(str, command)], check=True, stdout=subprocess.PIPE)
    report = json.loads(done.stdout)
    found = report["word_start_ms"] or {"words": 0}
    return {"model": model, "read": manifest.stem, "chunk_ms": chunk_ms, "said": report["words"], **found}


def main() -> None:
    """A row for each model, kind of recording and chunk length."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--keep"]:
        folder = Path(arguments[1])
        folder.mkdir(parents=True, exist_ok=True)
        record(folder)
        return
    with tempfile.TemporaryDirectory() as temporary:
        manifests = record(Path(temporary))
        for model in arguments or ["en", "en-lite"]:
            for manifest in manifests:
                for chunk_ms in _native.read_manifest(str(resolve_model(model)))["chunk_ms"]:
                    print(json.dumps(hear(manifest, model, chunk_ms)), flush=True)


if __name__ == "__main__":
    main()
