"""What the scripts for corpora share: utterances, speakers held out, and the manifests that are written."""

import argparse
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import soundfile

from recipes.common.manifest import path_in, write_rows

DEV_SHARE = 0.05  # of the speakers, where a corpus has no part of its own for choosing among checkpoints


class NotThisCorpus(Exception):
    """The folder is not laid out as the corpus is; the message says what is missing."""


@dataclass(frozen=True)
class Utterance:
    """A recording and what is said in it."""

    audio: Path
    text: str
    speaker: str


Parts = Mapping[str, list[Utterance]]  # by the names of the manifests


def need(path: Path, corpus: str, hint: str) -> Path:
    """Return a path that the corpus has; raises NotThisCorpus where it is not there."""
    if not path.exists():
        raise NotThisCorpus(f"{path} is not there: {hint} (the layout of {corpus} as published)")
    return path


def pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the first word of each line and what follows it, as Kaldi's files hold them."""
    for line in path.read_text("utf-8").splitlines():
        key, _, value = line.replace("\t", " ").strip().partition(" ")
        if key:
            yield key, value.strip()


def hold_out(utterances: Iterable[Utterance]) -> tuple[list[Utterance], list[Utterance]]:
    """Return training and dev: the same few speakers every time, one at least, are in dev alone."""
    found = list(utterances)
    speakers = sorted({one.speaker for one in found}, key=lambda name: zlib.crc32(name.encode()))
    dev = set(speakers[: max(1, round(DEV_SHARE * len(speakers)))]) if len(speakers) > 1 else set()
    return [one for one in found if one.speaker not in dev], [one for one in found if one.speaker in dev]


def write_parts(parts: Parts, out: Path) -> bool:
    """Write a manifest for each part and say what it holds; return whether every recording was there and readable."""
    whole = True
    for name, utterances in parts.items():
        manifest, rows, bad = out / f"{name}.jsonl", [], []
        for one in utterances:
            try:
                info = soundfile.info(one.audio)
            except soundfile.LibsndfileError as error:
                bad.append(str(error))
                continue
            seconds = round(info.frames / info.samplerate, 3)
            row = {"audio": path_in(manifest, one.audio), "text": one.text, "speaker": one.speaker}
            rows.append(row | {"seconds": seconds})
        if not rows:
            raise NotThisCorpus(f"{name}: none of its {len(utterances)} recordings can be read: {bad[:1]}")
        write_rows(manifest, rows)
        speakers, hours = len({row["speaker"] for row in rows}), sum(float(row["seconds"]) for row in rows) / 3600
        print(f"{manifest}: {len(rows)} utterances, {speakers} speakers, {hours:.2f} h")
        if bad:
            whole = False
            print(f"{name}: {len(bad)} recordings cannot be read, the first: {bad[0]}", file=sys.stderr)
    return whole


def run(prepare: Callable[[Path, Path], Parts], description: str | None, folder: str) -> None:
    """Serve the command line of a corpus; exit code 1 when something is missing."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help=folder)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the manifests")
    arguments = parser.parse_args()
    try:
        whole = write_parts(prepare(arguments.corpus, arguments.out), arguments.out)
    except NotThisCorpus as error:
        sys.exit(str(error))
    if not whole:
        sys.exit(1)
