"""From what was heard to a manifest, the segments that were dropped with the reasons, and a report of the seconds."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from recipes.common.manifest import path_in
from recipes.common.text import NORMALISERS
from recipes.labelling.agreement import error_rate
from recipes.labelling.filters import CHECKS, Labelled, Limits, reasons
from recipes.labelling.journal import HeardTrack, Segment


@dataclass
class Report:
    """Where the seconds of the recordings went: kept, without speech, or dropped by a filter."""

    tracks: int = 0
    seconds: float = 0.0
    kept: float = 0.0
    no_speech_found: float = 0.0
    dropped: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # seconds by filter
    kept_segments: int = 0
    dropped_segments: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)

    def as_rows(self) -> dict[str, Any]:
        """Return the report as JSON takes it; kept, silence and what was dropped add up to the seconds."""
        names = [name for name in CHECKS if name in self.dropped]
        return {
            "tracks": self.tracks,
            "seconds": round(self.seconds, 2),
            "kept": {"seconds": round(self.kept, 2), "segments": self.kept_segments},
            "no_speech_found": {"seconds": round(self.no_speech_found, 2)},
            "dropped": {
                name: {"seconds": round(self.dropped[name], 2), "segments": self.dropped_segments[name]}
                for name in names
            },
            "unreadable": self.unreadable,
        }

    def lines(self) -> list[str]:
        """Return the report as people read it."""
        share = 100 / self.seconds if self.seconds else 0.0
        rows = [("kept", self.kept, str(self.kept_segments)), ("no speech found", self.no_speech_found, "")]
        rows += [
            (name, self.dropped[name], str(self.dropped_segments[name])) for name in CHECKS if name in self.dropped
        ]
        rows.append(("all", self.seconds, ""))
        lines = [f"{'':22}{'seconds':>10}{'%':>7}{'segments':>10}"]
        lines += [f"{name:22}{seconds:10.1f}{share * seconds:7.1f}{count:>10}" for name, seconds, count in rows]
        return lines


@dataclass
class Judged:
    """What a folder came to."""

    kept: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    report: Report = field(default_factory=Report)


def _scores(segment: Segment, ours: float | None) -> dict[str, Any]:
    values = {key: value for key, value in asdict(segment.heard).items() if key != "text"}
    values |= {} if ours is None else {"disagreement": ours}
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in values.items()}


def judge(
    heard: Iterable[HeardTrack], limits: Limits, manifest: Path, must_contain: Mapping[str, Sequence[str]]
) -> Judged:
    """Judge every segment; a dropped one counts under the first filter that drops it and names them all."""
    result = Judged()
    for one in heard:
        speech = 0.0
        for segment in one.segments:
            seconds = segment.end - segment.start
            speech += seconds
            text = NORMALISERS[limits.language](segment.heard.text)
            ours = None if segment.ours is None else error_rate(text, segment.ours, limits.language)
            wanted = tuple(must_contain.get(one.track.name, must_contain.get(one.track.path.name, ())))
            why = list(reasons(Labelled(segment.heard, text, seconds, ours, wanted), limits))
            row: dict[str, Any] = {"audio": path_in(manifest, one.track.path)}
            row |= {"start": round(segment.start, 3), "end": round(segment.end, 3)}
            row |= {} if one.track.channel is None else {"channel": one.track.channel}
            row |= {"text": text, "speaker": one.track.speaker, "seconds": round(seconds, 3)}
            if why:
                row |= {"reasons": why, "heard": segment.heard.text, "ours": segment.ours}
                result.rejected.append(row | _scores(segment, ours))
                result.report.dropped[why[0]] += seconds
                result.report.dropped_segments[why[0]] += 1
            else:
                result.kept.append(row | {"scores": _scores(segment, ours)})
                result.report.kept += seconds
                result.report.kept_segments += 1
        result.report.tracks += 1
        result.report.seconds += one.seconds
        result.report.no_speech_found += one.seconds - speech
    return result
