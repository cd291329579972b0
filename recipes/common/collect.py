"""Transcribed recordings into pools: ``python -m recipes.common.collect --help``.

A line of a manifest becomes a row of the pool of the manifest's name; a bad line becomes an empty row, so that a run
that was stopped goes on at the right place. ``common/manifest.py`` says what a line holds.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile

from recipes.common.audio import read_pcm
from recipes.common.manifest import BadLines, Entry, ManifestError, Unusable, read_lines
from recipes.common.pool import SAMPLE_RATE, Pcm, PoolWriter, Row
from recipes.common.text import NORMALISERS, has_digits
from recipes.common.tokens import Tokens

SHORTEST_S = 0.1


def _usable(item: Entry | Unusable, normalise: Callable[[str], str], tokens: Tokens | None) -> tuple[Pcm, str, str]:
    """Return samples, normalised text and speaker; raises Unusable where there are none to learn from."""
    if isinstance(item, Unusable):
        raise item
    text = normalise(item.text)
    if not text:
        raise Unusable(f"no words in {item.text!r}")
    if has_digits(text):
        raise Unusable(f"digits in {item.text!r}; write numbers as they are said")
    if tokens is not None and (missing := tokens.missing(text)):
        raise Unusable(f"the tokens lack {missing!r}")
    try:
        pcm = read_pcm(item.audio, item.start, item.end, item.channel)
    except (soundfile.LibsndfileError, OSError) as error:
        raise Unusable(f"{item.audio} cannot be read: {error}") from error
    except ValueError as error:
        raise Unusable(str(error)) from error
    if len(pcm) < SHORTEST_S * SAMPLE_RATE:
        raise Unusable(f"{len(pcm) / SAMPLE_RATE:.2f} s of audio are too short")
    return pcm, text, item.speaker


def _same(rows: list[Row], items: list[Entry | Unusable], normalise: Callable[[str], str]) -> bool:
    """Whether rows collected earlier are those of the manifest as it is now."""
    return len(rows) <= len(items) and all(
        isinstance(item, Entry) and normalise(item.text) == row.text
        for row, item in zip(rows, items, strict=False)
        if row.samples
    )


def collect(
    manifest: Path,
    folder: Path,
    language: str = "en",
    tokens: Tokens | None = None,
    most_bad: int = 50,
    name: str | None = None,
) -> tuple[int, float, int]:
    """Copy the recordings of a manifest into the pool of its name or `name`; return utterances, seconds, bad lines."""
    name = name or manifest.stem
    normalise, bad = NORMALISERS[language], BadLines(manifest, most_bad)
    lines = list(read_lines(manifest))
    with PoolWriter(folder, name) as pool:
        if not _same(pool.kept, [item for _, item in lines], normalise):
            raise ManifestError(
                f"the pool {name} holds other lines than {manifest} now does; remove {folder / name}.pcm and .jsonl, "
                "or collect under another name"
            )
        for number, item in lines[pool.count :]:
            try:
                pcm, text, speaker = _usable(item, normalise, tokens)
            except Unusable as error:
                bad.tell(number, str(error))
                pool.add(np.zeros(0, np.int16), "", "")
            else:
                pool.add(pcm, text, speaker or name)
        rows = [row for row in pool.kept if row.samples]
    return len(rows), sum(row.samples for row in rows) / SAMPLE_RATE, len(lines) - len(rows)


def main() -> None:
    """Collect each manifest and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifests", type=Path, nargs="+")
    parser.add_argument("--pool", type=Path, required=True, help="the folder of pools")
    parser.add_argument("--language", choices=tuple(NORMALISERS), default="en", help="how transcripts are normalised")
    parser.add_argument("--tokens", type=Path, help="the SentencePiece model; a line it cannot spell is a bad one")
    parser.add_argument("--most-bad", type=int, default=50, help="bad lines of a manifest that are left out at most")
    arguments = parser.parse_args()
    tokens = Tokens(arguments.tokens) if arguments.tokens else None
    try:
        for manifest in arguments.manifests:
            count, seconds, bad = collect(manifest, arguments.pool, arguments.language, tokens, arguments.most_bad)
            print(f"{manifest.stem}: {count} utterances, {seconds / 3600:.2f} h, {bad} bad lines left out")
    except ManifestError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
