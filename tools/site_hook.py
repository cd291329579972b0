"""What the site needs so that pages read there as they do in the repository; mkdocs.yml names it.

- The navigation is the map: the tables of docs/index.md, in their order.
- Files outside docs/ that a page links to become pages under `repository/`, and what those link to as well.
- Fences marked `file=PATH` get the path as their title; a list may follow a paragraph without an empty line.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = "repository/"
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
FENCE = re.compile(r"(^```.*?^```[^\n]*$)", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"(`[^`\n]+`)")
LANGUAGES = {".cc": "cpp", ".h": "cpp", ".py": "python", ".sh": "sh", ".yaml": "yaml", ".yml": "yaml"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.nav = [{"Home": "index.md"}, *navigation((ROOT / "docs" / "index.md").read_text("utf-8"))]
    return config


def navigation(page: str) -> list[dict[str, list[str]]]:
    """One section for each table of the map: its first word, and the pages of its first column."""
    sections = []
    for table in re.findall(r"^\| [^\n]*\n\|[-|]+\n(?:\|[^\n]*\n)*", page, re.MULTILINE):
        head = re.match(r"\| \[?(\w+)", table)
        pages = re.findall(r"^\| \[[^\]]+\]\(([^)]+)\)", table, re.MULTILINE)
        sections.append({head[1].capitalize(): pages})
    return sections


def on_files(files: Files, config: MkDocsConfig) -> Files:
    waiting = [Path(file.abs_src_path) for file in files.documentation_pages()]
    known = set(waiting)
    while waiting:
        source = waiting.pop()
        for target in {ROOT / origin for origin in linked(source)} - known:
            if target.is_relative_to(ROOT / "docs"):
                continue  # a page that is there already, or a broken link, which mkdocs reports
            known.add(target)
            page = File.generated(config, page_of(target), content=text_of(target))
            page.inclusion = InclusionLevel.NOT_IN_NAV
            files.append(page)
            if target.suffix == ".md":
                waiting.append(target)
    return files


def linked(source: Path) -> set[str]:
    """The files, by their path in the repository, that a page links to."""
    prose = INLINE_CODE.sub("", FENCE.sub("", source.read_text("utf-8")))
    return {path for link in LINK.findall(prose) if (path := target_of(link, source))}


def target_of(link: str, source: Path) -> str | None:
    """A relative link's path in the repository; None for one to elsewhere or within the page."""
    path = unquote(link.partition("#")[0])
    if not path or re.match(r"[a-z]+:", link):
        return None
    return posixpath.normpath(posixpath.join(source.parent.relative_to(ROOT).as_posix(), path))


def page_of(target: Path) -> str:
    """Where a file of the repository stands on the site."""
    if target.is_relative_to(ROOT / "docs"):
        return target.relative_to(ROOT / "docs").as_posix()
    path = target.relative_to(ROOT).as_posix()
    return OUTSIDE + (path if target.suffix == ".md" else f"{path}.md")


def text_of(target: Path) -> str:
    if target.is_dir():
        names = sorted(path.name + "/" * path.is_dir() for path in target.iterdir() if not path.name.startswith("_"))
        return f"# {target.relative_to(ROOT)}\n\n" + "".join(f"- {name}\n" for name in names)
    if not target.is_file():
        raise PluginError(f"a page links to {target.relative_to(ROOT)}, which is not there")
    text = target.read_text("utf-8")
    if target.suffix == ".md":
        return text
    return f"# {target.relative_to(ROOT)}\n\n````{LANGUAGES.get(target.suffix, 'text')}\n{text}````\n"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    uri = page.file.src_uri
    source = ROOT / (uri.removeprefix(OUTSIDE) if uri.startswith(OUTSIDE) else f"docs/{uri}")
    if not source.exists():  # the page of a file that is no Markdown
        return markdown

    def moved(match: re.Match[str]) -> str:
        target = target_of(match[1], source)
        if target is None:
            return match[1]
        _, mark, anchor = match[1].partition("#")
        return quote(posixpath.relpath(page_of(ROOT / target), posixpath.dirname(uri) or ".")) + mark + anchor

    parts = FENCE.split(markdown)
    parts[::2] = [spaced_lists(outside(INLINE_CODE, partial(LINK.sub, moved), prose)) for prose in parts[::2]]
    parts[1::2] = [titled(fence) for fence in parts[1::2]]
    return "".join(parts)


def outside(pattern: re.Pattern[str], change: Callable[[str], str], text: str) -> str:
    """The text, changed where the pattern (one group) does not match."""
    parts = pattern.split(text)
    parts[::2] = map(change, parts[::2])
    return "".join(parts)


def titled(fence: str) -> str:
    return re.sub(r"\A```(\S+) (?:file|excerpt)=(\S+)", r'```\1 title="\2"', fence)


def spaced_lists(prose: str) -> str:
    """An empty line before each list that directly follows a paragraph, as other readers of Markdown allow."""
    return re.sub(r"^((?![-*|#\s]|\d+\. )[^\n]*\n)(?=- |1\. )", r"\1\n", prose, flags=re.MULTILINE)
