"""The hooks before a commit run what `make lint` runs, and stop a commit that it would refuse."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from support import PATIENCE, REPOSITORY

CONFIGURATION = REPOSITORY / ".pre-commit-config.yaml"
(LOCAL,) = yaml.safe_load(CONFIGURATION.read_text("utf-8"))["repos"]
ENTRIES = {hook["id"]: hook["entry"] for hook in LOCAL["hooks"]}
TOOLS = Path(sys.executable).parent


def core(command):
    """The program and its verb or switches, without what it is applied to."""
    return [
        word
        for word in command.split()
        if re.match(r"\.venv|tools/|-|check$|format$", word) and word != "--force-exclude"
    ]


def test_every_check_of_lint_is_a_hook():
    listed = subprocess.run(
        ["make", "--always-make", "--dry-run", "lint"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout
    lines = [line.removeprefix("echo clang-format; ") for line in listed.splitlines()]
    checks = [line for line in lines if re.match(r"\.venv/bin/(ruff|mypy|clang-format|python tools/)", line)]
    assert sorted(map(core, checks)) == sorted(map(core, ENTRIES.values()))
    assert LOCAL["repo"] == "local"
    for entry in ENTRIES.values():
        for word in entry.split()[:2]:
            assert not word.startswith("tools/") or (REPOSITORY / word).is_file()


@pytest.fixture
def tree(tmp_path):
    """A repository with the hooks and files that they accept."""
    for name in (".pre-commit-config.yaml", ".clang-format", "pyproject.toml"):
        shutil.copy(REPOSITORY / name, tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(TOOLS)
    (tmp_path / ".gitignore").write_text("/.venv/\n.ruff_cache/\n", "utf-8")
    for folder in ("tools", "src"):
        (tmp_path / folder).mkdir()
    (tmp_path / "tools" / "good.py").write_text('"""Good."""\n\nprint("good")\n', "utf-8")
    (tmp_path / "src" / "good.cc").write_text("int good();\n", "utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def hook(tree, name):
    """Whether the hook accepts all files, and what it says."""
    subprocess.run(["git", "add", "--all"], cwd=tree, check=True)
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files", name],
        cwd=tree, capture_output=True, text=True, timeout=PATIENCE, check=False,
        env=os.environ | {"PRE_COMMIT_HOME": str(tree / ".git" / "hooks-home")},
    )  # fmt: skip
    assert "Skipped" not in done.stdout
    return done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "path", "bad"),
    [
        ("ruff-check", "tools/bad.py", '"""Bad."""\n\nimport os\n'),
        ("ruff-format", "tools/bad.py", '"""Bad."""\n\nx = (1,2)\n'),
        ("clang-format", "src/bad.cc", "int  bad( ){return 1;}\n"),
    ],
)
def test_a_hook_accepts_the_good_and_refuses_the_bad(tree, name, path, bad):
    accepted, said = hook(tree, name)
    assert accepted, said
    (tree / path).write_text(bad, "utf-8")
    accepted, said = hook(tree, name)
    assert not accepted
    assert Path(path).name in said
