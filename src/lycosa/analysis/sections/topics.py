"""The chapter on topics, for crawls that have them: pages, harvest, linked topics, sites."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from lycosa._support.amounts import counted
from lycosa.analysis.charts import AgainstChance, Band, Bars, Curve, Curves
from lycosa.analysis.charts.canvas import BLUE, GREY, ORANGE
from lycosa.analysis.charts.chance import times
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
from lycosa.analysis.report.wording import count, listed, share, shown
from lycosa.analysis.sections.counts import MOST_BARS, MOST_ROWS, bars, total
from lycosa.analysis.statistics.topics import WINDOW_POINTS
from lycosa.crawl.status.topics import is_wanted
from lycosa.extract.topics.model import OTHER

_NO_PAGE = "No page was classified, so there is no topic to show."
_LEAST_LINKS = 5
"""Fewest links of a pair of topics, found and expected, for which a ratio is shown."""
_SITES_EACH = 3
"""Most sites of each topic in the table, if no topic is wanted."""
_MOST_NAMED = 6
"""Topics in a sentence."""
_SURE = 1.96
"""Standard deviations on each side of a 95 % confidence interval."""
_CLEAR = 3.0
"""Standard deviations above chance from which a pair of topics is worth a sentence."""
_BAND = "#cfe3f0"


def _named(topic: str, facts: Facts) -> str:
    """Return the name of a topic, and whether it is wanted."""
    return shown(topic, 60) + (", wanted" if is_wanted(topic, facts.job) else "")


def _others_last(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row["topic"] == OTHER)


def _show_topics(answers: Answers, facts: Facts) -> Shown:
    rows = _others_last(answers["topics"])
    if not rows:
        return Shown(_NO_PAGE)
    pages = total(rows, "pages")
    known = [row for row in rows if row["topic"] != OTHER]
    if known:
        first, about = known[0], total(known, "pages")
        equal = sum(row["pages"] == first["pages"] for row in known) - 1
        most = (
            f"and {counted(equal, 'other')} have the most, {count(first['pages'])} each"
            if equal
            else f"has the most, {count(first['pages'])}"
        )
        found = (
            f"{count(about)} ({share(about, pages)}) are about one of"
            f" {counted(len(known), 'topic')}; {shown(first['topic'], 60)} {most}"
        )
    else:
        found = "none is about a topic of the model"
    missing = facts.study.get("topics", {}).get("unclassified", 0)
    more = f"; {counted(missing, 'other page was', 'other pages were')} not" if missing else ""
    whole = counted(pages, "page that was", "pages that were")
    sentence = f"Of {whole} classified, {found}{more}."
    figure = bars(
        "Pages by topic",
        "Pages by their surest topic; “other” is about none of them.",
        rows,
        lambda row: _named(row["topic"], facts),
        "pages",
        colour=lambda row: GREY if row["topic"] == OTHER else BLUE,
    )
    table = Table(
        "Topics: their pages, the sites that have any, and those of which over half of the pages"
        " are about the topic. Confidence is the model's own mean estimate"
        + ("; words are those with the most weight for the topic." if facts.words else "."),
        (
            Column("Topic"),
            Column("Pages", "count"),
            Column("Share", "share"),
            Column("Bytes", "size"),
            Column("Sites", "count"),
            Column("Over half", "count"),
            Column("Confidence", "share"),
            *([Column("Words", "web")] if facts.words else []),
        ),
        [
            (
                _named(row["topic"], facts),
                row["pages"],
                row["pages"] / pages,
                row["bytes"],
                row["sites"],
                row["own_sites"],
                row["mean_confidence"],
                *([" ".join(facts.words.get(row["topic"], ()))] if facts.words else []),
            )
            for row in rows[:MOST_ROWS]
        ],
    )
    return Shown(sentence, (figure,), (table,))


def _show_harvest(answers: Answers, facts: Facts) -> Shown:
    rows = answers["topic_harvest"]
    if not facts.job.topics.wanted:
        return Shown(
            "The job names no wanted topic ([topics] wanted), so there is no harvest to show."
        )
    if not rows:
        return Shown(_NO_PAGE)
    last = rows[-1]
    topics = " or ".join(shown(topic, 60) for topic in facts.job.topics.wanted)
    sentence = (
        f"{count(last['wanted'])} of {counted(last['pages'], 'classified page')}"
        f" ({share(last['wanted'], last['pages'])}) are about {topics}, which the job"
        f" wants{_first_and_last(rows)}."
    )
    figure = Curves(
        "Harvest over pages",
        "Share of wanted pages among those fetched so far, and among the last tenth of the crawl."
        " The band is the 95 % confidence interval of the latter (Wilson 1927).",
        "pages, in the order of fetching",
        "wanted pages",
        [
            Curve("so far", [(row["pages"], row["harvest_rate"]) for row in rows], BLUE, 2.5),
            Curve("last tenth", [(row["pages"], row["window_rate"]) for row in rows], ORANGE, 1.5),
        ],
        Band(
            "95 % interval",
            [(row["pages"], *_bounds(row["window_wanted"], row["window_pages"])) for row in rows],
            _BAND,
        ),
    )
    return Shown(sentence, (figure,), (_harvest_table(rows),))


def _first_and_last(rows: Sequence[Row]) -> str:
    """Say how the first tenth of the crawl compares with the last one, if there are so many."""
    if len(rows) < 2 * WINDOW_POINTS:
        return ""
    first, last = rows[WINDOW_POINTS - 1], rows[-1]
    return (
        f": {share(first['wanted'], first['pages'])} of the first {count(first['pages'])}, and"
        f" {share(last['window_wanted'], last['window_pages'])} of the last"
        f" {count(last['window_pages'])}"
    )


def _bounds(part: int, whole: int) -> tuple[float, float]:
    """Return the bounds of Wilson's 95 % confidence interval of a share."""
    rate, square = part / whole, _SURE**2
    middle = (rate + square / (2 * whole)) / (1 + square / whole)
    spread = sqrt(rate * (1 - rate) / whole + square / (4 * whole**2))
    half = _SURE / (1 + square / whole) * spread
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _harvest_table(rows: Sequence[Row]) -> Table:
    """Return every tenth point, the last among them."""
    some = rows[::-1][:: max(1, len(rows) // 10)][::-1]
    return Table(
        "Wanted pages, and their share so far and in the last tenth of the crawl.",
        (
            Column("Pages", "count"),
            Column("Wanted", "count"),
            Column("So far", "share"),
            Column("Last tenth", "share"),
        ),
        [(row["pages"], row["wanted"], row["harvest_rate"], row["window_rate"]) for row in some],
    )


def _show_links(answers: Answers, facts: Facts) -> Shown:
    rows = answers["topic_links"]
    links = total(rows, "links")
    if not links:
        return Shown("No page that was classified links to another one.")
    own = [row for row in rows if row["source"] == row["target"]]
    within, expected = total(own, "links"), sum(row["expected"] for row in own)
    others = [row for row in rows if row["source"] != row["target"] and row["links"]]
    others.sort(key=lambda row: (-_beyond(row), row["source"], row["target"]))
    compared = f", {times(within / expected)} times as many as by chance" if expected else ""
    sentence = (
        f"{count(within)} of {counted(links, 'link')} ({share(within, links)}) lead to a page of"
        f" the same topic{compared}{_strongest(others)}."
    )
    table = Table(
        "Pairs of different topics, in the order of their links beyond chance, in standard"
        " deviations of chance.",
        (
            Column("Linking"),
            Column("Linked"),
            Column("Links", "count"),
            Column("By chance", "number"),
            Column("Ratio", "number"),
            Column("Deviations", "number"),
        ),
        [
            (
                shown(row["source"], 60),
                shown(row["target"], 60),
                row["links"],
                row["expected"],
                row["ratio"],
                _beyond(row),
            )
            for row in others[:MOST_ROWS]
        ],
    )
    figure = _against_chance(rows, [row["topic"] for row in _others_last(answers["topic_names"])])
    return Shown(sentence, (figure,), (table,) if others else ())


def _beyond(row: Row) -> float:
    """Return how many standard deviations above chance the links of a pair are (Poisson)."""
    return float((row["links"] - row["expected"]) / sqrt(row["expected"]))


def _strongest(others: Sequence[Row]) -> str:
    if not others or _beyond(others[0]) < _CLEAR:
        return ""
    first = others[0]
    return (
        f"; of different topics, {shown(first['source'], 60)} links to"
        f" {shown(first['target'], 60)} most clearly, {times(first['ratio'])} times as often as by"
        " chance"
    )


def _against_chance(rows: Sequence[Row], names: Sequence[str]) -> AgainstChance:
    found = {
        (row["source"], row["target"]): row["ratio"]
        for row in rows
        if max(row["links"], row["expected"]) >= _LEAST_LINKS
    }
    return AgainstChance(
        "Linked topics against chance",
        "Links from topic (row) to topic (column) in multiples of what chance would give: blue is"
        " more, orange is less. A pair with fewer than five links, found and by chance, is left"
        " white. Topics are in the order of their pages, as many as fit.",
        names,
        [[found.get((source, target)) for target in names] for source in names],
    )


_MEASURES = {
    "url overlap": "URLs that were kept twice",
    "content overlap": "Pages whose content another URL had before",
    "content overlap of partitions": "… in another partition",
    "content overlap of topics": "… in another topic",
    "messages": "Messages between partitions",
    "links between partitions": "Links between sites of two partitions",
}


def _show_overlaps(answers: Answers, facts: Facts) -> Shown:
    rows = {row["measure"]: row for row in answers["topic_overlaps"]}
    again, copies = rows["url overlap"], rows["content overlap"]
    if not copies["pages"]:
        return Shown(_NO_PAGE)
    twice = (
        "The job revisits pages, so fetches of a URL are no overlap"
        if again["number"] is None
        else f"{counted(again['number'], 'URL was', 'URLs were')} kept twice (URL overlap"
        f" {share(again['number'], again['pages'])})"
    )
    sentence = (
        f"{twice}; {counted(copies['number'], 'page has', 'pages have')} content that another URL"
        f" had before (content overlap {share(copies['number'], copies['pages'])})."
    )
    table = Table(
        "The measures that WebParF names for a parallel crawl, as they were counted.",
        (Column("Measure"), Column("Number", "count"), Column("For each page", "number")),
        [
            (name, rows[measure]["number"], rows[measure]["share"])
            for measure, name in _MEASURES.items()
            if rows[measure]["number"] is not None
        ],
    )
    return Shown(sentence, (), (table,))


def _show_sites(answers: Answers, facts: Facts) -> Shown:
    rows = [row for row in answers["topic_sites"] if row["topic"] != OTHER]
    if not rows:
        return Shown("No page is about a topic of the model, so there is no site to show.")
    wanted = [row for row in rows if is_wanted(row["topic"], facts.job)]
    wanted.sort(key=lambda row: (-row["pages"], row["site"], row["topic"]))
    pure = [row for row in answers["topic_names"] if row["topic"] != OTHER and row["own_sites"]]
    sentence = _pure_sites(pure)
    # A crawl that wants no topic above others shows the best sites of each.
    shown_rows = wanted[:MOST_ROWS] or [row for row in rows if row["place"] <= _SITES_EACH]
    which = "wanted pages" if wanted else f"pages of each topic, at most {_SITES_EACH} each"
    table = Table(
        f"Sites with most {which}. The share is that of the topic in the site’s classified pages.",
        (
            Column("Topic"),
            Column("Site", "web"),
            Column("Pages", "count"),
            Column("Share", "share"),
            Column("Bytes", "size"),
        ),
        [
            (shown(row["topic"], 60), row["site"], row["pages"], row["share"], row["bytes"])
            for row in shown_rows
        ],
    )
    whole = total(
        [row for row in answers["topic_names"] if is_wanted(row["topic"], facts.job)], "pages"
    )
    return Shown(sentence, (_sites_figure(wanted, whole),) if wanted else (), (table,))


def _pure_sites(pure: Sequence[Row]) -> str:
    sites = total(pure, "own_sites")
    if not sites:
        return "No site has over half of its pages about one topic."
    most = sorted(pure, key=lambda row: (-row["own_sites"], row["topic"]))
    named = [f"{shown(row['topic'], 60)} ({count(row['own_sites'])})" for row in most[:_MOST_NAMED]]
    if rest := most[_MOST_NAMED:]:
        others = counted(len(rest), "other topic")
        named.append(f"{others} ({count(total(rest, 'own_sites'))})")
    own = counted(sites, "site has over half of its", "sites have over half of their")
    return f"{own} pages about one topic: {listed(named)}."


def _sites_figure(wanted: Sequence[Row], whole: int) -> Bars:
    several = len({row["topic"] for row in wanted}) > 1

    def name(row: Row) -> str:
        site = row["site"].partition("://")[2]
        return f"{site}: {shown(row['topic'], 40)}" if several else site

    return bars(
        "Sites with most wanted pages",
        "Wanted pages by site: the sites with most of them. Shares are those of all wanted pages.",
        wanted[:MOST_BARS],
        name,
        "pages",
        whole=whole,
    )


_TOPICS = "from topics order by pages desc, topic"
CHAPTER = Chapter(
    "Topics",
    (
        Section("topics", "Pages by topic", {"topics": _TOPICS}, _show_topics, ("topics",)),
        Section(
            "harvest",
            "Harvest",
            {"topic_harvest": "from topic_harvest order by pages"},
            _show_harvest,
            ("topic_harvest",),
        ),
        Section(
            "topic-links",
            "Linked topics",
            {"topic_links": "from topic_links order by source, target"},
            _show_links,
            ("topic_links", "topics"),
            {"topic_names": _TOPICS},
        ),
        Section(
            "topic-overlaps",
            "Overlap and communication",
            {"topic_overlaps": "from topic_overlaps"},
            _show_overlaps,
            ("topic_overlaps",),
        ),
        Section(
            "topic-sites",
            "Sites of topics",
            {"topic_sites": "from topic_sites order by topic, place"},
            _show_sites,
            ("topic_sites", "topics"),
            {"topic_names": _TOPICS},
        ),
    ),
    ("topics",),
)
