"""INT8 networks: made by NNCF from a bundle, loaded by the engine where they are asked for."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
import yaml
from commands import cosyvoice
from support import REPOSITORY, transcribe

import cosyvoice as package
from cosyvoice import _native
from cosyvoice.bundle import quantise
from cosyvoice.bundle.calibration import MOST_SECONDS, NoAudio, recordings, utterances
from cosyvoice.bundle.export import with_int8
from cosyvoice.bundle.steps import Recorded, StepNetwork
from cosyvoice.embedded import resolve_model

CHUNK = 16


@pytest.fixture(scope="module")
def golden():
    return np.load(REPOSITORY / "tests" / "golden" / "en_lite.npz")


@pytest.fixture(scope="module")
def lite(tmp_path_factory):
    """The small bundle without a network in INT8, whether or not it is published with one."""
    folder = tmp_path_factory.mktemp("lite") / "lite"
    shutil.copytree(resolve_model("en-lite"), folder, ignore=shutil.ignore_patterns("*.int8.*", "*.md"))
    manifest = folder / "model.yaml"
    lines = manifest.read_text("utf-8").splitlines(keepends=True)
    manifest.write_text("".join(line for line in lines if "int8" not in line), "utf-8")
    return str(folder)


@pytest.fixture(scope="module")
def clips(tmp_path_factory, speech):
    """Two seconds to calibrate with, in a folder."""
    folder = tmp_path_factory.mktemp("clips")
    soundfile.write(folder / "a.flac", speech[:16000], 16000)
    soundfile.write(folder / "b.wav", speech[16000:32000:2], 8000)
    return folder


@pytest.fixture(scope="module", params=[(), ("--weights-only",)], ids=["full", "weights"])
def exported(request, tmp_path_factory, clips, lite):
    """A bundle with an INT8 network, and what the command said."""
    pytest.importorskip("nncf", reason="INT8 networks are made by NNCF: pip install 'cosyvoice-linux[export]'")
    folder = tmp_path_factory.mktemp("exported") / "bundle"
    done = cosyvoice("model", "export", lite, "--int8", folder, "--calibrate", clips, *request.param, "--json")
    assert (done.stderr, done.returncode) == ("", 0)
    (line,) = done.stdout.splitlines()
    return folder, json.loads(line)


def test_an_export_is_a_bundle_with_one_network_more(exported, lite):
    folder, said = exported
    ours, theirs = _native.read_manifest(str(folder)), _native.read_manifest(lite)
    assert ours["int8_file"] == str(folder / "acoustic.int8.xml")
    assert theirs["int8_file"] == ""
    for key in theirs.keys() - {"int8_file", "file", "path"}:
        assert ours[key] == theirs[key], key
    assert said["path"] == str(folder)
    assert said["int8_bytes"] < 0.8 * said["float_bytes"]
    assert said["frames"] > 10
    assert 0 <= said["differing_frames"] < 0.5


def test_the_network_computes_in_int8(exported, golden):
    folder, _ = exported
    features = golden[f"features_{CHUNK}"].ravel()
    wanted = golden[f"log_probs_{CHUNK}"]
    likely = wanted > -10
    kept = _native.log_probs(str(folder), features, CHUNK, "f32")
    assert np.abs(kept - wanted)[likely].max() <= 1e-3
    small = _native.log_probs(str(folder), features, CHUNK, "int8")
    assert 1e-4 < np.abs(small - wanted)[likely].mean() < 1.0
    assert np.corrcoef(small[likely], wanted[likely])[0, 1] > 0.9


def test_the_weights_have_a_scale_for_each_channel(exported):
    import openvino

    folder, _ = exported
    model = openvino.Core().read_model(folder / "acoustic.int8.xml")
    small = [
        node for node in model.get_ops() if node.get_type_name() == "Constant" and node.get_element_type().size == 1
    ]
    weights = [node for node in small if len(node.shape) == 2]
    assert len(weights) >= 8 * 3  # a layer's: queries, keys and values; up; down
    for node in weights:
        (reader,) = node.output(0).get_target_inputs()
        (scaled,) = reader.get_node().output(0).get_target_inputs()
        assert scaled.get_node().get_type_name() == "Multiply"
        scale = scaled.get_node().input_value(1).get_node()
        while scale.get_type_name() != "Constant":
            scale = scale.input_value(0).get_node()
        assert list(scale.shape) == [node.shape[0], 1]


def test_an_engine_takes_the_network_that_it_is_told_to(exported, speech, make_engine):
    folder, said = exported
    small = make_engine(model_path=folder, batch_size=1, precision="int8")
    assert (small.model.precision, small.model.precision_reason) == ("int8", "precision: int8 asks for it")
    if said["differing_frames"] > 0.05:  # activations in INT8: random weights come to other words
        exact = make_engine(model_path=folder, batch_size=1, precision="f32")
        assert exact.model.precision == "f32"
        assert transcribe(exact, speech[:32000]) != transcribe(small, speech[:32000])


def test_what_the_processor_decides(exported):
    """The core asks the processor, this test the kernel."""
    folder, _ = exported
    flags = set(Path("/proc/cpuinfo").read_text("utf-8").split())
    chosen, reason = _native.network_choice(str(folder), "auto")
    assert chosen == ("int8" if flags & {"avx512_vnni", "avx_vnni"} else "f32")
    assert "VNNI" in reason


def test_int8_is_refused_where_the_bundle_has_none(make_engine, lite):
    with pytest.raises(package.InvalidArgument, match=r"precision = int8.*cosyvoice model export --int8"):
        make_engine(model_path=lite, precision="int8")
    done = cosyvoice("model", "info", lite, env={"COSYVOICE_MODEL_PRECISION": "int8"})
    assert done.returncode == 1
    assert "cosyvoice model export --int8" in done.stderr
    with pytest.raises(package.InvalidArgument, match="expected one of: auto, f32, int8"):
        make_engine(model_path=lite, precision="int4")


def test_where_there_is_no_nncf(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "nncf", None)
    with pytest.raises(quantise.NoQuantiser, match=r"pip install 'cosyvoice-linux\[export\]'"):
        quantise.load_nncf()


def test_what_stays_a_float(lite):
    import openvino

    facts = _native.read_manifest(lite)
    names = quantise.in_float(openvino.Core().read_model(facts["file"]), facts["output"])
    assert sum("Convolution" in name for name in names) == 2
    assert sum("attention.out" in name and "MatMul" in name for name in names) == 8
    assert sum("scaled_dot_product" in name for name in names) == 8
    assert sum("head" in name for name in names) == 1
    assert not any(part in name for name in names for part in (".up", ".down", "qkv"))


def test_steps_are_those_of_the_engine(golden, lite):
    import openvino

    facts = _native.read_manifest(lite)
    network = StepNetwork(openvino.Core().read_model(facts["file"]), facts)
    features = golden[f"features_{CHUNK}"]
    steps = list(network.run(features, CHUNK))
    found = np.concatenate([log_probs for _, log_probs in steps])
    wanted = golden[f"log_probs_{CHUNK}"]
    assert np.abs(found - wanted)[wanted > -10].max() <= 1e-3
    assert [int(fed["position"][0]) for fed, _ in steps] == list(range(0, len(steps) * CHUNK, CHUNK))
    recorded = Recorded(network, [features], [CHUNK, 2 * CHUNK])
    assert len(recorded) == len(list(recorded)) == len(steps) + len(features) // (2 * CHUNK)
    first, again = next(iter(recorded)), next(iter(recorded))
    assert all(np.array_equal(first[name], again[name]) for name in first)


# ---- the manifest's text


def test_the_manifests_text(lite):
    text = Path(lite, "model.yaml").read_text("utf-8")
    changed = with_int8(text, {"acoustic.int8.xml": "a" * 64, "acoustic.int8.bin": "b" * 64})
    wanted = yaml.safe_load(text)
    wanted["network"]["int8_file"] = "acoustic.int8.xml"
    wanted["files"] |= {"acoustic.int8.xml": "a" * 64, "acoustic.int8.bin": "b" * 64}
    assert yaml.safe_load(changed) == wanted
    again = with_int8(changed, {"acoustic.int8.xml": "c" * 64, "acoustic.int8.bin": "d" * 64})
    assert yaml.safe_load(again)["files"]["acoustic.int8.xml"] == "c" * 64
    assert again.count("int8_file") == 1
    with pytest.raises(package.InvalidModel, match="one a line"):
        with_int8("network: {file: a.xml}\nfiles: {a.xml: b}\n", {"acoustic.int8.xml": "a" * 64})


# ---- audio to calibrate with


def test_audio_comes_from_a_folder_a_manifest_or_the_package(tmp_path, clips):
    assert [path.name for path in recordings(None)] == ["demo.flac"]
    assert [path.name for path in recordings(clips)] == ["a.flac", "b.wav"]
    manifest = tmp_path / "m.jsonl"
    manifest.write_text(json.dumps({"audio": str(clips / "b.wav"), "text": "x"}) + "\n", "utf-8")
    assert recordings(manifest) == [clips / "b.wav"]
    for text in ("{", '{"text": "x"}', "[]"):
        manifest.write_text(text, "utf-8")
        with pytest.raises(NoAudio, match="expected JSON lines with audio"):
            recordings(manifest)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(NoAudio, match="names no recordings"):
        recordings(empty)


def test_long_lists_are_used_from_end_to_end(tmp_path, lite):
    facts = _native.read_manifest(lite)
    tone = np.zeros(16000 * 16, np.float32)
    soundfile.write(tmp_path / "a.wav", tone, 16000)
    frames = [len(one) for one in utterances([tmp_path / "a.wav"] * 40, facts)]
    assert 7 <= len(frames) <= MOST_SECONDS / 15 + 1
    assert max(frames) <= 15 / 0.016 + 2
    with pytest.raises(NoAudio, match="cannot be read"):
        utterances([tmp_path / "none.wav"], facts)


# ---- the command line


def test_wrong_usage_and_a_folder_that_is_taken(tmp_path, clips):
    assert cosyvoice("model", "export", "en-lite", tmp_path / "x").returncode == 2
    (tmp_path / "file").write_text("x", "utf-8")
    done = cosyvoice("model", "export", "en-lite", "--int8", tmp_path)
    assert done.returncode == 1
    assert "is not empty" in done.stderr
    soundfile.write(tmp_path / "short.wav", np.zeros(800), 16000)
    done = cosyvoice("model", "export", "en-lite", "--int8", tmp_path / "new", "--calibrate", tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "shorter than one chunk" in done.stderr
    assert not (tmp_path / "new").exists()
