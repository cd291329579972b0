"""Language models that are switched while an engine runs, and partials that hold words back."""

from __future__ import annotations

import hashlib
import shutil

import pytest
import yaml
from arpa_files import write_arpa
from commands import cosyvoice as command
from support import feed, texts_of, wait_for

import cosyvoice
from cosyvoice.embedded import resolve_model

GRAMS = {("<unk>",): (-4.0, 0.0), ("<s>",): (-99.0, 0.0), ("</s>",): (-1.0, 0.0), ("the",): (-1.0, 0.0)}


@pytest.fixture
def files(tmp_path):
    """A compiled language model, the same with one bit changed, and a configuration of neither."""
    write_arpa(tmp_path / "words.arpa", GRAMS)
    assert command("lm", "build", tmp_path / "words.arpa", tmp_path / "words.bin").returncode == 0
    damaged = bytearray((tmp_path / "words.bin").read_bytes())
    damaged[-9] ^= 1
    (tmp_path / "damaged.bin").write_bytes(damaged)
    (tmp_path / "cosyvoice.yaml").write_text("search: {lm: none, version: 1}\n", encoding="utf-8")
    return tmp_path


def test_swap_lm_takes_a_whole_model_and_refuses_a_damaged_one(files, make_engine, speech):
    engine = make_engine(model_path="en", lm="none", lm_weight=3.0)
    heard = texts_of(engine, speech)
    engine.swap_lm(files / "words.bin")
    with_lm = texts_of(engine, speech)
    assert with_lm != heard  # a model that knows one word, at a high weight
    with pytest.raises(cosyvoice.InvalidModel, match=r"damaged\.bin is not what was written: .*; build it again"):
        engine.swap_lm(files / "damaged.bin")
    with pytest.raises(cosyvoice.ModelNotFound, match=r"none\.bin"):
        engine.swap_lm(files / "none.bin")
    assert texts_of(engine, speech) == with_lm
    engine.swap_lm("none")
    assert texts_of(engine, speech) == heard
    assert engine.stats().search_swaps == 2


def test_search_is_switched_by_its_version_in_the_configuration(files, make_engine, speech):
    engine = make_engine(model_path="en", config=files / "cosyvoice.yaml")
    heard = texts_of(engine, speech)
    config = files / "cosyvoice.yaml"
    config.write_text("search: {lm: words.bin, lm_weight: 3, version: 2}\n", encoding="utf-8")
    wait_for(lambda: engine.stats().search_swaps == 1)
    with_lm = texts_of(engine, speech)
    assert with_lm != heard
    config.write_text("search: {lm: damaged.bin, version: 3}\n", encoding="utf-8")
    wait_for(lambda: engine.stats().config_failures == 1)
    assert texts_of(engine, speech) == with_lm
    config.write_text("search: {lm: none, version: 4}\n", encoding="utf-8")
    wait_for(lambda: engine.stats().search_swaps == 2)
    assert texts_of(engine, speech) == heard


def test_partials_hold_fresh_words_back(make_engine, speech):
    shown = []
    engine = make_engine(model_path="en", hold_back=600)
    engine.register_callback(on_partial=shown.append, on_final=lambda _: None)
    session = engine.new_session()
    feed(session, speech)
    session.finish()
    engine.close()
    assert shown
    for event in map(cosyvoice.parse_event, shown):
        assert event.heard_ms - event.words[-1].end_ms >= 600 - 40  # the model's look-ahead counts as heard


def test_a_model_brings_its_own_language_model_unless_told_otherwise(files, tmp_path, make_engine, speech):
    bundle = tmp_path / "bundle"
    shutil.copytree(resolve_model("en"), bundle)
    shutil.copy(files / "words.bin", bundle / "lm.bin")
    manifest = yaml.safe_load((bundle / "model.yaml").read_text("utf-8"))
    manifest["search"]["lm"] = "lm.bin"
    manifest["files"]["lm.bin"] = hashlib.sha256((bundle / "lm.bin").read_bytes()).hexdigest()
    (bundle / "model.yaml").write_text(yaml.safe_dump(manifest, sort_keys=False), "utf-8")
    own = texts_of(make_engine(model_path=bundle, lm_weight=3), speech)
    engine = make_engine(model_path=bundle, lm="none", lm_weight=3)
    none = texts_of(engine, speech)
    assert own != none
    assert texts_of(make_engine(model_path=bundle, lm=files / "words.bin", lm_weight=3), speech) == own
    engine.swap_lm("")
    assert texts_of(engine, speech) == own
    assert none == texts_of(make_engine(model_path="en", lm="none"), speech)
