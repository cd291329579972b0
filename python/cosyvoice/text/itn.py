"""A text with its numbers as they would be written."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

from cosyvoice.text.clock import clock
from cosyvoice.text.digits import digits
from cosyvoice.text.money import cents, money, percent
from cosyvoice.text.phrase import Phrase
from cosyvoice.text.rules import cardinal, ordinal, year

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Words with nothing but a space between them; punctuation, digits and whatever else there is stay as they are.
_LETTERS = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"
_PHRASE = re.compile(rf"(?<!\w){_LETTERS}(?: {_LETTERS})*(?!\w)")
# The first that knows what begins at a word has it. Each gives the place behind its last word, and what is written.
_RULES: tuple[Callable[[Phrase, int], tuple[int, str] | None], ...] = (
    clock, money, percent, cents, year, ordinal, digits, cardinal,
)  # fmt: skip


class NoNumberGrammar(OSError):
    """Numbers cannot be found here; the message says what to install."""


def check() -> None:
    """Say what is missing before it is needed."""
    if find_spec("text_to_num") is None:
        raise NoNumberGrammar("itn needs the Python package text2num: pip install 'cosyvoice-linux[itn]'")


def display(text: str) -> str:
    """English words with numbers, times, dates and money as they are written.

    What is not understood stays as it is: "twenty three dollars and five cents for two" becomes "$23.05 for two".

    Parameters
    ----------
    text
        Of an event, or any other; punctuation divides numbers.

    Raises
    ------
    NoNumberGrammar
        Without the extra ``cosyvoice-linux[itn]``.
    """
    check()
    return _PHRASE.sub(lambda match: _written(match[0]), text)


def with_display(line: str) -> str:
    """A final's JSON with the field ``display``."""
    text = json.dumps(display(json.loads(line)["text"]), ensure_ascii=False)
    return f'{line.removesuffix("}")}, "display": {text}}}'


def _written(text: str) -> str:
    return " ".join(_parts(Phrase(text.split())))


def _parts(phrase: Phrase) -> Iterator[str]:
    place = 0
    while place < len(phrase):
        end, text = _at(phrase, place)
        yield text
        place = end


def _at(phrase: Phrase, place: int) -> tuple[int, str]:
    for rule in _RULES:
        found = rule(phrase, place)
        if found is not None and not phrase.goes_on(found[0]):
            return found
    # Numbers side by side that no rule knows are left alone together: what they mean is not known.
    end = place + 1
    number = phrase.number(place)
    if number is not None:
        end = number.end
        while (number := phrase.number(end)) is not None:
            end = number.end
    return end, " ".join(phrase.spelled[place:end])
