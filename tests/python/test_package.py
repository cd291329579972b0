"""The package as installed: libraries found, stubs true, versions one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from support import PATIENCE, REPOSITORY, complaints

import cosyvoice
from cosyvoice import _native


def test_one_version():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert cosyvoice.__version__ == project["version"] == metadata.version("cosyvoice-linux")


def test_openvino_is_pinned_alike_in_build_run_and_lock():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    lock = (REPOSITORY / "requirements" / "run.txt").read_text("utf-8").splitlines()
    pins = {
        *(need for need in project["build-system"]["requires"] if need.startswith("openvino")),
        *(need for need in project["project"]["dependencies"] if need.startswith("openvino")),
        *(need for need in lock if need.startswith("openvino==")),
    }
    assert pins == {f"openvino=={metadata.version('openvino')}"}


def test_the_stub_is_what_the_module_says():
    done = subprocess.run(
        [sys.executable, REPOSITORY / "tools" / "make_stubs.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_package_carries_what_cpp_programs_need():
    root = Path(cosyvoice.cmake_dir()).parent
    wanted = ("include/cosyvoice/engine.h", "lib/libcosyvoice.so", "cmake/cosyvoiceConfig.cmake")
    for name in wanted:
        assert (root / name).is_file()
        assert not (root / name).is_symlink()


def test_the_library_shows_its_public_names_alone():
    library = Path(cosyvoice.cmake_dir()).parent / "lib" / "libcosyvoice.so"
    listing = subprocess.run(
        ["nm", "-DC", "--defined-only", library], capture_output=True, text=True, check=True
    ).stdout
    names = [line.split(maxsplit=2)[2] for line in listing.splitlines() if line.split()[1] in "TDBR"]
    assert any(name.startswith("cosyvoice::Engine::feed_pcm") for name in names)
    assert [name for name in names if not name.startswith(("cosyvoice::", "cv_"))] == []
    inside = ("cosyvoice::Mailbox", "cosyvoice::LogMel", "cosyvoice::BatchScheduler", "cosyvoice::load_manifest")
    assert [name for name in names if name.startswith(inside)] == []


def test_openvino_is_found_by_path_where_it_does_not_lie_beside(tmp_path):
    """As with a user site: the two packages are in different directories."""
    package = tmp_path / "cosyvoice"
    package.mkdir()
    for source in Path(cosyvoice.__file__).parent.glob("*.py"):
        shutil.copy(source, package)
    shutil.copy(_native.__file__, package)
    for name in ("models", "audio", "text"):
        (package / name).symlink_to(Path(cosyvoice.__file__).parent / name)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import cosyvoice; print(cosyvoice._native.__file__);"
        "cosyvoice.Engine('en-lite', max_stream=1, workers=1).close()"
    )
    # -I and -S keep the editable installation's import hook out; openvino comes by an explicit path.
    site = str(Path(metadata.distribution("openvino").locate_file("")))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({site!r}); {program}", tmp_path],
        capture_output=True, text=True, timeout=PATIENCE, check=False, env={**os.environ, "LD_LIBRARY_PATH": ""},
    )  # fmt: skip
    assert (done.returncode, complaints(done.stderr)) == (0, "")
    assert done.stdout.startswith(str(tmp_path))


def test_without_openvino_the_import_says_what_to_install(tmp_path):
    package = tmp_path / "cosyvoice"
    package.mkdir()
    for name in ("__init__.py", "_preload.py"):
        shutil.copy(Path(cosyvoice.__file__).parent / name, package)
    program = "import sys; sys.path.insert(0, sys.argv[1]); from cosyvoice import _native"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "pip install" in done.stderr.splitlines()[-1]
