"""The site: it builds, every link and anchor in it leads somewhere, and it loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from documents import DOCS
from support import PATIENCE, REPOSITORY

MAP = "# Home\n\n| guides: how to | |\n|---|---|\n| [one](guides/one.md) | first |\n"


def build(repository, site):
    """The process of a strict build."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", repository / "mkdocs.yml", "-d", site],
        capture_output=True, text=True, timeout=PATIENCE, check=False, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip


class Html(HTMLParser):
    """A page's anchors, the places it links to, and the files a browser loads for it."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loaded = {""}, [], []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        found = {name: value for name, value in attributes if value}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if "src" in found:
            self.loaded.append(found["src"])
        if tag == "link" and found.get("rel") != "canonical" and "href" in found:
            self.loaded.append(found["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    root = tmp_path_factory.mktemp("site")
    done = build(REPOSITORY, root)
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def pages(site):
    return {path: Html(path) for path in site.rglob("*.html")}


def test_every_page_of_the_documentation_is_there(site, pages):
    wanted = {site / path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert wanted | {site / "repository" / "index.html"} <= set(pages)


def test_every_link_and_anchor_leads_somewhere(pages):
    broken = []
    for page, html in pages.items():
        for link in html.links + html.loaded:
            path, _, anchor = unquote(link).partition("#")
            if re.match(r"[a-z]+:", link) or page.name == "404.html":  # that one's links begin at the server's root
                continue
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors):
                broken.append(f"{page.name}: {link}")
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(pages, site):
    assert [path for html in pages.values() for path in html.loaded if re.match(r"([a-z]+:)?//", path)] == []
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//|@import", sheet.read_text("utf-8")), sheet


def test_the_navigation_is_the_map(site):
    index = (site / "index.html").read_text("utf-8")
    listed = set(re.findall(r'href="([^"#]+)" class="md-nav__link"', index))
    wanted = {page.relative_to(DOCS).with_suffix(".html").as_posix() for page in DOCS.rglob("*.md")}
    assert wanted - {"index.html"} <= listed
    for section in ("Guides", "Concepts", "Reference", "Decisions"):
        assert re.search(rf'md-ellipsis">\s*{section}\s*<', index), section


@pytest.fixture
def small(tmp_path):
    """A repository with two pages of documentation and a file beside them."""
    for name in ("mkdocs.yml", "tools/site_hook.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    (tmp_path / "docs" / "guides").mkdir(parents=True)
    (tmp_path / "docs" / "index.md").write_text(MAP, "utf-8")
    (tmp_path / "program.py").write_text("print(1)\n", "utf-8")
    return tmp_path


def write(repository, page):
    (repository / "docs" / "guides" / "one.md").write_text(f"# One\n\n{page}\n", "utf-8")
    return build(repository, repository / "site")


def test_files_outside_become_pages_and_lists_follow_paragraphs(small):
    done = write(small, "See [`it`](../../program.py):\n- a\n- b\n\n```python file=program.py\nprint(1)\n```")
    assert done.returncode == 0, done.stderr
    page = (small / "site" / "guides" / "one.html").read_text("utf-8")
    assert 'href="../repository/program.py.html"' in page
    assert "<li>a</li>" in page
    assert '<span class="filename">program.py</span>' in page
    assert "print" in (small / "site" / "repository" / "program.py.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("link", "said"),
    [("../nowhere.md", "nowhere.md"), ("../../nowhere.py", "nowhere.py"), ("../index.md#away", "#away")],
)
def test_a_broken_link_is_an_error(small, link, said):
    done = write(small, f"[there]({link})")
    assert done.returncode == 1
    assert said in done.stderr


def test_a_page_that_the_map_lacks_is_an_error(small):
    (small / "docs" / "guides" / "two.md").write_text("# Two\n", "utf-8")
    done = write(small, "Text.")
    assert done.returncode == 1
    assert "two.md" in done.stderr
