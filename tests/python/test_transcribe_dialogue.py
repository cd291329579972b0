"""Channels as speakers: one dialogue in time order, and the same as subtitles."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
from commands import cosyvoice

from cosyvoice import parse_event
from cosyvoice.cli.formats import Format, written
from cosyvoice.cli.transcript import LONG_MS, Track, Transcript


def final(utterance, *words):
    """Of words that are (text, start, end)."""
    spoken = [{"word": w, "start_ms": a, "end_ms": b, "confidence": 0.5} for w, a, b in words]
    text = " ".join(word for word, _, _ in words)
    return parse_event(json.dumps({
        "type": "final", "sid": 1, "seq": utterance, "utterance": utterance, "text": text, "words": spoken,
        "start_ms": words[0][1] if words else 0, "end_ms": words[-1][2] if words else 0, "confidence": 0.5,
    }))  # fmt: skip


def evenly(text, start, step=300):
    return [(word, start + step * at, start + step * at + 100) for at, word in enumerate(text.split())]


def dialogue(**finals):
    tracks = tuple(Track(speaker, tuple(each)) for speaker, each in finals.items())
    return Transcript(Path("call.wav"), 60.0, tracks)


def lines(transcript):
    return written(transcript, "call.wav", Format.TEXT).splitlines()


def test_two_channels_of_a_call_are_a_dialogue(tmp_path, speech):
    silence = np.zeros(40000, np.int16)
    agent = np.concatenate([speech[:40000], silence, speech[80000:]])
    customer = np.concatenate([silence, speech[40000:80000], np.zeros(len(speech) - 80000, np.int16)])
    path = tmp_path / "call.wav"
    soundfile.write(path, np.column_stack([agent, customer]), 16000, subtype="ULAW")
    split = ("--channels", "split", "--names", "agent,customer")
    done = cosyvoice("transcribe", *split, "--format", "jsonl", path)
    assert done.returncode == 0
    turns = [json.loads(line) for line in done.stdout.splitlines()]
    assert [turn["speaker"] for turn in turns] == ["agent", "customer", "agent"]
    for one, two in pairwise(turns):
        assert one["end_ms"] <= two["start_ms"]
    for turn, (begin, end) in zip(turns, [(0, 2700), (2300, 5200), (4800, 6700)], strict=True):
        assert begin <= turn["start_ms"] < turn["end_ms"] <= end
        assert turn["text"] == " ".join(word["word"] for word in turn["words"])
    # One recording in two halves: what was said is known.
    assert "there" in turns[0]["text"].split()
    assert "light" in turns[1]["text"]


def test_an_answer_comes_between_the_phrases_of_a_long_utterance():
    asked = final(1, *evenly("how may i help", 0), *evenly("and what is your name", 4000))
    answered = final(1, *evenly("my line is dead", 2000))
    assert lines(dialogue(agent=[asked], customer=[answered])) == [
        "agent: how may i help",
        "customer: my line is dead",
        "agent: and what is your name",
    ]


def test_nobody_is_cut_without_need():
    asked = final(1, *evenly("how may i help", 0), *evenly("and what is your name", 4000))
    later = final(1, *evenly("my line is dead", 6000))
    assert lines(dialogue(agent=[asked], customer=[later])) == [
        "agent: how may i help and what is your name",
        "customer: my line is dead",
    ]


def test_two_utterances_of_one_speaker_stay_two():
    said = [final(1, *evenly("one", 0)), final(2, *evenly("two", 9000))]
    assert lines(dialogue(agent=said, customer=[])) == ["agent: one", "agent: two"]


def test_a_word_of_assent_does_not_cut_a_short_phrase_but_a_long_one():
    short = evenly("a b c d e f g h i j", 0)
    heard = final(1, *evenly("yes", 1500))
    assert lines(dialogue(agent=[final(1, *short)], customer=[heard])) == [
        "agent: a b c d e f g h i j",
        "customer: yes",
    ]
    long = evenly(" ".join(map(str, range(100))), 0)
    heard = final(1, *evenly("yes", 16000))
    found = dialogue(agent=[final(1, *long)], customer=[heard]).utterances
    assert [each.speaker for each in found] == ["agent", "customer", "agent"]
    assert found[0].text + " " + found[2].text == " ".join(map(str, range(100)))
    assert found[0].end_ms <= found[1].start_ms + LONG_MS


def test_the_dialogue_has_every_word_once_whatever_the_overlap():
    random = np.random.default_rng(5)
    finals = {}
    for speaker in ("agent", "customer", "supervisor"):
        starts = np.cumsum(random.integers(120, 1500, 60))
        every = [(f"{speaker}{at}", int(start), int(start) + 100) for at, start in enumerate(starts)]
        finals[speaker] = [final(number, *every[15 * number : 15 * number + 15]) for number in range(4)]
    transcript = dialogue(**finals)
    found = transcript.utterances
    assert [one.start_ms for one in found] == sorted(one.start_ms for one in found)
    for speaker, each in finals.items():
        spoken = [word for one in found if one.speaker == speaker for word in one.words]
        assert spoken == [word for event in each for word in event.words]
    check_srt(written(transcript, "", Format.SRT), 180)
    check_vtt(written(transcript, "", Format.VTT), 180)


# ---- subtitles


def milliseconds(stamp):
    hours, minutes, seconds, ms = map(int, re.fullmatch(r"(\d\d):([0-5]\d):([0-5]\d)[,.](\d{3})", stamp).groups())
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms


def check_cues(cues):
    """Times in order, two lines of 42 characters; gives all lines."""
    begins = []
    for stamps, text in cues:
        begin, end = (milliseconds(stamp) for stamp in stamps.split(" --> "))
        assert begin < end
        begins.append(begin)
        assert 1 <= len(text) <= 2
        assert all(0 < len(line) <= 42 for line in text)
    assert begins == sorted(begins)
    return [" ".join(text) for _, text in cues]


def check_srt(text, words):
    assert text.endswith("\n\n")
    blocks = [block.split("\n") for block in text.removesuffix("\n\n").split("\n\n")]
    assert [block[0] for block in blocks] == [str(number) for number in range(1, len(blocks) + 1)]
    assert all("," in block[1] and "." not in block[1] for block in blocks)
    said = check_cues([(block[1], block[2:]) for block in blocks])
    assert sum(len(line.split(": ")[-1].split()) for line in said) == words


def check_vtt(text, words):
    head, *blocks = (block.split("\n") for block in text.removesuffix("\n\n").split("\n\n"))
    assert head == ["WEBVTT"]
    voices = [re.fullmatch(r"(<v ([^<>]+)>)?(.*)", block[1]) for block in blocks]
    said = check_cues([(block[0], [voice[3], *block[2:]]) for block, voice in zip(blocks, voices, strict=True)])
    assert sum(len(line.split()) for line in said) == words
    return [voice[2] for voice in voices]


@pytest.mark.parametrize("count", [1, 7, 8, 9, 40, 200])
def test_subtitles_are_short_and_complete(count):
    words = evenly(" ".join(f"word{at}" for at in range(count)), 0, 400)
    transcript = Transcript(Path("a.wav"), 90.0, (Track(None, (final(1, *words),)),))
    check_srt(written(transcript, "", Format.SRT), count)
    assert set(check_vtt(written(transcript, "", Format.VTT), count)) == {None}


def test_a_short_cue_stays_a_second_where_there_is_room():
    words = [("yes", 1000, 1080), ("no", 5000, 5080), ("ah", 5400, 5480)]
    transcript = Transcript(Path("a.wav"), 90.0, tuple(Track(None, (final(1, word),)) for word in words))
    stamps = re.findall(r"\d\d:\d\d:(\S+) --> \d\d:\d\d:(\S+)", written(transcript, "", Format.VTT))
    assert stamps == [("01.000", "02.000"), ("05.000", "05.400"), ("05.400", "06.400")]


def test_marks_of_vtt_are_escaped_and_voices_named():
    said = final(1, ("r&b", 0, 100), ("<i>", 200, 300))
    text = written(dialogue(**{"a>b": [said], "c": []}), "", Format.VTT)
    assert "<v a&gt;b>r&amp;b &lt;i&gt;\n" in text


def test_nothing_said_is_an_empty_result():
    silent = Transcript(Path("a.wav"), 1.0, (Track(None, (final(1),)),))
    assert [written(silent, "a", form) for form in (Format.TEXT, Format.JSONL, Format.SRT)] == ["", "", ""]
    assert written(silent, "a", Format.VTT) == "WEBVTT\n\n"
    assert json.loads(written(silent, "a", Format.JSON))["utterances"] == []
