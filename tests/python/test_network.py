"""The networks against golden files, which the recipes make with another library from the weights as stored."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from support import REPOSITORY

from cosyvoice import _native
from cosyvoice.embedded import resolve_model

CASES = [("en", 16), ("en", 32), ("en", 64), ("en-lite", 8), ("en-lite", 16), ("en-lite", 32)]


@pytest.fixture(scope="module")
def golden():
    return {
        name: np.load(REPOSITORY / "tests" / "golden" / f"{name.replace('-', '_')}.npz") for name in ("en", "en-lite")
    }


def manifest_of(bundle):
    with open(f"{resolve_model(bundle)}/model.yaml", encoding="utf-8") as file:  # noqa: PTH123
        return yaml.safe_load(file)


@pytest.mark.parametrize(("bundle", "chunk"), CASES)
def test_log_probabilities_are_those_of_the_recipe(golden, bundle, chunk):
    wanted = golden[bundle][f"log_probs_{chunk}"]
    made = _native.log_probs(resolve_model(bundle), golden[bundle][f"features_{chunk}"].ravel(), chunk)
    assert made.shape == wanted.shape
    likely = wanted > -10
    assert np.abs(made - wanted)[likely].max() <= 1e-3


@pytest.mark.parametrize(("bundle", "chunk"), CASES)
def test_features_are_those_of_the_recipe(golden, bundle, chunk):
    wanted = golden[bundle][f"features_{chunk}"]
    samples = np.concatenate([golden[bundle]["pcm"], np.zeros(32000, np.int16)]).astype(np.float32) / 32768
    made = _native.log_mel(resolve_model(bundle), samples, 16000)[: len(wanted)]
    assert np.abs(made - wanted).max() <= 1e-3


def test_the_golden_files_serve_every_chunk_length():
    assert {(name, chunk) for name in ("en", "en-lite") for chunk in manifest_of(name)["network"]["chunks"]} == set(
        CASES
    )
