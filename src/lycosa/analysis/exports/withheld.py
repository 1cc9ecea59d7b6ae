"""Leaves pages out of an export that ask for it (`noarchive`, `noindex`).

    text    neither the texts of pages that ask for `noarchive` nor those of `noindex`; page_units
            likewise
    items   none of a page that asks for `noarchive`
    pages   every row, marked; without title and description where the page asks for `noarchive`
    WARC    no record of a page that asks for `noarchive`

The existence of a page and its links are not copies of it: links, hosts and the tables of a study
are complete. The owner of a crawl can ask for everything, here and by `lycosa sql`.
"""

from __future__ import annotations

from lycosa.analysis.study.tables import Connection
from lycosa.model.job.content import Extract

_CONTENT = ("title", "description")
_TEXTS = ("text", "page_units")


def wishes_obeyed(extract: Extract, table: str) -> list[str]:
    """Return the wishes that an export of this table obeys: columns of `pages`."""
    obeyed = {
        "noarchive": extract.obey_noarchive and table in ("pages", "items", *_TEXTS),
        "noindex": extract.obey_noindex and table in _TEXTS,
    }
    return [wish for wish, is_obeyed in obeyed.items() if is_obeyed]


def without_withheld(connection: Connection, table: str, wishes: list[str]) -> tuple[str, int]:
    """Return the name of the table without rows of pages with a wish, and their number."""
    if not wishes:
        return table, 0
    asks = " or ".join(f"coalesce({wish}, false)" for wish in wishes)
    count = connection.execute(f"select count(*) from {table} where {asks}").fetchone()[0]
    connection.execute(f"create view to_be_exported as select * from {table} where not ({asks})")
    return "to_be_exported", int(count)


def withhold(connection: Connection, table: str, wishes: list[str]) -> tuple[str, int]:
    """Return the name of the table without withheld content, and the number of affected rows."""
    if not wishes:
        return table, 0
    asks = " or ".join(f"coalesce({wish}, false)" for wish in wishes)
    if table == "pages":
        count = connection.execute(f"select count(*) from pages where {asks}").fetchone()[0]
        hidden = ", ".join(f"case when {asks} then null else {c} end as {c}" for c in _CONTENT)
        query = f"select * replace ({hidden}) from pages"
    else:
        asking = f"(select fetch_id from pages where {asks})"
        found = f"select count(*) from {table} semi join {asking} using (fetch_id)"
        count = connection.execute(found).fetchone()[0]
        query = f"select * from {table} anti join {asking} using (fetch_id)"
    connection.execute(f"create view to_be_exported as {query}")
    return "to_be_exported", int(count)
