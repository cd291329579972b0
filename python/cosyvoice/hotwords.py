"""Hotwords as people write them: phrases, with or without boosts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["Hotwords", "pairs_of"]

# {"Bluetooth": 4.0}, or phrases and (phrase, boost) pairs in any iterable.
Hotwords = Mapping[str, float] | Iterable[str | tuple[str, float]]


def pairs_of(hotwords: Hotwords | None, boost: float) -> list[tuple[str, float]]:
    """Each phrase with its boost, ``boost`` where it has none. The core checks the values."""
    if hotwords is None:
        return []
    if isinstance(hotwords, (str, bytes)):
        raise TypeError(f"hotwords is the text {hotwords!r}; pass a list of phrases, or a dict of phrases and boosts")
    items = hotwords.items() if isinstance(hotwords, Mapping) else hotwords
    return [_pair_of(item, boost) for item in items]


def _pair_of(item: str | tuple[str, float], boost: float) -> tuple[str, float]:
    phrase, own = (item, boost) if isinstance(item, str) else item
    if not isinstance(phrase, str):
        raise TypeError(f"a hotword is of type {type(phrase).__name__}; pass text, or a pair of text and boost")
    return phrase, float(own)
