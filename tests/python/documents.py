"""The documentation's pages, their blocks of code and their tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from support import REPOSITORY

DOCS = REPOSITORY / "docs"
REFERENCE = DOCS / "reference"
PAGES = sorted(
    path
    for path in REPOSITORY.rglob("*.md")
    if not any(part.startswith(".") or part in {"build", "dist"} for part in path.relative_to(REPOSITORY).parts)
)
READMES = [REPOSITORY / "README.md", REPOSITORY / "README.zh-CN.md"]
OURS = [page for page in PAGES if page in READMES or DOCS in page.parents]


def name_of(page):
    """A page's path in the repository."""
    return str(page.relative_to(REPOSITORY))


@dataclass(frozen=True)
class Block:
    """One fenced block. Its marks say where it comes from: all of a `file`, or an `excerpt` of consecutive lines."""

    language: str
    marks: dict[str, str]
    text: str


def blocks(page):
    """The page's fenced blocks."""
    fences = re.findall(r"^```(\S*)([^\n]*)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [
        Block(language, dict(mark.split("=", 1) for mark in marks.split()), text) for language, marks, text in fences
    ]


def tables(page, first):
    """The rows of each table whose first header cell is `first`, as lists of cells."""
    return [
        [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()]
        for rows in re.findall(
            rf"^\| {first} \|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)*)", page.read_text("utf-8"), re.MULTILINE
        )
    ]


def table(page, first):
    """The same where there is one such table."""
    (rows,) = tables(page, first)
    return rows


def code(cell):
    """What stands between backticks in a cell."""
    return re.findall(r"`([^`]+)`", cell)
