"""Hotwords, grammars and alternatives, on a sentence with a name (flite's slt, 16 kHz) and on the demo recording."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
import soundfile
from commands import cosyvoice as command
from support import PATIENCE, REPOSITORY, complaints, feed, finals

import cosyvoice

RECORDING = REPOSITORY / "tests" / "golden" / "anderson.flac"


@pytest.fixture(scope="module")
def name():
    """Somebody says: please call mister anderson tomorrow morning."""
    pcm, rate = soundfile.read(RECORDING, dtype="int16")
    assert rate == 16000
    return np.asarray(pcm)


def heard(engine, pcm, **options):
    session = engine.new_session(**options)
    feed(session, pcm)
    session.finish()
    return " ".join(final.text for final in finals(session))


def test_a_name_that_is_wrong_without_and_right_with_its_boost(trained, name):
    assert "anderson" not in heard(trained, name).split()
    assert "anderson" in heard(trained, name, hotwords={"Anderson": 5.0}).split()
    assert "anderson" in heard(trained, name, hotwords=["Anderson"]).split()
    assert "anderson" in heard(trained, name, hotwords=[("ANDERSON", 6)]).split()


def test_the_boost_does_not_invent_the_name_in_other_audio(trained, speech):
    one = heard(trained, speech, hotwords={"zebra": 0.1})  # a beam, too, and not in the audio either
    assert heard(trained, speech, hotwords={"Anderson": 5.0, "Bluetooth": 5.0}) == one
    assert heard(trained, np.zeros(48000, np.int16), hotwords={"Anderson": 20.0}) == ""


def test_hotwords_change_while_sessions_run(trained, name):
    session = trained.new_session()
    feed(session, name)
    session.end_utterance()
    assert "anderson" not in session.result(PATIENCE).text.split()
    trained.set_hotwords({"Anderson": 5.0})
    feed(session, name)
    session.end_utterance()
    assert "anderson" in session.result(PATIENCE).text.split()
    trained.set_hotwords(None)
    session.set_hotwords({"Anderson": 5.0})
    feed(session, name)
    session.end_utterance()
    assert "anderson" in session.result(PATIENCE).text.split()
    session.set_hotwords([])
    feed(session, name)
    session.finish()
    assert "anderson" not in finals(session)[0].text.split()


def test_a_grammar(trained, name):
    assert heard(trained, name, grammar=["Please call", "mister Anderson", "tomorrow morning", "[unk]"]) == (
        "please call mister anderson tomorrow morning"
    )
    words = heard(trained, name, grammar=["yes", "no", "[unk]"]).split()
    assert set(words) == {"[unk]"}
    assert set(heard(trained, name, grammar=["yes", "no"]).split()) <= {"yes", "no"}


def test_alternatives_are_in_finals(name):
    with cosyvoice.Engine(max_stream=1, alternatives=3) as engine:
        session = engine.new_session(hotwords={"Anderson": 5.0})
        feed(session, name)
        session.finish()
        (final,) = finals(session)
    assert len(final.alternatives) == 3
    assert len({final.text, *(other.text for other in final.alternatives)}) == 4
    shares = [other.confidence for other in final.alternatives]
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) < 1
    assert json.loads(final.json)["alternatives"][0] == {
        "text": final.alternatives[0].text,
        "confidence": final.alternatives[0].confidence,
    }


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"hotwords": "Anderson"}, TypeError, "pass a list of phrases"),
        ({"hotwords": [1]}, TypeError, "iter|unpack"),
        ({"hotwords": {"Anderson": 0}}, cosyvoice.InvalidArgument, "the boost of hotword 'Anderson' is 0"),
        ({"hotwords": {"  ": 1}}, cosyvoice.InvalidArgument, "has no text"),
        ({"grammar": "yes"}, TypeError, "pass a list of phrases"),
        ({"grammar": []}, cosyvoice.InvalidArgument, "the grammar is empty"),
        ({"grammar": ["[unk]"]}, cosyvoice.InvalidArgument, "the grammar has no phrase"),
    ],
)
def test_what_cannot_be_is_refused(trained, wrong, error, message):
    with pytest.raises(error, match=message):
        trained.new_session(**wrong)


def test_the_command_line_takes_a_file(tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("# people\nAnderson\t5\n", "utf-8")
    done = command("transcribe", RECORDING, "--hotwords", names, "--beam", "16")
    assert "anderson" in done.stdout.split()
    names.write_text("Anderson\tmuch\n", "utf-8")
    done = command("transcribe", RECORDING, "--hotwords", names)
    assert done.returncode == 1
    assert ":1: 'much' is no boost" in done.stderr


def test_the_example():
    done = subprocess.run(
        [sys.executable, REPOSITORY / "examples" / "python" / "hotwords.py", RECORDING],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (complaints(done.stderr), done.returncode) == ("", 0)
    plain, own, of_engine, grammar = (line.split(":")[1].split() for line in done.stdout.splitlines())
    assert "anderson" not in plain
    assert "anderson" in own
    assert "anderson" in of_engine
    assert set(grammar) <= {"call", "mister", "anderson", "tomorrow", "morning", "[unk]"}
