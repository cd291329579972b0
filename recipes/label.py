"""Recordings without transcripts into a manifest to train on: ``python -m recipes.label --help``.

Speech is found and cut into segments, Whisper writes what it hears, and filters keep what can be believed. Beside the
manifest stand ``*.rejected.jsonl`` (what was dropped, and why), ``*.report.json`` (where the seconds went) and
``*.heard.jsonl``, from which a run that was stopped goes on. Other limits cost nothing: run again, and what was heard is
judged anew.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import soundfile

from recipes.common.audio import Audio, read_audio
from recipes.common.manifest import write_rows
from recipes.common.pool import SAMPLE_RATE
from recipes.common.text import NORMALISERS
from recipes.labelling.agreement import OwnModel
from recipes.labelling.filters import Limits
from recipes.labelling.hearing import Transcriber, Whisper
from recipes.labelling.journal import HeardTrack, Journal, OtherSettings, Segment
from recipes.labelling.judging import Judged, judge
from recipes.labelling.recordings import Track, recordings, tracks
from recipes.labelling.segments import FindSpeech, Lengths, segments, silero

PACES = {"en": (0.5, 5.5), "zh": (0.7, 9.0)}


def hear(
    track: Track, find_speech: FindSpeech, lengths: Lengths, whisper: Transcriber, own: Callable[[Audio], str] | None
) -> HeardTrack:
    """Return a track with what was heard in its segments."""
    audio = read_audio(track.path, channel=track.channel)
    found = []
    for start, end in segments(audio, find_speech, lengths):
        part = audio[start:end]
        ours = None if own is None else own(part)
        found.append(Segment(start / SAMPLE_RATE, end / SAMPLE_RATE, whisper(part), ours))
    return HeardTrack(track, len(audio) / SAMPLE_RATE, tuple(found))


def label(
    folder: Path, split: bool, journal: Journal, listen: Callable[[Track], HeardTrack]
) -> tuple[list[HeardTrack], list[str]]:
    """Return every track of a folder, heard now or earlier, and what could not be read."""
    heard, unreadable = [], []
    for path in recordings(folder):
        try:
            for track in tracks(path, folder, split):
                one = journal.find(track)
                if one is None:
                    one = listen(track)
                    journal.add(one)
                heard.append(one)
        except (OSError, soundfile.LibsndfileError) as error:
            unreadable.append(f"{path}: {error}")
            print(unreadable[-1], file=sys.stderr)
    return heard, unreadable


def read_must_contain(path: Path | None) -> dict[str, list[str]]:
    """Return the words that must occur, by the recording's name: a list for each, or an object with ``slots``."""
    if path is None:
        return {}
    found: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
    lists = {name: list(one["slots"].values()) if isinstance(one, dict) else one for name, one in found.items()}
    return {name: [str(words).strip() for words in one] for name, one in lists.items()}


def write(result: Judged, manifest: Path) -> None:
    """Write manifest, rejected segments and report."""
    write_rows(manifest, result.kept)
    write_rows(manifest.with_suffix(".rejected.jsonl"), result.rejected)
    report = json.dumps(result.report.as_rows(), ensure_ascii=False, indent=1) + "\n"
    manifest.with_suffix(".report.json").write_text(report, "utf-8")


def _arguments() -> argparse.Namespace:
    limits, lengths = Limits(), Lengths()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="recordings of any rate and format, in folders of any depth")
    parser.add_argument("--whisper", required=True, help="the folder of a CTranslate2 Whisper model, or its name")
    parser.add_argument("--out", type=Path, required=True, help="the manifest to write, NAME.jsonl")
    parser.add_argument("--channels", choices=("mix", "split"), default="mix", help="split: a channel is a speaker")
    parser.add_argument("--language", choices=tuple(NORMALISERS), default="en", help="of the transcripts that are kept")
    parser.add_argument("--assume-language", action="store_true", help="do not let Whisper say which language it hears")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--agree-with", metavar="MODEL", help="a bundle that must hear about the same: name or folder")
    parser.add_argument("--must-contain", type=Path, help="JSON: words that must occur, by the recording's name")
    parser.add_argument("--must-not-contain", nargs="*", default=[], metavar="WORDS", help="such as librivox")
    parser.add_argument("--most-unreadable", type=int, default=0, help="recordings that may fail; beyond, exit code 1")
    parser.add_argument("--longest", type=float, default=lengths.longest, help="seconds of a segment")
    parser.add_argument("--gap", type=float, default=lengths.gap, help="seconds of silence that part two segments")
    least, most = "at least; %(default)s if not given", "at most; %(default)s if not given"
    parser.add_argument("--language-probability", type=float, default=limits.language_probability, help=least)
    parser.add_argument(
        "--log-probability", type=float, default=limits.log_probability, help=f"mean of tokens, {least}"
    )
    parser.add_argument("--no-speech", type=float, default=limits.no_speech, help=f"probability, {most}")
    parser.add_argument("--compression", type=float, default=limits.compression, help=f"of the text by zlib, {most}")
    parser.add_argument("--repeats", type=int, default=limits.repeats, help=f"of words in a row, {most}")
    parser.add_argument("--pace", type=float, nargs=2, metavar=("LOW", "HIGH"), help="words a second (zh: characters)")
    parser.add_argument("--shortest", type=float, default=limits.shortest_s, help=f"seconds, {least}")
    parser.add_argument(
        "--disagreement", type=float, default=limits.disagreement, help=f"WER with --agree-with, {most}"
    )
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        parser.error(f"{arguments.folder} is no folder")
    if not 2 <= arguments.longest <= 29:
        parser.error(f"--longest is {arguments.longest:g}; Whisper hears 30 s at once, so choose from 2 to 29")
    return arguments


def _limits(arguments: argparse.Namespace) -> Limits:
    return Limits(
        arguments.language, arguments.language_probability, arguments.log_probability, arguments.no_speech,
        arguments.compression, arguments.repeats, tuple(arguments.pace or PACES[arguments.language]), arguments.shortest,
        arguments.disagreement, tuple(arguments.must_not_contain),
    )  # fmt: skip


def main() -> None:
    """Label a folder; exit code 1 when something could not be read."""
    arguments = _arguments()
    lengths = Lengths(longest=arguments.longest, gap=arguments.gap)
    assumed = arguments.language if arguments.assume_language else None
    settings = {
        "folder": str(arguments.folder.resolve()), "whisper": arguments.whisper, "channels": arguments.channels,
        "assumed_language": assumed, "longest": lengths.longest, "gap": lengths.gap, "agree_with": arguments.agree_with,
    }  # fmt: skip
    try:
        journal = Journal(arguments.out.with_suffix(".heard.jsonl"), settings)
    except OtherSettings as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    whisper: Whisper | None = None
    own = OwnModel(arguments.agree_with) if arguments.agree_with else None

    def listen(track: Track) -> HeardTrack:
        nonlocal whisper
        if whisper is None:  # not loaded where everything was heard earlier
            whisper = Whisper(arguments.whisper, assumed, arguments.device, arguments.threads)
        one = hear(track, silero, lengths, whisper, own)
        print(f"{track.speaker}: {one.seconds:.1f} s, {len(one.segments)} segments", flush=True)
        return one

    heard, unreadable = label(arguments.folder, arguments.channels == "split", journal, listen)
    journal.close()
    result = judge(heard, _limits(arguments), arguments.out, read_must_contain(arguments.must_contain))
    result.report.unreadable = unreadable
    write(result, arguments.out)
    print("\n".join(result.report.lines()))
    if unreadable:
        print(f"{len(unreadable)} recordings could not be read; they are in the report", file=sys.stderr)
    if len(unreadable) > arguments.most_unreadable or not heard:
        sys.exit(1)


if __name__ == "__main__":
    main()
