#!/usr/bin/env python3
"""Makes a release, up to what leaves this machine: that is printed, for a person to run.

    python tools/release.py VERSION [--dry-run] [--skip-tests]

Checks the tree, runs every test, writes the version into pyproject.toml (the one place that says it) and over the
changelog's Unreleased entries, builds wheel and source package, checks both, commits and tags. When a step fails the two
files are as before, and nothing is committed.
"""

from __future__ import annotations

import argparse
import datetime
import re
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
CHANGED = ("pyproject.toml", "CHANGELOG.md")
VERSION_LINE = re.compile(r'^version = "(\d+\.\d+\.\d+)"$', re.MULTILINE)
UNRELEASED = re.compile(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


class Refused(Exception):
    """Why there is no release now, and what to do."""


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers that compare."""
    if not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", version):
        raise Refused(f"'{version}' is no version: expected three numbers, as 1.2.0")
    return tuple(map(int, version.split(".")))


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=repository, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def check_tree(repository: Path) -> None:
    """On main, with everything committed."""
    branch = git(repository, "rev-parse", "--abbrev-ref", "HEAD")
    if branch != "main":
        raise Refused(f"releases are made on main, and this is {branch}: git switch main")
    if changes := git(repository, "status", "--porcelain"):
        raise Refused(f"the tree has changes; commit or stash them:\n{changes}")


def check_rises(repository: Path, version: str) -> None:
    """Above every released version, and not below what pyproject.toml says already."""
    written = VERSION_LINE.search((repository / "pyproject.toml").read_text("utf-8"))
    if written is None:
        raise Refused('pyproject.toml has no line version = "X.Y.Z"')
    wanted = numbers(version)
    tags = git(repository, "tag", "--list", "v*").split()
    released = [tag[1:] for tag in tags if re.fullmatch(r"v\d+\.\d+\.\d+", tag)]
    newest = max(released, key=numbers, default=None)
    if newest is not None and wanted <= numbers(newest):
        raise Refused(f"{version} does not rise above {newest}, which is released")
    if wanted < numbers(written[1]):
        raise Refused(f"{version} is below {written[1]}, which pyproject.toml says")


def with_version(pyproject: str, version: str) -> str:
    """The text of pyproject.toml with another version."""
    return VERSION_LINE.sub(f'version = "{version}"', pyproject, count=1)


def with_release(changelog: str, version: str, date: str) -> str:
    """The changelog with what was Unreleased under the version, and Unreleased empty."""
    found = UNRELEASED.search(changelog)
    if found is None:
        raise Refused("CHANGELOG.md has no heading ## [Unreleased]")
    if not re.search(r"^- ", found[1], re.MULTILINE):
        raise Refused("CHANGELOG.md has no entries under Unreleased: say what changed")
    heading = f"## [Unreleased]\n\n## [{version}] - {date}\n"
    return changelog[: found.start()] + heading + found[1] + changelog[found.end() :]


def run(*command: str | Path) -> None:
    print("+", *command, flush=True)
    if subprocess.run(command, cwd=REPOSITORY, check=False).returncode:
        raise Refused(f"this failed: {' '.join(map(str, command))}")


def build_and_check(version: str) -> list[Path]:
    """Wheel and source package of the version, checked as their users will meet them."""
    dist = REPOSITORY / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    run(sys.executable, "tools/make_wheel.py", dist)
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", dist, ".")
    made = sorted(dist.iterdir())
    if len(made) != 2 or any(f"-{version}" not in path.name for path in made):
        raise Refused(f"expected a wheel and a source package of {version}, found {[path.name for path in made]}")
    run(sys.executable, "-m", "twine", "check", "--strict", *made)
    run(sys.executable, "-m", "pytest", "-m", "wheel", "tests/python/test_wheel.py")
    return made


def release(version: str, *, skip_tests: bool) -> list[Path]:
    """Write, build, check, commit and tag."""
    if not skip_tests:
        run("make", "test")
    before = {name: (REPOSITORY / name).read_text("utf-8") for name in CHANGED}
    try:
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        (REPOSITORY / "pyproject.toml").write_text(with_version(before["pyproject.toml"], version), "utf-8")
        (REPOSITORY / "CHANGELOG.md").write_text(with_release(before["CHANGELOG.md"], version, today), "utf-8")
        made = build_and_check(version)
        run("git", "commit", "--quiet", "--message", f"Release {version}", "--allow-empty", "--", *CHANGED)
    except BaseException:
        for name, text in before.items():
            (REPOSITORY / name).write_text(text, "utf-8")
        raise
    run("git", "tag", "--annotate", f"v{version}", "--message", f"CosyVoice Linux {version}")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("--dry-run", action="store_true", help="check the tree, say what would be done, change nothing")
    parser.add_argument("--skip-tests", action="store_true", help="leave out make test, not the checks of the wheel")
    arguments = parser.parse_args()
    version = arguments.version
    try:
        check_tree(REPOSITORY)
        check_rises(REPOSITORY, version)
        with_release((REPOSITORY / "CHANGELOG.md").read_text("utf-8"), version, "")
        if arguments.dry_run:
            print(f"{version} could be released: tests, {' and '.join(CHANGED)}, wheel, source package, tag v{version}")
            return
        made = release(version, skip_tests=arguments.skip_tests)
    except Refused as why:
        sys.exit(f"release: {why}")
    print(f"\n{version} is made and tagged. To give it out:\n  git push origin main v{version}")
    print(
        f"  {Path(sys.executable).name} -m twine upload {' '.join(str(path.relative_to(REPOSITORY)) for path in made)}"
    )


if __name__ == "__main__":
    main()
