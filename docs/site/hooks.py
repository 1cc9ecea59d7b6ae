"""Pages from outside `docs/`, links that work in both places, and numbers in tables.

The pages are written for readers of the repository: a link from `docs/howto/x.md` to the results
of the benchmarks is `../../benchmarks/RESULTS.md`. On the site that file is the page `results.md`.
MkDocs calls `on_files` to add such pages, and `on_page_markdown` to turn the links to them and the
links in them. A link that leads to no page stays as it is, so that `mkdocs build --strict` fails.
A decision stands in no menu, so it begins with the way back to their list.

`on_page_content` marks the columns of tables that hold numbers only, so that the style can set
their digits one below the other.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.pages import Page

OUTSIDE = {
    "benchmarks/RESULTS.md": "results.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "license.md",
    "SECURITY.md": "security.md",
}
INSIDE = {page: path for path, page in OUTSIDE.items()}
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")
LESS_SOUGHT = {"results.md", "changelog.md", "license.md"}
"""Like the decisions, these come behind the other pages in the answers of the search."""

STATUS = re.compile(r"^\*Decided .*\*$", re.MULTILINE)

TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
CELL = re.compile(r"<(t[hd])>(.*?)</\1>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
NUMBER = re.compile(r"[^A-Za-z]*\d[^A-Za-z]*(?:µs|ms|s|min|h|k?B|[KMG]B)?|—|")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside the folder."""
    from mkdocs.structure.files import File

    root = Path(config.config_file_path).parent
    for path, page in OUTSIDE.items():
        files.append(added(File, config, page, (root / path).read_text(encoding="utf-8")))
    return files


def added(kind: type[File], config: MkDocsConfig, page: str, text: str) -> File:
    """Return a page made of a text; the licence is no Markdown and is shown as it is."""
    if page == "license.md":
        text = f"# Licence\n\n```text\n{text}```\n"
    return kind.generated(config, page, content=text)


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the links of a page that cross the border of the folder."""
    here = page.file.src_uri
    source = INSIDE.get(here, f"docs/{here}")

    def turned(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match[1]))
        there = OUTSIDE.get(target) or target.removeprefix("docs/")
        is_known = target in OUTSIDE or (target.startswith("docs/") and source == INSIDE.get(here))
        return posixpath.relpath(there, posixpath.dirname(here)) if is_known else match[1]

    if here.startswith("decisions/") or here in LESS_SOUGHT:
        page.meta.setdefault("search", {"boost": 0.3})
    if here.startswith("decisions/0"):
        markdown = STATUS.sub(r"\g<0> [All decisions](README.md)", markdown, count=1)
    return LINK.sub(turned, markdown)


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Mark the columns of tables that hold numbers."""
    return TABLE.sub(lambda table: numbered(table[0]), html)


def numbered(table: str) -> str:
    """Return a table whose columns of numbers have the class `number`, their heads too."""
    rows = [
        [TAG.sub("", cell[2]).strip() for cell in CELL.finditer(row)] for row in ROW.findall(table)
    ]
    columns = list(zip(*rows[1:], strict=False))
    numbers = {
        place
        for place, column in enumerate(columns)
        if any(column) and all(NUMBER.fullmatch(cell) for cell in column)
    }

    def row(match: re.Match[str]) -> str:
        places = iter(range(len(columns)))

        def cell(found: re.Match[str]) -> str:
            return (
                found[0].replace(">", ' class="number">', 1)
                if next(places) in numbers
                else found[0]
            )

        return CELL.sub(cell, match[0])

    return ROW.sub(row, table)
