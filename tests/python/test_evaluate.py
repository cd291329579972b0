"""``cosyvoice evaluate`` as a whole, in this process and with small networks."""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import soundfile
from commands import LITE, cosyvoice
from support import transcribe

from cosyvoice import cli
from cosyvoice.cli.audio_file import Part
from cosyvoice.cli.runner import FileRunner
from cosyvoice.embedded import resolve_model


@pytest.fixture
def evaluate(monkeypatch, capsys):
    """Runs the command with the smaller network: its exit code, what it wrote, and its errors in one line."""

    def run(*arguments, model=LITE):
        monkeypatch.setattr(sys, "argv", ["cosyvoice", "evaluate", *map(str, arguments), *model])
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
        else:
            code = 0
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err, said=" ".join(err.replace("│", " ").split()))

    return run


def write(path, *rows):
    path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def clips(tmp_path, speech):
    """A manifest of clips of every kind, by two speakers of different age, one of which is a part of a recording."""
    soundfile.write(tmp_path / "a.flac", speech[:32000], 16000)
    stereo = np.stack([speech[32000:64000:2], speech[32000:64000:2]], axis=1)
    soundfile.write(tmp_path / "b.wav", stereo, 8000, subtype="ULAW")
    soundfile.write(tmp_path / "c.ogg", speech[64000:], 16000)
    return write(
        tmp_path / "m.jsonl",
        {"audio": "a.flac", "text": "modern printers", "speaker": "one", "age": 6},
        {"audio": "b.wav", "text": "Understand THIS, this", "speaker": "two", "age": 10},
        {"audio": "c.ogg", "text": "x", "speaker": "one", "age": 6, "start": 0.5, "end": 1.5},
    )


def test_the_report_adds_up(clips, evaluate, tmp_path):
    done = evaluate(clips, "--json", "--by", "age", "--worst", 2, "--output", tmp_path / "lines.jsonl")
    assert (done.err, done.code) == ("", 0)
    report = json.loads(done.out)
    assert (report["model"], report["chunk_ms"], report["clips"], report["failed"]) == ("en-lite", 256, 3, 0)
    assert (report["words"], report["seconds"]) == (6, 5.0)
    assert report["rtf"] > 0
    assert list(report["by_speaker"]) == ["one", "two"]
    assert list(report["by"]["age"]) == ["6", "10"]
    kinds = ("substitutions", "deletions", "insertions")
    lines = [json.loads(line) for line in (tmp_path / "lines.jsonl").read_text("utf-8").splitlines()]
    heard = [line["heard"][0] for line in lines]
    for key in ("words", *kinds):
        for rows in (report["by_speaker"].values(), report["by"]["age"].values(), heard):
            assert report[key] == sum(row[key] for row in rows)
    assert report["wer"] == pytest.approx(sum(report[kind] for kind in kinds) / 6, abs=1e-5)
    low, high = report["wer_interval"]
    assert low <= report["wer"] <= high
    assert report["word_delay_ms"]["words"] > 0
    assert report["word_delay_ms"]["p50"] <= report["word_delay_ms"]["p90"]
    assert 0 <= report["flicker"]["changed"] <= report["flicker"]["shown"]
    assert sum(one["words"] for one in report["confidence"]["bins"]) == report["confidence"]["words"] > 0
    assert report["word_start_ms"] is None
    assert [line["reference"] for line in lines] == ["modern printers", "understand this this", "x"]
    assert (lines[2]["line"], lines[2]["start"], lines[2]["end"], lines[2]["seconds"]) == (f"{clips}:3", 0.5, 1.5, 1.0)
    assert lines[1]["age"] == "10"
    errors = {line["line"]: sum(line["heard"][0][kind] for kind in kinds) for line in lines}
    assert [errors[line["line"]] for line in report["worst"]] == sorted(errors.values(), reverse=True)[:2]


def test_the_tables_show_all_of_it(clips, evaluate):
    done = evaluate(clips, "--by", "age", "--worst", 1, "--chunk-ms", 128)
    assert (done.err, done.code) == ("", 0)
    for shown in (
        "WER %",
        "CER %",
        "95 % interval",
        "word delay, P90",
        "calibration error",
        "partials changed",
        "age",
        "speaker",
        "en-lite, 128 ms",
    ):
        assert shown in done.out
    first = next(line for line in done.out.splitlines() if line.startswith("  reference  "))
    assert set(first.split()[1:]) & {"modern", "understand", "x"} or "*" in first


def test_it_is_right_about_a_perfect_transcript(tmp_path, trained, speech):
    heard = " ".join(final.text for final in transcribe(trained, speech) if final.text)
    soundfile.write(tmp_path / "a.flac", speech, 16000)
    manifest = write(tmp_path / "m.jsonl", {"audio": "a.flac", "text": heard, "speaker": "lj"})
    report = json.loads(cosyvoice("evaluate", manifest, "--json").stdout)
    assert (report["wer"], report["cer"], report["wer_interval"]) == (0.0, 0.0, [0.0, 0.0])


def test_what_cannot_be_heard_is_named_and_the_rest_reported(clips, evaluate, tmp_path):
    other = write(
        tmp_path / "other.jsonl",
        "no json\n",
        {"audio": "nowhere.wav", "text": "x"},
        {"audio": "a.flac", "text": "x", "start": 7},
        {"audio": "a.flac", "text": "y"},
    )
    done = evaluate(clips, other, "--json", "--output", tmp_path / "lines.jsonl")
    assert done.code == 1
    assert [line.removeprefix(f"{other}:").split(":")[0] for line in done.err.splitlines()] == ["1", "2", "3"]
    assert "nowhere.wav: no such file" in done.err
    report = json.loads(done.out)
    assert (report["clips"], report["failed"], report["words"]) == (4, 3, 7)
    lines = [json.loads(line) for line in (tmp_path / "lines.jsonl").read_text("utf-8").splitlines()]
    assert ["error" in line for line in lines] == [False, False, False, True, True, False]
    done = evaluate(clips, other)
    assert done.code == 1
    assert "3 failed" in done.out


def test_where_nothing_can_be_heard_there_is_no_rate(evaluate, tmp_path):
    done = evaluate(write(tmp_path / "m.jsonl", {"audio": "nowhere.wav", "text": "x"}), "--json")
    assert (done.code, done.out) == (1, "")
    assert "nothing to report" in done.err


@pytest.mark.parametrize("text", ["", "{", '{"audio": 3}', '["a"]'])
def test_a_manifest_without_a_good_line_is_wrong_usage(tmp_path, evaluate, text):
    done = evaluate(write(tmp_path / "m.jsonl", text))
    assert done.code == 2
    assert "no line names a clip" in done.said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--by", "gender"], "there are age, audio, end, speaker, start, text"),
        (["--compare", "klingon"], "give en, en-lite, model:DIRECTORY"),
        (["--compare", "whisper:/nowhere"], "/nowhere holds no model.bin"),
        (["--worst", "-1"], "--worst"),
        (["--normalise", "loud"], "--normalise"),
    ],
    ids=" ".join,
)
def test_wrong_usage_says_what_there_is(clips, evaluate, arguments, said):
    done = evaluate(clips, *arguments)
    assert done.code == 2
    assert said in done.said


def test_a_manifest_from_a_pipe_is_refused(tmp_path, evaluate):
    os.mkfifo(tmp_path / "pipe")
    done = evaluate(tmp_path / "pipe")
    assert done.code == 2
    assert "no plain file" in done.said


# ---- comparisons


def test_a_bundle_beside_itself_is_as_good(clips, evaluate):
    report = json.loads(evaluate(clips, "--json", "--compare", f"model:{resolve_model('en-lite')}").out)
    (other,) = report["compare"]
    assert (other["better"], other["worse"], other["equal"]) == (0, 0, 3)
    assert (other["difference"], other["difference_interval"]) == (0.0, [0.0, 0.0])
    for key in ("wer", "cer", "words", "by_speaker", "chunk_ms"):
        assert other[key] == report[key]


class FakeWhisper:
    """Says how much audio it was given, at which rate and in which language it was asked."""

    def __init__(self, folder, **options):
        assert os.path.isfile(os.path.join(folder, "model.bin"))  # noqa: PTH113, PTH118 - it is given a string
        assert options["local_files_only"]

    def transcribe(self, audio, language):
        samples, rate = soundfile.read(audio, dtype="float32")
        assert samples.ndim == 1
        assert abs(samples).max() > 0.01
        said = f" Heard {len(samples)} samples", f" at {rate}, {language}."
        return (SimpleNamespace(text=text) for text in said), SimpleNamespace(language=language)


@pytest.fixture
def whisper(tmp_path, monkeypatch):
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "model.bin").touch()
    module = ModuleType("faster_whisper")
    module.WhisperModel = FakeWhisper
    monkeypatch.setitem(sys.modules, "faster_whisper", module)
    return f"whisper:{tmp_path / 'tiny'}"


def test_whisper_hears_the_same_audio(clips, evaluate, whisper, tmp_path):
    same = write(
        tmp_path / "same.jsonl",
        {"audio": "a.flac", "text": "heard 32000 samples at 16000 en"},
        {"audio": "b.wav", "text": "heard 16000 samples at 8000 en"},
        {"audio": "c.ogg", "text": "heard 16000 samples at 16000 en", "start": 0.5, "end": 1.5},
    )
    report = json.loads(evaluate(same, "--json", "--worst", 1, "--compare", whisper).out)
    (other,) = report["compare"]
    assert (other["model"], other["chunk_ms"], other["wer"], other["word_delay_ms"]) == (whisper, None, 0.0, None)
    assert (other["better"], other["worse"], other["equal"]) == (3, 0, 0)
    assert other["difference"] == -report["wer"]
    assert other["difference_interval"][1] < 0
    assert [heard["model"] for heard in report["worst"][0]["heard"]] == ["en-lite", whisper]
    done = evaluate(same, "--compare", whisper, "--compare", "en-lite", "--by", "audio")
    assert (done.err, done.code) == ("", 0)
    assert "better utterances" in done.out


def test_without_a_package_the_remedy_is_named(clips, evaluate, whisper, monkeypatch):
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    done = evaluate(clips, "--compare", whisper)
    assert (done.code, done.out) == (1, "")
    assert "pip install 'cosyvoice-linux[whisper]'" in done.err
    assert len(done.err.splitlines()) == 1
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance.Levenshtein", None)
    done = evaluate(clips)
    assert (done.code, done.out) == (1, "")
    assert "pip install 'cosyvoice-linux[evaluate]'" in done.err
    assert len(done.err.splitlines()) == 1


# ---- memory


def test_files_are_looked_for_only_as_their_results_are_asked_for(make_engine, tmp_path):
    asked = 0

    def parts():
        nonlocal asked
        for number in range(100):
            asked = number + 1
            yield Part(tmp_path / f"{number}.wav")

    transcripts = FileRunner(make_engine(), at_once=2).run_ahead(parts(), 5)
    for number in range(100):
        assert next(transcripts).path.name == f"{number}.wav"
        assert asked <= number + 5
