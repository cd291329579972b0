"""Transcripts as the networks write them: English in lower-case words with apostrophes, Mandarin in characters."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from recipes.common.manifest import read_entries

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:st|nd|rd|th)?")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*'?|'[a-z]+")
_CHARACTER = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[a-z0-9]")
_SPELLED = {"mr.": "mister", "mrs.": "missus", "dr.": "doctor", "st.": "saint", "&": " and ", "%": " percent", "£": ""}


def _in_words(match: re.Match[str]) -> str:
    from num2words import num2words  # few texts have numbers

    digits = match.group().replace(",", "")
    if digits[-2:] in ("st", "nd", "rd", "th"):
        return f" {num2words(int(float(digits[:-2])), to='ordinal')} "
    if "." not in digits and 1100 <= int(digits) < 2100 and match.group() == digits:
        return f" {num2words(int(digits), to='year')} "
    return f" {num2words(float(digits) if '.' in digits else int(digits))} "


def normalise(text: str) -> str:
    """Return `text` as space-separated lower-case words.

    Apostrophes inside words stay, every other mark goes, numbers are written out ("1842" as a year).
    """
    text = text.lower().replace("’", "'").replace("‘", "'").replace("é", "e").replace("è", "e")
    for mark, words in _SPELLED.items():
        text = text.replace(mark, words)
    text = _NUMBER.sub(_in_words, text)
    return " ".join(_WORD.findall(text.replace("-", " ")))


def normalise_mandarin(text: str) -> str:
    """Return the Chinese characters, letters (lower case) and digits of `text`, without spaces and marks."""
    return "".join(_CHARACTER.findall(unicodedata.normalize("NFKC", text).lower()))


# By the language's tag.
NORMALISERS: Mapping[str, Callable[[str], str]] = {"en": normalise, "zh": normalise_mandarin}


def has_digits(text: str) -> bool:
    """Whether numbers are left that no network can write: what was said for them is not known."""
    return any(character.isdigit() for character in text)


def units(text: str, language: str) -> list[str]:
    """Return what errors are counted in: words, and in Mandarin characters."""
    return list(text.replace(" ", "")) if language == "zh" else text.split()


def evaluation_texts(manifests: Iterable[Path]) -> frozenset[str]:
    """Return the normalised texts of every row of the evaluation `manifests`, none of which may be trained on."""
    return frozenset(normalise(entry.text) for path in manifests for entry in read_entries(path))
