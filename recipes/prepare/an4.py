"""CMU's AN4: people spell names and say numbers, 1 hour, free for any purpose with CMU's notice.

    etc/{an4_train,an4_test}.transcription  wav/{an4_clstk,an4test_clstk}/fash/an251-fash-b.{sph,raw,wav}

Takes the archive with SPHERE files and both with raw samples (16 kHz, 16 bits, of either byte order); raw ones are
written as FLAC beside the manifests. A few of the training part's speakers are held out as dev.
"""

import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

from recipes.prepare.corpus import Parts, Utterance, hold_out, need, run

HINT = "give the folder an4, which holds etc and wav"
RATE = 16000
FOLDERS = {"train": "an4_clstk", "test": "an4test_clstk"}
# "<s> YES </s> (an251-fash-b)" in the training part, the same without marks in the test part.
LINE = re.compile(r"(?:<s>\s+)?(?P<text>.*?)\s*(?:</s>\s*)?\((?P<key>[^()]+)\)\s*")


def read_raw(path: Path) -> npt.NDArray[np.int16]:
    """Return the samples of a file without a header; speech is smooth in the right byte order, noise in the wrong."""
    little = np.fromfile(path, "<i2")
    big = little.byteswap()
    smooth = min((little, big), key=lambda samples: float(np.abs(np.diff(samples.astype(np.int32))).sum()))
    return smooth.astype(np.int16)


def _recording(folder: Path, key: str, out: Path) -> Path:
    """Return a recording's place, whether it is there or not; a raw one is copied first."""
    found = next((path for kind in ("sph", "wav", "raw") if (path := folder / f"{key}.{kind}").exists()), None)
    if found is None or found.suffix != ".raw":
        return found or folder / f"{key}.sph"
    copy = out / "an4" / f"{key}.flac"
    if not copy.exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        new = copy.with_suffix(".new")
        soundfile.write(new, read_raw(found), RATE, format="FLAC")
        new.replace(copy)
    return copy


def _part(corpus: Path, part: str, out: Path) -> list[Utterance]:
    found = []
    for line in need(corpus / "etc" / f"an4_{part}.transcription", "AN4", HINT).read_text("utf-8").splitlines():
        if match := LINE.fullmatch(line.strip()):
            key = match["key"]
            speaker = key.split("-")[1]
            folder = corpus / "wav" / FOLDERS[part] / speaker
            found.append(Utterance(_recording(folder, key, out), match["text"], f"an4_{speaker}"))
    return found


def prepare(corpus: Path, out: Path) -> Parts:
    """Return the utterances by part."""
    train, dev = hold_out(_part(corpus, "train", out))
    return {"train": train, "dev": dev, "test": _part(corpus, "test", out)}


if __name__ == "__main__":
    run(prepare, __doc__, HINT)
