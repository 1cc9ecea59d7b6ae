"""Histograms of almost every number that is known of pages and sites, in one table (WIRE, 3).

Every property has bins whose edges are powers of two: bytes, ages, degrees and scores span many
orders of magnitude, and are drawn on logarithmic axes. The value 0 has a bin of its own, from 0 to
0; unknown values (a page without Last-Modified has no age) are in no bin.

Always true: the bins of a property do not overlap, and add up to the pages or sites that have it.
"""

from __future__ import annotations

PAGES = {
    "bytes": "size_bytes",
    "depth": "depth",
    "answer_seconds": "epoch(ended - began)",
    "age_days": "if(last_modified <= fetched_at, epoch(fetched_at - last_modified) / 86400, null)",
    "in_degree": "in_degree",
    "out_degree": "out_degree",
    "pagerank": "pagerank",
    "weighted_pagerank": "weighted_pagerank",
    "hub": "hub",
    "authority": "authority",
    "url_length": "length(url)",
}
"""Properties of pages, as SQL over `kept`, `ranks` and `heads`."""

SITES = {
    "pages": "pages",
    "bytes": "bytes",
    "mean_bytes": "mean_bytes",
    "fetches": "fetches",
    "failures": "failures",
    "addresses": "addresses",
    "deepest": "deepest",
    "mean_depth": "mean_depth",
    "mean_answer_seconds": "mean_answer_seconds",
    "mean_age_days": "mean_age_days",
    "least_age_days": "least_age_days",
    "most_age_days": "most_age_days",
    "in_degree": "in_degree",
    "out_degree": "out_degree",
    "inner_links": "inner_links",
    "pagerank_sum": "pagerank_sum",
    "hub_sum": "hub_sum",
    "authority_sum": "authority_sum",
}
"""Properties of sites with a page, as SQL over `sites`."""


_PAGES_FROM = (
    "kept join (select * exclude (url, site, depth) from ranks) using (url_id)"
    " left join heads using (url_id, fetch_id)"
)


def query() -> str:
    """Return the SQL of the table `histograms`."""
    pages = _values("pages", PAGES, _PAGES_FROM)
    sites = _values("sites", SITES, "sites where pages > 0")
    return f"""
        with found as ({pages} union all {sites}), bins as (
            select over, property, value,
                if(value > 0, 2.0 ** floor(log2(value)), 0.0) as from_value
            from found where value >= 0
        )
        select over, property, from_value, 2 * from_value as to_value, count(*) as nodes,
            min(value) as least, max(value) as most
        from bins group by over, property, from_value order by over, property, from_value"""


def _values(over: str, properties: dict[str, str], source: str) -> str:
    columns = ", ".join(f"({sql})::double as {name}" for name, sql in properties.items())
    return (
        f"select '{over}' as over, property, value from"
        f" (unpivot (select {columns} from {source}) on columns(*) into name property value value)"
    )
