"""Transcripts as the networks write them: lower-case words with apostrophes, numbers in words."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from num2words import num2words

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:st|nd|rd|th)?")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*'?|'[a-z]+")
_SPELLED = {"mr.": "mister", "mrs.": "missus", "dr.": "doctor", "st.": "saint", "&": " and ", "%": " percent", "£": ""}


def _in_words(match: re.Match[str]) -> str:
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


def evaluation_texts(manifests: Iterable[Path]) -> frozenset[str]:
    """Return the normalised texts of every row of the evaluation `manifests`, none of which may be trained on."""
    return frozenset(
        normalise(json.loads(row)["text"]) for path in manifests for row in path.read_text("utf-8").splitlines()
    )
