"""Outcomes of linked URLs that were never requested: no table has them, only the log.

URLs of hosts that do not exist, of unreachable origins, and URLs disallowed by robots files end
without a fetch. They are looked up only for links that the crawl meant to follow and for which
`pages` has no row; in most crawls there are few.
"""

from __future__ import annotations

import pyarrow as pa

from lycosa.analysis.study.tables import Connection
from lycosa.errors import LogError, Untrusted
from lycosa.model.url import key_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.tables.rows import OUTCOME_NAMES

SCHEMA = pa.schema([("url_id", pa.int64()), ("outcome", pa.string())])

_UNANSWERED = """
    select target_id, any_value(target_url) from links
    where coalesce(reason, 'followed') = 'followed'
        and target_id not in (select url_id from pages)
    group by target_id
"""


def unasked_of(directory: CrawlDirectory, connection: Connection) -> pa.Table:
    """Return id and outcome of linked URLs that ended without a fetch."""
    missing = connection.execute(_UNANSWERED).fetchall()
    rows: list[tuple[int, str]] = []
    if missing and directory.has_begun:
        keys = [key_of(url) for _, url in missing]
        try:
            for state in directory.each_state(directory.job()):
                for (number, _), page in zip(missing, state.table.find_many(keys), strict=True):
                    outcome = state.outcome_of(page) if page >= 0 else None
                    if outcome is not None:
                        rows.append((number, OUTCOME_NAMES[outcome]))
        except (LogError, Untrusted):
            if not directory.may_lack_log:
                raise
            rows.clear()
    columns = list(zip(*rows, strict=True)) or [(), ()]
    arrays = [pa.array(c, field.type) for c, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)
