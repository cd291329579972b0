"""Bundles that are not what they should be: each error names the fault."""

from __future__ import annotations

import re
import shutil

import pytest

import cosyvoice
from cosyvoice.embedded import resolve_model


@pytest.fixture
def bundle(tmp_path):
    """A copy of the small bundle, to be spoiled."""
    return shutil.copytree(resolve_model("en-lite"), tmp_path / "bundle")


def edit(bundle, pattern, replacement):
    manifest = bundle / "model.yaml"
    text, count = re.subn(pattern, replacement, manifest.read_text("utf-8"), count=1, flags=re.MULTILINE)
    assert count == 1
    manifest.write_text(text, "utf-8")


def test_the_embedded_bundles_are_found_by_name():
    assert {"en", "en-lite"} <= set(cosyvoice.embedded_models())
    assert resolve_model(None) == resolve_model("en")


def test_a_copy_elsewhere_loads(bundle):
    with cosyvoice.Engine(bundle, max_stream=1, workers=1) as engine:
        info = engine.model
    assert info.name == "en-lite"
    assert info.path == str(bundle)
    assert info.default_chunk_ms in info.chunk_ms
    assert info.weights == "trained"


def test_a_wrong_directory_lists_the_names(tmp_path):
    with pytest.raises(cosyvoice.ModelNotFound, match="en-lite"):
        cosyvoice.Engine(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"model\.yaml"):
        cosyvoice.Engine(tmp_path)


def test_a_sessions_own_model_is_checked(engine, tmp_path):
    with pytest.raises(cosyvoice.ModelNotFound):
        engine.new_session(model=tmp_path / "nowhere")


def test_an_unreadable_manifest_names_the_line(bundle):
    (bundle / "model.yaml").write_text("schema: 1\nname: [unclosed\n", "utf-8")
    with pytest.raises(cosyvoice.InvalidModel, match=r"model\.yaml"):
        cosyvoice.Engine(bundle)


@pytest.mark.parametrize("key", ["hop_ms", "output_frame_ms", "word_boundary", "look_ahead"])
def test_a_missing_key_is_named(bundle, key):
    edit(bundle, rf"^ *{key}:.*\n", "")
    with pytest.raises(cosyvoice.InvalidModel, match=key):
        cosyvoice.Engine(bundle)


@pytest.mark.parametrize(
    ("pattern", "replacement", "named"),
    [
        (r"^( *window): \w+", r"\1: triangle", "triangle"),
        (r"^( *bins): \d+", r"\1: 81", "81|80"),
        (r"^( *output): log_probs", r"\1: logits", "logits"),
        (r"shape: \[1, 64, 128\]", "shape: [1, 65, 128]", "keys_0"),
    ],
    ids=["unknown value", "features", "output", "state"],
)
def test_a_manifest_that_contradicts_the_network_names_both(bundle, pattern, replacement, named):
    edit(bundle, pattern, replacement)
    with pytest.raises(cosyvoice.InvalidModel, match=named):
        cosyvoice.Engine(bundle)


def test_a_missing_network_is_named(bundle):
    (bundle / "acoustic.f16.bin").unlink()
    with pytest.raises(cosyvoice.CosyVoiceError, match=r"acoustic\.f16\.bin"):
        cosyvoice.Engine(bundle)


def test_a_changed_file_is_found_by_its_hash(bundle):
    with (bundle / "tokens.txt").open("a", encoding="utf-8") as file:
        file.write("x 257\n")
    with pytest.raises(cosyvoice.InvalidModel, match=r"tokens\.txt"):
        cosyvoice.Engine(bundle)
