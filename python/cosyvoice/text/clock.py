"""Times of day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice.text.phrase import UNITS

if TYPE_CHECKING:
    from cosyvoice.text.phrase import Phrase

_BEFORE_A_TIME = ("at", "until", "till")
_AFTER_A_TIME = frozenset(["in", "on", "at", "and", "or", "today", "tomorrow", "tonight", "please", "then"])
_MINUTES_PAST = (5, 10, 20, 25)


def clock(phrase: Phrase, start: int) -> tuple[int, str] | None:
    """Such as "three thirty p m", "at three thirty", "three o'clock", "half past three", "a quarter to six"."""
    if phrase.word(start) == "a" and phrase.word(start + 1) == "quarter":
        return _related(phrase, start + 1)
    return _related(phrase, start) or _said_in_digits(phrase, start)


def _related(phrase: Phrase, start: int) -> tuple[int, str] | None:
    """Minutes past or to an hour; "ten to six" is left alone, as it may be a stretch of time."""
    word, place = phrase.word(start), start + 1
    number = phrase.cardinal(start)
    if word in ("half", "quarter"):
        minutes = 30 if word == "half" else 15
    elif number is not None and number.whole in _MINUTES_PAST:
        minutes, place = number.whole, number.end
        place += phrase.word(place) == "minutes"
    else:
        return None
    to = word == "quarter" and phrase.word(place) == "to"
    if not to and phrase.word(place) != "past":
        return None
    hour = _hour(phrase, place + 1)
    if hour is None:
        return None
    end, named = hour
    end, half_of_day = _half_of_day(phrase, end)
    if to and end < len(phrase) and not half_of_day and phrase.word(end) not in _AFTER_A_TIME:
        return None  # "a quarter to one of them"
    when = f"{named}:{minutes:02}" if not to else f"{(named - 2) % 12 + 1}:45"
    return end, when + half_of_day


def _said_in_digits(phrase: Phrase, start: int) -> tuple[int, str] | None:
    hour = _hour(phrase, start)
    if hour is None:
        return None
    end, named = hour
    if phrase.word(end) == "o'clock":
        end, half_of_day = _half_of_day(phrase, end + 1)
        return end, f"{named} o'clock{half_of_day}"
    minutes = _minutes(phrase, end)
    after, written = (end, "") if minutes is None else minutes
    end, half_of_day = _half_of_day(phrase, after)
    certain = half_of_day or (minutes is not None and phrase.word(start - 1) in _BEFORE_A_TIME)
    known = certain and phrase.word(end) != "oh" and phrase.word(end) not in UNITS
    return (end, f"{named}{written}{half_of_day}") if known else None


def _hour(phrase: Phrase, place: int) -> tuple[int, int] | None:
    number = phrase.cardinal(place)
    return None if number is None or not 1 <= number.whole <= 12 else (number.end, number.whole)


def _minutes(phrase: Phrase, place: int) -> tuple[int, str] | None:
    zero = phrase.word(place) in ("oh", "o")
    number = phrase.cardinal(place + zero)
    if number is None:
        text = phrase.cardinal(place)  # the grammar reads "o five" as one number
        return (text.end, f":{text.text}") if text is not None and _is_padded(text.text) else None
    if _is_padded(number.text) and not zero:
        return number.end, f":{number.text}"
    lowest, highest = (1, 9) if zero else (10, 59)
    return (number.end, f":{number.whole:02}") if lowest <= number.whole <= highest else None


def _is_padded(text: str) -> bool:
    return len(text) == 2 and text[0] == "0" and text[1] != "0"


def _half_of_day(phrase: Phrase, place: int) -> tuple[int, str]:
    if phrase.word(place) in ("am", "pm"):
        return place + 1, f" {phrase.word(place)}"
    if phrase.word(place) in ("a", "p") and phrase.word(place + 1) == "m":
        return place + 2, f" {phrase.word(place)}m"
    return place, ""
