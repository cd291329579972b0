"""What the documentation shows is there: snippets are files, the examples run, links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from urllib.parse import unquote

import pytest
import soundfile
from documents import DOCS, OURS, PAGES, Block, blocks, name_of
from support import PATIENCE, REPOSITORY, complaints, transcribe

EXAMPLES = REPOSITORY / "examples" / "python"
SECONDS = 2.5


def every(pages):
    return pytest.mark.parametrize("page", pages, ids=name_of)


# ---- snippets


def fault_of(block):
    """What is wrong with a block of code, or nothing."""
    if set(block.marks) == {"file"}:
        source = (REPOSITORY / block.marks["file"]).read_text("utf-8")
        return "" if block.text == source else f"is not {block.marks['file']}"
    if set(block.marks) == {"excerpt"}:
        source = (REPOSITORY / block.marks["excerpt"]).read_text("utf-8").splitlines()
        wanted = textwrap.dedent(block.text).splitlines()
        places = range(len(source) - len(wanted) + 1)
        runs = (textwrap.dedent("\n".join(source[at : at + len(wanted)])).splitlines() for at in places)
        return "" if wanted and wanted in runs else f"is no run of lines of {block.marks['excerpt']}"
    return "comes from no file: mark it with file=PATH or excerpt=PATH"


@every(OURS)
def test_code_comes_from_files_that_tests_run(page):
    code = [block for block in blocks(page) if block.marks or block.language in {"python", "cpp", "c++", "cmake"}]
    assert [f"{fault}\n{block.text}" for block in code if (fault := fault_of(block))] == []
    assert all(path.startswith("examples/") for block in code for path in block.marks.values())


def test_a_snippet_that_went_stale_is_found():
    assert not fault_of(Block("python", {"excerpt": "examples/python/pull.py"}, "import sys\n\nimport soundfile\n"))
    assert fault_of(Block("python", {"excerpt": "examples/python/pull.py"}, "import sys\nimport soundfile\n"))
    assert fault_of(Block("python", {"excerpt": "examples/python/pull.py"}, ""))
    assert fault_of(Block("python", {"file": "examples/python/pull.py"}, "import sys\n"))
    assert fault_of(Block("python", {}, "import sys\n"))


# ---- examples


@pytest.fixture(scope="module")
def clip(speech):
    return speech[: int(SECONDS * 16000)]


@pytest.fixture(scope="module")
def recordings(tmp_path_factory, clip):
    """A WAV file, a folder with two recordings and a stray file, and telephone audio."""
    root = tmp_path_factory.mktemp("recordings")
    soundfile.write(root / "call.wav", clip, 16000, subtype="PCM_16")
    soundfile.write(root / "call.ulaw", clip[::2], 8000, format="RAW", subtype="ULAW")
    (root / "folder").mkdir()
    soundfile.write(root / "folder" / "one.wav", clip, 16000, subtype="PCM_16")
    soundfile.write(root / "folder" / "two.flac", clip, 16000, subtype="PCM_16")
    (root / "folder" / "notes.txt").write_text("no audio", "utf-8")
    return root


@pytest.fixture(scope="module")
def heard(trained, clip):
    """The text that every example must come to."""
    return " ".join(final.text for final in transcribe(trained, clip) if final.text)


def run_example(name, recording):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, recording], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (complaints(done.stderr), done.returncode) == ("", 0)
    return done.stdout.splitlines()


def after(label, lines):
    return " ".join(filter(None, (line.removeprefix(label).strip() for line in lines if line.startswith(label))))


@pytest.mark.parametrize("name", ["callbacks.py", "pull.py", "pull_async.py", "back_pressure.py"])
def test_examples_with_a_recording(name, recordings, heard):
    lines = run_example(name, recordings / "call.wav")
    assert after("final:", lines) == heard
    if name == "pull_async.py":  # at the pace of speech, so no partial is replaced before it was taken
        assert any(line.startswith("partial: ") for line in lines)
    if name == "pull.py":
        timed = [line.split()[2] for line in lines if " s  " in line]
        assert timed == heard.split()
    if name == "back_pressure.py":
        assert re.fullmatch(r"refused: \d+ times; dropped: 0 samples", lines[-1])


def test_the_example_with_a_folder(recordings, heard):
    folder = recordings / "folder"
    assert run_example("transcribe_folder.py", folder) == [f"{folder / n}: {heard}" for n in ("one.wav", "two.flac")]


def test_the_example_with_telephone_audio(recordings):
    lines = run_example("telephone.py", recordings / "call.ulaw")
    assert [line.split(":")[0] for line in lines] == ["utterance 1, endpoint", "utterance 2, finish"]


def test_the_example_of_a_voice_agent(recordings, heard):
    lines = run_example("barge_in.py", recordings / "call.wav")
    assert lines[:2] == ["agent: hello, how may I help you", "agent: stops"]
    said = after("caller:", lines).split()
    assert said
    assert abs(len(said) - len(heard.split())) <= 1


def test_every_example_is_run_by_a_test():
    tests = "".join(path.read_text("utf-8") for path in (REPOSITORY / "tests" / "python").glob("test_*.py"))
    assert [path.name for path in EXAMPLES.glob("*.py") if f'"{path.name}"' not in tests] == []


# ---- links


def slug(heading):
    """The anchor that a heading has on the usual hosts."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def prose(page):
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def headings(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@every(PAGES)
def test_relative_links_lead_somewhere(page):
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        there = target.exists() and target.is_relative_to(REPOSITORY)
        if not there or (anchor and anchor not in headings(target)):
            broken.append(link)
    assert broken == []


@every(OURS)
def test_every_page_is_reached_from_the_map(page):
    index = DOCS / "index.md"
    linked = {(index.parent / link.split("#")[0]).resolve() for link in re.findall(r"\]\(([^)\s]+)\)", prose(index))}
    assert page == index or page in linked
