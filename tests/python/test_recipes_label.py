"""Labelling recordings, with a stand-in for Whisper and for the detector of speech."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from support import finals

from cosyvoice import Engine

pytest.importorskip("recipes", reason="networks are trained from a clone")
from recipes import label as command
from recipes.common.manifest import read_entries
from recipes.common.pool import SAMPLE_RATE
from recipes.label import hear, label, read_must_contain
from recipes.labelling.agreement import OwnModel, error_rate
from recipes.labelling.filters import CHECKS, Labelled, Limits, longest_run, reasons
from recipes.labelling.hearing import Heard, compression
from recipes.labelling.journal import Journal, OtherSettings
from recipes.labelling.judging import judge
from recipes.labelling.segments import Lengths, segments

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from recipes.labelling.recordings import Track

SURE = Heard("Please hold the line.", "en", 0.99, -0.2, 0.01, 0.9)


# Segments


def test_neighbours_are_joined_and_long_speech_is_cut_where_it_is_quietest() -> None:
    audio = np.full(70 * SAMPLE_RATE, 0.3, np.float32) * np.sign(np.sin(np.arange(70 * SAMPLE_RATE)))
    audio[17 * SAMPLE_RATE : 18 * SAMPLE_RATE] = 0.001
    spans = [(0, 30), (40.0, 44), (44.3, 50), (50.9, 52)]
    samples = [(round(a * SAMPLE_RATE), round(b * SAMPLE_RATE)) for a, b in spans]
    found = segments(audio, lambda _audio: samples, Lengths(longest=20, gap=0.5))
    seconds = [(start / SAMPLE_RATE, end / SAMPLE_RATE) for start, end in found]
    assert 17 < seconds[0][1] < 18
    assert seconds == [(0, seconds[0][1]), (seconds[0][1], 30), (40, 50), (50.9, 52)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.05, 40), min_size=2, max_size=12), st.floats(2, 29))
def test_segments_keep_all_speech_and_none_is_too_long(steps: list[float], longest: float) -> None:
    edges = np.round(np.cumsum(steps) * SAMPLE_RATE).astype(int).tolist()
    speech = [(int(a), int(b)) for a, b in list(pairwise(edges))[::2]]
    audio = np.zeros(edges[-1], np.float32)
    found = segments(audio, lambda _audio: speech, Lengths(longest=longest))
    assert all(0 < end - start <= longest * SAMPLE_RATE for start, end in found)
    assert all(before[1] <= after[0] for before, after in pairwise(found))
    covered = np.zeros(edges[-1], bool)
    for start, end in found:
        covered[start:end] = True
    assert all(covered[start:end].all() for start, end in speech)


# Filters


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("", 0),
        ("yes", 1),
        ("five five five two", 3),
        ("thank you thank you thank you", 3),
        ("a b c a b c a b", 2),  # the third is not whole
        ("one two one two two two", 3),
    ],
)
def test_repeated_words_are_counted(text: str, runs: int) -> None:
    assert longest_run(text.split()) == runs


def one(heard: Heard = SURE, **changes: Any) -> Labelled:
    return replace(Labelled(heard, "please hold the line", 2.0), **changes)


@pytest.mark.parametrize(
    ("name", "labelled"),
    [
        ("too_short", one(seconds=0.7)),
        ("language", one(replace(SURE, language="de"))),
        ("language_probability", one(replace(SURE, language_probability=0.4))),
        ("no_speech", one(replace(SURE, no_speech=0.9))),
        ("no_words", one(text="", seconds=2)),
        ("digits", one(text="hold line 5")),
        ("log_probability", one(replace(SURE, log_probability=-0.9))),
        ("compression", one(replace(SURE, compression=compression("so it goes " * 30)))),
        ("repetition", one(text="no no no no no no", seconds=3)),
        ("pace", one(seconds=9.0)),
        ("pace", one(text="please hold the line please hold it")),
        ("must_not_contain", one(text="hold the public domain")),
        ("must_contain", one(must_contain=("hold", "mocha"))),
        ("disagreement", one(ours=0.7)),
    ],
)
def test_each_filter_drops_what_it_is_for(name: str, labelled: Labelled) -> None:
    limits = Limits(must_not_contain=("public domain",))
    assert list(reasons(one(ours=0.5, must_contain=("hold the",)), limits)) == []
    found = list(reasons(labelled, limits))
    assert found == ["no_words", "pace"] if name == "no_words" else [name]


def test_mandarin_is_paced_and_repeated_in_characters() -> None:
    limits = Limits("zh", pace=(0.7, 9.0))
    heard = replace(SURE, language="zh")
    assert list(reasons(Labelled(heard, "甚至出现交易几乎停滞的情况", 2.0), limits)) == []
    assert list(reasons(Labelled(heard, "甚至出现交易几乎停滞的情况", 1.0), limits)) == ["pace"]
    assert list(reasons(Labelled(heard, "谢谢谢谢谢谢", 2.0), limits)) == ["repetition"]


# Whole folders


class StandIn:
    """Whisper that counts what it hears, and names the pitch of a segment in words."""

    def __init__(self) -> None:
        self.count = 0
        self.stop_at = 10**9

    def __call__(self, audio: npt.NDArray[np.float32]) -> Heard:
        self.count += 1
        if self.count > self.stop_at:
            raise KeyboardInterrupt
        spectrum = np.abs(np.fft.rfft(audio))
        hz = np.argmax(spectrum) * SAMPLE_RATE / len(audio)
        if hz > 1500:
            return replace(SURE, text="...", log_probability=-2.0)
        return replace(SURE, text="This is HIGH" if hz > 700 else "This is low")


def loud(audio: npt.NDArray[np.float32]) -> Sequence[tuple[int, int]]:
    """Speech is where it is loud, in steps of 0.1 s."""
    step = SAMPLE_RATE // 10
    blocks = np.abs(audio[: len(audio) // step * step]).reshape(-1, step).max(1) > 0.1
    edges = np.flatnonzero(np.diff(np.concatenate([[0], blocks.astype(int), [0]])))
    return [(int(a) * step, int(b) * step) for a, b in edges.reshape(-1, 2)]


def tones(*parts: tuple[float, float], rate: int) -> npt.NDArray[np.float64]:
    """Stretches of a pitch (0: silence) and seconds."""
    return np.concatenate([0.5 * np.sin(2 * np.pi * hz * np.arange(round(s * rate)) / rate) for hz, s in parts])


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """A call with both sides, a recording in a folder, and a file that is none."""
    folder = tmp_path / "calls"
    (folder / "2024").mkdir(parents=True)
    agent = tones((0, 1), (400, 2), (0, 5), rate=8000)
    customer = tones((0, 4), (900, 2), (0, 1), (400, 0.5), (0, 0.5), rate=8000)
    soundfile.write(folder / "a.wav", np.stack([agent, customer], 1), 8000, subtype="ALAW")
    soundfile.write(folder / "2024" / "b.flac", tones((400, 1), (0, 1), (2000, 1), rate=44100), 44100)
    (folder / "broken.wav").write_text("no audio")
    (folder / "notes.txt").write_text("nobody reads this")
    return folder


def run(folder: Path, whisper: StandIn, journal: Journal) -> Any:
    def listen(track: Track) -> Any:
        return hear(track, loud, Lengths(), whisper, None)

    try:
        return label(folder, True, journal, listen)
    finally:
        journal.close()


def test_a_folder_becomes_a_manifest_and_no_second_is_lost(calls: Path, tmp_path: Path) -> None:
    heard, unreadable = run(calls, StandIn(), Journal(tmp_path / "heard.jsonl", {}))
    result = judge(heard, Limits(), tmp_path / "out.jsonl", {"b.flac": ["low"], "2024/b.flac": ["nowhere"]})
    assert [(row["audio"], row.get("channel"), row["start"], row["end"], row["text"]) for row in result.kept] == [
        ("calls/a.wav", 0, 1.0, 3.0, "this is low"),
        ("calls/a.wav", 1, 4.0, 6.0, "this is high"),
    ]
    assert [row["speaker"] for row in result.kept] == ["a#0", "a#1"]
    assert [(row["audio"], row["reasons"]) for row in result.rejected] == [
        ("calls/a.wav", ["too_short", "pace"]),
        ("calls/2024/b.flac", ["must_contain"]),
        ("calls/2024/b.flac", ["no_words", "log_probability", "pace", "must_contain"]),
    ]
    report = result.report.as_rows()
    assert report["seconds"] == pytest.approx(8 + 8 + 3)
    dropped = {name: part["seconds"] for name, part in report["dropped"].items()}
    assert dropped == pytest.approx({"too_short": 0.5, "no_words": 1.0, "must_contain": 1.0}, abs=0.01)
    parts = [report["kept"]["seconds"], report["no_speech_found"]["seconds"], *dropped.values()]
    assert sum(parts) == pytest.approx(report["seconds"], abs=0.05)
    assert len(unreadable) == 1
    assert "broken.wav" in unreadable[0]


def test_a_run_that_was_stopped_goes_on_and_hears_nothing_twice(calls: Path, tmp_path: Path) -> None:
    path, whisper = tmp_path / "heard.jsonl", StandIn()
    whole, _ = run(calls, StandIn(), Journal(tmp_path / "whole.jsonl", {"a": 1}))
    whisper.stop_at = 2
    with pytest.raises(KeyboardInterrupt):
        run(calls, whisper, Journal(path, {"a": 1}))
    with path.open("a") as file:
        file.write('{"track": {"pa')  # as when the power fails
    whisper.stop_at, whisper.count = 10**9, 0
    assert run(calls, whisper, Journal(path, {"a": 1}))[0] == whole
    assert whisper.count == 4  # the first track, with one segment, was kept
    assert run(calls, whisper, Journal(path, {"a": 1}))[0] == whole
    assert whisper.count == 4
    soundfile.write(calls / "2024" / "b.flac", tones((400, 1), rate=16000), 16000)
    assert run(calls, whisper, Journal(path, {"a": 1}))[0] != whole
    assert whisper.count == 5
    with pytest.raises(OtherSettings, match="a was 1, is 2"):
        Journal(path, {"a": 2})


def test_words_that_must_occur_are_lists_or_slots(tmp_path: Path) -> None:
    path = tmp_path / "must.json"
    path.write_text(json.dumps({"a.wav": ["hold"], "b.wav": {"intent": "order", "slots": {"milk": " soy milk"}}}))
    assert read_must_contain(path) == {"a.wav": ["hold"], "b.wav": ["soy milk"]}
    assert read_must_contain(None) == {}


def test_our_own_model_hears_a_segment_as_a_stream(
    speech: npt.NDArray[np.int16], monkeypatch: pytest.MonkeyPatch
) -> None:
    engines: list[Engine] = []

    def make(*words: Any, **options: Any) -> Engine:
        engines.append(Engine(*words, **options))
        return engines[0]

    monkeypatch.setattr("cosyvoice.Engine", make)
    own = OwnModel("en-lite")
    with engines[0] as engine:
        audio = speech[: 2 * SAMPLE_RATE].astype(np.float32) / 32768
        session = engine.new_session(sample_rate=SAMPLE_RATE, encoding="f32le")
        session.feed(audio)
        session.finish()
        text = " ".join(event.text for event in finals(session) if event.text)
        assert own(audio) == text != ""


def test_disagreement_is_counted_in_words_and_in_mandarin_in_characters() -> None:
    assert error_rate("hold the line", "Hold a line!", "en") == pytest.approx(1 / 3)
    assert error_rate("甚至出现", "甚至 出", "zh") == pytest.approx(1 / 4)


def test_the_command_writes_its_files_and_judges_anew_for_free(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whisper = StandIn()
    monkeypatch.setattr(command, "Whisper", lambda *_: whisper)
    monkeypatch.setattr(command, "silero", loud)
    manifest = tmp_path / "out.jsonl"

    def call(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["label", str(calls), "--whisper", "tiny", "--out", str(manifest), *words])
        try:
            command.main()
        except SystemExit as stop:
            return int(stop.code or 0)
        return 0

    assert call("--channels", "split") == 1  # one recording cannot be read
    assert [entry.text for entry in read_entries(manifest)] == ["this is low", "this is high", "this is low"]
    assert len(manifest.with_suffix(".rejected.jsonl").read_text().splitlines()) == 2
    report = json.loads(manifest.with_suffix(".report.json").read_text())
    assert set(report["dropped"]) <= set(CHECKS)
    assert "broken.wav" in capsys.readouterr().err
    assert call("--channels", "split", "--must-not-contain", "high", "--most-unreadable", "1") == 0
    assert [entry.text for entry in read_entries(manifest)] == ["this is low", "this is low"]
    assert whisper.count == 5
    assert call("--channels", "mix") == 2
    assert "channels was 'split', is 'mix'" in capsys.readouterr().err
    assert call("--longest", "31") == 2
