"""How words are shown: dictionaries, and configuration files that change while an engine runs."""

import pytest
from support import texts_of, wait_for

import cosyvoice


@pytest.fixture
def files(tmp_path):
    (tmp_path / "cosyvoice.yaml").write_text("dictionary: {path: words.yaml, version: 1}\n", encoding="utf-8")
    (tmp_path / "words.yaml").write_text("words:\n  Nothing: nothing at all like this\n", encoding="utf-8")
    return tmp_path


def test_a_dictionary_is_switched_by_its_version_in_the_configuration(files, make_engine, speech):
    engine = make_engine(model_path="en", config=files / "cosyvoice.yaml")
    heard = texts_of(engine, speech)
    first, second = heard[:2]
    (files / "words.yaml").write_text(f"words:\n  X-Y: {first} {second}\n", encoding="utf-8")
    (files / "cosyvoice.yaml").write_text("dictionary: {path: words.yaml, version: 2}\n", encoding="utf-8")
    wait_for(lambda: engine.stats().dictionary_swaps == 2)
    assert texts_of(engine, speech) == ["X-Y", *heard[2:]]
    (files / "words.yaml").write_text("words: nonsense\n", encoding="utf-8")
    (files / "cosyvoice.yaml").write_text("dictionary: {path: words.yaml, version: 3}\n", encoding="utf-8")
    wait_for(lambda: engine.stats().config_failures == 1)
    assert texts_of(engine, speech) == ["X-Y", *heard[2:]]
    engine.swap_dictionary(None)
    assert texts_of(engine, speech) == heard


def test_a_bad_dictionary_says_what_is_wrong(files, make_engine):
    engine = make_engine(dictionary=files / "words.yaml")
    (files / "words.yaml").write_text("words:\n  a: [b, b]\n", encoding="utf-8")
    with pytest.raises(cosyvoice.InvalidConfig, match=r"words.yaml:2: words: 'b' is heard in line 2 too; remove one"):
        engine.swap_dictionary(files / "words.yaml")
    with pytest.raises(cosyvoice.InvalidConfig, match=r"nowhere.yaml"):
        make_engine(dictionary="nowhere.yaml")
    assert engine.stats().dictionary_swaps == 1
