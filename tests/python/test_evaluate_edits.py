"""Error counts against jiwer's, and by hand; text as it is compared."""

from __future__ import annotations

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice.cli.evaluation.edits import Edits, align, distance
from cosyvoice.cli.evaluation.text import Normalise, characters, words

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)


def edits(reference, heard):
    return Edits.of(align(reference, heard))


def check_alignment(reference, heard):
    pairs = align(reference, heard)
    assert [wanted for wanted, _ in pairs if wanted is not None] == list(reference)
    assert [got for _, got in pairs if got is not None] == list(heard)
    assert Edits.of(pairs).errors == distance(reference, heard)
    return Edits.of(pairs)


def test_by_hand():
    assert edits("the cat sat".split(), "the cat sat".split()) == Edits(3, 0, 0, 0)
    assert edits("the cat sat".split(), "the dog sat".split()) == Edits(3, 1, 0, 0)
    assert edits("the cat sat".split(), "cat sat".split()) == Edits(3, 0, 1, 0)
    assert edits("the cat sat".split(), "the big cat sat".split()) == Edits(3, 0, 0, 1)
    assert edits([], ["a"]) == Edits(0, 0, 0, 1)
    assert edits("ab", "abc").rate == 0.5
    assert (edits([], []).rate, edits([], ["a"]).rate) == (0.0, 1.0)


def test_an_alignment_by_hand():
    assert align("the cat sat down now".split(), "a the cat down later".split()) == [
        (None, "a"), ("the", "the"), ("cat", "cat"), ("sat", None), ("down", "down"), ("now", "later"),
    ]  # fmt: skip


@given(WORDS.filter(bool), WORDS)
def test_as_many_errors_as_jiwer_finds(reference, heard):
    counted = check_alignment(reference, heard)
    wanted = jiwer.process_words(" ".join(reference), " ".join(heard))
    assert counted.errors == wanted.substitutions + wanted.deletions + wanted.insertions
    assert counted.length == len(reference)


def test_counts_add_up():
    assert edits("a b".split(), "a".split()) + edits("c".split(), "d e".split()) == Edits(3, 1, 1, 1)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Don’t  stop -- the 2nd_time, please!", "don't stop the 2nd time please"),
        ("...", ""),
        ("Ｃａｆe\u0301 №5", "café no5"),
        ("हिन्दी", "हिन्दी"),
    ],
)
def test_normalising(written, plain):
    assert Normalise.PLAIN.applied(written) == plain


def test_without_normalising_only_space_is_alike():
    assert Normalise.NONE.applied(" Don’t\tstop,  please! ") == "Don’t stop, please!"


def test_scripts_without_spaces_are_counted_by_characters():
    assert words("请 hold 一下 ok") == ["请", "hold", "一", "下", "ok"]
    assert words("ขอ") == ["ข", "อ"]
    assert characters("请 稍等 hold on") == "请稍等hold on"
    assert edits(words("请稍等"), words("请 烧 等")) == Edits(3, 1, 0, 0)
    assert distance(characters("请稍等"), characters("请 烧 等")) == 1
    assert characters("two words") == "two words"
