"""The section on histograms of sites: bytes, ages, answer times, in powers of two (WIRE, 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lycosa._support.amounts import counted, duration_text, size_text
from lycosa.analysis.charts import Column as Bin
from lycosa.analysis.charts import Columns
from lycosa.analysis.report.section import Answers, Column, Facts, Row, Section, Shown, Table
from lycosa.analysis.report.wording import number
from lycosa.analysis.sections.counts import total

_DAY = 86_400.0
_DRAWN: dict[tuple[str, str], tuple[str, str, Callable[[float], str]]] = {
    ("sites", "bytes"): ("Sites by bytes", "bytes of their pages", lambda n: size_text(int(n))),
    ("sites", "mean_age_days"): (
        "Sites by the mean age of their pages",
        "mean age by Last-Modified",
        lambda days: duration_text(days * _DAY),
    ),
    ("sites", "least_age_days"): (
        "Sites by the age of their youngest page",
        "age by Last-Modified",
        lambda days: duration_text(days * _DAY),
    ),
    ("sites", "most_age_days"): (
        "Sites by the age of their oldest page",
        "age by Last-Modified",
        lambda days: duration_text(days * _DAY),
    ),
    ("sites", "mean_answer_seconds"): (
        "Sites by the mean time of their answers",
        "mean time of an answer, milliseconds",
        lambda seconds: number(1000 * seconds),
    ),
}
"""Histograms by unit and property: title, axis, format of values; the file has all others.
"""


def _show(answers: Answers, facts: Facts) -> Shown:
    rows = answers["histograms"]
    by_property: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_property.setdefault((row["over"], row["property"]), []).append(row)
    sizes = by_property.get(("sites", "bytes"), [])
    sites = total(sizes, "nodes")
    if not sites:
        return Shown("The crawl has kept no page, so there is no site to show.")
    largest = max(row["most"] for row in sizes)
    sentence = (
        f"{counted(sites, 'site has', 'sites have')} up to {size_text(int(largest))} each;"
        f" {counted(len(by_property), 'property', 'properties')} of pages and sites are in the"
        " file, in bins that double."
    )
    figures = [
        Columns(title, "Each column is twice as wide as the one before.", across, "sites", bins)
        for place, (title, across, text) in _DRAWN.items()
        if (bins := _bins(by_property.get(place, []), text))
    ]
    table = Table(
        "The range of every property.",
        (
            Column("Of"),
            Column("Property"),
            Column("Known of", "count"),
            Column("From"),
            Column("To"),
        ),
        [
            (
                over,
                name.replace("_", " "),
                total(own, "nodes"),
                number(min(row["least"] for row in own)),
                number(max(row["most"] for row in own)),
            )
            for (over, name), own in by_property.items()
        ],
    )
    return Shown(sentence, figures, (table,))


def _bins(rows: Sequence[Row], text: Callable[[float], str]) -> list[Bin]:
    """Return a column for every power of two between the first and the last, empty ones too."""
    nodes = {row["from_value"]: row["nodes"] for row in rows}
    if not nodes:
        return []
    bins = [Bin("0", nodes[0.0], "0")] if 0.0 in nodes else []
    positive = [value for value in nodes if value > 0]
    edge = min(positive, default=0.0)
    while positive and edge <= max(positive):
        told = f"{text(edge)} to {text(2 * edge)}"
        bins.append(Bin(text(edge), nodes.get(edge, 0), told))
        edge *= 2
    return bins


SECTION = Section(
    "histograms",
    "Histograms of sites",
    {"histograms": "select * from histograms order by over, property, from_value"},
    _show,
    ("histograms",),
)
