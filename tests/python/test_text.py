"""Numbers, times and money as they are written; what is not understood stays as it was said."""

from __future__ import annotations

import re
import sys

import pytest
from commands import LITE, cosyvoice
from documents import DOCS, table
from hypothesis import given, settings
from hypothesis import strategies as st
from support import Recorder, feed

from cosyvoice import Engine, InvalidConfig, parse_event
from cosyvoice.cli.formats import Format, written
from cosyvoice.cli.transcript import Track, Transcript
from cosyvoice.config import EngineConfig
from cosyvoice.text import NoNumberGrammar, display

SAID_AND_WRITTEN = [
    # money
    ("twenty three dollars and five cents", "$23.05"),
    ("i owe one dollar ten cents", "i owe $1.10"),
    ("a hundred dollars or two hundred euros", "$100 or €200"),
    ("two point five million dollars", "$2.5 million"),
    ("twelve thousand five hundred dollars", "$12,500"),
    ("twenty pounds and fifty pence", "£20.50"),
    ("ten pounds sterling", "£10"),
    ("he weighs ninety pounds", "he weighs 90 pounds"),
    ("five cents", "5 cents"),
    ("nineteen ninety nine dollars", "nineteen ninety nine dollars"),
    # times
    ("half past three", "3:30"),
    ("a quarter to one", "12:45"),
    ("quarter past twelve", "12:15"),
    ("twenty past nine", "9:20"),
    ("call at three thirty p m please", "call at 3:30 pm please"),
    ("at three oh five tomorrow", "at 3:05 tomorrow"),
    ("seven am", "7 am"),
    ("seven o'clock in the morning", "7 o'clock in the morning"),
    ("give a quarter to one of them", "give a quarter to one of them"),
    ("half past", "half past"),
    # dates and ordinals
    ("may twenty first nineteen eighty four", "may 21st 1984"),
    ("the third of june two thousand and ten", "the 3rd of june 2010"),
    ("june the fifth", "june the 5th"),
    ("the hundred and first", "the 101st"),
    ("you may first ask the third man", "you may first ask the third man"),
    ("a twenty second delay on the twenty second of may", "a twenty second delay on the 22nd of may"),
    ("one third of it", "one third of it"),
    ("in nineteen oh five", "in 1905"),
    ("the nineteen eighties", "the nineteen eighties"),
    # percentages and decimals
    ("fifty percent", "50%"),
    ("zero point five per cent", "0.5%"),
    ("three point one four", "3.14"),
    # digits
    ("dial oh seven nine double two", "dial 07922"),
    ("double oh seven", "007"),
    ("four five six oh thank you", "456 oh thank you"),
    ("oh one two three go", "oh 123 go"),
    ("one two", "one two"),
    # cardinals
    ("a hundred and one of one million", "101 of 1,000,000"),
    ("half a million people", "half a million people"),
    ("hundreds of thousands", "hundreds of thousands"),
    ("no one has one", "no one has one"),
    # what is not understood
    ("between one hundred and two hundred", "between one hundred and two hundred"),
    ("eight hundred five five five", "eight hundred five five five"),
    ("five thousand two thousand", "five thousand two thousand"),
    ("point five", "point five"),
    # texts with more than words in them
    ("I paid Two Hundred Euros, and he 3 hundred.", "I paid €200, and he 3 hundred."),
    ("Twenty-three, please; x2 twenty", "23, please; x2 20"),
    ("", ""),
    ("  two  spaces ", "  two  spaces "),
    ("我有 twenty 个", "我有 20 个"),
]


@pytest.mark.parametrize(("said", "wanted"), SAID_AND_WRITTEN)
def test_as_it_is_written(said, wanted):
    assert display(said) == wanted


def test_the_guide_says_what_is_done():
    guide = DOCS / "guides" / "digits.md"
    shown, left = table(guide, "said"), table(guide, "left as it is")
    assert len(shown) > 10
    for said, wanted in shown:
        assert display(said) == wanted
    for said, _ in left:
        assert re.search(r"\d", display(said)) is None or said in ("ten to six", "ninety pounds")


ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def spoken(number):
    """As an English speaker says it."""
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            joined = f" {'and ' if rest < 100 else ''}{spoken(rest)}" if rest else ""
            return f"{spoken(number // size)} {name}{joined}"
    if number < 20:
        return ONES[number]
    return TENS[number // 10 - 2] + (f" {ONES[number % 10]}" if number % 10 else "")


@given(st.integers(10, 999_999_999))
def test_every_number_comes_back(number):
    assert display(f"about {spoken(number)} of them") == f"about {number if number < 10000 else f'{number:,}'} of them"


@given(st.integers(0, 9999), st.integers(1, 99))
def test_every_amount_comes_back(dollars, cents):
    assert display(f"{spoken(dollars)} dollars and {spoken(cents)} cents") == f"${dollars}.{cents:02}"


@given(st.integers(1, 12), st.integers(10, 59), st.sampled_from(["a m", "pm"]))
def test_every_time_comes_back(hour, minute, half):
    wanted = f"at {hour}:{minute} {half.replace(' ', '')}"
    assert display(f"at {spoken(hour)} {spoken(minute)} {half}") == wanted


@given(st.integers(1610, 2099).filter(lambda year: year % 100 >= 10))
def test_every_year_comes_back(year):
    assert display(f"in {spoken(year // 100)} {spoken(year % 100)} they") == f"in {year} they"


@given(st.lists(st.integers(0, 9), min_size=3, max_size=12))
def test_every_string_of_digits_comes_back(digits):
    assert display("call " + " ".join(ONES[digit] for digit in digits)) == "call " + "".join(map(str, digits))


PLAIN = "the call is on hold for sir madam please x-ray it's".split()
NUMERIC = [
    *ONES, *TENS, "hundred", "thousand", "million", "hundreds", "thirds", "eighties", "first", "second", "third", "twentieth",
    "point", "and", "a", "oh", "o", "double", "triple", "percent", "per", "cent", "dollars", "pounds", "pence", "cents", "half",
    "quarter", "past", "to", "at", "p", "m", "am", "o'clock", "of", "may", "june",
]  # fmt: skip
# What may go into digits and signs without a trace.
ABSORBED = {
    *ONES, *TENS, "hundred", "thousand", "million", "first", "second", "third", "twentieth", "point", "and", "a", "oh", "o",
    "double", "triple", "percent", "per", "cent", "dollars", "pounds", "pence", "cents", "half", "quarter", "past", "to",
    "p", "m", "minutes",
}  # fmt: skip


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PLAIN + NUMERIC), max_size=14))
def test_no_word_is_lost_and_no_number_invented(words):
    """All but the names of numbers and units stays, in order; and digits come only where numbers were."""
    shown = display(" ".join(words))
    kept = [word for word in shown.split() if not re.search(r"\d", word)]
    assert [word for word in kept if word not in ABSORBED | {"am", "pm"}] == [
        word for word in words if word not in ABSORBED | {"am", "pm"}
    ]
    named = set(ONES) | set(TENS) | {"hundred", "thousand", "million", "first", "second", "third", "twentieth"}
    if not named & set(words):
        assert shown == " ".join(words)
    # What is understood is understood once: nothing is left that a second look would change.
    assert len(kept) <= len(words)


@given(st.text(max_size=60))
def test_any_text_is_taken(text):
    shown = display(text)
    if text.isascii() and not re.search("[a-z]", text, re.IGNORECASE):
        assert shown == text


# ---- events, options, commands


@pytest.fixture
def says(monkeypatch):
    """What the words of finals are written as: the network's own hold no numbers."""
    monkeypatch.setattr("cosyvoice.text.itn.display", lambda text: f"<{text}>")


def test_finals_have_a_field_of_their_own(make_engine, speech, says):
    engine = make_engine(itn=True)
    recorder = Recorder().register(engine)
    session = engine.new_session()
    feed(session, speech[:32000])
    session.finish()
    for event in recorder.wait_ended(session):
        assert event.display == (f"<{event.text}>" if event.type == "final" else "")


def test_pulled_finals_have_it_too_and_others_have_none(make_engine, speech, says):
    for itn in (True, False):
        engine = make_engine(itn=itn)
        with engine.new_session() as session:
            feed(session, speech[:32000])
        final = session.result(60)
        assert final.display == (f"<{final.text}>" if itn else "")
        assert ('"display"' in final.json) == itn


def test_the_file_says_it(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("transcript: {itn: true}\n", "utf-8")
    assert EngineConfig.load(path).itn
    path.write_text("transcript: {itn: maybe}\n", "utf-8")
    with pytest.raises(InvalidConfig, match=r"transcript\.itn: expected true \| false"):
        EngineConfig.load(path)


def test_without_the_package_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "text_to_num", None)
    with pytest.raises(NoNumberGrammar, match=r"pip install 'cosyvoice-linux\[itn\]'"):
        display("two")
    with pytest.raises(NoNumberGrammar, match="itn needs the Python package text2num"):
        Engine("en-lite", itn=True)


def final(text):
    words = ", ".join(
        f'{{"word": "{word}", "start_ms": {9 * at}, "end_ms": {9 * at + 9}, "confidence": 1}}'
        for at, word in enumerate(text.split())
    )
    head = f'"type": "final", "sid": 1, "seq": 1, "utterance": 1, "text": "{text}", "display": "{display(text)}"'
    return parse_event(f'{{{head}, "words": [{words}]}}')


def test_transcripts_are_written_with_digits(tmp_path):
    asked, answered = final("is it half past two"), final("no it is ten dollars")
    alone = Transcript(tmp_path, tracks=(Track(None, (asked, answered)),))
    assert written(alone, "a", Format.TEXT) == "is it 2:30\nno it is $10\n"
    assert '"text": "is it half past two no it is ten dollars", "display": "is it 2:30 no it is $10"' in written(
        alone, "a", Format.JSON
    )
    both = Transcript(tmp_path, tracks=(Track("agent", (asked,)), Track("caller", (answered,))))
    assert '"display": "is it 2:30"' in written(both, "a", Format.JSONL)
    assert "half past" in written(both, "a", Format.SRT)  # subtitles have words, each with its time


def test_the_command_has_the_option(tmp_path):
    done = cosyvoice("transcribe", *LITE, "--itn", "--format", "json", "examples/nothing.wav")
    assert done.returncode != 0
    done = cosyvoice("listen", "--help")
    assert "--itn" in done.stdout
