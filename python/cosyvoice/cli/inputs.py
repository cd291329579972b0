"""Which recordings are meant by the arguments of a command: files, folders, patterns, standard input."""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

import typer

from cosyvoice.cli.audio_file import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What a folder is searched for. A file that is named is read whatever its name is.
AUDIO_SUFFIXES = frozenset(
    f".{name}"
    for name in (
        "aif", "aifc", "aiff", "au", "caf", "flac", "mp3", "nist", "oga", "ogg", "opus", "rf64", "snd", "sph", "voc", "w64",
        "wav", "wave",
    )
)  # fmt: skip
RAW_SUFFIXES = frozenset(
    f".{name}" for name in ("al", "alaw", "f32", "g711", "mulaw", "pcm", "raw", "s16", "sln", "ul", "ulaw")
)
STANDARD_INPUT = Path("-")
_WILDCARD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Input:
    """One recording; ``place`` is where its result belongs in a folder of results."""

    path: Path
    name: str
    place: Path
    kept: IO[bytes] | None = None  # keeps the copy of standard input alive


@dataclass(slots=True)
class Found:
    """What the arguments came to: recordings, and the arguments that came to none with the reason."""

    inputs: list[Input] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)


def named(argument: str) -> Path:
    """What a command's argument names; nothing, as an unset variable of a shell leaves it, is not this folder."""
    if not argument:
        raise typer.BadParameter("a name is empty; give a recording, a folder or a pattern, or . for this folder")
    return Path(argument)


def find_inputs(arguments: Sequence[Path], suffixes: frozenset[str]) -> Found:
    """Each recording once, in the order of the arguments, a folder's in the order of their names."""
    found = Found()
    seen: set[str] = set()
    for argument in arguments:
        before = len(found.faults)
        there = False
        for one in _inputs_of(argument, suffixes, found.faults):
            there = True
            identity = os.path.realpath(one.path)
            if identity not in seen:
                seen.add(identity)
                found.inputs.append(one)
        if not there and len(found.faults) == before:
            reason = "no file matches" if _is_pattern(argument) else "holds no recordings of a known kind"
            found.faults.append((shown(argument), reason))
    return found


def _inputs_of(argument: Path, suffixes: frozenset[str], faults: list[tuple[str, str]]) -> Iterator[Input]:
    if argument == STANDARD_INPUT:
        yield _standard_input()
    elif _is_pattern(argument):
        base = _fixed_part(argument)
        for name in sorted(glob.glob(str(argument), recursive=True)):  # noqa: PTH207 - Path.glob wants the base apart
            path = Path(name)
            if os.path.isdir(path):  # noqa: PTH112 - a name that is none is no folder, not an error
                yield from _in_folder(path, base, suffixes, faults)
            else:
                yield Input(path, shown(path), path.relative_to(base))
    elif os.path.isdir(argument):  # noqa: PTH112
        yield from _in_folder(argument, argument, suffixes, faults)
    else:
        yield Input(argument, shown(argument), Path(argument.name))


def _in_folder(folder: Path, base: Path, suffixes: frozenset[str], faults: list[tuple[str, str]]) -> Iterator[Input]:
    """Every recording in it and below, but for hidden ones."""

    def refused(error: OSError) -> None:
        faults.append((shown(Path(error.filename)), f"cannot be opened: {error.strerror}"))

    for place, folders, names in os.walk(folder, onerror=refused):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if Path(name).suffix.lower() in suffixes and not name.startswith("."):
                path = Path(place, name)
                yield Input(path, shown(path), path.relative_to(base))


def _is_pattern(argument: Path) -> bool:
    """Whether a shell left it to us; a file whose name looks like a pattern is that file."""
    return _WILDCARD.search(str(argument)) is not None and not os.path.lexists(argument)


def _fixed_part(pattern: Path) -> Path:
    """The folders before the first wildcard."""
    fixed = []
    for part in pattern.parts[:-1]:
        if _WILDCARD.search(part):
            break
        fixed.append(part)
    return Path(*fixed)


def _standard_input() -> Input:
    """Read to its end into a file without a name, for headers and lengths are found by seeking."""
    if sys.stdin is None or sys.stdin.isatty():
        raise typer.BadParameter("- is standard input, which is a terminal or closed here; pipe a recording into it")
    copy = tempfile.TemporaryFile(prefix="cosyvoice-")  # noqa: SIM115 - open as long as the Input is there
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.flush()
    return Input(Path(f"/proc/self/fd/{copy.fileno()}"), "-", Path("stdin"), copy)
