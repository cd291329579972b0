"""What a system heard, on disk until the other systems have heard it too."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from typing import TYPE_CHECKING

from cosyvoice.cli.evaluation.score import Heard, Spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Spool:
    """Takes all at once and gives it out again in the same order."""

    def __init__(self, everything: Iterable[Heard]) -> None:
        self._file = tempfile.TemporaryFile("w+", encoding="utf-8", prefix="cosyvoice-")  # noqa: SIM115 - read by __iter__
        for heard in everything:
            self._file.write(json.dumps(dataclasses.asdict(heard)) + "\n")
        self._file.seek(0)

    def __iter__(self) -> Iterator[Heard]:
        for line in self._file:
            row = json.loads(line)
            spoken = tuple(Spoken(*word) for word in row.pop("spoken"))
            yield Heard(**row, spoken=spoken)

    def close(self) -> None:
        """Nothing is left on the disk."""
        self._file.close()
