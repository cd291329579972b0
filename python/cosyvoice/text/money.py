"""Amounts of money, and percentages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosyvoice.text.phrase import SCALES
from cosyvoice.text.rules import amount, written

if TYPE_CHECKING:
    from cosyvoice.text.phrase import Phrase

_SIGNS = {"dollar": "$", "dollars": "$", "euro": "€", "euros": "€", "pound": "£", "pounds": "£"}
_HUNDREDTHS = {"$": ("cent", "cents"), "€": ("cent", "cents"), "£": ("penny", "pence", "p")}


def money(phrase: Phrase, start: int) -> tuple[int, str] | None:
    """Such as "twenty three dollars and five cents"; pounds only with pence or sterling, as they may be weight."""
    found = amount(phrase, start)
    if found is None:
        return None
    end, text = found
    scale = ""
    if phrase.cardinal(end) is not None and phrase.word(end) in SCALES and "." in text:  # "two point five million"
        scale, end = f" {phrase.word(end)}", end + 1
    sign = _SIGNS.get(phrase.word(end))
    if sign is None:
        return None
    end += 1
    part = None if scale or "." in text else _hundredths(phrase, end, sign)
    if part is not None:
        return part[0], f"{sign}{text}.{part[1]:02}"
    if sign == "£":
        if phrase.word(end) != "sterling":
            return None
        end += 1
    return end, f"{sign}{text}{scale}"


def _hundredths(phrase: Phrase, place: int, sign: str) -> tuple[int, int] | None:
    place += phrase.word(place) == "and"
    number = phrase.cardinal(place)
    if number is None or not 1 <= number.whole <= 99 or phrase.word(number.end) not in _HUNDREDTHS[sign]:
        return None
    return number.end + 1, number.whole


def cents(phrase: Phrase, start: int) -> tuple[int, str] | None:
    """Such as "five cents"."""
    number = phrase.cardinal(start)
    if number is None or phrase.word(number.end) not in ("cent", "cents", "pence"):
        return None
    return number.end, written(number)


def percent(phrase: Phrase, start: int) -> tuple[int, str] | None:
    """Such as "fifty percent", "two per cent"."""
    found = amount(phrase, start)
    if found is None:
        return None
    end, text = found
    if phrase.word(end) == "percent":
        return end + 1, f"{text}%"
    return (end + 2, f"{text}%") if phrase.words[end : end + 2] == ["per", "cent"] else None
