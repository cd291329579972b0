"""Sentences of telephone talk, made from patterns: ``python -m recipes.en.phrases --help``.

Numbers, dates, sums of money and spelled names are in words, as people say them; so a text-to-speech voice reads just what
the transcript says.
"""

import argparse
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from num2words import num2words

PATTERNS = Path(__file__).with_name("phrases.yaml")
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SLOT = re.compile(r"\{(\w+)\}")


def in_words(number: int, to: str = "cardinal") -> str:
    """A number as it is read, without hyphens and commas."""
    return str(num2words(number, to=to)).replace("-", " ").replace(",", "")


class Phrases:
    """Draws sentences; one generator gives the same sentences every time."""

    def __init__(self, patterns: Mapping[str, Any], rng: np.random.Generator) -> None:
        self._kinds: list[list[str]] = list(patterns["patterns"].values())
        self._lists: Mapping[str, list[str]] = patterns["lists"]
        self._rng = rng
        self._makers: Mapping[str, Callable[[], str]] = {
            "digit": lambda: self._digits(1),
            "three": lambda: self._digits(3),
            "four": lambda: self._digits(4),
            "five": lambda: self._digits(5),
            "digits": lambda: self._digits(int(rng.integers(3, 11))),
            "phone": self._phone,
            "letter": lambda: str(rng.choice(list(LETTERS))),
            "spelled": self._spelled,
            "count": lambda: in_words(int(rng.integers(2, 13 if rng.random() < 0.6 else 100))),
            "street_number": self._street_number,
            "ordinal": lambda: in_words(int(rng.integers(1, 32)), "ordinal"),
            "money": self._money,
            "date": self._date,
            "year": lambda: in_words(int(rng.integers(1930, 2030)), "year"),
            "year_short": lambda: f"twenty {in_words(int(rng.integers(20, 40)))}",
            "time": self._time,
            "percent": lambda: f"{in_words(int(rng.integers(1, 60)))} percent",
            "temperature": lambda: in_words(int(rng.integers(3, 105))),
        }

    def draw(self) -> str:
        """One sentence."""
        kind = self._kinds[self._rng.integers(len(self._kinds))]
        sentence = str(self._rng.choice(kind))
        while _SLOT.search(sentence):
            sentence = _SLOT.sub(lambda match: self._fill(match[1]), sentence, count=1)
        return sentence

    def _fill(self, slot: str) -> str:
        if slot in self._makers:
            return self._makers[slot]()
        return str(self._rng.choice(self._lists[slot]))

    def _digits(self, count: int) -> str:
        said = [DIGITS[i] for i in self._rng.integers(0, 10, count)]
        zero = "oh" if self._rng.random() < 0.4 else "zero"
        words = [zero if digit == "zero" else digit for digit in said]
        for i in range(count - 1, 0, -1):
            if words[i] == words[i - 1] and self._rng.random() < 0.3:
                words[i - 1 : i + 1] = ["double", words[i]]
        return " ".join(words)

    def _phone(self) -> str:
        if self._rng.random() < 0.5:
            return f"{self._digits(3)}, {self._digits(3)}, {self._digits(4)}"
        return f"oh {self._digits(3)}, {self._digits(3)} {self._digits(4)}"

    def _spelled(self) -> str:
        name = str(self._rng.choice(self._lists["last"] + self._lists["first"]))
        return " ".join(name)

    def _street_number(self) -> str:
        number = int(self._rng.integers(1, 2000))
        pairs = number >= 100 and number % 100 >= 10 and self._rng.random() < 0.7
        return f"{in_words(number // 100)} {in_words(number % 100)}" if pairs else in_words(number)

    def _money(self) -> str:
        unit, part = [("dollars", "cents"), ("pounds", "pence"), ("euros", "cents")][
            self._rng.choice(3, p=[0.6, 0.3, 0.1])
        ]
        whole = int(10 ** self._rng.uniform(0.4, 3.8))
        form = self._rng.random()
        if form < 0.4 or (form > 0.75 and whole > 99):
            return f"{in_words(whole)} {unit}"
        cents = in_words(int(self._rng.integers(1, 100)))
        return f"{in_words(whole)} {unit} and {cents} {part}" if form < 0.75 else f"{in_words(whole)} {cents}"

    def _date(self) -> str:
        month, day = self._fill("month"), self._makers["ordinal"]()
        forms = [f"the {day} of {month}", f"{month} {day}", f"{month} the {day}"]
        said = str(self._rng.choice(forms))
        return f"{said} {self._makers['year']()}" if self._rng.random() < 0.4 else said

    def _time(self) -> str:
        hour, minute = (
            in_words(int(self._rng.integers(1, 13))),
            int(self._rng.choice([0, 0, 5, 10, 15, 20, 30, 40, 45, 50])),
        )
        form = self._rng.random()
        if minute == 0:
            return f"{hour} o'clock" if form < 0.5 else f"{hour} {self._rng.choice(['a m', 'p m', 'in the morning'])}"
        if minute in (15, 30) and form < 0.4:
            return f"{'quarter' if minute == 15 else 'half'} past {hour}"
        said = f"oh {in_words(minute)}" if minute < 10 else in_words(minute)
        return f"{hour} {said}"


def main() -> None:
    """Write distinct sentences, one a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    phrases = Phrases(yaml.safe_load(PATTERNS.read_text("utf-8")), np.random.default_rng(arguments.seed))
    sentences: dict[str, None] = {}
    while len(sentences) < arguments.count:
        sentences[phrases.draw()] = None
    arguments.output.write_text("".join(f"{sentence}\n" for sentence in sentences), "utf-8")


if __name__ == "__main__":
    main()
