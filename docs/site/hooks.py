"""Pages of the site that lie outside `docs/`, and links that work in both places.

The pages are written for readers of the repository: a link from `docs/howto/x.md` to the results
of the benchmarks is `../../benchmarks/RESULTS.md`. On the site that file is the page `results.md`.
MkDocs calls `on_files` to add such pages, and `on_page_markdown` to turn the links to them and the
links in them. A link that leads to no page stays as it is, so that `mkdocs build --strict` fails.
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
}
INSIDE = {page: path for path, page in OUTSIDE.items()}
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")


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

    return LINK.sub(turned, markdown)
