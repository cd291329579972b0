"""Digits read out one by one, as of telephone and account numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice.text.phrase import SCALES

if TYPE_CHECKING:
    from cosyvoice.text.phrase import Phrase

_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_DIGITS = {name: str(value) for value, name in enumerate(_NAMES)}
_ZEROS = ("oh", "o")
_TIMES = {"double": 2, "triple": 3, "treble": 3}
FEWEST = 3  # "one two" may be counting
# Before fewer, "oh" is what somebody says who is surprised.
_FEWEST_AFTER_OH = 5


def digits(phrase: Phrase, start: int) -> tuple[int, str] | None:
    """Three or more digits in a row, with "oh" for 0 and "double five" for 55."""
    found, end = "", start
    while (one := _digit(phrase, end)) is not None:
        found += one[1]
        end = one[0]
    if phrase.word(end - 1) in _ZEROS and end < len(phrase):  # the next words' "oh"
        end -= 1
        found = found[:-1]
    fewest = _FEWEST_AFTER_OH if phrase.word(start) in _ZEROS else FEWEST
    if len(found) < fewest or phrase.word(end) == "point" or phrase.word(end) in SCALES:
        return None
    return end, found


def _digit(phrase: Phrase, place: int) -> tuple[int, str] | None:
    word = phrase.word(place)
    times = _TIMES.get(word, 1)
    place += times > 1
    digit = "0" if phrase.word(place) in _ZEROS else _DIGITS.get(phrase.word(place))
    return None if digit is None else (place + 1, times * digit)
