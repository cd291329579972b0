"""The pieces a network writes: a blank, then byte-pair pieces or single characters learnt from text."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece

BLANK = 0
BOUNDARY = "▁"
UNITS = ("pieces", "char")


class Tokens:
    """A SentencePiece model whose id 0, the unknown piece, serves as the blank."""

    def __init__(self, model: Path) -> None:
        self._model = sentencepiece.SentencePieceProcessor(model_file=str(model))
        self._has_boundary = any(self._model.id_to_piece(i).startswith(BOUNDARY) for i in range(1, len(self)))

    def __len__(self) -> int:
        return int(self._model.get_piece_size())

    def _ids(self, text: str) -> list[int]:
        # Without the mark of a word's start, as in Mandarin, there is no way to write a space.
        return list(self._model.encode(text if self._has_boundary else text.replace(" ", "")))

    def encode(self, text: str) -> list[int]:
        """Return the ids of a normalised text; raises ValueError where pieces are missing."""
        ids = self._ids(text)
        if BLANK in ids:  # as a target it would teach silence
            raise ValueError(f"the tokens lack {self.missing(text)!r}, which {text!r} needs")
        return ids

    def missing(self, text: str) -> str:
        """Return the characters of a normalised text that no piece spells."""
        if BLANK not in self._ids(text):
            return ""
        return "".join(c for c in dict.fromkeys(text) if c != " " and BLANK in self._ids(c))

    def decode(self, ids: Sequence[int]) -> str:
        """Return the words that `ids` spell."""
        return "".join(self._model.id_to_piece(i) for i in ids).replace(BOUNDARY, " ").strip()

    def lines(self) -> str:
        """Return the contents of ``tokens.txt``: a piece and its id on each line."""
        pieces = ["<blank>", *(self._model.id_to_piece(i) for i in range(1, len(self)))]
        return "".join(f"{piece} {i}\n" for i, piece in enumerate(pieces))


def learn_tokens(texts: Iterable[str], pieces: int, model: Path, unit: str = "pieces") -> Tokens:
    """Learn `pieces` pieces from normalised `texts` and write them to `model`, a file ``*.model``.

    With the unit ``char`` the pieces are the most frequent characters, all of them where there are fewer. The mark of a
    word's start is a piece then if a text has a space.
    """
    learnt = list(texts)
    model.parent.mkdir(parents=True, exist_ok=True)
    characters = unit == "char"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(learnt),
        model_prefix=str(model.with_suffix("")),
        vocab_size=pieces + 1,
        model_type="char" if characters else "bpe",
        hard_vocab_limit=not characters,
        add_dummy_prefix=not characters or any(" " in text for text in learnt),
        character_coverage=1.0,
        unk_id=BLANK,
        bos_id=-1,
        eos_id=-1,
        pad_id=-1,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    return Tokens(model)
