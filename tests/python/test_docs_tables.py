"""What the documentation says is what the code does: options, errors, events, manifests, networks, commands."""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import json
import re
import subprocess
import sys
from ast import literal_eval

import pytest
import soundfile
import yaml
from documents import DOCS, OURS, REFERENCE, blocks, code, name_of, table, tables
from support import PATIENCE, REPOSITORY, feed

import cosyvoice
from cosyvoice import _native
from cosyvoice.cli.commands import COMMANDS as LISTED
from cosyvoice.embedded import resolve_model

HEADER = (REPOSITORY / "include" / "cosyvoice" / "engine.h").read_text("utf-8")
C_HEADER = (REPOSITORY / "include" / "cosyvoice" / "c_api.h").read_text("utf-8")


@pytest.fixture(scope="module")
def clip(speech):
    return speech[:40000]


def struct_defaults(name):
    """Members of a struct of engine.h and their defaults as written."""
    body = re.search(rf"^struct {name} \{{$(.*?)^\}};$", HEADER, re.MULTILINE | re.DOTALL).group(1)
    return dict(re.findall(r"^\s*[\w:]+(?:<[^;]*>)? (\w+)(?: = ([^;]+))?;", body, re.MULTILINE))


def c_declaration(name):
    """What is between the braces of "struct cv_word" or the like, without comments."""
    body = re.search(rf"^typedef {name} \{{$(.*?)^\}}", C_HEADER, re.MULTILINE | re.DOTALL).group(1)
    return re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)


def cpp_value(written):
    """A default of engine.h as Python has it."""
    if "::k" in written:
        return written.split("::k")[1].lower()
    if written in ("true", "false"):
        return written == "true"
    return eval(written, {"__builtins__": {}}) if written else None  # a number or a product of numbers


def check_defaults(rows, python, struct):
    """One row for each option, in the code's order, with the default of both languages."""
    cpp = struct_defaults(struct)
    assert [code(row[0])[0] for row in rows] == list(python)
    assert [code(row[1])[0] for row in rows] == list(cpp)
    for row in rows:
        name, default = code(row[0])[0], literal_eval(code(row[2])[0])
        assert default == python[name], name
        in_cpp = cpp_value(cpp[code(row[1])[0]])
        # What is None or empty in Python is empty or 0 in C++.
        assert in_cpp == default or (not default and not in_cpp), name


def test_the_engine_options_are_those_of_the_code():
    python = {field.name: field.default for field in dataclasses.fields(cosyvoice.EngineConfig)}
    check_defaults(tables(REFERENCE / "options.md", "Python")[0], python, "EngineOptions")


def test_the_session_options_are_those_of_the_code():
    python = {
        name: parameter.default
        for name, parameter in inspect.signature(cosyvoice.Engine.new_session).parameters.items()
        if name != "self"
    }
    check_defaults(tables(REFERENCE / "options.md", "Python")[1], python, "SessionOptions")


@pytest.mark.parametrize("name", ["engine_options", "session_options"])
def test_the_options_of_c_are_those_of_cpp(name):
    members = re.findall(r"(\w+);", c_declaration(f"struct cv_{name}"))
    cpp = struct_defaults(name.title().replace("_", ""))
    counts = {f"{one}_count" for one in ("hotword", "grammar")}  # of lists, which C passes as a pointer and a length
    assert {*members} - {"size", "reserved"} - counts == {*cpp}


def ranges():
    rows = tables(REFERENCE / "options.md", "Python")[0]
    for row in rows:
        if limits := re.fullmatch(r"(\d+) to (\d+)", row[3]):
            yield code(row[0])[0], int(limits[1]), int(limits[2])


@pytest.mark.parametrize(("option", "low", "high"), list(ranges()))
def test_the_ranges_of_options_are_those_of_the_code(option, low, high):
    for value in (low - 1, high + 1):
        with pytest.raises(cosyvoice.InvalidArgument, match=rf"{option}\b") as caught:
            cosyvoice.Engine("en-lite", **{option: value})
        if value >= 0:
            assert {str(low), str(high)} <= set(re.findall(r"\d+", str(caught.value)))


def test_the_other_ranges_of_options():
    with pytest.raises(cosyvoice.InvalidArgument, match=r"max_batch_ms = 0, but it must be 0.01 to 3600000 ms"):
        cosyvoice.Engine("en-lite", max_batch_ms=0.0)
    with pytest.raises(cosyvoice.InvalidArgument, match="block, reject"):
        cosyvoice.Engine("en-lite", back_pressure="drop")


def test_the_memory_of_a_session(engine, trained):
    wanted = {tuple(code(row[0])): int(row[1]) for row in table(REFERENCE / "options.md", "with the defaults")}
    assert wanted == {
        ("session_bytes",): trained.stats().session_bytes,
        ("state_bytes", "en"): trained.stats().state_bytes,
        ("state_bytes", "en-lite"): engine.stats().state_bytes,
    }


def test_the_errors_are_those_of_the_code():
    rows = table(REFERENCE / "errors.md", "code")
    assert {code(row[0])[0]: code(row[2])[0] for row in rows} == _native.error_classes()
    enum = re.search(r"enum class ErrorCode.*?\{(.*?)\};", HEADER, re.DOTALL).group(1)
    assert [code(row[1])[0] for row in rows] == re.findall(r"^  (k\w+)", enum, re.MULTILINE)[1:]
    in_c = re.findall(r"^  (CV_\w+) = (\d+)", c_declaration("enum cv_error"), re.MULTILINE)
    assert [(code(row[3])[0], str(number)) for number, row in enumerate(rows, 1)] == in_c[1:]
    for row in rows:
        assert code(row[3])[0] == "CV_" + code(row[0])[0].upper()
        name, base = code(row[2])
        assert issubclass(getattr(cosyvoice, name), getattr(builtins, base))


def test_the_fields_of_events_are_those_of_the_code(make_engine, clip):
    engine = make_engine(itn=True)
    found = {}

    def take(line):
        event = json.loads(line)
        found[event["type"]] = event

    engine.register_callback(take, take, take)
    session = engine.new_session(name="a")
    feed(session, clip[:16000])
    session.reset()
    feed(session, clip)
    session.finish()
    engine.close()
    rows = table(REFERENCE / "events.md", "field")
    assert set(found) == {"speech_start", "partial", "final", "dropped"}
    for kind, event in found.items():
        named = [name for row in rows for name in code(row[0]) if row[1] == "all" or kind in row[1].split(", ")]
        assert set(named) == set(event), kind
    (example,) = [block.text for block in blocks(REFERENCE / "events.md") if block.language == "json"]
    assert list(json.loads(example)) == list(found["final"])
    assert {"code", "message"} <= {name for row in rows for name in code(row[0]) if row[1] == "error"}


def keys(node, path=""):
    """Every key of a manifest with the way to it; the names of `files` are free."""
    if isinstance(node, list):
        return {key for item in node for key in keys(item, path)}
    if not isinstance(node, dict) or path == "files.":
        return set()
    return {path + key for key in node} | {key for name, item in node.items() for key in keys(item, f"{path}{name}.")}


def test_the_keys_of_a_bundle_are_those_of_the_code():
    (example,) = [block.text for block in blocks(REFERENCE / "bundle.md") if block.language == "yaml"]
    with open(f"{resolve_model('en')}/model.yaml", encoding="utf-8") as file:  # noqa: PTH123
        optional = {"network.int8_file", "search.lm"}
        assert keys(yaml.safe_load(example)) - optional == keys(yaml.safe_load(file)) - optional


def test_the_networks_of_the_readme(engine, trained):
    rows = {row[0]: row[1:] for row in table(REPOSITORY / "README.md", "network")}
    for at, model in enumerate((trained.model, engine.model)):
        assert rows["chunks"][at] == ", ".join(map(str, model.chunk_ms)) + " ms"
        assert rows["look-ahead"][at] == f"{model.look_ahead_ms} ms"
        assert rows["weights"][at] == model.weights


# ---- the command line

COMMANDS = {command.name: command.load() for command in LISTED}


def options_of(command):
    """Of a command, or of all below it."""
    parts = [COMMANDS[command], *getattr(COMMANDS[command], "commands", {}).values()]
    return {name for part in parts for parameter in part.params for name in parameter.opts if name.startswith("--")}


def test_the_options_of_commands_are_those_of_the_code():
    guide = DOCS / "guides" / "command-line.md"
    named = re.findall(r"^## (\w+)$", guide.read_text("utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(COMMANDS)
    for command, rows in zip(named, tables(guide, "option"), strict=True):
        assert {code(row[0])[0] for row in rows} == options_of(command) - {"--help"}, command


def shell_lines(page):
    text = "\n".join(block.text for block in blocks(page) if block.language == "sh")
    return [line.split("#")[0].split() for line in text.splitlines()]


@pytest.mark.parametrize("page", OURS, ids=name_of)
def test_commands_that_are_shown_exist(page):
    targets = re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE)
    for words in shell_lines(page):
        if words[:1] == ["cosyvoice"] and words[1] != "--version":
            assert {word for word in words[2:] if word.startswith("--")} <= options_of(words[1])
        if words[:1] == ["make"]:
            assert words[-1] in targets
    for target in re.findall(r"`make (\w[\w-]*)`", page.read_text("utf-8")):
        assert target in targets


def test_what_bench_reports_is_what_the_guide_says():
    done = subprocess.run(
        [sys.executable, "-c", "from cosyvoice.cli import main; main()", *"bench --model en-lite --streams 1".split(),
         *"--seconds 2.5 --json".split()],
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    rows = table(DOCS / "guides" / "bench.md", "key")
    assert {name for row in rows if row[0] for name in code(row[0])} == set(json.loads(done.stdout))


def test_what_evaluate_reports_is_what_the_guide_says(tmp_path, clip):
    soundfile.write(tmp_path / "a.flac", clip, 16000)
    (tmp_path / "m.jsonl").write_text(json.dumps({"audio": "a.flac", "text": "x"}), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "from cosyvoice.cli import main; main()", "evaluate", tmp_path / "m.jsonl", "--json"],
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    guide = (DOCS / "guides" / "command-line.md").read_text("utf-8")
    (said,) = re.findall(r"one object: (`model`.*?) \|", guide)
    assert code(said) == list(json.loads(done.stdout))


def test_the_changelog_knows_the_version():
    assert cosyvoice.__version__ in (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
