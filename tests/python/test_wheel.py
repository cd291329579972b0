"""The wheel: what it holds, and that it works where nothing else of this project is."""

from __future__ import annotations

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
import soundfile
from documents import DOCS, table
from elftools.elf.elffile import ELFFile
from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename
from support import PATIENCE, REPOSITORY, complaints

pytestmark = pytest.mark.wheel

# What every Linux of the wheel's platform tag has, as PEP 600 counts it.
OF_THE_SYSTEM = {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"}


def run(*command, **environment):
    """A program that sees none of this process's environment, from a directory that is nobody's."""
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE * 3, check=False, cwd="/",
        env={"HOME": "/nowhere", "PATH": "/nowhere"} | environment,
    )  # fmt: skip


def good(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    good(run(sys.executable, REPOSITORY / "tools" / "make_wheel.py", out, **os.environ))
    (path,) = out.iterdir()
    return path


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    root = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(root)
    return root


@pytest.fixture(scope="module")
def venv(wheel, tmp_path_factory):
    """An environment with the wheel and what it asks for."""
    home = tmp_path_factory.mktemp("fresh") / "venv"
    good(run(sys.executable, "-m", "venv", home, PATH=os.environ["PATH"]))
    pip = (home / "bin" / "python", "-m", "pip", "install", "--quiet")
    good(run(*pip, "--constraint", REPOSITORY / "requirements" / "run.txt", wheel, **os.environ))
    return home


def twin(venv, home):
    """A copy of the environment that shares its files: removing some here leaves them there."""
    shutil.copytree(venv, home, symlinks=True, copy_function=os.link)
    return home


def site_of(venv):
    (site,) = venv.glob("lib/python3*/site-packages")
    return site


# ---- what it holds


def elf_files(root):
    return {path: ELFFile(BytesIO(path.read_bytes())) for path in root.rglob("*") if ".so" in path.name}


def dynamic(elf, tag):
    found = (entry for entry in elf.get_section_by_name(".dynamic").iter_tags() if entry.entry.d_tag == tag)
    return [
        getattr(entry, {"DT_NEEDED": "needed", "DT_RUNPATH": "runpath", "DT_RPATH": "rpath"}[tag]) for entry in found
    ]


def test_its_files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        entries = archive.infolist()
    assert [entry.filename for entry in entries if (entry.external_attr >> 16) & 0o170000 == 0o120000] == []
    names = {entry.filename for entry in entries}
    assert {re.match(r"[a-z_]+", name).group() for name in names} == {"cosyvoice", "cosyvoice_linux"}
    ours = {name.removeprefix("cosyvoice/") for name in names if name.startswith("cosyvoice/")}
    wanted = "py.typed _native.pyi include/cosyvoice/engine.h lib/libcosyvoice.so cmake/cosyvoiceConfig.cmake"
    assert {*wanted.split(), "cmake/cosyvoiceConfigVersion.cmake"} <= ours
    package = REPOSITORY / "python" / "cosyvoice"
    sources = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
    assert {name for name in sources if "__pycache__" not in name} <= ours
    headers = {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "include").rglob("*.h")}
    assert headers <= ours
    assert [name for name in names if re.search(r"__pycache__|\.pyc$|\.(cc|o|a)$|openvino|tbb", name)] == []


def test_libraries_find_openvino_beside_them_and_bring_the_rest(unpacked):
    libraries = elf_files(unpacked)
    bundled = {path.name for path in libraries if path.parent.name == "cosyvoice_linux.libs"}
    assert {re.match(r"lib[a-z-]+[a-z]", name).group() for name in bundled} == {"libyaml-cpp", "libsodium"}
    for path, up in (
        (next(unpacked.glob("cosyvoice/_native*.so")), ".."),
        (unpacked / "cosyvoice/lib/libcosyvoice.so", "../.."),
    ):
        assert dynamic(libraries[path], "DT_RPATH") == []
        (runpath,) = dynamic(libraries[path], "DT_RUNPATH")
        assert runpath.split(":") == [f"$ORIGIN/{up}/openvino/libs", f"$ORIGIN/{up}/cosyvoice_linux.libs"]
        assert {name for name in dynamic(libraries[path], "DT_NEEDED") if name.startswith("libopenvino")}
    for path, elf in libraries.items():
        for name in dynamic(elf, "DT_NEEDED"):
            assert name in OF_THE_SYSTEM | bundled or name.startswith("libopenvino.so."), (path, name)


def glibc_needed(elf):
    """The newest version of libc whose symbols the file uses."""
    versions = elf.get_section_by_name(".gnu.version_r")
    used = (name.name for _, names in versions.iter_versions() for name in names)
    found = [
        tuple(map(int, match.groups()))
        for name in used
        if (match := re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", name))
    ]
    return max(found)


def test_its_platform_tag_is_true(wheel, unpacked):
    tags = parse_wheel_filename(wheel.name)[3]
    platforms = {tag.platform for tag in tags}
    glibc = {tuple(map(int, re.fullmatch(r"manylinux_(\d+)_(\d+)_x86_64", name).groups())) for name in platforms}
    needed = max(glibc_needed(elf) for elf in elf_files(unpacked).values())
    here = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")[:2]))
    assert needed <= min(glibc) <= here
    written = next(unpacked.glob("*.dist-info/WHEEL")).read_text("utf-8")
    assert set(re.findall(r"^Tag: (.+)$", written, re.MULTILINE)) == {str(tag) for tag in tags}
    assert {(tag.interpreter, tag.abi) for tag in tags} == {(f"cp3{sys.version_info.minor}",) * 2}


def test_its_metadata(unpacked):
    directory = next(unpacked.glob("*.dist-info"))
    metadata = Metadata.from_email((directory / "METADATA").read_bytes(), validate=True)
    assert metadata.description.startswith("# CosyVoice Linux")
    assert metadata.description_content_type == "text/markdown"
    assert metadata.license_expression == "Apache-2.0"
    assert {"Typing :: Typed", "Operating System :: POSIX :: Linux"} <= set(metadata.classifiers)
    pins = [str(need) for need in metadata.requires_dist if need.name == "openvino"]
    assert re.fullmatch(r"openvino==[\d.]+", pins[0])
    assert len(pins) == 1
    entries = configparser.ConfigParser()
    entries.read(directory / "entry_points.txt")
    assert dict(entries["console_scripts"]) == {"cosyvoice": "cosyvoice.cli:main"}


def test_licences_of_what_it_brings(unpacked):
    directory = next(unpacked.glob("*.dist-info")) / "licenses"
    third = (directory / "THIRD_PARTY.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z-]+\.txt)`", third))
    assert named == {path.name for path in (directory / "licenses").iterdir()}
    assert (directory / "LICENSE").read_text("utf-8") == (REPOSITORY / "LICENSE").read_text("utf-8")
    for library in unpacked.glob("cosyvoice_linux.libs/*"):
        assert f"{library.name.split('-')[0].removesuffix('.so')}" in third
    for path in re.findall(r"`(cosyvoice[^`]*)`", third):
        assert list(unpacked.glob(path.rstrip("/"))), path


def test_its_sizes_are_about_the_documented_ones(wheel, unpacked):
    rows = {what: float(size) for what, size in table(DOCS / "guides" / "install.md", "what")}
    files = [path for top in ("cosyvoice", "cosyvoice_linux.libs") for path in (unpacked / top).rglob("*")]
    package = sum(path.stat().st_size for path in files if path.is_file())
    assert wheel.stat().st_size / 1e6 == pytest.approx(rows["wheel"], rel=0.25)
    assert package / 1e6 == pytest.approx(rows["package installed"], rel=0.25)


# ---- that it works


def engine_works(python, **environment):
    """The command reads the bundled recording to its end, with no compiler or anything else on the PATH."""
    recording = "import cosyvoice.embedded as it; print(it.audio_path('demo'))"
    path = good(run(python, "-c", recording, **environment)).strip()
    command = ("-m", "cosyvoice", "transcribe", "--model", "en-lite", "--format", "json", path)
    assert json.loads(good(run(python, *command, **environment)))["duration"] > 6


def test_a_fresh_environment_needs_no_compiler(venv):
    command = venv / "bin" / "cosyvoice"
    assert "real-time factor" in good(run(command, "demo", "--model", "en-lite"))
    where = good(run(venv / "bin" / "python", "-c", "import cosyvoice; print(cosyvoice.__file__)"))
    assert Path(where.strip()).is_relative_to(venv)
    assert re.match(r"cosyvoice \d+\.\d+\.\d+\n", good(run(command, "--version")))


def build_example(python, build, **environment):
    """The C++ example against an installed package; the program."""
    asked = run(python, "-c", "import cosyvoice; print(cosyvoice.cmake_dir())", **environment)
    tools = {"PATH": os.environ["PATH"]} | environment
    source = REPOSITORY / "examples" / "cpp"
    found = (f"-Dcosyvoice_DIR={good(asked).strip()}", f"-DPython_EXECUTABLE={python}")
    good(run("cmake", "-S", source, "-B", build, *found, **tools))
    good(run("cmake", "--build", build, **tools))
    return build / "transcribe_wav"


def hears(program, site, speech, tmp_path):
    """It loads the library and the network, and reads the recording to its end."""
    soundfile.write(tmp_path / "speech.wav", speech, 16000, subtype="PCM_16")
    done = run(program, site / "cosyvoice" / "models" / "en", tmp_path / "speech.wav")
    assert complaints(done.stderr) == ""
    assert good(done).split()


def test_a_cpp_program_is_built_against_it(venv, speech, tmp_path):
    program = build_example(venv / "bin" / "python", tmp_path / "build")
    hears(program, site_of(venv), speech, tmp_path)


def test_a_user_site_installation(venv, wheel, speech, tmp_path):
    """There the package and OpenVINO lie in different directories, for Python and for C++."""
    home = twin(venv, tmp_path / "venv")
    python = home / "bin" / "python"
    settings = home / "pyvenv.cfg"
    text = settings.read_text("utf-8").replace(
        "include-system-site-packages = false", "include-system-site-packages = true"
    )
    settings.unlink()  # it is the other environment's file, too
    settings.write_text(text, "utf-8")
    base = {"PYTHONUSERBASE": str(tmp_path / "user")}
    good(run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "cosyvoice-linux"))
    good(run(python, "-m", "pip", "install", "--quiet", "--user", "--no-deps", wheel, **base))
    user_site = site_of(tmp_path / "user")
    assert not (user_site / "openvino").exists()
    where = good(run(python, "-c", "import cosyvoice; print(cosyvoice.__file__)", **base))
    assert Path(where.strip()).is_relative_to(user_site)
    engine_works(python, **base)
    hears(build_example(python, tmp_path / "build", **base), user_site, speech, tmp_path)


def prune(site, *arguments):
    return run(sys.executable, REPOSITORY / "deploy" / "docker" / "prune_openvino.py", site, *arguments)


def test_an_openvino_pruned_for_images(venv, speech, tmp_path):
    home = twin(venv, tmp_path / "venv")
    site = site_of(home)
    shown = good(prune(site))
    before, after = map(int, re.fullmatch(r"openvino: (\d+) MB before, (\d+) MB after\n", shown).groups())
    assert after < before * 0.6
    engine_works(home / "bin" / "python")
    hears(build_example(home / "bin" / "python", tmp_path / "build"), site, speech, tmp_path)
    assert len(list((site / "openvino" / "libs").glob("*onnx*"))) == 1
    good(prune(site, "--no-onnx"))
    assert list((site / "openvino" / "libs").glob("*onnx*")) == []
    engine_works(home / "bin" / "python")
    refused = prune(site)  # with the reader of ONNX files gone, it cannot keep its word
    assert refused.returncode == 1
    assert "libopenvino_onnx_frontend.so" in refused.stderr
