"""Renders the report as one HTML file: title block, contents, sections, notes.

All text passes through `_text` or `_web` and is escaped there; the markup itself is written here.
The document's Content-Security-Policy forbids fetching anything and running scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from lycosa._support.safe_text import visible
from lycosa.analysis.charts import Figure
from lycosa.analysis.report import wording
from lycosa.analysis.report.facts import Fact, scale, title_block
from lycosa.analysis.report.notes import NOTES, REFERENCES
from lycosa.analysis.report.section import Column, Facts, Kind, Section, Shown, Table
from lycosa.analysis.report.style import STYLE
from lycosa.analysis.report.told_settings import job_text

GENERATOR = "lycosa report"
"""The generator's name, by which Lycosa recognises its own reports."""
WIDE, NARROW = 680, 328
"""Widths at which figures are drawn: for screens and paper, and for telephones."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_LONG_ROWS = 16
_RIGHT: tuple[Kind, ...] = ("count", "share", "size", "number", "seconds")


class ContentsEntry(NamedTuple):
    """A section and what it shows."""

    section: Section
    shown: Shown
    files: Sequence[str]
    """Names of its files in `data/`."""


class Part(NamedTuple):
    """A chapter and its entries."""

    title: str
    entries: Sequence[ContentsEntry]


def document(facts: Facts, parts: Sequence[Part]) -> str:
    """Return the whole report."""
    title = f"Report on the crawl {wording.shown(facts.directory, 80)}"
    return framed(title, facts.version, _front(facts), parts, _back(facts, len(parts)))


def framed(
    title: str,
    version: str,
    front: Iterable[str],
    parts: Sequence[Part],
    back: Iterable[str],
) -> str:
    """Return a document of parts, between a head before the contents and a foot after the parts."""
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta name="generator" content="{GENERATOR} {_text(version)}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
            '<meta name="referrer" content="no-referrer">\n',
            f"<title>{_text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
            *front,
            *_contents(parts),
            "<main>\n",
            *_Body().chapters(parts),
            *back,
            "</main>\n</body>\n</html>\n",
        ]
    )


def _text(text: str) -> str:
    return escape(visible(text))


def _web(text: str, most: int = 160) -> str:
    """Write text from the web: bounded, escaped, and in its own direction."""
    return f"<bdi>{escape(wording.shown(text, most))}</bdi>"


def _contents(parts: Sequence[Part]) -> Iterator[str]:
    yield '<nav aria-label="Contents">\n<h2>Contents</h2>\n<ol>\n'
    for chapter, part in enumerate(parts, 1):
        yield f'<li><span class="n">{chapter}</span><a href="#{_chapter_id(chapter)}">'
        yield f"{_text(part.title)}</a>\n<ol>\n"
        for number, entry in enumerate(part.entries, 1):
            yield f'<li><span class="n">{chapter}.{number}</span>'
            yield f'<a href="#{entry.section.name}">{_text(entry.section.title)}</a></li>\n'
        yield "</ol></li>\n"
    last = len(parts) + 1
    yield f'<li><span class="n">{last}</span><a href="#notes">How it was counted</a></li>\n'
    yield "</ol>\n</nav>\n"


def _chapter_id(number: int) -> str:
    return f"chapter-{number}"


def _front(facts: Facts) -> Iterator[str]:
    heading = ("Report on a crawl", facts.directory)
    lead = "Scope of the crawl, its politeness, and its findings."
    return front_matter(heading, lead, scale(facts), title_block(facts))


def front_matter(
    heading: tuple[str, str],
    lead: str,
    numbers: Iterable[tuple[str, str]],
    block: Iterable[Fact],
) -> Iterator[str]:
    """Return the head before the contents: kicker and title, a sentence, numbers, facts."""
    kicker, title = heading
    yield f'<header>\n<p class="kicker">{_text(kicker)}</p>\n'
    yield f"<h1>{_web(title, 160)}</h1>\n"
    yield f'<p class="lead">{_text(lead)}</p>\n'
    yield '<dl class="scale">\n'
    for value, name in numbers:
        yield f"<div><dt>{_text(name)}</dt><dd>{_text(value)}</dd></div>\n"
    yield '</dl>\n<dl class="facts">\n'
    for fact in block:
        yield f"<div><dt>{_text(fact.name)}</dt>"
        for value in fact.values:
            yield f"<dd>{_web(value, 300) if fact.is_web else _text(value)}</dd>"
        yield "</div>\n"
    yield "</dl>\n</header>\n"


class _Body:
    """The sections; figures and tables are numbered through."""

    def __init__(self) -> None:
        self._figures = 0
        self._tables = 0

    def chapters(self, parts: Sequence[Part]) -> Iterator[str]:
        for chapter, part in enumerate(parts, 1):
            yield f'<h2 id="{_chapter_id(chapter)}"><span class="n">{chapter}</span>'
            yield f"{_text(part.title)}</h2>\n"
            for number, entry in enumerate(part.entries, 1):
                yield from self._section(f"{chapter}.{number}", entry)

    def _section(self, number: str, entry: ContentsEntry) -> Iterator[str]:
        section, shown, files = entry
        yield f'<section id="{section.name}">\n<h3><span class="n">{number}</span>'
        yield f"{_text(section.title)}</h3>\n"
        kind = "finding" if shown.is_filled else "finding nothing"
        yield f'<p class="{kind}">{_text(shown.sentence)}</p>\n'
        for place, figure in enumerate(shown.figures):
            # The files of a section belong to its first exhibit.
            yield from self._figure(figure, section.name, place, files if not place else ())
        for place, table in enumerate(shown.tables):
            alone = not shown.figures and not place
            yield from self._table(table, files if alone else ())
        yield "</section>\n"

    def _figure(self, figure: Figure, name: str, place: int, files: Sequence[str]) -> Iterator[str]:
        self._figures += 1
        yield "<figure>\n"
        for kind, width in (("wide", WIDE), ("narrow", NARROW)):
            drawn = figure.draw(width, f"{name}-{place}-{kind}")
            yield drawn.replace("<svg ", f'<svg class="{kind}" ', 1) + "\n"
        yield f"<figcaption><b>Figure {self._figures}.</b> {_text(figure.caption)}"
        yield f"{_links(files)}</figcaption>\n</figure>\n"

    def _table(self, table: Table, files: Sequence[str]) -> Iterator[str]:
        self._tables += 1
        name = f"table-{self._tables}"
        yield f'<div class="exhibit">\n<p class="caption" id="{name}"><b>Table {self._tables}.</b> '
        yield f"{_text(table.caption)}{_links(files)}</p>\n"
        yield f'<div class="box" tabindex="0" role="region" aria-labelledby="{name}">'
        yield f'<table{_look(table)} aria-labelledby="{name}">\n<thead><tr>'
        for column in table.columns:
            yield f'<th scope="col"{_class(column)}>{_text(column.title)}</th>'
        yield "</tr></thead>\n<tbody>\n"
        for row in table.rows:
            cells = zip(row, table.columns, strict=True)
            yield "<tr>"
            yield "".join(
                f"<td{_class(column)}>{_cell(cell, column)}</td>" for cell, column in cells
            )
            yield "</tr>\n"
        yield "</tbody>\n</table></div>\n</div>\n"


def _links(files: Sequence[str]) -> str:
    """Name the files with the data."""
    named = wording.listed([f'<a href="data/{name}.csv">{name}.csv</a>' for name in files])
    return f" Data: {named}." if files else ""


def _class(column: Column) -> str:
    if column.kind in _RIGHT:
        return ' class="r"'
    return ' class="w"' if column.kind == "web" else ' class="t"'


def _look(table: Table) -> str:
    """Return the CSS class of a table: one with addresses is wide, a long one may break."""
    looks = []
    if any(column.kind == "web" for column in table.columns):
        looks.append("full")
    if len(table.rows) > _LONG_ROWS:
        looks.append("long")
    return f' class="{" ".join(looks)}"' if looks else ""


def _cell(value: Any, column: Column) -> str:
    if value is None:
        return "–"
    text = wording.cell(value, column.kind, is_aligned=True)
    return _web(text) if column.kind == "web" else _text(text)


def notes_matter(notes: Iterable[str], chapters: int, version: str) -> Iterator[str]:
    """Return the foot of a short report: notes on methods, and the footer."""
    yield f'<h2 id="notes"><span class="n">{chapters + 1}</span>How it was counted</h2>\n'
    yield '<ul class="notes">\n'
    yield from (f"<li>{_text(note)}</li>\n" for note in notes)
    yield f"</ul>\n<footer>Made by Lycosa {_text(version)}. The files in <code>data/</code> have"
    yield " all rows.</footer>\n"


def _back(facts: Facts, chapters: int) -> Iterator[str]:
    yield f'<h2 id="notes"><span class="n">{chapters + 1}</span>How it was counted</h2>\n'
    yield '<ul class="notes">\n'
    yield from (f"<li>{_text(note)}</li>\n" for note in NOTES)
    yield '</ul>\n<h3>References</h3>\n<ul class="notes">\n'
    yield from (f"<li>{_text(reference)}</li>\n" for reference in REFERENCES)
    yield "</ul>\n<h3>The job</h3>\n"
    if changed := job_text(facts.job):
        yield (
            "<p>Settings that differ from the defaults, except for seeds, rules and the"
            " operator's own settings:</p>\n"
        )
        lines = "\n".join(_web(line, 2000) for line in changed.splitlines())
        yield f"<pre>{lines}</pre>\n"
    else:
        yield (
            "<p>All settings have their defaults, except for seeds, rules and the operator's own"
            " settings.</p>\n"
        )
    yield f"<footer>Made by Lycosa {_text(facts.version)}. The files in <code>data/</code> have the"
    yield " rows behind every figure; <code>lycosa sql</code> asks for others.</footer>\n"
