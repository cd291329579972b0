"""Write the tables of results of a MODEL_CARD.md from what `cosyvoice evaluate --output` wrote, one file a column.

python tools/card_results.py MODEL_CARD.md ROWS.yaml 320.jsonl …     (recipes/Makefile: card)

Names of files head the columns: 320.jsonl as "320 ms", 320-language_model.jsonl as "320 ms, language model". Below each
heading of a card that ROWS.yaml names, the first table is replaced.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from cosyvoice.cli.evaluation.bootstrap import interval, resampled_rates

Line = dict[str, Any]


class Refused(Exception):
    """The files given do not make tables; the message says why."""


def head(path: Path) -> str:
    """What heads a file's column."""
    chunk, *rest = path.stem.split("-")
    return ", ".join([f"{chunk} ms", *rest]).replace("_", " ")


def read(path: Path) -> list[Line]:
    """The lines of one column."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        if "error" in line:
            raise Refused(f"{path}: {line['line']} could not be heard ({line['error']}); evaluate again")
    return lines


def matches(line: Line, row: Line) -> bool:
    """Whether a row of the table counts this line."""
    for field, wanted in row.items():
        if field == "row":
            continue
        found = line.get(field) or ""
        if isinstance(wanted, list):
            if not (found and wanted[0] <= float(found) <= wanted[1]):
                return False
        elif not found.startswith(wanted):
            return False
    return True


def rate(lines: list[Line]) -> str:
    """Word errors in per cent, with the interval that `cosyvoice evaluate` would give."""
    heard = [line["heard"][0] for line in lines]
    words = np.array([each["words"] for each in heard])
    errors = np.array([each["substitutions"] + each["deletions"] + each["insertions"] for each in heard])
    low, high = interval(resampled_rates(errors[None], words)[:, 0])
    return f"{100 * errors.sum() / words.sum():.1f} ({100 * low:.1f} to {100 * high:.1f})"


def table(rows: list[Line], columns: dict[str, list[Line]]) -> str:
    """A table in Markdown; every column must count the same words."""
    cells = []
    for row in rows:
        found = [[line for line in lines if matches(line, row)] for lines in columns.values()]
        counts = {(len(lines), sum(line["heard"][0]["words"] for line in lines)) for lines in found}
        if len(counts) > 1:
            raise Refused(f"{row['row']}: the files count other utterances, or other words")
        ((utterances, words),) = counts
        if words == 0:
            raise Refused(f"{row['row']}: no line matches; evaluate with --by for every field that rows name")
        cells.append([row["row"], str(utterances), f"{words:,}", *map(rate, found)])
    heads = ["", "utterances", "words", *columns]
    body = "".join(f"| {' | '.join(row)} |\n" for row in cells)
    return f"| {' | '.join(heads).strip()} |\n{'|---' * len(heads)}|\n{body}"


def written(card: str, tables: dict[str, list[Line]], columns: dict[str, list[Line]]) -> str:
    """The card with its tables replaced."""
    for heading, rows in tables.items():
        below = re.compile(rf"(^#+ {re.escape(heading)}\n(?:(?!#|\|).*\n)*)(?:\|.*\n)*\n*", re.MULTILINE)
        text = table(rows, columns) + "\n"
        card, count = below.subn(lambda found, text=text: found[1] + text, card)
        if count != 1:
            raise Refused(f"the card has {count} headings {heading!r}; one is needed")
    return card


def main() -> int:
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    card, rows, *files = map(Path, sys.argv[1:])
    try:
        columns = {head(file): read(file) for file in files}
        text = written(card.read_text("utf-8"), yaml.safe_load(rows.read_text("utf-8")), columns)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    card.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
