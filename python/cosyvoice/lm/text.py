"""Texts that may be compressed, or come from standard input."""

from __future__ import annotations

import gzip
import sys
import zlib
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from cosyvoice.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

STANDARD_INPUT = Path("-")
_GZIP = b"\x1f\x8b"


@contextmanager
def open_text(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a text, unpacked where it is a gzip file by its first bytes; ``-`` is standard input.

    Raises
    ------
    InvalidArgument
        While it is read: the gzip file is damaged.
    """
    source: AbstractContextManager[BinaryIO] = (
        nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else path.open("rb")
    )
    with source as raw:
        try:
            packed = raw.peek(2)[:2] == _GZIP  # type: ignore[attr-defined]
            yield cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if packed else raw
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InvalidArgument(f"{path}: the gzip file is damaged ({error}); is it only half copied?") from error


def read_sentences(path: Path) -> Iterator[list[str]]:
    """The words of each line that has any.

    Raises
    ------
    InvalidArgument
        A line is not UTF-8.
    """
    with open_text(path) as text:
        for number, line in enumerate(text, 1):
            try:
                words = line.decode("utf-8").split()
            except UnicodeDecodeError as error:
                raise InvalidArgument(f"{path}:{number}: expected UTF-8 text ({error}); save it as UTF-8") from error
            if words:
                yield words
