"""The chapter on the link graph: degrees, PageRank, hubs and authorities, the bow tie."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from lycosa._support.amounts import counted
from lycosa.analysis.charts import Axis, BowTie, Line, Scatter, Series
from lycosa.analysis.charts.axes import percent_name
from lycosa.analysis.charts.canvas import BLUE, ORANGE
from lycosa.analysis.report.fits import (
    LEAST_TAIL,
    LEAST_VALUES,
    PowerLaw,
    fit_continuous,
    fit_discrete,
    survival_of,
)
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
from lycosa.analysis.report.wording import count, number, share, shown
from lycosa.analysis.sections.counts import MOST_ROWS

_LINE_POINTS = 60
_NO_LINK = "No page of this crawl links to another one, so there is no graph to show."
_PARTS = {
    "scc": ("core (SCC)", "all reach each other"),
    "in": ("IN", "lead to the core"),
    "out": ("OUT", "are reached from the core"),
    "tube": ("tubes", "lead from IN to OUT past the core"),
    "tendril": ("tendrils", "are connected with other parts"),
    "island": ("islands", "are not connected with the core"),
}
_SHARE_AXIS = Axis("share of pages with at least this value", percent_name)


def rounded(column: str, digits: int = 3) -> str:
    """Return the SQL that rounds positive numbers to `digits` significant digits.

    So at most some thousand different numbers remain, whatever the number of pages.
    """
    scale = f"10 ** ({digits - 1} - floor(log10({column})))"
    return f"round({column} * {scale}) / {scale}"


def law_line(law: PowerLaw | None, values: Sequence[float]) -> list[Line]:
    """Draw the fitted law over the values from which it holds."""
    if law is None:
        return []
    last = max(values)
    at = [float(x) for x in np.geomspace(law.least, last, _LINE_POINTS)]
    points = list(zip(at, law.survival(at), strict=True))
    return [Line(f"fit: α = {law.exponent:.2f}", points)]


def law_text(law: PowerLaw | None, things: str) -> str:
    """Return the result of a fit, as the end of a sentence."""
    if law is None:
        return (
            f"no power law was fitted, because a fit needs a tail of at least {LEAST_TAIL}"
            f" {things} with"
            f" {LEAST_VALUES} different values"
        )
    least = count(law.least) if law.is_discrete else number(law.least)
    told = (
        f"the fitted power law has the exponent {law.exponent:.2f} ± {law.error:.2f} for values"
        f" from {least} on ({counted(law.tail, things.removesuffix('s'), things)},"
        f" KS distance {law.distance:.3f})"
    )
    if law.distance > law.allowed_distance:
        told += f" but describes them poorly, as chance explains at most {law.allowed_distance:.3f}"
    return told


def _show_degrees(answers: Answers, facts: Facts, direction: str) -> Shown:
    rows = answers[f"{direction}_degrees"]
    linked = [row for row in rows if row["degree"]]
    if not linked:
        return Shown(_NO_LINK)
    degrees = [row["degree"] for row in linked]
    pages = [row["pages"] for row in linked]
    everything = sum(row["pages"] for row in rows)
    mean = sum(degree * number for degree, number in zip(degrees, pages, strict=True)) / everything
    law = fit_discrete(degrees, pages)
    none = everything - sum(pages)
    does, end = (
        ("is linked to by", "have no link from another page")
        if direction == "in"
        else ("links to", "link to no other page")
    )
    sentence = (
        f"A page {does} {number(mean)} others on average and {count(degrees[-1])} at the most,"
        f" and {count(none)} ({share(none, everything)}) {end}; {law_text(law, 'pages')}."
    )
    name = f"{direction}-degree"
    figure = Scatter(
        f"Distribution of {name}s",
        f"Share of pages with at least this number of links"
        f" {'to' if direction == 'in' else 'from'} them, of those that have any."
        " Links within the crawl, each counted once.",
        Axis(name),
        _SHARE_AXIS._replace(text=f"share of pages with at least this {name}"),
        [Series("pages", list(zip(degrees, survival_of(degrees, pages), strict=True)), BLUE)],
        law_line(law, degrees),
    )
    return Shown(sentence, (figure,), (_degree_table(rows, name, everything),))


_DEGREE_CLASSES = ((0, 0), (1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 999))


def _degree_table(rows: Sequence[Row], name: str, everything: int) -> Table:
    found: list[tuple[Any, ...]] = []
    for least, most in (*_DEGREE_CLASSES, (1000, 10**12)):
        pages = sum(row["pages"] for row in rows if least <= row["degree"] <= most)
        text = str(least) if least == most else f"{least} to {most}"
        if most > 10**6:
            text = f"{count(least)} and more"
        if pages:
            found.append((text, pages, pages / everything))
    title = name[0].upper() + name[1:]
    columns = (Column(title), Column("Pages", "count"), Column("Share", "share"))
    return Table(f"Pages by {name}.", columns, found)


def _show_pagerank(answers: Answers, facts: Facts) -> Shown:
    rows, best = answers["pagerank"], answers["pagerank_top"]
    pages = sum(row["pages"] for row in rows)
    if not pages:
        return Shown("The crawl has kept no page, so there is nothing to rank.")
    if len(rows) < 2:
        return Shown(
            f"All {counted(pages, 'page')} have the same PageRank: no page links to another one."
        )
    values = [row["times_mean"] for row in rows]
    numbers = [row["pages"] for row in rows]
    law = fit_continuous(values, numbers)
    held = sum(row["pagerank"] for row in best[:10])
    first = best[0]
    sentence = (
        f"The {min(len(best), 10)} best pages hold {share(held, 1)} of all PageRank, and the first,"
        f" {shown(first['url'], 80)}, has {number(first['pagerank'] * pages)} times the mean;"
        f" {law_text(law, 'pages')}."
    )
    figure = Scatter(
        "Distribution of PageRank",
        "Share of pages with at least this PageRank, in multiples of the mean (damping 0.85).",
        Axis("PageRank, 1 is the mean"),
        _SHARE_AXIS._replace(text="share of pages with at least this PageRank"),
        [Series("pages", list(zip(values, survival_of(values, numbers), strict=True)), BLUE)],
        law_line(law, values),
    )
    table = Table(
        "The pages with the highest PageRank.",
        (
            Column("Rank", "count"),
            Column("Times the mean", "number"),
            Column("In-degree", "count"),
            Column("Page", "web"),
        ),
        [(row["rank"], row["pagerank"] * pages, row["in_degree"], row["url"]) for row in best],
    )
    return Shown(sentence, (figure,), (table,))


def _show_hits(answers: Answers, facts: Facts) -> Shown:
    rows, best = answers["hits"], answers["hits_top"]
    if not best or not facts.study.get("links"):
        return Shown(_NO_LINK)
    hubs = [row for row in best if row["role"] == "hub"]
    authorities = [row for row in best if row["role"] == "authority"]
    held = {
        role: sum(row["score"] for row in rows[:10])
        for role, rows in (("hub", hubs), ("a", authorities))
    }
    sentence = (
        f"The ten best hubs hold {share(held['hub'], 1)} of all hub scores, the ten best"
        f" authorities {share(held['a'], 1)} of theirs; the best authority is"
        f" {shown(authorities[0]['url'], 80)}."
    )
    pages = facts.study["pages"]
    series = []
    for role, colour in (("authority", BLUE), ("hub", ORANGE)):
        chosen = [row for row in rows if row["role"] == role]
        values = [row["score"] for row in chosen]
        above = survival_of(values, [row["pages"] for row in chosen])
        # The curve begins at the share of pages that have a score at all.
        share_of_all = sum(row["pages"] for row in chosen) / pages
        points = [(x, y * share_of_all) for x, y in zip(values, above, strict=True)]
        name = "authorities" if role == "authority" else "hubs"
        series.append(Series(name, points, colour, is_hollow=role == "hub"))
    figure = Scatter(
        "Distribution of hub and authority scores",
        "Share of pages with at least this score. All scores of a kind add up to 1;"
        " scores below a millionth of the best are left out.",
        Axis("score"),
        _SHARE_AXIS._replace(text="share of pages with at least this score"),
        series,
    )
    tables = [
        Table(
            f"The best {name}.",
            (Column("Score", "number"), Column(degree, "count"), Column("Page", "web")),
            [(row["score"], row["degree"], row["url"]) for row in chosen],
        )
        for name, degree, chosen in (
            ("authorities", "In-degree", authorities),
            ("hubs", "Out-degree", hubs),
        )
    ]
    return Shown(sentence, (figure,), tables)


def _show_bow_tie(answers: Answers, facts: Facts) -> Shown:
    over = {
        what: {row["part"]: row["nodes"] for row in answers["bow_tie"] if row["over"] == what}
        for what in ("pages", "sites")
    }
    pages, sites = (sum(over[what].values()) for what in ("pages", "sites"))
    if not facts.study.get("links"):
        return Shown(_NO_LINK)
    core, core_sites = over["pages"].get("scc", 0), over["sites"].get("scc", 0)
    sentence = (
        f"{count(core)} of {counted(pages, 'page')} ({share(core, pages)}) all reach each other,"
        f" and of {counted(sites, 'site')} {count(core_sites)} ({share(core_sites, sites)})."
    )
    figures = [
        BowTie(
            f"The bow tie of the {what}",
            f"The bow tie of the {what}. SCC, IN and OUT grow with their shares, from a minimum"
            " size on.",
            over[what],
        )
        for what in ("pages", "sites")
    ]
    table = Table(
        "The parts of the bow tie.",
        (
            Column("Part"),
            Column("Its pages or sites"),
            Column("Pages", "count"),
            Column("Share", "share"),
            Column("Sites", "count"),
            Column("Share", "share"),
        ),
        [
            (
                name,
                meaning,
                over["pages"].get(part, 0),
                over["pages"].get(part, 0) / pages,
                over["sites"].get(part, 0),
                over["sites"].get(part, 0) / sites,
            )
            for part, (name, meaning) in _PARTS.items()
        ],
    )
    return Shown(sentence, figures, (table,))


def _degrees(direction: str) -> Section:
    name = f"{direction}_degrees"
    return Section(
        name.replace("_", "-"),
        "In-degrees" if direction == "in" else "Out-degrees",
        {
            name: f"select degree, pages from degrees where direction = '{direction}'"
            " order by degree"
        },
        partial(_show_degrees, direction=direction),
        ("degrees",),
    )


_TIMES_MEAN = rounded("pagerank * (select count(*) from ranks)")
_TOP_SCORES = " union all ".join(
    f"(select '{role}' as role, {role} as score, {degree} as degree, url from ranks"
    f" where {role} > 0 order by {role} desc, url limit {MOST_ROWS})"
    for role, degree in (("authority", "in_degree"), ("hub", "out_degree"))
)
_SCORES = " union all ".join(
    f"select '{role}' as role, {rounded(role)} as score, count(*) as pages from ranks"
    f" where {role} > 1e-6 * (select max({role}) from ranks) group by all"
    for role in ("authority", "hub")
)

CHAPTER = Chapter(
    "Links",
    (
        _degrees("in"),
        _degrees("out"),
        Section(
            "pagerank",
            "PageRank",
            {
                "pagerank": f"select {_TIMES_MEAN} as times_mean, count(*) as pages from ranks"
                " group by all order by times_mean",
                "pagerank_top": "select rank, pagerank, in_degree, url from ranks"
                f" order by rank, url limit {MOST_ROWS}",
            },
            _show_pagerank,
            ("ranks",),
        ),
        Section(
            "hits",
            "Hubs and authorities",
            {
                "hits": f"from ({_SCORES}) order by role, score",
                "hits_top": f"from ({_TOP_SCORES}) order by role, score desc, url",
            },
            _show_hits,
            ("ranks",),
        ),
        Section(
            "bow-tie",
            "The bow tie",
            {"bow_tie": "select over, part, nodes from bow_ties order by over, nodes desc, part"},
            _show_bow_tie,
            ("bow_ties",),
        ),
    ),
)
