"""Numbers that stand for themselves: cardinals, decimals, ordinals, years and days of a month."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice.text.phrase import SCALES, UNITS

if TYPE_CHECKING:
    from cosyvoice.text.phrase import Number, Phrase

_MONTHS = frozenset([
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
])  # fmt: skip
# "you may first", "we march second"
_VERBS = ("march", "may")
_SMALLEST = 10  # a lone number below stays a word
_GROUPED_FROM = 10_000


def written(number: Number) -> str:
    """With commas where it is long: a number of four digits may be a year."""
    return f"{number.whole:,}" if number.whole >= _GROUPED_FROM else number.text


def amount(phrase: Phrase, start: int) -> tuple[int, str] | None:
    """A cardinal of any size, "a hundred" too."""
    with_a = phrase.word(start) in ("a", "an") and phrase.word(start + 1) in SCALES
    number = phrase.cardinal(start + with_a)
    if number is None or (phrase.word(start) in SCALES) or (with_a and phrase.word(start - 1) in ("half", "quarter")):
        return None
    return number.end, written(number)


def year(phrase: Phrase, start: int) -> tuple[int, str] | None:
    """Such as "nineteen eighty four", "twenty oh five"."""
    century = phrase.cardinal(start)
    if century is None or not 16 <= century.whole <= 20:
        return None
    zero = phrase.word(century.end) == "oh"
    rest = phrase.cardinal(century.end + zero)
    lowest, highest = (1, 9) if zero else (10, 99)
    if rest is None or not lowest <= rest.whole <= highest or phrase.word(rest.end) in UNITS:
        return None
    return rest.end, f"{century.whole}{rest.whole:02}"


def ordinal(phrase: Phrase, start: int) -> tuple[int, str] | None:
    """Such as "the twenty first"; a small one, or one that may mean seconds, only as a day of a month. A year may follow."""
    number = phrase.number(start)
    if number is None or not number.ordinal or phrase.word(start - 1) in ("a", "an", "one", "half"):
        return None
    before, after = phrase.word(start - 1), phrase.word(number.end + 1)
    if before == "the":
        before = phrase.word(start - 2)
    large = len(number.text) > 3
    day = before in _MONTHS and (large or before not in _VERBS)
    day = day or (phrase.word(number.end) == "of" and after in _MONTHS)
    large = large and phrase.word(number.end - 1) != "second"
    if not day and not large:
        return None
    of_year = _year_after(phrase, number.end) if day else None
    return (number.end, number.text) if of_year is None else (of_year[0], f"{number.text} {of_year[1]}")


def _year_after(phrase: Phrase, place: int) -> tuple[int, str] | None:
    whole = phrase.cardinal(place)
    if whole is not None and 1600 <= whole.whole < 2100:
        return whole.end, whole.text
    return year(phrase, place)


def cardinal(phrase: Phrase, start: int) -> tuple[int, str] | None:
    """A lone number from ten up, or with a decimal point; "a hundred and one" as 101, but "a hundred" stays."""
    found = amount(phrase, start)
    if found is None:
        return None
    end, text = found
    if phrase.word(start) in ("a", "an"):
        return found if end > start + 2 else None
    number = phrase.cardinal(start)
    large = number is not None and (number.whole >= _SMALLEST or "." in text)
    return found if large else None
