"""``cosyvoice doctor`` on this machine, and what it says of an installation that is not as it should be."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import LITE, cosyvoice
from documents import DOCS, code, table
from machines import build
from support import transcribe, words

from cosyvoice import InferenceFailed
from cosyvoice.doctor import configuration, inference, trial
from cosyvoice.doctor.core import Core, load_core
from cosyvoice.doctor.finding import Level
from cosyvoice.doctor.settings import Settings


def report(*arguments, env=None):
    """The JSON object, with the findings by name, and the exit code."""
    done = cosyvoice("doctor", "--json", *arguments, env=env)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    found["findings"] = {one["name"]: one for one in found["findings"]}
    return found, done.returncode


@pytest.fixture(scope="module")
def here():
    return report()


def test_json(here):
    found, code = here
    assert (code, found["good"], found["problems"]) == (0, True, 0)
    assert list(found) == ["version", "good", "summary", "advice", "problems", "findings"]
    for one in found["findings"].values():
        assert list(one) == ["name", "level", "says", "command", "value"]
    levels = [one["level"] for one in found["findings"].values()]
    assert levels.count("advice") == found["advice"]
    assert set(levels) <= {"good", "unseen", "advice", "problem"}


def test_the_guide_names_every_finding(here):
    guide = DOCS / "guides" / "tuning.md"
    assert [code(row[0])[0] for row in table(guide, "finding")] == list(here[0]["findings"])
    assert [code(row[0])[0] for row in table(guide, "level")] == list(Level)
    assert [name for row in table(guide, "key") for name in code(row[0])] == list(here[0])


def test_the_self_test_hears_the_recording(here, trained, speech):
    found = here[0]["findings"]
    assert found["model.self_test"]["value"]["words"] == len(words(transcribe(trained, speech))) > 0
    assert found["model.self_test"]["value"]["audio_seconds"] == len(speech) / 16000
    assert found["model.bundle"]["value"]["name"] == "en"
    assert found["model.bundle"]["value"]["network_bytes"] > 1 << 20


def test_the_memory_is_what_the_engine_maps(here, trained):
    parts = here[0]["findings"]["memory.session"]["value"]
    assert parts.pop("states") == trained.stats().state_bytes
    assert sum(parts.values()) == trained.stats().session_bytes


def test_plain_where_it_is_piped():
    done = cosyvoice("doctor", *LITE, env={"COLUMNS": "40"})
    assert (done.stderr, done.returncode) == ("", 0)
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert lines[0].split()[:2] == ["good", "config.file"]
    assert lines[-1].endswith(", nothing that stops the engine")
    assert "words in 6.6 s of audio" in done.stdout


def test_a_configuration_is_judged(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("model: {path: en-lite}\nengine: {max_stream: 60000}\nmachine: {workers: 900}\n", "utf-8")
    done = cosyvoice("config", "--check", file)
    assert done.returncode == 0
    found, _ = report("--config", file, env={"COSYVOICE_MACHINE_WORKERS": "1"})
    assert found["findings"]["config.file"]["value"]["max_stream"] == 60000
    assert found["findings"]["memory.room"]["value"]["max_stream"] == 60000
    assert found["findings"]["cpu.workers"]["value"] == {"workers": 1}


def test_too_many_sessions_for_the_memory():
    found, code = report(
        *LITE, env={"COSYVOICE_ENGINE_MAX_STREAM": "65536", "COSYVOICE_BACK_PRESSURE_RING_BYTES": "67108864"}
    )
    room = found["findings"]["memory.room"]
    assert (code, room["level"]) == (1, "problem")
    assert room["command"].startswith(f"COSYVOICE_ENGINE_MAX_STREAM={room['value']['fit']} ")
    assert 0 < room["value"]["fit"] < 65536


def test_a_broken_configuration(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("engine: {max_stream: many}\n", "utf-8")
    found, code = report("--config", file)
    assert code == 1
    assert (found["findings"]["config.file"]["level"], found["problems"]) == ("problem", 1)
    assert found["findings"]["config.file"]["command"] == f"cosyvoice config --check {file}"
    assert found["findings"]["model.bundle"]["level"] == "unseen"


def test_a_broken_variable():
    found, code = report(env={"COSYVOICE_ENGINE_MAX_STREAM": "many"})
    assert code == 1
    assert "COSYVOICE_ENGINE_MAX_STREAM" in found["findings"]["config.file"]["says"]


def test_a_missing_model(tmp_path):
    done = cosyvoice("doctor", "--model", tmp_path / "none")
    assert done.returncode == 1
    assert "problem model.bundle" in done.stdout
    assert done.stdout.splitlines()[-1].endswith("1 problem that stops the engine")


def test_cores_that_this_machine_has_not():
    found, code = report(*LITE, env={"COSYVOICE_MACHINE_CPUS": "1000"})
    assert code == 1
    assert "1000" in found["findings"]["model.bundle"]["says"]


def test_wrong_usage():
    assert cosyvoice("doctor", "--cure").returncode == 2


def test_where_the_core_cannot_be_loaded(tmp_path):
    (tmp_path / "openvino").mkdir()
    (tmp_path / "openvino" / "__init__.py").write_text("", "utf-8")
    env = {"PYTHONPATH": str(tmp_path)}
    found, code = report(env=env)
    assert code == 1
    core = found["findings"]["openvino.core"]
    assert (core["level"], core["command"]) == ("problem", "pip install --force-reinstall cosyvoice-linux")
    assert "libopenvino.so" in core["says"]
    assert found["findings"]["model.self_test"]["level"] == "unseen"
    assert found["findings"]["cpu.cores"]["level"] in ("good", "advice")
    done = cosyvoice("demo", env=env)
    assert done.returncode == 1
    assert "cosyvoice doctor" in done.stderr


# ---- installations as they should not be


def core(loaded="2026.4.1-1-abc", devices=({"name": "CPU", "full_name": "Some Xeon", "capabilities": []},), fault=None):
    """A compiled core that says this of itself."""

    def inference_devices():
        if fault:
            raise RuntimeError(fault)
        return list(devices)

    facts = dict.fromkeys(("version", "commit", "compiler", "build_type"), "x") | {"openvino_loaded": loaded}
    native = SimpleNamespace(
        build_facts=lambda: facts, inference_devices=inference_devices, inference_precision=lambda: "f32"
    )
    return Core(native)


@pytest.mark.parametrize(
    ("wanted", "installed", "loaded", "level", "says"),
    [
        ("2026.4.1", "2026.4.1", "2026.4.1-1-abc", "good", "as this package needs"),
        ("2026.4.1", "2025.1.0", "2026.4.1-1-abc", "problem", "2025.1.0 is installed"),
        ("2026.4.1", "2026.4.1", "2025.1.0-7-abc", "problem", "another copy comes first"),
        ("2026.4.1", None, None, "problem", "is not installed"),
        (None, "2026.4.1", "2026.4.1-1-abc", "advice", "not known"),
    ],
)
def test_versions_of_openvino(monkeypatch, tmp_path, wanted, installed, loaded, level, says):
    monkeypatch.setattr(inference, "wanted_version", lambda: wanted)
    monkeypatch.setattr(inference, "installed_version", lambda: installed)
    loaded_core = Core(error="gone") if loaded is None else core(loaded)
    found = {one.name: one for one in inference.look(tmp_path, loaded_core)}["openvino.version"]
    assert (found.level, found.command is None) == (level, level == "good")
    assert says in found.says


def test_the_wanted_version_is_that_of_the_package(here):
    versions = here[0]["findings"]["openvino.version"]["value"]
    assert versions["wanted"] == versions["installed"] == inference.wanted_version()
    assert versions["loaded"].startswith(versions["wanted"])


@pytest.mark.parametrize(
    ("devices", "fault"), [((), None), (({"name": "GPU", "full_name": "x"},), None), ((), "no plugin")]
)
def test_no_device(tmp_path, devices, fault):
    found = {one.name: one for one in inference.look(tmp_path, core(devices=devices, fault=fault))}["openvino.devices"]
    assert found.level == "problem"
    assert (fault or "") in found.says


@pytest.mark.parametrize(
    ("maps", "level"),
    [
        ("7f-8f r-xp 0 fe:00 1   /a/libs/libopenvino.so.1\n7f-8f r-xp 0 fe:00 1   /a/libs/libtbb.so.12", "good"),
        ("7f-8f r-xp 0 fe:00 1   /a/libs/libopenvino.so.1\n7f-8f r-xp 0 fe:00 1   /b/libtbb.so.12", "advice"),
        ("7f-8f r-xp 0 fe:00 1   /usr/lib/libc.so.6", "unseen"),
        ("garbage", "unseen"),
    ],
)
def test_where_libraries_come_from(tmp_path, maps, level):
    found = inference.look(build(tmp_path, {"proc/self/maps": maps}), core())
    assert {one.name: one.level for one in found}["openvino.libraries"] == level


# ---- the self test


def model(language="en", weights="trained"):
    return SimpleNamespace(
        name="m", version=1, language=language, weights=weights, path="/m", default_chunk_ms=320,
        precision="f32", precision_reason="it is a test",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "language", "weights", "level"),
    [
        (15, "en", "trained", "good"),
        (0, "en", "trained", "advice"),
        (0, "zh", "trained", "good"),
        (0, "en", "random", "good"),
    ],
)
def test_words_heard(words, language, weights, level):
    tried = trial.Trial(model=model(language, weights), words=words)
    found = {one.name: one for one in trial.look(tried, core(), Settings({"precision": "auto"}))}
    assert found["model.self_test"].level == level
    assert f"heard {words} words" in found["model.self_test"].says
    assert found["model.precision"].says == "f32: it is a test"
    assert found["model.precision"].value["asked"] == "auto"


def test_a_network_that_fails_while_it_runs(monkeypatch):
    def fail(tried, options):
        tried.model = model()
        raise InferenceFailed("no")

    monkeypatch.setattr(trial, "_run", fail)
    settings, _ = configuration.read(Path("/"), load_core(), None, None)
    found = {one.name: one for one in trial.look(trial.run(settings, load_core()), load_core(), settings)}
    assert (found["model.bundle"].level, found["model.self_test"].level) == ("good", "problem")


def test_without_soundfile(monkeypatch):
    monkeypatch.setitem(sys.modules, "soundfile", None)
    settings, _ = configuration.read(Path("/"), load_core(), None, None)
    tried = trial.run(settings, load_core())
    assert not tried.loaded
    assert "soundfile" in tried.error
