"""Making a release: when it is refused, what it writes, and that a dry run changes nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from support import PATIENCE, REPOSITORY

CHANGELOG = """# Changelog

## [Unreleased]

### Added

- A thing.

## [0.1.0] - 2026-01-02

- The first version.
"""


class Tree:
    """A small repository with the tool in it."""

    def __init__(self, root):
        self.root = root
        (root / "tools").mkdir()
        shutil.copy(REPOSITORY / "tools" / "release.py", root / "tools")
        self.write("pyproject.toml", '[project]\nname = "x"\nversion = "0.1.0"\n')
        self.write("CHANGELOG.md", CHANGELOG)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit()

    def write(self, name, text):
        (self.root / name).write_text(text, "utf-8")

    def read(self, name):
        return (self.root / name).read_text("utf-8")

    def git(self, *arguments):
        identity = ("-c", "user.name=tester", "-c", "user.email=tester@localhost")
        done = subprocess.run(["git", *identity, *arguments], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change")

    def release(self, *arguments):
        return subprocess.run(
            [sys.executable, "-B", self.root / "tools" / "release.py", *arguments],
            cwd=self.root, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    def refusal(self, *arguments):
        done = self.release(*arguments, "--dry-run")
        assert done.returncode == 1
        assert done.stderr.startswith("release: ")
        return done.stderr


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def test_a_dry_run_changes_nothing(tree):
    head = tree.git("rev-parse", "HEAD")
    done = tree.release("0.2.0", "--dry-run")
    assert (done.stderr, done.returncode) == ("", 0)
    assert "tag v0.2.0" in done.stdout
    assert tree.git("status", "--porcelain") + tree.git("tag") == ""
    assert tree.git("rev-parse", "HEAD") == head


def test_the_version_must_rise(tree):
    assert "no version" in tree.refusal("0.2")
    assert "no version" in tree.refusal("0.02.0")
    assert "below 0.1.0" in tree.refusal("0.0.9")
    assert tree.release("0.1.0", "--dry-run").returncode == 0  # written, and not released yet
    tree.git("tag", "v0.1.0")
    tree.git("tag", "v0.10.0")
    assert "0.9.0 does not rise above 0.10.0" in tree.refusal("0.9.0")
    assert tree.release("0.10.1", "--dry-run").returncode == 0


def test_the_tree_must_be_clean_and_main(tree):
    tree.write("stray.txt", "")
    assert "stray.txt" in tree.refusal("0.2.0")
    (tree.root / "stray.txt").unlink()
    tree.git("switch", "--quiet", "--create", "side")
    assert "this is side" in tree.refusal("0.2.0")


def test_the_changelog_must_have_entries(tree):
    tree.write("CHANGELOG.md", CHANGELOG.replace("- A thing.\n", ""))
    tree.commit()
    assert "no entries under Unreleased" in tree.refusal("0.2.0")
    tree.write("CHANGELOG.md", "# Changelog\n")
    tree.commit()
    assert "no heading" in tree.refusal("0.2.0")


def test_a_step_that_fails_leaves_everything_as_it_was(tree):
    """There is no tools/make_wheel.py here, so building fails after the files were written."""
    done = tree.release("0.2.0", "--skip-tests")
    assert done.returncode == 1
    assert "make_wheel.py" in done.stderr
    assert tree.read("CHANGELOG.md") == CHANGELOG
    assert tree.git("status", "--porcelain") + tree.git("tag") == ""


def test_what_it_writes(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY / "tools"))
    import release

    text = release.with_release(CHANGELOG, "0.2.0", "2026-03-04")
    assert text == CHANGELOG.replace("## [Unreleased]\n", "## [Unreleased]\n\n## [0.2.0] - 2026-03-04\n")
    pyproject = (REPOSITORY / "pyproject.toml").read_text("utf-8")
    changed = release.with_version(pyproject, "7.8.9").splitlines()
    differing = [(was, now) for was, now in zip(pyproject.splitlines(), changed, strict=True) if was != now]
    assert [now for _, now in differing] == ['version = "7.8.9"']
