"""Both sides of a comparison as words and characters."""

from __future__ import annotations

import enum
import re
import unicodedata


class Normalise(enum.StrEnum):
    """What is done to reference and hypothesis before they are compared."""

    PLAIN = "plain"
    NONE = "none"

    def applied(self, text: str) -> str:
        """The text with one space between words."""
        if self is Normalise.PLAIN:
            text = unicodedata.normalize("NFKC", text).lower().replace("’", "'").translate(_PLAIN)
        return " ".join(text.split())


class _Plain(dict[int, str]):
    """Letters with their marks, digits and apostrophes stay; all else is a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = kept = char if char == "'" or unicodedata.category(char)[0] in "LMN" else " "
        return kept


_PLAIN = _Plain()

# Scripts written without spaces, as ranges of a pattern: Thai and Lao, Myanmar, Khmer, kana, Han.
_UNSPACED = "".join((
    "\u0e00-\u0eff", "\u1000-\u109f", "\u1780-\u17ff", "\u3040-\u30ff\u31f0-\u31ff",
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
))  # fmt: skip
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_SPACE_THAT_MEANS_NOTHING = re.compile(rf"(?<=[{_UNSPACED}]) | (?=[{_UNSPACED}])")


def words(text: str) -> list[str]:
    """What the word error rate counts: words and, where a script has no spaces, characters."""
    return _WORD.findall(text)


def characters(text: str) -> str:
    """What the character error rate counts: spaces too, but for those beside a script that has none."""
    return _SPACE_THAT_MEANS_NOTHING.sub("", text)
