"""Links of the README and of the pages lead somewhere, and the site has every page."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from offenders import none_of

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ROOT / "benchmarks" / "RESULTS.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
OUTSIDE = {"results.md", "changelog.md", "contributing.md", "license.md", "security.md"}
"""Pages of the site that lie elsewhere: `docs/site/hooks.py` brings them in."""
FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    """Return a page without its blocks and its code, in which nothing is a link."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return re.sub(r"`[^`\n]*`(?!\]\()", "", text)


@cache
def anchors(page: Path) -> set[str]:
    """Return what a link may name of a page, as GitHub and MkDocs make it from headings."""
    titles = HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    plain = [re.sub(r"[^\w\s-]", "", title).strip().lower() for title in titles]
    return {re.sub(r"[\s]+", "-", title) for title in plain}


def broken_links(page: Path) -> Iterator[str]:
    for target, anchor in LINK.findall(prose(page)):
        there = (page.parent / target).resolve() if target else page
        if not there.exists():
            yield f"{name(page)}: {target} is not there"
        elif anchor and there.suffix == ".md" and anchor not in anchors(there):
            yield f"{name(page)}: {target} has no heading #{anchor}"


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    none_of(broken for page in PAGES for broken in broken_links(page))


def test_the_site_has_every_page_once() -> None:
    listed = re.findall(r"^ +- (?:.+: )?([\w./-]+\.md)$", settings(), re.MULTILINE)
    pages = {str(page.relative_to(ROOT / "docs")) for page in PAGES if "docs" in page.parts}
    decisions = {page for page in pages if re.match(r"decisions/\d", page)}
    assert len(listed) == len(set(listed))
    assert set(listed) == (pages - decisions) | OUTSIDE


def test_the_site_asks_no_other_host() -> None:
    """Fonts, scripts and pictures are its own; a link may lead anywhere."""
    assert "font: false" in settings()
    assert "polyfills: [site/iframe-worker.js]" in settings(), "the theme takes one from a CDN"
    for file in [
        ROOT / "mkdocs.yml",
        *(ROOT / "docs").rglob("*.css"),
        *(ROOT / "docs").rglob("*.js"),
    ]:
        assert not re.search(r"https?://", file.read_text(encoding="utf-8")), name(file)
    for picture in (ROOT / "docs").rglob("*.svg"):
        text = picture.read_text(encoding="utf-8")
        assert not re.search(r"(?:url\(|href=)[\"']?https?://", text), name(picture)


def settings() -> str:
    return (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_numbers_of_a_table_stand_one_below_the_other() -> None:
    hooks = runpy.run_path(str(ROOT / "docs" / "site" / "hooks.py"))
    rows = [("what", "µs", "MB", "note"), ("a", "1,000.5", "3.9 MB", "12"), ("b", "—", "", "none")]
    tags = ["th", "td", "td"]
    table = "".join(
        f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in row)}</tr>"
        for tag, row in zip(tags, rows, strict=True)
    )
    found = hooks["numbered"](f"<table>{table}</table>")
    assert re.findall(r'class="number">([^<]*)<', found) == [
        *("µs", "MB"),
        *("1,000.5", "3.9 MB"),
        *("—", ""),
    ]
    assert re.sub(r' class="number"', "", found) == f"<table>{table}</table>"


def test_no_page_has_two_versions_of_a_part() -> None:
    none_of(
        f"{name(page)}:{number}: {line}"
        for page in PAGES
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if re.match(r"(?:<{7}|>{7}) ", line)
    )
