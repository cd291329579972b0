"""All that is learned from the clips, as one report."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np

from cosyvoice.cli.evaluation.bootstrap import interval, resampled_rates
from cosyvoice.cli.evaluation.score import Heard, Score, score
from cosyvoice.cli.evaluation.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cosyvoice.cli.evaluation.manifest import Clip
    from cosyvoice.cli.evaluation.systems import System
    from cosyvoice.cli.evaluation.text import Normalise


class Evaluation:
    """Takes clip after clip as every system heard it, the first system being the one in question."""

    def __init__(self, systems: Sequence[System], fields: Sequence[str], normalise: Normalise, worst: int) -> None:
        self._systems = systems
        self._fields = [name for name in fields if name != "speaker"]
        self._normalise = normalise
        self._tallies = [Tally({"speaker", *fields}) for _ in systems]
        self._most = worst
        # A heap of the worst so far, the least bad on top: errors, rate, and the negative number, which is never equal.
        self._worst: list[tuple[int, float, int, dict[str, Any]]] = []
        self.clips = 0
        self._seconds = 0.0

    def add(self, clip: Clip, heard: Sequence[Heard]) -> dict[str, Any]:
        """The clip's line of results."""
        reference = self._normalise.applied(clip.text)
        starts_ms = clip.starts_ms(self._normalise)
        scores = [score(reference, each, self._normalise, starts_ms) for each in heard]
        for tally, each, points in zip(self._tallies, heard, scores, strict=True):
            tally.add(clip.groups, each, points)
        self.clips += 1
        self._seconds += heard[0].seconds
        line = {
            **_place(clip),
            "seconds": round(heard[0].seconds, 3),
            "reference": reference,
            "heard": [
                {"model": system.name, **points.row()} for system, points in zip(self._systems, scores, strict=True)
            ],
        }
        self._keep(scores[0], line)
        return line

    def _keep(self, points: Score, line: dict[str, Any]) -> None:
        if points.words.errors == 0 or self._most == 0:
            return
        entry = (points.words.errors, points.words.rate, -self.clips, line)
        if len(self._worst) < self._most:
            heapq.heappush(self._worst, entry)
        else:
            heapq.heappushpop(self._worst, entry)

    def report(self, wall_seconds: Sequence[float], failed: int) -> dict[str, Any]:
        """Of what was added; ``wall_seconds`` is the time that each system took."""
        words = np.asarray(self._tallies[0].words)
        errors = np.asarray([tally.errors for tally in self._tallies])
        rates = resampled_rates(errors, words)
        systems = []
        for system, tally, wall, drawn in zip(self._systems, self._tallies, wall_seconds, rates.T, strict=True):
            row = tally.total.row()
            systems.append({
                "model": system.name,
                "chunk_ms": system.chunk_ms,
                "wer": row.pop("wer"),
                "wer_interval": interval(drawn),
                **row,
                "rtf": round(wall / self._seconds, 5) if self._seconds else 0.0,
                "word_delay_ms": tally.word_delay(),
                "word_start_ms": tally.word_start(),
                "flicker": tally.flicker(),
                "confidence": tally.confidence(),
                "by_speaker": tally.by("speaker"),
                "by": {name: tally.by(name) for name in self._fields},
            })  # fmt: skip
        for number, other in enumerate(systems[1:], 1):
            fewer, more = (errors[number] < errors[0]).sum(), (errors[number] > errors[0]).sum()
            other |= {
                "difference": round(other["wer"] - systems[0]["wer"], 5),
                "difference_interval": interval(rates[:, number] - rates[:, 0]),
                "better": int(fewer),
                "worse": int(more),
                "equal": self.clips - int(fewer) - int(more),
            }
        return {
            **systems[0],
            "clips": self.clips,
            "failed": failed,
            "seconds": round(self._seconds, 2),
            "worst": [line for *_, line in sorted(self._worst, key=lambda entry: entry[:3], reverse=True)],
            "compare": systems[1:],
        }


def failure(clip: Clip, error: str) -> dict[str, Any]:
    """The line of results of a clip that could not be heard."""
    return {**_place(clip), "error": error}


def _place(clip: Clip) -> dict[str, Any]:
    part = {"start": clip.part.start, "end": clip.part.end} if clip.part.start or clip.part.end is not None else {}
    return {"line": clip.place, "audio": clip.audio, **part, **clip.groups}
