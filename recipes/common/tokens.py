"""The pieces a network writes: a blank, then byte-pair pieces or single characters learnt from text."""

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

BLANK = 0
BOUNDARY = "▁"
UNITS = ("pieces", "char")


class Tokens:
    """The pieces by their ids, the blank first: a SentencePiece model, or the ``tokens.txt`` of a bundle.

    The ids of byte-pair pieces are the order in which they were learnt, so the list alone says how a word is spelled:
    from single characters, the pair is joined first whose piece has the lowest id.
    """

    def __init__(self, path: Path) -> None:
        if path.suffix == ".txt":
            pairs = [line.rsplit(" ", 1) for line in path.read_text("utf-8").splitlines()]
            if [number for _, number in pairs] != [str(i) for i in range(len(pairs))]:
                raise ValueError(f"{path} is no tokens.txt: a piece and its id on each line, from 0, are wanted")
            self._pieces = [piece for piece, _ in pairs]
        else:
            self._pieces = _pieces_of_model(path)
        self._numbers = {piece: i for i, piece in enumerate(self._pieces) if i != BLANK}
        self._has_boundary = any(piece.startswith(BOUNDARY) for piece in self._numbers)
        self._spelled: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._pieces)

    def _spell(self, word: str) -> list[int]:
        """Return the ids of a word, `BLANK` for a character that no piece spells."""
        parts = list(word)
        while len(parts) > 1:
            joined = [self._numbers.get(a + b, len(self)) for a, b in itertools.pairwise(parts)]
            best = min(joined)
            if best == len(self):
                break
            place = joined.index(best)
            parts[place : place + 2] = [self._pieces[best]]
        return [self._numbers.get(part, BLANK) for part in parts]

    def _ids(self, text: str) -> list[int]:
        ids = []
        for word in text.split():
            if word not in self._spelled:
                # Without the mark of a word's start, as in Mandarin, there is no way to write a space.
                self._spelled[word] = self._spell(BOUNDARY + word if self._has_boundary else word)
            ids += self._spelled[word]
        return ids

    def encode(self, text: str) -> list[int]:
        """Return the ids of a normalised text; raises ValueError where pieces are missing."""
        ids = self._ids(text)
        if BLANK in ids:  # as a target it would teach silence
            raise ValueError(f"the tokens lack {self.missing(text)!r}, which {text!r} needs")
        return ids

    def missing(self, text: str) -> str:
        """Return the characters of a normalised text that no piece spells."""
        return "".join(c for c in dict.fromkeys(text) if c != " " and c not in self._numbers)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the words that `ids` spell."""
        return "".join(self._pieces[i] for i in ids).replace(BOUNDARY, " ").strip()

    def lines(self) -> str:
        """Return the contents of ``tokens.txt``: a piece and its id on each line."""
        return "".join(f"{piece} {i}\n" for i, piece in enumerate(self._pieces))


def _pieces_of_model(path: Path) -> list[str]:
    import sentencepiece  # a bundle's tokens.txt needs none

    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return ["<blank>", *(model.id_to_piece(i) for i in range(1, model.get_piece_size()))]


def learn_tokens(texts: Iterable[str], pieces: int, model: Path, unit: str = "pieces") -> Tokens:
    """Learn `pieces` pieces from normalised `texts` and write them to `model`, a file ``*.model``.

    With the unit ``char`` the pieces are the most frequent characters, all of them where there are fewer. The mark of a
    word's start is a piece then if a text has a space.
    """
    import sentencepiece

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
