"""The Chinese README is in step with the English one; the forms for issues are well-formed; the pictures are current."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import yaml
from documents import DOCS, READMES, blocks, table
from support import REPOSITORY

PICTURES = DOCS / "pictures"


def outline(page):
    """What both languages must have alike."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not link.startswith("README")]
    rows = [line.count("|") for line in text.splitlines() if line.startswith("|")]
    return {
        "headings": [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)],
        "code": blocks(page),
        "tables": rows,
        "links": links,
        "list items": len(re.findall(r"^- ", text, re.MULTILINE)),
        "named in code": sorted(re.findall(r"`([^`\n]+)`", text)),
        "figures": sorted(re.findall(r"\d+(?:\.\d+)?", re.sub(r"\]\([^)]*\)", "", text))),
    }


@pytest.mark.parametrize("part", list(outline(READMES[0])))
def test_both_readmes_have_the_same(part):
    english, chinese = (outline(page)[part] for page in READMES)
    assert chinese == english
    assert english


def test_the_readmes_link_to_each_other():
    assert "(README.zh-CN.md)" in READMES[0].read_text("utf-8")
    assert "(README.md)" in READMES[1].read_text("utf-8")


def test_the_chart_shows_the_figures_of_the_readme():
    shown = json.loads((PICTURES / "latency.json").read_text("utf-8"))["rows"]
    rows = table(READMES[0], "model")
    assert len(shown) == len(rows)
    for row, cells in zip(shown, rows, strict=True):
        assert cells[0].startswith(row["model"])
        assert ("together" in cells[0]) == row["together"]
        delay = row["partial_delay_ms"]
        assert cells[1:7] == [f"{row['chunk_ms']} ms", str(row["streams"]), *(f"{delay[name]:.1f}" for name in delay)]


@pytest.mark.parametrize("tool", ["draw_latency.py", "record_demo.py"])
def test_the_pictures_are_drawn_from_their_data(tool):
    done = subprocess.run(
        [sys.executable, REPOSITORY / "tools" / tool, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("picture", sorted(PICTURES.glob("*.svg")), ids=lambda path: path.name)
def test_the_pictures_need_nothing_else(picture):
    root = ElementTree.fromstring(picture.read_text("utf-8"))
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "title" in names
    assert not names & {"script", "image", "foreignObject"}
    assert "http" not in picture.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")


FORMS = sorted((REPOSITORY / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


@pytest.mark.parametrize("form", [form for form in FORMS if form.name != "config.yml"], ids=lambda path: path.name)
def test_the_forms_for_issues(form):
    content = yaml.safe_load(form.read_text("utf-8"))
    assert set(content) == {"name", "description", "labels", "body"}
    kinds = {"markdown", "textarea", "input"}
    assert all(part["type"] in kinds and ("id" in part) == (part["type"] != "markdown") for part in content["body"])
    ids = [part["id"] for part in content["body"] if "id" in part]
    assert len(ids) == len(set(ids))
