"""Selects the rows of one topic in an export: the repository of a topic (WebParF).

A page belongs to every topic that was found for it (column `topics`), and to those above: `science`
stands for `science.biology`, too. Topics found later by `lycosa topics apply` replace those found
by the crawl. Rows of `text` and `links` belong to the topics of their page.

By units, a page that was split gives only its sections about the topic (`page_units`), whatever
the whole page was found to be about, and a page that was not split its whole text, as unit 0.
"""

from __future__ import annotations

from lycosa.analysis.study.tables import Connection
from lycosa.errors import LycosaError

TABLES = ("pages", "text", "links")
"""Tables whose rows belong to a fetch."""


def rows_of_topic(
    connection: Connection, table: str, view: str, topic: str, *, without_seeds: bool
) -> str:
    """Return the name of a view of `view` with the rows of a topic, or all but those of seeds."""
    if table not in TABLES:
        raise LycosaError(f"`{table}` has no topics\n  tables that have: {', '.join(TABLES)}")
    fetches = _fetches(connection, topic) if topic else "select fetch_id from pages"
    if without_seeds:
        fetches += " intersect select fetch_id from pages where distance > 0"
    connection.execute(
        f"create view of_topic as select * from {view} semi join ({fetches}) using (fetch_id)"
    )
    return "of_topic"


def units_of_topic(
    connection: Connection, table: str, view: str, topic: str, without_seeds: bool
) -> str:
    """Return the name of a view with the texts of a topic: units of pages, or whole pages."""
    if table != "text" or not topic:
        raise LycosaError(
            "units are texts of a topic\n  write: lycosa export text DIR --topic NAME --units"
        )
    if not _has(connection, "page_units"):
        raise LycosaError(
            "the pages of this crawl are not split into units\n"
            "  split them: lycosa topics apply DIR --model topics.model"
        )
    whole = rows_of_topic(connection, table, view, topic, without_seeds=without_seeds)
    name = topic.replace("'", "''")
    not_seeds = "where distance > 0" if without_seeds else ""
    connection.execute(f"""
        create view units_of_topic as
        select url_id, fetch_id, url, number, heading, topic, topic_confidence, text from page_units
        semi join {view} using (fetch_id)
        semi join (select fetch_id from pages {not_seeds}) using (fetch_id)
        where topic = '{name}' or starts_with(topic, '{name}.')
        union all by name
        select url_id, fetch_id, url, 0 as number, title as heading, '{name}' as topic,
            page_topics.topic_confidence, text
        from {whole} left join page_topics using (url_id, fetch_id, url)
        anti join page_units using (fetch_id)
        order by url, fetch_id, number
    """)
    return "units_of_topic"


def _fetches(connection: Connection, topic: str) -> str:
    """Return the query for the fetches of pages about a topic."""
    source = "page_topics" if _has(connection, "page_topics") else "pages"
    if not _has(connection, source, "topics"):
        raise LycosaError(
            "the pages of this crawl have no topics\n"
            "  classify them: lycosa topics apply DIR --model topics.model"
        )
    name = topic.replace("'", "''")
    wanted = f"contains(' ' || topics || ' ', ' {name} ') or contains(' ' || topics, ' {name}.')"
    found = f"select fetch_id from {source} where {wanted} or topic = '{name}'"
    if connection.execute(f"select count(*) from ({found})").fetchone()[0]:
        return found
    known = connection.execute(
        f"select distinct topic from {source} where topic is not null order by 1"
    ).fetchall()
    raise LycosaError(
        f"no page is about `{topic}`\n  there are: {', '.join(one for (one,) in known)}"
    )


def _has(connection: Connection, table: str, column: str = "fetch_id") -> bool:
    found = connection.execute(
        "select count(*) from duckdb_columns() where table_name = ? and column_name = ?",
        [table, column],
    ).fetchone()
    return bool(found[0])
