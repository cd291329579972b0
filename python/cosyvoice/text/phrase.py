"""Words between two punctuation marks, and the numbers among them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

_SCALES = ("hundred", "thousand", "million", "billion", "trillion")
# These mean a number only behind another, or behind "a".
SCALES = frozenset(_SCALES)
# Of a number before these it is not known whether it is a year, a time or an amount.
UNITS = frozenset(["percent", "dollar", "dollars", "euro", "euros", "pound", "pounds", "cent", "cents", "pence"])
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_PARTS = ("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "twelfth", "twentieth")
# "hundreds", "the eighties", "two thirds": no numbers to the grammar, but what stands beside them is a part of them.
_PLURALS = frozenset([f"{word}s" for word in (*_SCALES, *_PARTS)] + [f"{word[:-1]}ies" for word in _TENS])


@dataclass(frozen=True, slots=True)
class Number:
    """A number that ends before word ``end``; ``text`` is written with digits, of an ordinal with its ending."""

    end: int
    text: str
    ordinal: bool

    @property
    def whole(self) -> int:
        """The value of a cardinal without a decimal point and without zeros before it; else -1."""
        plain = self.text.isdecimal() and (self.text == "0" or not self.text.startswith("0"))
        return int(self.text) if plain else -1


class _Token:
    """A word as text2num wants it."""

    def __init__(self, words: list[str], place: int) -> None:
        self._word = words[place]
        before = words[place - 1] if place else ""
        # "two hundred and five" is one number, "sixty and five" is two.
        self._apart = self._word == "and" and before not in SCALES

    def text(self) -> str:
        return self._word

    def nt_separated(self, _previous: _Token) -> bool:
        return self._apart

    def not_a_number_part(self) -> bool:
        return self._word in _PLURALS


class Phrase:
    """Words as they were spelled, the same in lower case (``words``), and the numbers by their first word."""

    def __init__(self, spelled: list[str]) -> None:
        self.spelled = spelled
        self.words = [word.lower().replace("’", "'") for word in spelled]
        grammar: Any = importlib.import_module("text_to_num")
        tokens = [_Token(self.words, place) for place in range(len(self.words))]
        self._numbers = {
            found.start: Number(found.end, found.text, found.is_ordinal)
            for found in grammar.find_numbers(tokens, "en", 0)
        }

    def __len__(self) -> int:
        return len(self.words)

    def word(self, place: int) -> str:
        """In lower case; empty outside the phrase."""
        return self.words[place] if 0 <= place < len(self.words) else ""

    def number(self, place: int) -> Number | None:
        """The number that begins there."""
        return self._numbers.get(place)

    def cardinal(self, place: int) -> Number | None:
        """The number that begins there, if it is no ordinal."""
        number = self._numbers.get(place)
        return None if number is None or number.ordinal else number

    def goes_on(self, place: int) -> bool:
        """What stands there is numeric, so that a number before it is a part of something longer."""
        return place in self._numbers or self.word(place) in _PLURALS
