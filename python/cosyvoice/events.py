"""Events as typed objects, made of the JSON that every outlet sends."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Alternative", "Event", "EventType", "Word", "parse_event"]

EventType = Literal["speech_start", "partial", "final", "error", "dropped"]


@dataclass(frozen=True, slots=True)
class Word:
    """One word with its times in milliseconds from the first sample of the session."""

    word: str
    start_ms: int
    end_ms: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another text that an utterance may have been, with its share of the probability of all texts that were left."""

    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a session; ``json`` is the line it was made of.

    ``text``, ``words`` and ``confidence`` belong to partials and finals, ``code`` and ``message`` to errors. ``seq`` counts the
    events that are not partials; a partial repeats the last one's. Nothing follows an event with ``ended``. ``pass_number``, in
    JSON ``pass``, is 2 for a final whose words are the second pass's. ``display`` is a final's text as it would be written, with
    ``itn``; else empty.
    """

    type: EventType
    sid: int
    session: str
    seq: int
    utterance: int
    text: str
    words: tuple[Word, ...]
    start_ms: int
    end_ms: int
    confidence: float
    reason: str
    pass_number: int
    ended: bool
    heard_ms: int
    delay_ms: float
    code: str
    message: str
    model_name: str
    model_version: int
    display: str
    json: str = field(repr=False)
    alternatives: tuple[Alternative, ...] = ()


def parse_event(line: str) -> Event:
    """The event of one line of JSON; fields that are not known are ignored."""
    data: dict[str, Any] = json.loads(line)
    model = data.get("model", {})
    return Event(
        type=data["type"],
        sid=data["sid"],
        session=data.get("session", ""),
        seq=data["seq"],
        utterance=data["utterance"],
        text=data.get("text", ""),
        words=tuple(Word(w["word"], w["start_ms"], w["end_ms"], w["confidence"]) for w in data.get("words", ())),
        start_ms=data.get("start_ms", 0),
        end_ms=data.get("end_ms", 0),
        confidence=data.get("confidence", 0.0),
        reason=data.get("reason", ""),
        pass_number=data.get("pass", 1),
        ended=data.get("ended", False),
        heard_ms=data.get("heard_ms", 0),
        delay_ms=data.get("delay_ms", 0.0),
        code=data.get("code", ""),
        message=data.get("message", ""),
        model_name=model.get("name", ""),
        model_version=model.get("version", 0),
        display=data.get("display", ""),
        json=line,
        alternatives=tuple(Alternative(a["text"], a["confidence"]) for a in data.get("alternatives", ())),
    )
