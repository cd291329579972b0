"""Transcripts as text, JSON and subtitles."""

from __future__ import annotations

import dataclasses
import enum
import json
from typing import TYPE_CHECKING, Any

from cosyvoice.cli.subtitles import srt, vtt

if TYPE_CHECKING:
    from cosyvoice.cli.transcript import Transcript, Utterance
    from cosyvoice.events import Word


class Format(enum.StrEnum):
    """How transcripts are written."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    SRT = "srt"
    VTT = "vtt"

    @property
    def suffix(self) -> str:
        """Of a file of results."""
        return ".txt" if self is Format.TEXT else f".{self}"

    @property
    def is_subtitles(self) -> bool:
        """Whether two recordings cannot follow each other in one file."""
        return self in (Format.SRT, Format.VTT)


def written(transcript: Transcript, name: str, form: Format, *, prefix: bool = False) -> str:
    """The transcript in a format, ending with a line's end where there is anything; ``prefix`` puts the name before lines."""
    if form is Format.TEXT:
        before = f"{name}: " if prefix else ""
        return "".join(f"{before}{_spoken(utterance)}\n" for utterance in transcript.utterances)
    if form is Format.JSON:
        return _line(_record(transcript, name))
    if form is Format.JSONL:
        lines = [_line({"file": name} | _row(utterance, words=True)) for utterance in transcript.utterances]
        if transcript.error is not None:
            lines.append(_line({"file": name, "error": transcript.error}))
        return "".join(lines)
    return srt(transcript.utterances) if form is Format.SRT else vtt(transcript.utterances)


def _spoken(utterance: Utterance) -> str:
    text = utterance.display or utterance.text
    return text if utterance.speaker is None else f"{utterance.speaker}: {text}"


def _record(transcript: Transcript, name: str) -> dict[str, Any]:
    words = [_speaker(utterance) | _word(word) for utterance in transcript.utterances for word in utterance.words]
    record: dict[str, Any] = {
        "file": name,
        "duration": round(transcript.seconds, 3),
        "text": transcript.text,
        **_display(transcript),
        "words": sorted(words, key=lambda word: word["start_ms"]),
        "utterances": [_row(utterance, words=False) for utterance in transcript.utterances],
    }
    if transcript.error is not None:
        record["error"] = transcript.error
    return record


def _row(utterance: Utterance, *, words: bool) -> dict[str, Any]:
    row = _speaker(utterance) | {
        "start_ms": utterance.start_ms,
        "end_ms": utterance.end_ms,
        "text": utterance.text,
        **_display(utterance),
        "confidence": utterance.confidence,
    }
    if utterance.alternatives:
        row["alternatives"] = [dataclasses.asdict(other) for other in utterance.alternatives]
    return row | {"words": [_word(word) for word in utterance.words]} if words else row


def _word(word: Word) -> dict[str, Any]:
    return {"word": word.word, "start_ms": word.start_ms, "end_ms": word.end_ms, "confidence": word.confidence}


def _display(shown: Transcript | Utterance) -> dict[str, str]:
    return {} if shown.display is None else {"display": shown.display}


def _speaker(utterance: Utterance) -> dict[str, str]:
    return {} if utterance.speaker is None else {"speaker": utterance.speaker}


def _line(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False) + "\n"
