"""Building where something is missing says what to install, and the source package builds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile

import pytest
from support import PATIENCE, REPOSITORY


def configure(source, build, *settings, **environment):
    done = subprocess.run(
        ["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCOSYVOICE_PYTHON=ON", *settings],
        capture_output=True, text=True, timeout=PATIENCE, check=False, env=os.environ | environment,
    )  # fmt: skip
    return done.returncode, " ".join(done.stderr.split())  # CMake breaks lines where it likes


def python(path):
    return f"-DPython_EXECUTABLE={path}"


@pytest.mark.parametrize(
    ("hidden", "remedy"),
    [
        ("-DCMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON", "apt-get install libyaml-cpp-dev"),
        ("-DSODIUM_LIBRARY=", "apt-get install libsodium-dev"),
        ("-DPython_INCLUDE_DIR=/nowhere", "apt-get install python3-dev"),
    ],
)
def test_a_missing_package_is_named(tmp_path, hidden, remedy):
    code, said = configure(REPOSITORY, tmp_path / "build", python(sys.executable), hidden)
    assert code == 1
    assert remedy in said


def test_a_missing_compiler_is_named(tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("cmake", "ninja"):
        (tools / name).symlink_to(shutil.which(name))
    code, said = configure(REPOSITORY, tmp_path / "build", python(sys.executable), PATH=str(tools), CXX="")
    assert code == 1
    assert "apt-get install g++" in said


def test_a_python_without_openvino_is_named(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    bare = tmp_path / "bare" / "bin" / "python"
    code, said = configure(REPOSITORY, tmp_path / "build", python(bare), PYTHONNOUSERSITE="1")
    assert code == 1
    assert f"{bare} has no openvino: pip install openvino" in said


def test_the_source_package_holds_what_building_needs_and_no_more(tmp_path):
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, REPOSITORY]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = [name.partition("/")[2] for name in packed.getnames()]
        packed.extractall(tmp_path / "unpacked", filter="data")
    tops = {name.split("/")[0] for name in names}
    junk = {"build", "dist", ".venv", ".cache", "recipes", ".ci", ".git"}
    assert tops & junk == set()
    assert [name for name in names if name.endswith((".so", ".pyc", ".o", ".whl"))] == []
    texts = {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "licenses").iterdir()}
    assert {"LICENSE", "THIRD_PARTY.md", "README.md", "pyproject.toml", "CMakeLists.txt", "PKG-INFO", *texts} <= set(
        names
    )
    # A source file that was left out stops CMake here.
    (source,) = (tmp_path / "unpacked").iterdir()
    assert configure(source, tmp_path / "build", python(sys.executable)) == (0, "")
