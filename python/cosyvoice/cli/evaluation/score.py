"""One clip as one system heard it, and how wrong that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cosyvoice.cli.evaluation.edits import Edits, align, distance, rate
from cosyvoice.cli.evaluation.text import characters, words

if TYPE_CHECKING:
    from cosyvoice.cli.evaluation.text import Normalise


@dataclass(frozen=True, slots=True)
class Heard:
    """What a system made of a clip.

    ``delays_ms`` has one number for each word that a partial showed, ``unshown`` counts the others; both are for systems with
    partials. ``error`` says what was wrong with the audio.
    """

    text: str = ""
    seconds: float = 0.0
    delays_ms: tuple[int, ...] = ()
    unshown: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A hypothesis against its reference."""

    text: str
    words: Edits
    character_errors: int
    characters: int

    def row(self) -> dict[str, Any]:
        """For a line of results."""
        return {
            "text": self.text,
            "wer": round(self.words.rate, 5),
            "cer": round(rate(self.character_errors, self.characters), 5),
            "words": self.words.length,
            "substitutions": self.words.substitutions,
            "deletions": self.words.deletions,
            "insertions": self.words.insertions,
        }


def score(reference: str, heard: str, normalise: Normalise) -> Score:
    """Compare; the reference is normalised already."""
    text = normalise.applied(heard)
    wanted = characters(reference)
    return Score(text, Edits.of(align(words(reference), words(text))), distance(wanted, characters(text)), len(wanted))
