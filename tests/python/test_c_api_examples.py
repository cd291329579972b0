"""The examples on the C API, built and run as their readers would: C with CMake and without, Go, Node.js."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import openvino
import pytest
import soundfile
from support import PATIENCE, REPOSITORY, transcribe

import cosyvoice

EXAMPLES = REPOSITORY / "examples"
ROOT = Path(cosyvoice.cmake_dir()).parent
LIBRARIES = (ROOT / "lib", Path(openvino.__file__).parent / "libs")
RUN_PATH = f"-Wl,-rpath,{LIBRARIES[0]}:{LIBRARIES[1]}"


def run(*command, cwd, env=None):
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False,
        env=os.environ | (env or {}),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wav(tmp_path_factory, speech):
    path = tmp_path_factory.mktemp("c-api") / "speech.wav"
    soundfile.write(path, speech, 16000, subtype="PCM_16")
    return path


@pytest.fixture(scope="module")
def heard(trained, speech):
    return [final.text for final in transcribe(trained, speech) if final.text]


def words(lines):
    """Of "  1.24 s  word" on each line."""
    return " ".join(line.split(maxsplit=2)[2] for line in lines.splitlines())


def test_c_with_cmake(tmp_path, wav, heard):
    run("cmake", "-S", EXAMPLES / "c", "-B", tmp_path, f"-Dcosyvoice_DIR={cosyvoice.cmake_dir()}", cwd=tmp_path)
    run("cmake", "--build", tmp_path, cwd=tmp_path)
    assert words(run(tmp_path / "transcribe", "en", wav, cwd=tmp_path)) == " ".join(heard)


def test_c_without_cmake(tmp_path, wav, heard):
    sources = [EXAMPLES / "c" / name for name in ("transcribe.c", "wav.c")]
    link = [f"-L{LIBRARIES[0]}", "-lcosyvoice", f"-Wl,-rpath-link,{LIBRARIES[1]}", RUN_PATH, "-Wl,--disable-new-dtags"]
    program = tmp_path / "transcribe"
    run("cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{ROOT / 'include'}", *sources, *link,
        "-o", program, cwd=tmp_path)  # fmt: skip
    assert words(run(program, "en", wav, cwd=tmp_path)) == " ".join(heard)
    refused = subprocess.run([program, "klingon", wav], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert refused.returncode == 1
    assert refused.stderr.startswith("cv_engine_create: no model at 'klingon'")


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Debian's golang-go")
def test_go(tmp_path, wav, heard):
    shutil.copytree(EXAMPLES / "go", tmp_path / "go")
    env = {
        "CGO_ENABLED": "1",
        "CGO_CFLAGS": f"-I{ROOT / 'include'}",
        "CGO_LDFLAGS": f"-L{LIBRARIES[0]} -lcosyvoice -Wl,-rpath-link,{LIBRARIES[1]} {RUN_PATH} -Wl,--disable-new-dtags",
        "CGO_LDFLAGS_ALLOW": "-Wl,.*",
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOCACHE": str(tmp_path / "cache"),
        "GOPATH": str(tmp_path / "path"),
    }
    run("go", "build", "-o", "transcribe", ".", cwd=tmp_path / "go", env=env)
    assert run("./transcribe", "en", wav, cwd=tmp_path / "go").splitlines() == heard


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs Debian's nodejs and npm")
def test_node(tmp_path, wav, heard):
    shutil.copytree(EXAMPLES / "node", tmp_path / "node")
    run("npm", "install", "--no-audit", "--no-fund", cwd=tmp_path / "node")
    env = {"COSYVOICE_LIBRARY": str(LIBRARIES[0] / "libcosyvoice.so")}
    assert run("node", "transcribe.js", "en", wav, cwd=tmp_path / "node", env=env).splitlines() == heard
