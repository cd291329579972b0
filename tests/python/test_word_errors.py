"""Error counts against a well-kept library, and by hand."""

from __future__ import annotations

import jiwer
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice.cli.word_errors import Edits, edits, normalise

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)


def test_by_hand():
    assert edits("the cat sat".split(), "the cat sat".split()) == Edits(3, 0, 0, 0)
    assert edits("the cat sat".split(), "the dog sat".split()) == Edits(3, 1, 0, 0)
    assert edits("the cat sat".split(), "cat sat".split()) == Edits(3, 0, 1, 0)
    assert edits("the cat sat".split(), "the big cat sat".split()) == Edits(3, 0, 0, 1)
    assert edits([], ["a"]) == Edits(0, 0, 0, 1)
    assert edits("ab", "abc").rate == 0.5
    assert (edits([], []).rate, edits([], ["a"]).rate) == (0.0, 1.0)


@given(WORDS.filter(bool), WORDS)
def test_as_many_errors_as_jiwer_finds(reference, heard):
    counted = edits(reference, heard)
    wanted = jiwer.process_words(" ".join(reference), " ".join(heard))
    assert counted.errors == wanted.substitutions + wanted.deletions + wanted.insertions
    assert counted.length - counted.deletions + counted.insertions == len(heard)
    assert counted.deletions + counted.substitutions <= counted.length


def test_counts_add_up():
    assert edits("a b".split(), "a".split()) + edits("c".split(), "d e".split()) == Edits(3, 1, 1, 1)


def test_normalising():
    assert normalise("Don’t  stop -- the 2nd_time, please!") == "don't stop the 2nd time please"
    assert normalise("...") == ""
