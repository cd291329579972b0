"""Configuration files through Python and the command line; the parser's own faults are tests/cpp/config."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import subprocess
import sys

import pytest
import yaml
from support import PATIENCE

import cosyvoice
from cosyvoice import EngineConfig, InvalidConfig, _native

SCHEMA = _native.config_schema()


def run(*arguments, env=None):
    return subprocess.run(
        [sys.executable, "-m", "cosyvoice", "config", *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=os.environ | (env or {}),
        check=False,
    )


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "cosyvoice.yaml"
    path.write_text("model: {path: en-lite}\nengine: {max_stream: 3}\nmachine: {workers: 1}\n", encoding="utf-8")
    return path


def test_the_schema_is_the_configuration_class():
    defaults = {field.name: field.default for field in dataclasses.fields(EngineConfig)}
    assert {row["option"] for row in SCHEMA} | {"config_file"} == set(defaults)
    for row in SCHEMA:
        # Our reader takes words as they stand; YAML 1.1 would make a boolean of `off`.
        default = "off" if row["default"] == "off" else yaml.safe_load(row["default"])
        assert default == (defaults[row["option"]] or default)
    assert EngineConfig.load() == EngineConfig(model_path="")


def test_an_engine_from_a_file_and_from_the_environment(small, monkeypatch):
    with cosyvoice.Engine(config=small) as engine:
        assert engine.model.name == "en-lite"
        sessions = [engine.new_session() for _ in range(3)]
        with pytest.raises(cosyvoice.EngineFull, match="max_stream = 3"):
            engine.new_session()
        for session in sessions:
            session.close()
    monkeypatch.setenv("COSYVOICE_ENGINE_MAX_STREAM", "2")
    assert EngineConfig.load(small).max_stream == 2
    # A keyword is nearer than both.
    with cosyvoice.Engine(config=str(small), max_stream=1) as engine:
        session = engine.new_session()
        with pytest.raises(cosyvoice.EngineFull, match="max_stream = 1"):
            engine.new_session()
        session.close()


def test_what_is_no_configuration(tmp_path):
    with pytest.raises(InvalidConfig, match=r"nothing\.yaml: cannot be opened \(No such file"):
        cosyvoice.Engine(config=tmp_path / "nothing.yaml")
    with pytest.raises(TypeError, match="config is of type dict; pass a"):
        cosyvoice.Engine(config={"max_stream": 1})


def test_the_models_own_chunk_is_the_default_of_its_sessions(make_engine):
    engine = make_engine(chunk_ms=128)
    assert engine.model.default_chunk_ms == 128
    with engine.new_session() as session, engine.new_session(chunk_ms=256) as other:
        session.feed(bytes(2 * 16 * 128))
        other.feed(bytes(2 * 16 * 128))
        session.end_utterance()
        other.end_utterance()
    with pytest.raises(cosyvoice.InvalidArgument, match="chunk_ms = 100, but model 'en-lite' serves 128"):
        make_engine(chunk_ms=100)


def test_engine_threads_stay_on_the_chosen_cores():
    program = """
import os, pathlib, sys
import cosyvoice
cpu = max(os.sched_getaffinity(0))
engine = cosyvoice.Engine("en-lite", max_stream=1, cpus=str(cpu))
with engine.new_session() as session:  # every stage has run and so has its name
    session.feed(bytes(16384))
while session.result(60) is not None:
    pass
cores = {}
for task in pathlib.Path("/proc/self/task").iterdir():
    status = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines() if ":" in line)
    cores.setdefault(status["Name"].strip(), set()).add(status["Cpus_allowed_list"].strip())
engine.close()
assert {"cv-frontend", "cv-core", "cv-backend"} <= set(cores), cores
assert all(cores[name] == {str(cpu)} for name in cores if name.startswith("cv-")), cores
assert len(os.sched_getaffinity(0)) == int(sys.argv[1])
"""
    cores = str(len(os.sched_getaffinity(0)))
    done = subprocess.run(
        [sys.executable, "-c", program, cores], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr


def test_options_of_the_machine_that_cannot_be_had(make_engine):
    with pytest.raises(cosyvoice.InvalidArgument, match="cpus = 1023, but this process may use"):
        make_engine(cpus="1023")
    with pytest.raises(cosyvoice.InvalidArgument, match="expected one of: auto, baseline, avx2, avx512"):
        make_engine(simd="neon")


def test_every_vector_width_hears_the_same_words(speech):
    def heard(simd):
        with cosyvoice.Engine(max_stream=1, workers=1, simd=simd) as engine:
            session = engine.new_session()
            session.feed(speech[:48000])
            session.finish()
            words = []
            while (final := session.result(PATIENCE)) is not None:
                words += [(word.word, word.start_ms, word.end_ms) for word in final.words]
            return words

    try:
        assert heard("baseline") == heard("auto") != []
    finally:
        with cosyvoice.Engine("en-lite", max_stream=1, workers=1):
            pass  # an engine with the default puts the process back


def test_huge_pages_change_nothing_that_is_heard(make_engine, speech):
    def heard(engine):
        session = engine.new_session()
        session.feed(speech[:16000])
        session.finish()
        return [(final.text, final.end_ms) for final in iter(lambda: session.result(PATIENCE), None)]

    assert heard(make_engine(huge_pages=True)) == heard(make_engine())


def test_the_log_level(make_engine, caplog):
    with caplog.at_level(logging.DEBUG, logger="cosyvoice"):
        make_engine(log_level="error").close()
        assert not caplog.records
        engine = make_engine()
        engine.close()


def test_print_shows_the_whole_configuration_and_reads_back(small, tmp_path):
    printed = run("--print", str(small), env={"COSYVOICE_LOGGING_LEVEL": "error"})
    assert printed.returncode == 0
    assert "max_stream: 3  # line 2 of " in printed.stdout
    assert "level: error  # COSYVOICE_LOGGING_LEVEL" in printed.stdout
    tree = yaml.safe_load(printed.stdout)
    assert {(section, key) for section in tree for key in tree[section]} == {
        (row["section"], row["key"]) for row in SCHEMA
    }
    again = tmp_path / "again.yaml"
    again.write_text(printed.stdout, encoding="utf-8")
    expected = dataclasses.replace(EngineConfig.load(small), log_level="error", config_file=str(again))
    assert EngineConfig.load(again) == expected
    as_json = run("--print", "--json", str(small))
    assert EngineConfig(**json.loads(as_json.stdout)) == EngineConfig.load(small)


def test_check(small):
    good = run("--check", str(small))
    assert (good.returncode, good.stdout) == (0, f"{small}: good\n")
    small.write_text("engine: {max_stream: many}\n", encoding="utf-8")
    bad = run("--check", str(small))
    assert bad.returncode == 1
    assert bad.stderr == (
        f"cosyvoice: {small}:1: engine.max_stream: expected a whole number from 1 to 65536 sessions, found 'many'; "
        "correct it, or remove the line for the default, 128\n"
    )
    as_json = run("--check", "--json", str(small))
    assert (as_json.returncode, json.loads(as_json.stdout)["good"]) == (1, False)
    misspelt = run("--check", str(small), env={"COSYVOICE_ENGINE_STREAMS": "1"})
    assert misspelt.returncode == 1


@pytest.mark.parametrize("arguments", [[], ["--print", "--check"], ["--check"]])
def test_wrong_usage(arguments):
    assert run(*arguments).returncode == 2


def test_relative_models_lie_beside_the_file(tmp_path, monkeypatch):
    (tmp_path / "c.yaml").write_text("model: {path: models/mine}\n", encoding="utf-8")
    monkeypatch.chdir("/")
    assert EngineConfig.load(tmp_path / "c.yaml").model_path == str(tmp_path / "models" / "mine")
    monkeypatch.setenv("COSYVOICE_MODEL_PATH", "elsewhere")
    assert EngineConfig.load(tmp_path / "c.yaml").model_path == "elsewhere"
