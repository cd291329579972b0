"""The pieces a network writes: a blank, then byte-pair pieces learnt from text."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece

BLANK = 0
BOUNDARY = "▁"


class Tokens:
    """A SentencePiece model whose id 0, the unknown piece, serves as the blank."""

    def __init__(self, model: Path) -> None:
        self._model = sentencepiece.SentencePieceProcessor(model_file=str(model))

    def __len__(self) -> int:
        return int(self._model.get_piece_size())

    def encode(self, text: str) -> list[int]:
        """Return the ids of a normalised text."""
        return list(self._model.encode(text))

    def decode(self, ids: Sequence[int]) -> str:
        """Return the words that `ids` spell."""
        return "".join(self._model.id_to_piece(i) for i in ids).replace(BOUNDARY, " ").strip()

    def lines(self) -> str:
        """Return the contents of ``tokens.txt``: a piece and its id on each line."""
        pieces = ["<blank>", *(self._model.id_to_piece(i) for i in range(1, len(self)))]
        return "".join(f"{piece} {i}\n" for i, piece in enumerate(pieces))


def learn_tokens(texts: Iterable[str], pieces: int, model: Path) -> Tokens:
    """Learn `pieces` pieces from normalised `texts` and write them to `model`, a file ``*.model``."""
    model.parent.mkdir(parents=True, exist_ok=True)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_prefix=str(model.with_suffix("")),
        vocab_size=pieces + 1,
        model_type="bpe",
        character_coverage=1.0,
        unk_id=BLANK,
        bos_id=-1,
        eos_id=-1,
        pad_id=-1,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    return Tokens(model)
