"""Lists the crawls whose logs are in a PostgreSQL database."""

from __future__ import annotations

from lycosa.errors import LogError
from lycosa.storage.log.protocol import StoredCrawl
from lycosa.storage.postgres.connection import Link

_SCHEMAS = """
SELECT n.nspname FROM pg_namespace n
WHERE n.nspname ~ '^lycosa_[a-z0-9_]{1,50}$' AND has_schema_privilege(n.oid, 'USAGE')
    AND (SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid
            AND c.relname IN ('about', 'heads', 'notes')) = 3
ORDER BY n.nspname
"""


def list_crawls(url: str, patience_seconds: float) -> list[StoredCrawl]:
    """Return the crawls of a database that we may read."""
    link = Link(url, patience_seconds)
    found: list[StoredCrawl] = []
    try:
        for (schema,) in link.rows(_SCHEMAS):
            try:
                ((partitions,),) = link.rows(f'SELECT partitions FROM "{schema}".about')
                notes = dict(link.rows(f'SELECT name, value FROM "{schema}".notes'))
            except (LogError, ValueError):  # removed in the meantime, or a foreign table
                continue
            found.append(StoredCrawl(schema.removeprefix("lycosa_"), partitions, notes))
    finally:
        link.close()
    return found
