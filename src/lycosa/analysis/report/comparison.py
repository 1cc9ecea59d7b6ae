"""The report on two crawls, or on two moments of one (`lycosa compare --report`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lycosa import __version__
from lycosa._support.amounts import counted
from lycosa.analysis.charts import Bar, Bars
from lycosa.analysis.charts.canvas import BLUE, GREEN, ORANGE, PURPLE, RED
from lycosa.analysis.comparison.run import Comparison
from lycosa.analysis.comparison.tables import TABLES
from lycosa.analysis.report.build import answered
from lycosa.analysis.report.facts import Fact
from lycosa.analysis.report.output import INDEX, check_place, write_report
from lycosa.analysis.report.page import ContentsEntry, Part, framed, front_matter, notes_matter
from lycosa.analysis.report.section import Answers, Column, Facts, Row, Section, Shown, Table
from lycosa.analysis.report.wording import count, share
from lycosa.model.job import Job

_MOST_ROWS = 50
_NOTES = (
    "A page is a URL that was kept, as it was at its last visit. The pages of both sides are paired"
    " by their URLs, after those of the first side were written as the mappings say.",
    "A page has moved if its URL is gone and the server redirects to a new page, or if a new page"
    " has exactly its text, of 50 characters at least. A page with several copies is paired with"
    " one of them.",
    "How much a page has changed is the share of its words, before and after, that have no"
    " counterpart on the other side, whatever their order: 0 % is the same words, 100 % no word in"
    " common. `lycosa compare A B --url URL` shows how the text of a page differs, line by line.",
    "Links are those by which readers get from page to page; they are compared on pages that both"
    " sides have.",
)


class _Topic(NamedTuple):
    """A kind of difference, with its wording and its columns."""

    table: str
    title: str
    one: str
    """`1 page is new`, without the number."""
    many: str
    columns: Sequence[tuple[str, Column]]
    """Columns of the table, each with its column here."""


_URL, _BEFORE, _NOW = Column("URL", "web"), Column("Before", "web"), Column("Now", "web")
_TITLE, _SIZE = Column("Title", "web"), Column("Size", "size")
_CHAPTERS: Mapping[str, Sequence[_Topic]] = {
    "Pages": (
        _Topic(
            "pages_new",
            "New pages",
            "page is new",
            "pages are new",
            (
                ("url", _URL),
                ("title", _TITLE),
                ("size_bytes", _SIZE),
            ),
        ),
        _Topic(
            "pages_gone",
            "Pages that are gone",
            "page is gone",
            "pages are gone",
            (
                ("url", _URL),
                ("title", _TITLE),
                ("status", Column("Status")),
                ("became", Column("Now", "web")),
            ),
        ),
        _Topic(
            "pages_moved",
            "Pages that have moved",
            "page has moved",
            "pages have moved",
            (
                ("old_url", _BEFORE),
                ("url", _NOW),
                ("known_by", Column("Known by")),
            ),
        ),
        _Topic(
            "pages_changed",
            "Pages with another text",
            "page has another text",
            "pages have another text",
            (
                ("url", _URL),
                ("changed", Column("Changed", "share")),
                ("words_added", Column("Words added", "count")),
                ("words_removed", Column("Words removed", "count")),
            ),
        ),
    ),
    "Titles and descriptions": (
        _Topic(
            "titles",
            "Titles",
            "title differs",
            "titles differ",
            (("url", _URL), ("old_title", _BEFORE), ("title", _NOW)),
        ),
        _Topic(
            "descriptions",
            "Descriptions",
            "description differs",
            "descriptions differ",
            (("url", _URL), ("old_description", _BEFORE), ("description", _NOW)),
        ),
    ),
    "Answers and links": (
        _Topic(
            "statuses",
            "Statuses",
            "URL ends differently",
            "URLs end differently",
            (
                ("url", _URL),
                ("old_status", Column("Status before")),
                ("old_outcome", Column("Outcome before")),
                ("status", Column("Status now")),
                ("outcome", Column("Outcome now")),
            ),
        ),
        _Topic(
            "links_new",
            "New links",
            "link is new",
            "links are new",
            (("url", Column("Page", "web")), ("target_url", _URL), ("text", Column("Text", "web"))),
        ),
        _Topic(
            "links_gone",
            "Links that are gone",
            "link is gone",
            "links are gone",
            (("url", Column("Page", "web")), ("target_url", _URL), ("text", Column("Text", "web"))),
        ),
    ),
}


def comparison_report(found: Comparison, place: Path) -> Path:
    """Write the report to a folder; returns its document."""
    for side in (found.before, found.after):
        check_place(place, side.folder)
    facts = Facts(found.after.title, Job(), {}, None, False, __version__)
    files: dict[str, str] = {}
    parts = [Part("Overview", [ContentsEntry(_overview(found), _overview_shown(found), ())])]
    for title, topics in _CHAPTERS.items():
        entries = []
        for topic in topics:
            section = _section(topic)
            shown, written = answered(found.connection, section, facts)
            files |= written
            entries.append(ContentsEntry(section, shown, list(written)))
        parts.append(Part(title, entries))
    front = front_matter(
        ("Comparison of crawls", f"{found.before.title} → {found.after.title}"),
        "Pages that are new, gone, moved or changed, and their titles, answers and links.",
        _numbers(found),
        [
            Fact("Before", [found.before.title], is_web=True),
            Fact("After", [found.after.title], is_web=True),
        ],
    )
    back = notes_matter(_NOTES, len(parts), __version__)
    title = f"Comparison of {found.before.title} and {found.after.title}"
    place.parent.mkdir(parents=True, exist_ok=True)
    write_report(place, framed(title, __version__, front, parts, back), files)
    return place / INDEX


def _numbers(found: Comparison) -> list[tuple[str, str]]:
    counts = found.counts
    return [
        (count(found.totals.pages_before), "pages before"),
        (count(found.totals.pages_after), "pages after"),
        (count(counts["pages_new"]), "new"),
        (count(counts["pages_gone"]), "gone"),
        (count(counts["pages_moved"]), "moved"),
        (count(counts["pages_changed"]), "changed"),
    ]


def _overview(found: Comparison) -> Section:
    return Section("overview", "Fate of the pages", {}, lambda rows, facts: Shown(""))


def _overview_shown(found: Comparison) -> Shown:
    totals, counts = found.totals, found.counts
    whole = totals.same + sum(
        counts[name] for name in ("pages_new", "pages_gone", "pages_moved", "pages_changed")
    )
    drawn = [
        ("the same text", totals.same, BLUE),
        ("another text", counts["pages_changed"], ORANGE),
        ("moved", counts["pages_moved"], PURPLE),
        ("new", counts["pages_new"], GREEN),
        ("gone", counts["pages_gone"], RED),
    ]
    bars = [
        Bar(name, number, f"{count(number)} ({share(number, whole)})", colour)
        for name, number, colour in drawn
    ]
    sentence = (
        f"{counted(totals.same, 'page has', 'pages have')} the same text on both sides"
        f" ({counted(totals.other_markup, 'of them has', 'of them have')} other markup)."
    )
    caption = "Pages of both sides by their fate."
    return Shown(sentence, (Bars("Pages by their fate", caption, bars),))


def _section(topic: _Topic) -> Section:
    query = f"select * from {topic.table} order by {TABLES[topic.table]}"
    return Section(topic.table, topic.title, {topic.table: query}, _shows(topic))


def _shows(topic: _Topic) -> Callable[[Answers, Facts], Shown]:
    def show(answers: Answers, facts: Facts) -> Shown:
        rows = answers[topic.table]
        sentence = f"{counted(len(rows), topic.one, topic.many)}."
        if not rows:
            return Shown(f"No {topic.one}.")
        names = [name for name, _ in topic.columns]
        first = [_cells(row, names) for row in rows[:_MOST_ROWS]]
        more = "" if len(rows) <= _MOST_ROWS else f", the first {_MOST_ROWS} of {count(len(rows))}"
        caption = f"{topic.title}{more}."
        return Shown(sentence, (), (Table(caption, [one for _, one in topic.columns], first),))

    return show


def _cells(row: Row, names: Sequence[str]) -> list[Any]:
    return [None if row[name] in ("", None) else row[name] for name in names]
