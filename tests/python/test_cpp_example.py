"""A C++ program built against the installed package says what Python says, byte for byte."""

from __future__ import annotations

import os
import subprocess

import pytest
import soundfile
from support import PATIENCE, REPOSITORY, complaints, transcribe

import cosyvoice
from cosyvoice.embedded import resolve_model


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    build = tmp_path_factory.mktemp("examples")
    configure = [
        "cmake",
        "-S",
        REPOSITORY / "examples" / "cpp",
        "-B",
        build,
        f"-Dcosyvoice_DIR={cosyvoice.cmake_dir()}",
    ]
    for command in (configure, ["cmake", "--build", build]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return build / "transcribe_wav"


def run(program, *arguments, **environment):
    return subprocess.run(
        [program, *arguments], capture_output=True, timeout=PATIENCE, check=False, env=os.environ | environment
    )


def test_the_same_bytes_as_from_python(program, trained, speech, tmp_path):
    wav = tmp_path / "speech.wav"
    soundfile.write(wav, speech, 16000, subtype="PCM_16")
    done = run(program, resolve_model("en"), wav)
    assert (complaints(done.stderr.decode()), done.returncode) == ("", 0)
    assert done.stdout == "".join(f"{final.text}\n" for final in transcribe(trained, speech) if final.text).encode()


def test_its_errors_are_one_line(program, tmp_path, speech):
    wav = tmp_path / "speech.wav"
    soundfile.write(wav, speech, 16000, subtype="PCM_16")
    done = run(program, tmp_path / "nowhere", wav)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"nowhere" in done.stderr
    wav.write_bytes(wav.read_bytes()[:1000])
    done = run(program, resolve_model("en-lite"), wav)
    assert done.returncode == 1
    assert b"truncated" in done.stderr
    assert run(program).returncode == 2


def test_the_program_with_a_configuration_file(program, trained, speech, tmp_path):
    wav = tmp_path / "speech.wav"
    soundfile.write(wav, speech, 16000, subtype="PCM_16")
    config = REPOSITORY / "examples" / "cosyvoice.yaml"
    # An editable installation has the embedded bundles elsewhere than beside the library.
    done = run(program.with_name("from_config"), config, wav, COSYVOICE_MODEL_PATH=resolve_model("en"))
    with cosyvoice.Engine(config=config) as engine:
        wanted = "".join(f"{final.text}\n" for final in transcribe(engine, speech) if final.text).encode()
    assert (complaints(done.stderr.decode()), done.returncode, done.stdout) == ("", 0, wanted)
    done = run(program.with_name("from_config"), tmp_path / "nowhere.yaml", wav)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"nowhere.yaml" in done.stderr
