"""A teacher's frames: where they are kept, and where they belong in a recording that was made of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("recipes", reason="networks are trained from a clone")
from recipes.common.pool import Pool, PoolWriter
from recipes.common.taught import FRAME, Taught, are_posteriors, count, lay, lay_posteriors, width

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def pool(tmp_path: Path) -> Pool:
    with PoolWriter(tmp_path, "calls") as writer:
        for samples in (FRAME * 2, 0, FRAME * 3 + 1, FRAME):
            writer.add(np.ones(samples, np.int16), "a", "b")
    return Pool(tmp_path, "calls")


def test_frames_belong_to_their_utterances(pool: Pool, tmp_path: Path) -> None:
    assert [count(row) for row in pool.rows] == [2, 0, 4, 1]
    # The teacher has been stopped within the third utterance.
    frames = np.arange(5 * 3, dtype=np.float16).reshape(5, 3)
    (tmp_path / "calls.teacher").write_bytes(frames.tobytes())
    np.savez(tmp_path / "teacher.npz", mean=np.ones(3), deviation=np.full(3, 2.0))
    taught = Taught(tmp_path, "calls", pool.rows)
    assert width(tmp_path) == 3
    first = taught(pool.rows[0])
    assert first is not None
    np.testing.assert_allclose(first, (frames[:2] - 1.0) / 2)
    assert [taught(row) is None for row in pool.rows] == [False, True, True, True]


def test_without_a_teacher_nothing_is_known(pool: Pool, tmp_path: Path) -> None:
    assert width(tmp_path) == 0
    assert Taught(tmp_path, "calls", pool.rows)(pool.rows[0]) is None


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_frames_lie_where_their_sound_is(speed: float) -> None:
    frames = np.arange(10.0, dtype=np.float32)[:, None]
    length = int(10 * FRAME / speed)
    target, known = np.full((40, 1), -1, np.float32), np.zeros(40, np.bool_)
    lay(frames, (5 * FRAME, length), FRAME, target, known)
    (places,) = np.nonzero(known)
    assert (places[0], len(places)) == (5, round(10 / speed))
    middles = (places - 5 + 0.5) * speed  # in frames of the recording as it was
    assert np.abs(target[places, 0] + 0.5 - middles).max() <= 0.5
    assert (target[~known] == -1).all()


def test_no_piece_is_lost_where_frames_are_longer() -> None:
    blank = 0
    said = np.eye(4, dtype=np.float32)[[0, 2, 0, 0, 3, 1, 0, 0]]  # of 40 ms, in frames of 64 ms: 0-1, 2, 3-4, 5, 6-7
    said[2] = (0.4, 0.6, 0, 0)
    target, known = np.zeros((8, 4), np.float32), np.zeros(8, np.bool_)
    lay_posteriors(said, (0, 8 * FRAME), FRAME * 64 // 40, target, known, blank)
    assert known.tolist() == [True] * 5 + [False] * 3
    np.testing.assert_allclose(target[known].sum(1), 1, rtol=1e-6)
    np.testing.assert_allclose(target[:2], [[0, 0, 1, 0], [0.4, 0.6, 0, 0]], rtol=1e-6)
    assert [int(row.argmax()) for row in target[2:5]] == [3, 1, 0]


def test_posteriors_are_read_as_they_are(pool: Pool, tmp_path: Path) -> None:
    said = np.full((7, 4), 0.25, np.float16)
    (tmp_path / "calls.teacher").write_bytes(said.tobytes())
    np.savez(tmp_path / "teacher.npz", width=4)
    assert are_posteriors(tmp_path)
    assert width(tmp_path) == 4
    frames = Taught(tmp_path, "calls", pool.rows)(pool.rows[2])
    assert frames is not None
    np.testing.assert_array_equal(frames, said[2:6])
