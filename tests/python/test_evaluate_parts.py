"""What `evaluate` is made of: manifests, word delays, sums, intervals, alignments on a screen."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
import soundfile

from cosyvoice import parse_event
from cosyvoice.cli.audio_file import BadRecording, Part
from cosyvoice.cli.emission import Emission
from cosyvoice.cli.evaluation.aligned import aligned
from cosyvoice.cli.evaluation.bootstrap import interval, resampled_rates
from cosyvoice.cli.evaluation.edits import align
from cosyvoice.cli.evaluation.manifest import Manifests
from cosyvoice.cli.evaluation.reliability import Reliability
from cosyvoice.cli.evaluation.score import Heard, Spoken, score
from cosyvoice.cli.evaluation.spool import Spool
from cosyvoice.cli.evaluation.starts import starts_row
from cosyvoice.cli.evaluation.tally import Tally
from cosyvoice.cli.evaluation.text import Normalise
from cosyvoice.cli.runner import FileRunner

# ---- manifests


def look(tmp_path, *lines):
    path = tmp_path / "m.jsonl"
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
    return Manifests([path], ["speaker", "age"]), path


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"\xff\xfe", "is not UTF-8"),
        (["a"], "expected an object"),
        ({"text": "x"}, "audio is missing"),
        ({"audio": "a.wav", "text": None}, "text is null, not a string"),
        ({"audio": "a.wav", "text": "x", "start": -1}, "start is -1"),
        ({"audio": "a.wav", "text": "x", "end": True}, "end is true"),
        ({"audio": "a.wav", "text": "x", "end": 10**400}, "end is 1000"),
        ({"audio": "a.wav", "text": "x", "start": 2, "end": 2}, "ends at 2 s, but starts at 2 s"),
        (b'{"audio": "a.wav", "text": "x", "start": NaN}', "start is NaN"),
        ({"audio": "a.wav", "text": "x", "channel": -1}, "channel is -1"),
        (
            {"audio": "a.wav", "text": "x y", "word_starts": 1},
            "word_starts: give a list of seconds, one for each of the 2",
        ),
        (
            {"audio": "a.wav", "text": "x y", "word_starts": [1]},
            "word_starts: give a list of seconds, one for each of the 2",
        ),
        ({"audio": "a.wav", "text": "x y", "word_starts": [1, "2"]}, 'word_starts is "2"; give seconds'),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_the_others_are_read(tmp_path, line, reason):
    manifests, path = look(tmp_path, {"audio": "a.wav", "text": "x"}, b"", line, {"audio": "b.wav", "text": "y"})
    contents = manifests.look()
    (fault,) = contents.faults
    assert fault.startswith(f"{path}:3: {reason}")
    assert contents.clips == 2
    assert [clip.audio for clip in manifests] == ["a.wav", "b.wav"]


def test_what_a_line_says(tmp_path):
    manifests, path = look(
        tmp_path,
        b"\xef\xbb\xbf" + json.dumps({"audio": "b/a.wav", "text": "Hi!", "age": 7, "start": 1, "end": 2.5}).encode(),
        {"audio": "/c.wav", "text": "", "speaker": "me", "more": []},
    )
    assert manifests.look().fields == {"audio", "text", "age", "start", "end", "speaker", "more"}
    first, second = manifests
    assert (first.place, first.text, first.groups) == (f"{path}:1", "Hi!", {"speaker": "", "age": "7"})
    assert first.part == Part(tmp_path / "b" / "a.wav", 1.0, 2.5)
    assert str(second.part.path) == "/c.wav"
    assert second.groups == {"speaker": "me", "age": ""}


# ---- parts of recordings


def samples_of(part):
    return np.concatenate(list(part.open().blocks()))[:, 0]


@pytest.mark.parametrize("suffix", ["wav", "flac"])
def test_a_part_is_these_samples(tmp_path, speech, suffix):
    path = tmp_path / f"a.{suffix}"
    soundfile.write(path, speech[:48000], 16000)
    whole = samples_of(Part(path))
    assert len(whole) == 48000
    assert np.array_equal(samples_of(Part(path, 1.0, 1.5)), whole[16000:24000])
    assert np.array_equal(samples_of(Part(path, 2.5)), whole[40000:])
    assert np.array_equal(samples_of(Part(path, 2.5, 3.05)), whole[40000:])  # whoever cut it had rounded
    assert Part(path, 1.0, 1.5).open().seconds == 0.5
    for outside in (Part(path, 3.0), Part(path, 0.0, 3.2), Part(path, 4.0, 5.0)):
        with pytest.raises(BadRecording, match=r"has 3\.00 s"):
            outside.open()


def test_a_part_of_one_channel(tmp_path):
    sides = np.stack([np.full(16000, 0.25), np.full(16000, -0.5)], axis=1)
    soundfile.write(tmp_path / "call.wav", sides, 16000)
    for channel, level in ((0, 0.25), (1, -0.5)):
        samples = samples_of(Part(tmp_path / "call.wav", 0.5, 0.75, channel))
        assert len(samples) == 4000
        assert np.allclose(samples, level, atol=1e-4)
    with pytest.raises(BadRecording, match=r"has 2 channels, counted from 0; there is no channel 2"):
        Part(tmp_path / "call.wav", channel=2).open()


# ---- when words are shown


def event(kind, heard_ms, *words):
    rows = [{"word": word, "start_ms": 0, "end_ms": 100, "confidence": 1.0} for word in words]
    return parse_event(
        json.dumps({"type": kind, "sid": 1, "seq": 1, "utterance": 1, "words": rows, "heard_ms": heard_ms})
    )


def test_a_word_is_shown_by_the_first_partial_that_has_it_as_it_stays():
    emission = Emission()
    emission.partial(event("partial", 330, "mod"))
    emission.partial(event("partial", 650, "modern", "print"))
    emission.partial(event("partial", 970, "modern", "printers", "understand"))
    final = event("final", 1000, "modern", "printers", "understand", "this")
    assert emission.final(final) == (650, 970, 970, None)
    assert (emission.shown, emission.changed) == (5, 2)  # "mod" and "print" did not stay
    emission.partial(event("partial", 2000, "modern"))  # of the next utterance
    assert emission.final(event("final", 3000, "modern")) == (2000,)


def test_words_that_move_are_known_by_what_follows_them():
    emission = Emission()
    emission.partial(event("partial", 100, "under", "stand", "this"))
    emission.partial(event("partial", 200, "understand", "this", "well"))
    emission.partial(event("partial", 300, "understands", "this", "well"))
    assert emission.final(event("final", 400, "we", "understand", "this", "well")) == (None, None, 200, 200)
    # Shown: under, stand, this; understand, this, well; understands. Of these the second this and well stayed.
    assert (emission.shown, emission.changed) == (7, 5)


def test_the_engine_shows_words_no_sooner_than_their_last_piece_and_within_the_utterance(tmp_path, trained, speech):
    soundfile.write(tmp_path / "a.wav", speech, 16000)
    runner = FileRunner(trained, at_once=1, emission=True)
    (transcript,) = runner.run_ahead([Part(tmp_path / "a.wav")], 1)
    (track,) = transcript.tracks
    shown = [
        (word, at, final) for final, times in zip(track.finals, track.shown_ms, strict=True)
        for word, at in zip(final.words, times, strict=True) if at is not None
    ]  # fmt: skip
    assert len(shown) > 5
    info = trained.model
    for word, at, final in shown:
        assert word.start_ms < at <= final.heard_ms <= transcript.seconds * 1000
        assert (at - info.look_ahead_ms) % info.output_frame_ms <= 25  # the last frame's window, no more
    trained.register_callback(None, None, None)


# ---- sums


def test_sums_of_groups_are_those_of_all_and_numbers_are_in_order():
    tally = Tally(["age"])
    for age, reference, text, delays in (("10", "a b", "a", (100, 200)), ("9", "c", "c", (300,)), ("x", "", "d", ())):
        heard = Heard(text, 1.0, delays, unshown=1)
        tally.add({"age": age}, heard, score(reference, heard, Normalise.PLAIN))
    assert list(tally.by("age")) == ["9", "10", "x"]
    for key in ("words", "substitutions", "deletions", "insertions"):
        assert sum(row[key] for row in tally.by("age").values()) == tally.total.row()[key]
    assert tally.total.row() == {
        "wer": 0.66667, "cer": 0.75, "words": 3, "substitutions": 0, "deletions": 1, "insertions": 1,
    }  # fmt: skip
    assert (list(tally.errors), list(tally.words)) == ([1, 0, 1], [2, 1, 0])
    assert tally.word_delay() == {"p50": 200, "p90": 300, "words": 3, "unshown": 3}
    assert Tally([]).word_delay() is None


def test_what_was_heard_comes_back_from_the_disk_in_order():
    spoken = (Spoken("a", 20, 0.5), Spoken("\u2028b", 40, 0.25))
    heard = [Heard("a\n\u2028b", 1.5, (1, -2), 3, spoken=spoken, shown=4), Heard(error="no such file"), Heard()]
    spool = Spool(heard)
    assert [Heard(**{**vars_of(each), "delays_ms": tuple(each.delays_ms)}) for each in spool] == heard
    spool.close()


def vars_of(heard):
    return {name: getattr(heard, name) for name in Heard.__dataclass_fields__}


# ---- confidences and times of words


def test_right_words_are_counted_by_their_confidence():
    reliability = Reliability()
    reliability.add([(0.25, True), (0.25, False), (0.28, False), (0.95, True), (1.0, True)])
    assert [one.words for one in reliability.bins] == [0, 0, 3, 0, 0, 0, 0, 0, 0, 2]
    # 0.78 of confidence for 1 right word in one bin, 1.95 for 2 in the other: 0.22 + 0.05 over 5 words.
    assert reliability.error == pytest.approx(0.27 / 5)
    row = reliability.row()
    assert row["bins"][2] == {"words": 3, "confidence": 0.26, "right": 0.33333}
    assert row["bins"][0] == {"words": 0}
    assert Reliability().row() is None


def test_cross_entropy_is_1_for_those_who_know_and_0_for_those_who_know_the_share():
    knowing, guessing, wrong = Reliability(), Reliability(), Reliability()
    for number in range(100):
        is_right = number % 4 != 0
        knowing.add([(float(is_right), is_right)])
        guessing.add([(0.75, is_right)])
        wrong.add([(0.1, is_right)])
    assert knowing.cross_entropy == pytest.approx(1, abs=0.001)
    assert guessing.cross_entropy == pytest.approx(0)
    assert guessing.error == pytest.approx(0)
    assert wrong.cross_entropy < -1
    certain = Reliability()
    certain.add([(0.9, True)])
    assert certain.cross_entropy is None


def test_a_final_gives_each_word_its_confidence_and_its_time():
    spoken = (Spoken("it's", 100, 0.9), Spoken("half-past", 330, 0.5), Spoken("—", 400, 0.1), Spoken("two", 900, 0.7))
    heard = Heard("it's half-past — two", spoken=spoken)
    points = score("it's half too past two", heard, Normalise.PLAIN, [110, 300, 400, 600, 1000])
    # "half-past" is two words to those who count, a dash is none.
    assert points.confidences == ((0.9, True), (0.5, True), (0.5, True), (0.7, True))
    assert points.late_ms == (-10, 30, -270, -100)
    points = score(
        "to", Heard("two words", spoken=(Spoken("two", 9, 0.9), Spoken("words", 19, 0.2))), Normalise.PLAIN, [0]
    )
    assert points.confidences == ((0.9, False), (0.2, False))
    assert points.late_ms == ()


def test_the_median_of_late_and_early_words():
    row = starts_row(Counter([-30, -10, 0, 20, 40, 40, 40, 40, 100, 900]))
    assert row == {"median_error": 40, "p90_error": 100, "median_lateness": 40, "words": 10}
    assert starts_row(Counter([7])) == {"median_error": 7, "p90_error": 7, "median_lateness": 7, "words": 1}
    assert starts_row(Counter()) is None


def test_words_begin_where_the_part_of_the_recording_does(tmp_path):
    manifests, _ = look(tmp_path, {"audio": "a.wav", "text": "Half-past TWO", "word_starts": [1.5, 2], "start": 1})
    (clip,) = manifests
    assert clip.starts_ms(Normalise.PLAIN) == [500, 500, 1000]
    assert clip.starts_ms(Normalise.NONE) == [500, 1000]


# ---- intervals


def test_an_interval_is_as_wide_as_the_binomial_distribution_says():
    words = np.full(400, 1)
    errors = (np.arange(400) % 5 == 0).astype(int)  # 20 % of 400
    low, high = interval(resampled_rates(np.array([errors]), words)[:, 0])
    spread = 1.96 * np.sqrt(0.2 * 0.8 / 400)
    assert low == pytest.approx(0.2 - spread, abs=0.01)
    assert high == pytest.approx(0.2 + spread, abs=0.01)


def test_systems_that_err_together_differ_by_what_is_sure():
    words = np.full(100, 10)
    one = np.random.default_rng(0).integers(0, 9, 100)
    rates = resampled_rates(np.array([one, one + 1]), words)
    assert interval(rates[:, 1] - rates[:, 0]) == [0.1, 0.1]
    assert np.array_equal(rates, resampled_rates(np.array([one, one + 1]), words))
    low, high = interval(rates[:, 0])
    assert high - low > 0.05


# ---- alignments


def test_errors_can_be_seen():
    lines = [
        line.plain.rstrip()
        for line in aligned(align("the cat sat down now".split(), "a the cat down later".split()), 80)
    ]
    assert lines == [
        "  reference  * the cat sat down now",
        "  heard      a the cat *** down later",
        "             I         D        S",
    ]


def test_long_ones_are_broken_and_wide_characters_take_two_cells():
    lines = [line.plain.rstrip() for line in aligned(align(list("请稍等一下"), list("请烧等下")), 20)]
    assert lines == [
        "  reference  请 稍",
        "  heard      请 烧",
        "                S",
        "  reference  等 一",
        "  heard      等 **",
        "                D",
        "  reference  下",
        "  heard      下",
        "",
    ]
