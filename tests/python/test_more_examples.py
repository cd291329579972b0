"""The programs of the guides for those who come from elsewhere, and the one with a configuration file."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from support import PATIENCE, REPOSITORY, complaints, transcribe

import cosyvoice
from cosyvoice.embedded import audio_path

EXAMPLES = REPOSITORY / "examples"
MIGRATION = EXAMPLES / "python" / "migration"
DEMO = str(audio_path("demo"))


def run(program, *arguments):
    done = subprocess.run(
        [sys.executable, program, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (complaints(done.stderr), done.returncode) == ("", 0)
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def heard(trained, speech):
    """The finals that every program must come to."""
    return transcribe(trained, speech)


def text(finals):
    return [final.text for final in finals if final.text]


def test_vosk_style(heard):
    results = [json.loads(line) for line in run(MIGRATION / "vosk_style.py", DEMO)]
    finals = [result for result in results if "partial" not in result]
    assert [final["text"] for final in finals if final["text"]] == text(heard)
    words = [word for final in finals for word in final["result"]]
    assert [(round(1000 * word["start"]), round(1000 * word["end"])) for word in words] == [
        (word.start_ms, word.end_ms) for final in heard for word in final.words
    ]
    assert all(set(word) == {"word", "start", "end", "conf"} for word in words)


def test_sherpa_style(heard, tmp_path):
    copy = tmp_path / "copy.flac"
    copy.symlink_to(DEMO)
    lines = run(MIGRATION / "sherpa_style.py", DEMO, str(copy))
    for name in (DEMO, str(copy)):
        finals = [line.split(" s final: ")[1] for line in lines if line.startswith(f"{name} ") and " s final: " in line]
        assert [final for final in finals if final] == text(heard)


def test_funasr_style(heard):
    messages = [json.loads(line) for line in run(MIGRATION / "funasr_style.py", DEMO)]
    online = [message for message in messages if message["mode"] == "2pass-online"]
    offline = [message for message in messages if message["mode"] == "2pass-offline"]
    assert online
    assert not any(message["is_final"] for message in messages[:-1])
    assert messages[-1]["is_final"]
    assert {message["wav_name"] for message in messages} == {DEMO}
    assert [message["text"] for message in offline if message["text"]] == text(heard)
    assert [len(json.loads(message["timestamp"])) for message in offline] == [
        len(message["text"].split()) for message in offline
    ]


def test_from_config(speech, tmp_path, monkeypatch):
    config = EXAMPLES / "cosyvoice.yaml"
    with cosyvoice.Engine(config=config) as engine:
        assert engine.model.name == "en"
        wanted = [final.text for final in transcribe(engine, speech)]
    assert run(EXAMPLES / "python" / "from_config.py", config, DEMO) == wanted
    monkeypatch.setenv("COSYVOICE_MODEL_PATH", "en-lite")
    with cosyvoice.Engine(config=config) as engine:
        assert engine.model.name == "en-lite"
