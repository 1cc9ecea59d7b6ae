"""The chapter on sites: sizes, links between sites and out of the crawl, servers, headers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lycosa._support.amounts import counted
from lycosa.analysis.charts import Axis, Line, Scatter, Series
from lycosa.analysis.report.fits import PowerLaw, fit_discrete
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
from lycosa.analysis.report.wording import count, share, shown
from lycosa.analysis.sections import histograms
from lycosa.analysis.sections.counts import MOST_FILE_ROWS, MOST_ROWS, bars, by, total
from lycosa.analysis.sections.graph import law_text

_NO_PAGE = "The crawl has kept no page, so there is no site to show."


def _show_sites(answers: Answers, facts: Facts) -> Shown:
    sizes, best = answers["site_sizes"], answers["sites"]
    sites = total(sizes, "sites")
    if not sites:
        return Shown(_NO_PAGE)
    pages = sum(row["pages"] * row["sites"] for row in sizes)
    law = fit_discrete([row["pages"] for row in sizes], [row["sites"] for row in sizes])
    largest = best[0]
    sentence = (
        f"{counted(sites, 'site has', 'sites have')} {count(pages)} pages, and the largest,"
        f" {shown(largest['site'], 80)}, has {count(largest['pages'])}"
        f" ({share(largest['pages'], pages)}) of them; {law_text(law, 'sites')}."
    )
    figure = Scatter(
        "Pages of sites by rank",
        "Pages of every site over its place in the order of size.",
        Axis("place of the site"),
        Axis("pages"),
        [Series("sites", _places(sizes))],
        _rank_line(law, sizes),
    )
    table = Table(
        "The largest sites. PageRank is the sum over their pages.",
        (
            Column("Site", "web"),
            Column("Pages", "count"),
            Column("Bytes", "size"),
            Column("PageRank", "share"),
            Column("Mean depth", "number"),
            Column("Mean age, days", "number"),
            Column("Linking sites", "count"),
        ),
        [
            (
                row["site"],
                row["pages"],
                row["bytes"],
                row["pagerank_sum"],
                row["mean_depth"],
                row["mean_age_days"],
                row["in_degree"],
            )
            for row in best[:MOST_ROWS]
        ],
    )
    scores = Table(
        "The sites with the highest PageRank, with the sums of the scores of their pages, and"
        " PageRank per page in multiples of the mean.",
        (
            Column("Place", "count"),
            Column("Site", "web"),
            Column("PageRank", "share"),
            Column("Authority", "share"),
            Column("Hub", "share"),
            Column("Per page", "number"),
        ),
        [
            (
                row["pagerank_rank"],
                row["site"],
                row["pagerank_sum"],
                row["authority_sum"],
                row["hub_sum"],
                row["pagerank_mean"] * facts.study["pages"],
            )
            for row in answers["site_scores"][:MOST_ROWS]
        ],
    )
    return Shown(sentence, (figure,), (table, scores))


def _places(sizes: Sequence[Row]) -> list[tuple[float, float]]:
    """Return place and pages of the last site of every size, and of the first of all."""
    place = 0
    points: list[tuple[float, float]] = []
    for row in reversed(sizes):
        if not points:
            points.append((1.0, float(row["pages"])))
        place += row["sites"]
        if place > 1:
            points.append((float(place), float(row["pages"])))
    return points


def _rank_line(law: PowerLaw | None, sizes: Sequence[Row]) -> list[Line]:
    if law is None:
        return []
    at = [float(x) for x in np.geomspace(law.least, sizes[-1]["pages"], 60)]
    points = [(law.total * above, x) for x, above in zip(at, law.survival(at), strict=True)]
    return [Line(f"fit: α = {law.exponent:.2f}", points[::-1])]


def _show_site_links(answers: Answers, facts: Facts) -> Shown:
    rows, (sums,) = answers["site_links"], answers["site_links_sums"]
    if not rows:
        return Shown("No page links to a page of another site of this crawl.")
    links = sums["links"]
    everything = facts.study.get("links", links)
    first = rows[0]
    sentence = (
        f"{counted(links, 'link leads', 'links lead')} from one site to another,"
        f" {share(links, everything)} of all links between pages, over"
        f" {counted(sums['pairs'], 'pair', 'pairs')} of sites; the most, {count(first['links'])},"
        f" from {shown(first['source'], 60)} to {shown(first['target'], 60)}."
    )

    def name(row: Row) -> str:
        return f"{_host(row['source'])} → {_host(row['target'])}"

    figure = bars(
        "Links between sites",
        "The pairs of sites with the most links from pages of the one to pages of the other;"
        " shares are those of all links between sites.",
        rows[:12],
        name,
        "links",
        whole=links,
    )
    table = Table(
        "The pairs of sites with the most links.",
        (Column("From", "web"), Column("To", "web"), Column("Links", "count")),
        [(row["source"], row["target"], row["links"]) for row in rows[:MOST_ROWS]],
    )
    return Shown(sentence, (figure,), (table,))


def _host(site: str) -> str:
    return shown(site.partition("://")[2] or site, 60)


def _show_outside(answers: Answers, facts: Facts) -> Shown:
    rows, (sums,) = answers["outside"], answers["outside_sums"]
    left_out = total(answers["out_of_scope"], "urls") if not answers["recorded"] else 0
    beyond = (
        f"{counted(left_out, 'link', 'links')} out of scope {'is' if left_out == 1 else 'are'} only"
        " counted, without their hosts"
    )
    if not rows:
        sentence = "No recorded link leads to a host that the crawl has not asked"
        return Shown(f"{sentence}; {beyond}." if left_out else f"{sentence}.")
    first = rows[0]
    sentence = (
        f"{counted(sums['links'], 'link leads', 'links lead')} to"
        f" {counted(sums['hosts'], 'host that was', 'hosts that were')} never asked; the most,"
        f" {count(first['links'])} ({share(first['links'], sums['links'])}), to"
        f" {shown(first['host'], 60)}"
    )
    sentence += f"; {beyond}." if left_out else "."
    figure = bars(
        "Links to hosts outside",
        "Links to hosts that the crawl has not asked, by host.",
        rows[:12],
        by("host"),
        "links",
        whole=sums["links"],
    )
    table = Table(
        "The hosts outside that are linked to most.",
        (
            Column("Host", "web"),
            Column("Links", "count"),
            Column("From pages", "count"),
            Column("Different URLs", "count"),
        ),
        [(row["host"], row["links"], row["pages"], row["targets"]) for row in rows[:MOST_ROWS]],
    )
    return Shown(sentence, (figure,), (table, *_outside_sums(answers)))


def _outside_sums(answers: Answers) -> Iterator[Table]:
    """Yield the tables of links by domain and by top-level domain."""
    for of, name, title in (
        ("outside_domains", "domain", "Links to other sites by registrable domain."),
        ("outside_tlds", "tld", "Links to other sites by top-level domain; addresses have none."),
    ):
        heads = {"domain": "Domain", "tld": "Top-level domain"}
        yield Table(
            title,
            (
                Column(heads[name], "web"),
                Column("Hosts", "count"),
                Column("Links", "count"),
                Column("From pages", "count"),
                Column("Different URLs", "count"),
            ),
            [
                (row[name], row["hosts"], row["links"], row["pages"], row["targets"])
                for row in answers[of][:MOST_ROWS]
            ],
        )


def _show_servers(answers: Answers, facts: Facts) -> Shown:
    rows = answers["servers"]
    if not rows:
        return Shown("No site says by what program it is served.")
    sites = total(rows, "sites")
    everything = facts.study.get("sites", sites)
    first = rows[0]
    sentence = (
        f"{count(sites)} of {counted(everything, 'site')} name their server:"
        f" {counted(len(rows), 'program', 'different programs')}, most often"
        f" {shown(first['server'], 60)} ({share(first['sites'], sites)} of these sites)."
    )
    figure = bars(
        "Sites by server",
        "Sites by the header Server of their newest answer.",
        rows,
        by("server"),
        "sites",
    )
    table = Table(
        "Sites and pages by server.",
        (Column("Server", "web"), Column("Sites", "count"), Column("Pages", "count")),
        [(row["server"], row["sites"], row["pages"]) for row in rows[:MOST_ROWS]],
    )
    return Shown(sentence, (figure,), (table,))


def _show_headers(answers: Answers, facts: Facts) -> Shown:
    rows = answers["headers"]
    if not rows:
        return Shown("No answer has a header.")
    secured = [row for row in rows if row["about"] == "security"]
    sentence = f"Answers have {counted(len(rows), 'header', 'different headers')}"
    if secured:
        first = secured[0]
        sentence += (
            f", {count(len(secured))} of them on security; the most frequent of these,"
            f" {shown(first['header'], 60)}, is sent by {counted(first['sites'], 'site')}"
        )
    else:
        sentence += ", and none of the usual ones on security"
    figure = bars(
        "Sites by header",
        "Sites by the headers that their answers have; shares are those of all sites.",
        sorted(rows, key=lambda row: (-row["sites"], row["header"]))[:12],
        by("header"),
        "sites",
        whole=facts.study.get("sites", 0),
    )
    table = Table(
        "The most frequent headers.",
        (
            Column("Header", "web"),
            Column("About"),
            Column("Answers", "count"),
            Column("Sites", "count"),
        ),
        [(row["header"], row["about"], row["answers"], row["sites"]) for row in rows[:MOST_ROWS]],
    )
    return Shown(f"{sentence}.", (figure,), (table,))


CHAPTER = Chapter(
    "Sites",
    (
        Section(
            "sites",
            "Sites",
            {
                "site_sizes": "select pages, count(*) as sites from sites where pages > 0"
                " group by all order by pages",
                "sites": "select site, pages, bytes, pagerank_sum, mean_depth, mean_age_days,"
                " least_age_days, most_age_days, in_degree, out_degree, part, server from sites"
                f" where pages > 0 order by pages desc, site limit {MOST_FILE_ROWS}",
                "site_scores": "select pagerank_rank, site, pagerank_sum, pagerank_mean,"
                " authority_sum, authority_mean, authority_rank, hub_sum, hub_mean, hub_rank"
                f" from sites where pages > 0 order by pagerank_rank, site limit {MOST_FILE_ROWS}",
            },
            _show_sites,
            ("sites",),
        ),
        histograms.SECTION,
        Section(
            "site-links",
            "Links between sites",
            {
                "site_links": "select * from site_links order by links desc, source, target"
                f" limit {MOST_FILE_ROWS}"
            },
            _show_site_links,
            ("site_links",),
            {
                "site_links_sums": "select coalesce(sum(links), 0)::bigint as links,"
                " count(*) as pairs from site_links"
            },
        ),
        Section(
            "outside",
            "Links to hosts outside",
            {"outside": f"select * from outside order by links desc, host limit {MOST_FILE_ROWS}"},
            _show_outside,
            ("outside", "outside_domains", "outside_tlds", "refusals", "link_reasons"),
            {
                **{
                    of: f"select * from {of} order by links desc, {name} limit {MOST_FILE_ROWS}"
                    for of, name in (("outside_domains", "domain"), ("outside_tlds", "tld"))
                },
                "outside_sums": "select coalesce(sum(links), 0)::bigint as links,"
                " count(*) as hosts from outside",
                "out_of_scope": "select urls from refusals where reason = 'out-of-scope'",
                "recorded": "select links from link_reasons where reason = 'out-of-scope'",
            },
        ),
        Section(
            "servers",
            "Servers",
            {
                "servers": "select * from servers order by sites desc, pages desc, server"
                f" limit {MOST_FILE_ROWS}"
            },
            _show_servers,
            ("servers",),
        ),
        Section(
            "headers",
            "Headers",
            {
                "headers": "select header, about, answers, sites from headers"
                f" order by answers desc, header limit {MOST_FILE_ROWS}"
            },
            _show_headers,
            ("headers",),
        ),
    ),
)
