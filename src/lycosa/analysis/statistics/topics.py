"""Topics of pages: pages, links, harvest and sites by topic, in a crawl that has topics.

A page has one topic here, the surest (column `topic`); `other` is the topic of pages of none. Where
`lycosa topics apply` has classified a crawl, its table `page_topics` counts alone, as in exports:
so all topics are of one model. Pages without a topic, such as those without text, are left out.

    topics         pages, bytes and sites of each topic; sites of which it has over half
    topic_links    links between pages of two topics, and how many chance would give
    topic_harvest  how many of the first n pages are wanted, at up to a hundred points
    topic_sites    the sites with most pages of each topic

Chance keeps the numbers of links from and to each topic, and pairs them at random: expected are the
links from the source, times the share of the target in the ends of all links.

A crawl without topics has none of these tables, and costs a look at the columns of `pages`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lycosa.analysis.statistics.ranks import WebGraph
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import Connection, add_files
from lycosa.crawl.status.topics import is_wanted
from lycosa.frontier.graph.groups import links_of_groups
from lycosa.model.job import Job
from lycosa.storage.tables.derived import PAGE_TOPICS, READ, derived_path

POINTS = 100
"""Most rows of `topic_harvest`."""
WINDOW_POINTS = 10
"""Points of the window for the latest rate: a tenth of the crawl."""
MOST_SITES = 20
"""Most sites of each topic in `topic_sites`."""

_APPLIED = PAGE_TOPICS
_COLUMNS = {"topic", "topic_confidence"}

_TOPIC_OF_PAGES = """
    create temp table page_topic as
    select url_id, arg_max({source}.topic, (fetched_at, pages.fetch_id)) as topic,
        arg_max({source}.topic_confidence, (fetched_at, pages.fetch_id)) as confidence
    from pages {join} join current using (url_id)
    where outcome = 'kept' and pages.digest is not distinct from current.digest
    and {source}.topic is not null
    group by url_id
"""
"""A page that was found unchanged has its topic beside an earlier fetch of the same bytes."""

_TOPICS = """
    with of_site as (
        select site, page_topic.topic, count(*) as pages, sum(size_bytes)::bigint as bytes,
            sum(confidence) as confidence
        from kept join page_topic using (url_id) group by all
    ), shared as (
        select *, 2 * pages > sum(pages) over (partition by site) as is_most from of_site
    )
    select topic, sum(pages)::bigint as pages, sum(bytes)::bigint as bytes, count(*) as sites,
        sum(confidence) / sum(pages) as mean_confidence, count(*) filter (is_most) as own_sites
    from shared group by all order by pages desc, topic
"""
_SITES = f"""
    with of_site as (
        select page_topic.topic, site, count(*) as pages, sum(size_bytes)::bigint as bytes
        from kept join page_topic using (url_id) group by all
    ), shared as (
        select *, pages / sum(pages) over (partition by site) as share from of_site
    )
    select topic, row_number() over (partition by topic order by pages desc, site) as place,
        site, pages, bytes, share
    from shared qualify place <= {MOST_SITES} order by topic, place
"""
_LINKS = """
    with away as (
        select source, sum(links) as links from topic_pairs group by all
    ), towards as (
        select target, sum(links) as links from topic_pairs group by all
    ), expected as (
        select source, target,
            away.links * towards.links / (select sum(links) from topic_pairs) as expected
        from away cross join towards
    )
    select s.topic as source, t.topic as target, coalesce(links, 0)::bigint as links,
        expected::double as expected, (coalesce(links, 0) / expected)::double as ratio
    from expected left join topic_pairs using (source, target)
    join topic s on s.number = expected.source join topic t on t.number = expected.target
    order by source, target
"""
_HARVEST = f"""
    with pages_in_order as (
        select row_number() over (order by first_kept, url_id) as place, is_wanted
        from page_topic join topic using (topic) join (
            select url_id, min(fetched_at) as first_kept from pages where outcome = 'kept'
            group by url_id
        ) using (url_id)
    ), whole as (
        select count(*) as pages, least(count(*), {POINTS}) as points from pages_in_order
    ), each_point as (
        select (place - 1) * points // pages as point, count(*) as pages,
            count(*) filter (is_wanted) as wanted
        from pages_in_order, whole group by all
    ), summed as (
        select point, sum(pages) over before as pages, sum(wanted) over before as wanted,
            sum(pages) over lately as window_pages, sum(wanted) over lately as window_wanted
        from each_point
        window before as (order by point),
            lately as (order by point rows between {WINDOW_POINTS - 1} preceding and current row)
    )
    select pages::bigint as pages, wanted::bigint as wanted, wanted / pages as harvest_rate,
        window_pages::bigint as window_pages, window_wanted::bigint as window_wanted,
        window_wanted / window_pages as window_rate
    from summed order by pages
"""
_NO_HARVEST = f"select * from ({_HARVEST}) limit 0"
"""The harvest of a crawl without wanted topics: no rows."""
_FACTS = """
    select count(*), count(page_topic.topic), count(distinct page_topic.topic) from kept
    left join page_topic using (url_id)
"""


def topics_signature(folder: Path, job: Job) -> dict[str, Any]:
    """Return the inputs of the tables besides the rows of the crawl; none without topics."""
    applied = derived_path(folder, _APPLIED)
    made = [applied.stat().st_size, applied.stat().st_mtime_ns] if applied.exists() else []
    if not made and not job.topics.model:
        return {}
    found = {"applied": made, "digest": job.topics.digest, "wanted": list(job.topics.wanted)}
    return {"topics": found}


def find_topics(connection: Connection, folder: Path, job: Job) -> bool:
    """Make the tables `page_topic` and `topic`, from `pages` and `current`, if pages have topics.

    Returns whether they have.
    """
    applied = derived_path(folder, _APPLIED)
    if applied.exists():
        add_files(connection, _APPLIED, [applied], READ[_APPLIED])
        join = f"join {_APPLIED} using (url_id, fetch_id)"
        topic_of_pages = _TOPIC_OF_PAGES.format(source=_APPLIED, join=join)
    elif set(connection.sql("select * from pages limit 0").columns) >= _COLUMNS:
        topic_of_pages = _TOPIC_OF_PAGES.format(source="pages", join="")
    else:
        return False
    connection.execute(topic_of_pages)
    found = connection.execute("select distinct topic from page_topic order by 1").fetchall()
    names = [name for (name,) in found]
    columns = {
        "number": pa.array(range(len(names)), pa.int32()),
        "topic": pa.array(names, pa.string()),
        "is_wanted": pa.array([is_wanted(name, job) for name in names], pa.bool_()),
    }
    connection.register("topic", pa.table(columns))
    return True


def write_topic_links(web: WebGraph, connection: Connection, results: Results) -> None:
    """Write `topic_links`, from the graph."""
    found = connection.execute(
        "select coalesce(number, -1)::integer as number from kept"
        " left join page_topic using (url_id) left join topic on topic.topic = page_topic.topic"
        " order by url_id"
    ).fetchnumpy()
    number = np.asarray(found["number"], np.int32)
    ((count,),) = connection.execute("select count(*) from topic").fetchall()
    links = links_of_groups(web.graph.out, np.where(number < 0, count, number), count + 1)
    sources = links.sources()
    is_known = (sources < count) & (links.targets < count)
    pairs = {"source": sources, "target": links.targets, "links": links.worths}
    known = pa.table({name: each[is_known] for name, each in pairs.items()})
    connection.register("topic_pairs", known)
    results.write(connection, "topic_links", _LINKS)
    connection.unregister("topic_pairs")


def write_topics(connection: Connection, results: Results, job: Job) -> dict[str, Any]:
    """Write the other tables; return the figures for `study.json`."""
    results.write(connection, "topics", _TOPICS)
    results.write(connection, "topic_sites", _SITES)
    results.write(connection, "topic_harvest", _HARVEST if job.topics.wanted else _NO_HARVEST)
    pages, classified, topics = connection.execute(_FACTS).fetchone()
    return {
        "topics": topics,
        "classified": classified,
        "unclassified": pages - classified,
        "wanted": list(job.topics.wanted),
    }
