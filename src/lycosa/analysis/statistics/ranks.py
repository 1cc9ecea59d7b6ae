"""Ranks pages and sites: builds the link graph from the tables, analyses it, writes the results.

The nodes are the pages that the crawl holds: the last stored fetch of each URL. Edges are the links
by which a reader gets from one page to another, and that the crawl does not refuse: images, style
sheets and `nofollow` are none. A link to a URL that redirects is a link to the page at the end of
the redirects, if there is one. Further degrees count all links of a reader, refused ones and those
to pages outside included.

PageRank is computed twice: plain, where a reader takes every link of a page with the same chance,
and weighted by the kind of links. A form is worth half a link, because few readers fill it in. A
link that a page has several times is worth more, in proportion to log2(1 + times). The first link
of a page counts twice as much as its last one, where the table says at which position a link
stands. A link to another site is worth twice as much as one within the site, and a link on more
than half of the pages of a site, its boilerplate, a quarter.

Always true: `ranks` has one row per page, `sites` one row per site that received any request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import Connection
from lycosa.frontier.graph.bow_tie import PARTS, Parts, bow_tie, strong_components
from lycosa.frontier.graph.groups import links_of_groups, means, ranks, sums, within_and_between
from lycosa.frontier.graph.hits import hits
from lycosa.frontier.graph.links import (
    Graph,
    Rows,
    Weights,
    Worths,
    both_ways,
    graph_of,
    rows_of,
    targets_only_in,
    weighted_graph_of,
)
from lycosa.frontier.graph.numbering import UNKNOWN, Ids, Numbering, Numbers
from lycosa.frontier.graph.pagerank import pagerank, weighted_pagerank
from lycosa.storage.tables.link_ends import COUNTED_REASONS

KINDS = ("anchor", "frame", "form", "pagination", "refresh")
"""The kinds of link that lead a reader from one page to another."""

_MOST_HOPS = 20
_BATCH_ROWS = 1_000_000

Tell = Callable[[str], None]

_NOBODY = np.zeros(0, np.int32)
NO_LINKS, NO_WEIGHTS = weighted_graph_of(_NOBODY, _NOBODY, np.zeros(0), 0)


@dataclass
class WebGraph:
    """The pages of a crawl, their sites, and the links.

    Links take most of the memory of a study. So links are dropped after use.
    """

    pages: Numbering
    graph: Graph
    site_of: Numbers
    """The number of the site of every page."""
    sites: int
    weights: Weights
    refused: Graph
    """Links between the pages that the crawl refused to follow."""

    def drop_weights(self) -> None:
        """Drop the weights of the links."""
        self.weights = NO_WEIGHTS

    def drop_links(self) -> Rows:
        """Drop all links; return those from each page, to be used once more."""
        rows, self.graph, self.refused = self.graph.out, NO_LINKS, NO_LINKS
        self.drop_weights()
        return rows


def web_graph(connection: Connection) -> WebGraph:
    """Make the graph from `kept`, `links` and `heads`, and the table `site`."""
    connection.execute(
        "create temp table site as select site, row_number() over (order by site) - 1 as number"
        " from (select distinct site from fetches)"
    )
    found = connection.execute(
        "select url_id, number::integer as number from kept join site using (site) order by url_id"
    ).fetchnumpy()
    pages = Numbering(np.asarray(found["url_id"], np.int64))
    (sites,) = connection.execute("select count(*) from site").fetchone()
    site_of = np.asarray(found["number"], np.int32)
    size = len(pages)
    followed, refused = _links(connection, pages)
    rows = rows_of(*followed.ends(), size)
    del followed  # free the memory before the graph is built
    graph, weights = both_ways(rows)
    return WebGraph(pages, graph, site_of, int(sites), weights, graph_of(*refused.ends()[:2], size))


def link_weight(connection: Connection) -> str:
    """Return the SQL for the weight of a link."""
    of_kind = "case kind when 'form' then 0.5 else 1.0 end"
    of_times = "log2(1 + times)"
    if "position" not in connection.sql("select * from current_links limit 0").columns:
        return f"{of_kind} * {of_times}"
    last = "greatest(max(position) over (partition by source_id), 1)"
    return f"{of_kind} * {of_times} * (1 - 0.5 * coalesce(position, 0) / {last})"


_BOILERPLATE, _SAME_SITE = 0.25, 0.5
_LEAST_PAGES = 10
"""Fewest pages of a site whose boilerplate can be told from its other links."""

_WEIGHED = f"""
    with told as (
        select source_id, target_id, ({{weight}})::double as weight,
            split_part(source_url, '/', 3) as site, split_part(target_url, '/', 3) as target_site,
            reason is null or reason in ({{reasons}}) as counts
        from current_links where kind in ({{kinds}})
    ), sites as (
        select site, count(distinct source_id) as pages from told group by all
    ), boilerplate as (
        select site, target_id from told join sites using (site)
        where pages >= {_LEAST_PAGES}
        group by site, target_id, pages having 2 * count(*) > pages
    )
    select source_id, told.target_id, weight
        * case when boilerplate.site is null then 1.0 else {_BOILERPLATE} end
        * case when told.site = target_site then {_SAME_SITE} else 1.0 end as weight, counts
    from told left join boilerplate
        on boilerplate.site = told.site and boilerplate.target_id = told.target_id
"""


class _Links:
    """Links between pages, in arrays that take memory only where they are used."""

    def __init__(self, most: int) -> None:
        self._sources = np.empty(most, np.int32)
        self._targets = np.empty(most, np.int32)
        self._weights = np.empty(most, np.float32)
        self._count = 0

    def add(self, sources: Numbers, targets: Numbers, weights: Worths) -> None:
        """Add links."""
        here = slice(self._count, self._count + len(sources))
        self._sources[here], self._targets[here] = sources, targets
        self._weights[here] = weights
        self._count = here.stop

    def ends(self) -> tuple[Numbers, Numbers, Worths]:
        """Return sources, targets and weights."""
        here = slice(self._count)
        return self._sources[here], self._targets[here], self._weights[here]


def _links(connection: Connection, pages: Numbering) -> tuple[_Links, _Links]:
    """Return the links between pages: those of the graph, and those refused."""
    redirects = _Redirects(connection, pages)
    ((most,),) = connection.execute(
        f"select count(*) from current_links where kind in ({_listed(KINDS)})"
    ).fetchall()
    followed, refused = _Links(most), _Links(most)
    reader = connection.sql(
        _WEIGHED.format(
            weight=link_weight(connection),
            kinds=_listed(KINDS),
            reasons=_listed(COUNTED_REASONS),
        )
    ).to_arrow_reader(_BATCH_ROWS)
    for batch in reader:
        source = pages.numbers(_ids(batch.column("source_id")))
        target = redirects.numbers(_ids(batch.column("target_id")))
        is_inside = (source != UNKNOWN) & (target != UNKNOWN) & (source != target)
        counts = batch.column("counts").to_numpy(zero_copy_only=False).astype(bool)
        weight = batch.column("weight").to_numpy(zero_copy_only=False)
        for links, wanted in ((followed, is_inside & counts), (refused, is_inside & ~counts)):
            links.add(source[wanted], target[wanted], weight[wanted])
    return followed, refused


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _ids(column: pa.Array) -> Ids:
    ids: Ids = column.to_numpy(zero_copy_only=False)
    return ids


class _Redirects:
    """The number of the page at a URL, directly or through redirects."""

    def __init__(self, connection: Connection, pages: Numbering) -> None:
        found = connection.execute(
            "select url_id, arg_max(heads.redirect_id, fetched_at) as target from heads"
            " join fetches using (url_id, fetch_id) where heads.redirect_id is not null"
            " group by url_id order by url_id"
        ).fetchnumpy()
        self._pages = pages
        self._moved = Numbering(np.asarray(found["url_id"], np.int64))
        self._targets: Ids = np.asarray(found["target"], np.int64)

    def numbers(self, ids: Ids) -> Numbers:
        """Return the number of the page for every URL; `UNKNOWN` where there is none."""
        numbers = self._pages.numbers(ids)
        left = np.flatnonzero(numbers == UNKNOWN)
        asked = ids[left]
        for _ in range(_MOST_HOPS):
            moved = self._moved.numbers(asked)
            left, asked = left[moved != UNKNOWN], self._targets[moved[moved != UNKNOWN]]
            if not len(left):
                break
            numbers[left] = self._pages.numbers(asked)
            is_open = numbers[left] == UNKNOWN
            left, asked = left[is_open], asked[is_open]
        return numbers


def write_ranks(
    web: WebGraph, connection: Connection, results: Results, tell: Tell
) -> dict[str, Any]:
    """Write `ranks`, `sites` and `site_links`; return the figures for `study.json`."""
    graph = web.graph
    tell("PageRank")
    ranked = pagerank(graph)
    weighted = weighted_pagerank(web.weights)
    web.drop_weights()
    tell("hubs and authorities")
    found = hits(graph)
    tell("bow tie")
    strong = strong_components(graph)
    parts = bow_tie(graph, strong)
    scores = pa.table(
        {
            "url_id": web.pages.ids,
            "in_degree": graph.in_degrees,
            "out_degree": graph.out_degrees,
            "in_degree_all": _all_in_degrees(web),
            "pagerank": ranked.values,
            "rank": ranks(ranked.values),
            "hub": found.hubs,
            "authority": found.authorities,
            "component": strong,
            "part": _names(parts),
            "weighted_pagerank": weighted.values,
            "weighted_rank": ranks(weighted.values),
        }
    )
    tell("writing ranks")
    connection.register("scores", scores)
    results.write_and_name(
        connection,
        "ranks",
        # Each pair once, then counted: `count(distinct)` does not go to the disk.
        "with pairs as (select source_id, target_id from current_links"
        f" where kind in ({_listed(KINDS)}) and source_id != target_id"
        " and starts_with(target_url, 'http') group by all),"
        " out as (select source_id as url_id, count(*) as out_degree_all from pairs group by all)"
        " select url_id, url, site, depth, in_degree, out_degree, in_degree_all,"
        " coalesce(out_degree_all, 0)::integer as out_degree_all, pagerank, rank, hub, authority,"
        " component, part, weighted_pagerank, weighted_rank"
        " from kept join scores using (url_id) left join out using (url_id)"
        " order by url_id",
    )
    connection.unregister("scores")
    size, links = graph.size, graph.links
    del scores, graph
    tell("sites")
    values = {"pagerank": ranked.values, "hub": found.hubs, "authority": found.authorities}
    site_parts = _write_sites(web, values, connection, results)
    return {
        "pages": size,
        "links": links,
        "sites": web.sites,
        "pagerank": {"steps": ranked.steps, "error": ranked.error},
        "weighted_pagerank": {"steps": weighted.steps, "error": weighted.error},
        "hits": {"steps": found.steps, "residual": found.residual},
        "bow_tie": {"pages": _counts(parts), "sites": _counts(site_parts)},
    }


def _all_in_degrees(web: WebGraph) -> Numbers:
    """Return the number of pages that link to each page, also by links that the crawl refused."""
    more = targets_only_in(web.refused.out, web.graph.out)
    counts = np.bincount(more, minlength=web.graph.size)
    return (web.graph.in_degrees + counts).astype(np.int32)


def _write_sites(
    web: WebGraph,
    values: dict[str, NDArray[np.float64]],
    connection: Connection,
    results: Results,
) -> Parts:
    """Write the tables of sites; the links of the pages are dropped."""
    count = web.sites
    inner, links = within_and_between(links_of_groups(web.drop_links(), web.site_of, count))
    graph = Graph(links.plain(), links.plain().transposed())
    parts = bow_tie(graph)
    columns: dict[str, Any] = {"number": np.arange(count, dtype=np.int32)}
    for name, scores in values.items():
        columns[f"{name}_sum"] = sums(scores, web.site_of, count)
        columns[f"{name}_mean"] = means(scores, web.site_of, count)
        columns[f"{name}_rank"] = ranks(columns[f"{name}_sum"])
    columns["inner_links"] = inner
    columns["in_degree"], columns["out_degree"] = graph.in_degrees, graph.out_degrees
    columns["part"] = _names(parts)
    del graph
    connection.register("site_scores", pa.table(columns))
    results.write_and_name(
        connection,
        "sites",
        "select site, site_facts.* exclude (site), site_scores.* exclude (number) from site"
        " join site_scores using (number) join site_facts using (site)"
        " order by pagerank_rank, site",
    )
    pairs = {"source": links.sources(), "target": links.targets, "links": links.worths}
    connection.register("pairs", pa.table(pairs))
    results.write(
        connection,
        "site_links",
        "select s.site as source, t.site as target, links from pairs"
        " join site s on s.number = pairs.source join site t on t.number = pairs.target"
        " order by links desc, source, target",
    )
    return parts


def _names(parts: Parts) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(parts), pa.array(PARTS)).cast(pa.string())


def _counts(parts: Parts) -> dict[str, int]:
    counts = np.bincount(parts, minlength=len(PARTS))
    return dict(zip(PARTS, counts.tolist(), strict=True))
