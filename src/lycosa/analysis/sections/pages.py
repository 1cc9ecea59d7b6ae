"""The chapter on pages: depth, size, type, age, language."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from lycosa._support.amounts import counted, size_text
from lycosa.analysis.charts import Column as Bin
from lycosa.analysis.charts import Columns
from lycosa.analysis.report.section import (
    Answers,
    Chapter,
    Column,
    Facts,
    Row,
    Section,
    Shown,
    Table,
)
from lycosa.analysis.report.wording import NO_BREAK, count, number, share, shown
from lycosa.analysis.sections.counts import MOST_FILE_ROWS, MOST_ROWS, bars, total

_CODES = """
af Afrikaans|am Amharic|ar Arabic|az Azerbaijani|be Belarusian|bg Bulgarian|bn Bengali|bs Bosnian
ca Catalan|cs Czech|cy Welsh|da Danish|de German|el Greek|en English|eo Esperanto|es Spanish
et Estonian|eu Basque|fa Persian|fi Finnish|fr French|ga Irish|gl Galician|gu Gujarati|he Hebrew
hi Hindi|hr Croatian|hu Hungarian|hy Armenian|id Indonesian|is Icelandic|it Italian|ja Japanese
ka Georgian|kk Kazakh|km Khmer|kn Kannada|ko Korean|ku Kurdish|ky Kyrgyz|la Latin|lb Luxembourgish
lt Lithuanian|lv Latvian|mk Macedonian|ml Malayalam|mn Mongolian|mr Marathi|ms Malay|mt Maltese
my Burmese|nb Norwegian Bokmål|ne Nepali|nl Dutch|nn Norwegian Nynorsk|no Norwegian|pa Punjabi
pl Polish|ps Pashto|pt Portuguese|ro Romanian|ru Russian|si Sinhala|sk Slovak|sl Slovenian
so Somali|sq Albanian|sr Serbian|sv Swedish|sw Swahili|ta Tamil|te Telugu|tg Tajik|th Thai
tl Tagalog|tr Turkish|uk Ukrainian|ur Urdu|uz Uzbek|vi Vietnamese|xh Xhosa|yi Yiddish|zh Chinese
zu Zulu
"""
_LANGUAGES = dict(entry.split(" ", 1) for entry in _CODES.strip().replace("\n", "|").split("|"))
"""English names of the language codes (ISO 639) that are most frequent on the web."""

UNKNOWN = ("", "und", None)
"""The name of an unknown language."""

_NO_PAGE = "The crawl has kept no page, so there is nothing to show."
_MOST_DEPTHS = 40
_AGES = (
    ("under 1 month", 0, 1),
    ("1 to 3 months", 1, 3),
    ("3 to 6 months", 3, 6),
    ("6 to 12 months", 6, 12),
    ("1 to 2 years", 12, 24),
    ("2 to 5 years", 24, 60),
    ("5 to 10 years", 60, 120),
    ("over 10 years", 120, 10**9),
)
"""In months of 30 days, as the study counts them; a year is twelve of them."""


def _show_depths(answers: Answers, facts: Facts) -> Shown:
    rows = answers["depths"]
    if not rows:
        return Shown(_NO_PAGE)
    pages = total(rows, "pages")
    fullest = max(rows, key=lambda row: row["pages"])
    mean = sum(row["depth"] * row["pages"] for row in rows) / pages
    sentence = (
        f"Pages lie up to {counted(rows[-1]['depth'], 'link')} from a seed, {number(mean)} on"
        f" average; depth {fullest['depth']} holds the most of them,"
        f" {count(fullest['pages'])} ({share(fullest['pages'], pages)})."
    )
    by_depth = {row["depth"]: row["pages"] for row in rows}
    last = min(rows[-1]["depth"], _MOST_DEPTHS)
    bins = [Bin(str(depth), by_depth.get(depth, 0), f"depth {depth}") for depth in range(last + 1)]
    if rows[-1]["depth"] > last:
        deeper = sum(pages for depth, pages in by_depth.items() if depth >= last)
        bins[-1] = Bin(f"{last}+", deeper, f"depth {last} and more")
    figure = Columns(
        "Pages by depth",
        "Pages by their distance from the nearest seed. Redirects cost no depth.",
        "links from a seed",
        "pages",
        bins,
    )
    table = Table(
        "Pages and bytes by depth.",
        (
            Column("Depth", "count"),
            Column("Pages", "count"),
            Column("Share", "share"),
            Column("Bytes", "size"),
        ),
        [
            (row["depth"], row["pages"], row["pages"] / pages, row["bytes"])
            for row in rows[:MOST_ROWS]
        ],
    )
    return Shown(sentence, (figure,), (table,))


def _power_name(size_bytes: int) -> str:
    """Write a power of two as computers count: `512 B`, `4 KiB`."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes >= size:
            return f"{size_bytes // size}{NO_BREAK}{unit}"
    return f"{size_bytes}{NO_BREAK}B"


def _range_text(from_bytes: int) -> str:
    if not from_bytes:
        return "empty"
    return f"{_power_name(from_bytes)} to {_power_name(2 * from_bytes)}"


def _show_sizes(answers: Answers, facts: Facts) -> Shown:
    rows = answers["sizes"]
    if not rows:
        return Shown(_NO_PAGE)
    pages, size_bytes = total(rows, "pages"), total(rows, "bytes")
    reached = accumulate(row["pages"] for row in rows)
    middle = next(row for row, below in zip(rows, reached, strict=True) if 2 * below >= pages)
    sentence = (
        f"A page has {size_text(size_bytes / pages)} on average, and the median of"
        f" {count(pages)} is between {_range_text(middle['from_bytes']).replace(' to ', ' and ')}."
        if middle["from_bytes"]
        else f"More than half of {counted(pages, 'page')} are empty."
    )
    figure = Columns(
        "Pages by size",
        "Pages by the size of their content, decoded; each class is twice as wide as the one"
        " before it.",
        "size of the content",
        "pages",
        _size_bins(rows),
        last_edge=_power_name(2 * rows[-1]["from_bytes"]) if rows[-1]["from_bytes"] else "",
    )
    table = Table(
        "Pages by size, and what they add up to.",
        (
            Column("Size"),
            Column("Pages", "count"),
            Column("Share", "share"),
            Column("Bytes", "size"),
            Column("Share of bytes", "share"),
        ),
        [
            (
                _range_text(row["from_bytes"]),
                row["pages"],
                row["pages"] / pages,
                row["bytes"],
                row["bytes"] / size_bytes if size_bytes else 0.0,
            )
            for row in rows
        ],
    )
    return Shown(sentence, (figure,), (table,))


def _size_bins(rows: Sequence[Row]) -> list[Bin]:
    by_size = {row["from_bytes"]: row["pages"] for row in rows}
    sizes = [size for size in by_size if size]
    bins = [Bin("empty", by_size[0])] if 0 in by_size else []
    at = min(sizes, default=0)
    while sizes and at <= max(sizes):
        bins.append(Bin(_power_name(at), by_size.get(at, 0), _range_text(at)))
        at *= 2
    return bins


def _show_types(answers: Answers, facts: Facts) -> Shown:
    rows = answers["types"]
    if not rows:
        return Shown(_NO_PAGE)
    pages = total(rows, "pages")
    first = rows[0]
    sentence = (
        f"{share(first['pages'], pages)} of the pages are served as {_type_name(first)};"
        f" {count(len(rows))} different types were seen."
        if len(rows) > 1
        else f"All of {counted(pages, 'page')} are served as {_type_name(first)}."
    )
    figure = bars("Pages by content type", "Pages by content type.", rows, _type_name, "pages")
    table = Table(
        "Pages and bytes by content type, as servers name it.",
        (
            Column("Type", "web"),
            Column("Pages", "count"),
            Column("Share", "share"),
            Column("Bytes", "size"),
        ),
        [
            (_type_name(row), row["pages"], row["pages"] / pages, row["bytes"])
            for row in rows[:MOST_ROWS]
        ],
    )
    return Shown(sentence, (figure,), (table,))


def _type_name(row: Row) -> str:
    return shown(row["type"] or "not said", 60)


def _show_ages(answers: Answers, facts: Facts) -> Shown:
    rows = answers["ages"]
    pages = facts.study.get("pages", 0)
    if not rows:
        return Shown(
            f"None of {counted(pages, 'page')} came with a date of its last change"
            " (Last-Modified), so their ages are unknown."
        )
    dated = total(rows, "pages")
    reached = accumulate(row["pages"] for row in rows)
    middle = next(row for row, below in zip(rows, reached, strict=True) if 2 * below >= dated)
    classes = [
        (name, sum(row["pages"] for row in rows if least <= row["months"] < most))
        for name, least, most in _AGES
    ]
    while classes and not classes[-1][1]:  # ages older than every page would be an empty tail
        classes.pop()
    recent = sum(row["pages"] for row in rows if row["months"] < 12)
    months = middle["months"]
    when = f"{months} and {months + 1} months" if months else "0 and 1 month"
    sentence = (
        f"{count(dated)} of {counted(pages, 'page')} ({share(dated, pages)}) say when they were"
        f" changed: the median is between {when} before the fetch, and"
        f" {share(recent, dated)} within a year."
    )
    figure = Columns(
        "Pages by age",
        "Pages by the time between their last change, by the header Last-Modified, and their"
        " fetch. The columns are not equally long in time.",
        "age when fetched",
        "pages",
        [Bin(_age_name(name), number, name) for name, number in classes],
    )
    table = Table(
        "Pages by age.",
        (Column("Age"), Column("Pages", "count"), Column("Share of those that say it", "share")),
        [(name, number, number / dated) for name, number in classes],
    )
    return Shown(sentence, (figure,), (table,))


def _age_name(name: str) -> str:
    short = name.replace(" to ", "–").replace("under ", "<").replace("over ", ">")
    return short.replace(" months", " mo").replace(" month", " mo").replace(" years", " y")


def _show_languages(answers: Answers, facts: Facts) -> Shown:
    rows = answers["languages"]
    if not rows:
        return Shown(_NO_PAGE)
    pages = total(rows, "pages")
    known = [row for row in rows if row["language"] not in UNKNOWN]
    if not known:
        return Shown(f"The language is known of none of {counted(pages, 'page')}.")
    told = total(known, "pages")
    first = known[0]
    most = shown(language_name(first["language"]), 40)
    found = (
        f"{count(len(known))} different ones, of which {most} has the most pages"
        f" ({share(first['pages'], told)})"
        if len(known) > 1
        else f"it is {most} on all of them"
    )
    sentence = (
        f"The language is known of {count(told)} of {counted(pages, 'page')}:"
        f" {found}{_whose_word(facts)}."
    )

    def name(row: Row) -> str:
        return shown(language_name(row["language"] or ""), 40)

    figure = bars("Pages by language", "Pages by language.", rows, name, "pages")
    table = Table(
        "Pages by language.",
        (Column("Language", "web"), Column("Pages", "count"), Column("Share", "share")),
        [(name(row), row["pages"], row["pages"] / pages) for row in rows[:MOST_ROWS]],
    )
    return Shown(sentence, (figure,), (table,))


def _whose_word(facts: Facts) -> str:
    """Return the sources of the languages, if the study detected them from texts, too."""
    found = facts.study.get("languages")
    if not isinstance(found, dict) or not found.get("compared"):
        return ""
    overruled = found.get("overruled", 0)
    said = (
        f"; {count(found['by_text'] - overruled)} are known by their text alone, and where markup"
        f" speaks too, both agree on {share(found['agreeing'], found['compared'])}"
    )
    if overruled:
        said += f"; of {count(overruled)} the text is clearly in another language and decides"
    return said


def language_name(code: str) -> str:
    """Return the English name of a language, with its code; of an unknown one the code alone."""
    if code in UNKNOWN:
        return "not known"
    return f"{_LANGUAGES[code]} ({code})" if code in _LANGUAGES else code


CHAPTER = Chapter(
    "Pages",
    (
        Section(
            "depths",
            "Depth",
            {"depths": "select * from depths order by depth"},
            _show_depths,
            ("depths",),
        ),
        Section(
            "sizes",
            "Sizes",
            {"sizes": "select * from sizes order by from_bytes"},
            _show_sizes,
            ("sizes",),
        ),
        Section(
            "types",
            "Content types",
            {"types": f"from types order by pages desc, type limit {MOST_FILE_ROWS}"},
            _show_types,
            ("types",),
        ),
        Section(
            "ages",
            "Ages",
            {"ages": "select * from ages order by months"},
            _show_ages,
            ("ages",),
        ),
        Section(
            "languages",
            "Languages",
            {
                "languages": "select language, sum(pages)::bigint as pages from languages"
                " group by all order by pages desc, language"
            },
            _show_languages,
            ("languages",),
        ),
    ),
)
