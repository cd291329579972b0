"""ARPA files into compiled models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cosyvoice import _native
from cosyvoice.lm.text import open_text

if TYPE_CHECKING:
    from pathlib import Path


def build(
    arpa: Path, out: Path, *, quantise: bool = False, unit: str = "word", tokens: Path | None = None
) -> dict[str, Any]:
    """Compile an ARPA file, which may be a gzip file or ``-``, into a model that is mapped; return the model's facts.

    Parameters
    ----------
    arpa, out
        The text; the file to write. An older one is replaced once the new one is whole, and whoever has it open keeps it.
    quantise
        Store the probabilities and back-offs of bigrams and longer n-grams as one of 256 each.
    unit
        What the model's "words" are: ``word``, or ``token`` for the pieces of a bundle.
    tokens
        That bundle's tokens.txt.

    Raises
    ------
    InvalidArgument
        The unit and the tokens do not fit together, or the file cannot be written.
    InvalidModel
        The text is no ARPA file of order 1 to 5, or damaged; the message names the line.
    """
    with open_text(arpa) as text:
        return _native.build_language_model(text.read, str(arpa), str(out), quantise, unit, str(tokens or ""))
