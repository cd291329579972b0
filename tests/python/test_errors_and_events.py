"""One table of errors, one JSON form of events."""

from __future__ import annotations

import json
import logging

import pytest

import cosyvoice
from cosyvoice import _native, errors, parse_event
from cosyvoice._dispatcher import log_event

FINAL = {
    "schema": 1, "type": "final", "sid": 7, "session": "a", "seq": 3, "utterance": 2, "text": "one two",
    "start_ms": 120, "end_ms": 900,
    "words": [
        {"word": "one", "start_ms": 120, "end_ms": 300, "confidence": 0.5},
        {"word": "two", "start_ms": 400, "end_ms": 900, "confidence": 1.0},
    ],
    "confidence": 0.75, "alternatives": [], "reason": "endpoint", "pass": 1, "ended": False, "heard_ms": 1300,
    "delay_ms": 12.5, "model": {"name": "en", "version": 4}, "a field of tomorrow": True,
}  # fmt: skip


def test_every_code_of_the_core_has_its_class():
    for code, name in _native.error_classes().items():
        error = errors.error_for(code, "what happened")
        assert type(error) is getattr(cosyvoice, name)
        assert error.code == code
        assert str(error) == "what happened"
        assert isinstance(error, cosyvoice.CosyVoiceError)


def test_every_class_has_its_code_in_the_core():
    classes = {cls.__name__ for cls in cosyvoice.CosyVoiceError.__subclasses__()}
    assert classes == set(_native.error_classes().values())
    assert classes <= set(cosyvoice.__all__)


def test_an_unknown_code_is_still_an_error():
    assert type(errors.error_for("from the future", "x")) is cosyvoice.CosyVoiceError


def test_an_event_keeps_its_line_and_ignores_what_it_does_not_know():
    line = json.dumps(FINAL)
    event = parse_event(line)
    assert event.json == line
    assert (event.type, event.sid, event.session, event.seq, event.utterance) == ("final", 7, "a", 3, 2)
    assert (event.text, event.start_ms, event.end_ms, event.confidence) == ("one two", 120, 900, 0.75)
    assert event.heard_ms == 1300
    assert [(w.word, w.start_ms, w.end_ms, w.confidence) for w in event.words] == [
        ("one", 120, 300, 0.5),
        ("two", 400, 900, 1.0),
    ]
    assert (event.reason, event.ended, event.delay_ms, event.model_name, event.model_version) == (
        "endpoint",
        False,
        12.5,
        "en",
        4,
    )
    with pytest.raises(AttributeError):
        event.text = "changed"


def test_events_that_nobody_takes_are_logged_without_transcripts(caplog):
    with caplog.at_level(logging.WARNING, "cosyvoice"):
        log_event(json.dumps({"type": "error", "sid": 9, "code": "inference_failed", "message": "no memory"}))
        log_event(json.dumps({"type": "dropped", "sid": 10, "start_ms": 0, "end_ms": 5, "reason": "reset"}))
    assert [record.getMessage() for record in caplog.records] == [
        "session 9: error inference_failed no memory",
        "session 10: dropped reset",
    ]
