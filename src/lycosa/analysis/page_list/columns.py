"""The columns of the list, and how the fetches of a crawl become rows of it.

No column is ever null, so that every sort order is total: a number that is not known is 0, a text
is empty. `words` is what a search looks through, in small letters.
"""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from lycosa.frontier.distance import STEP
from lycosa.model.url.views import VIEW_ROW

LONGEST_TITLE = 300

SCHEMA = pa.schema(
    [
        ("url_id", pa.int64()),
        ("url", pa.string()),
        ("title", pa.string()),
        ("outcome", pa.string()),
        ("status", pa.int32()),
        ("type", pa.string()),
        ("size", pa.int64()),
        ("depth", pa.int32()),
        ("fetched", pa.int64()),
        ("host", pa.string()),
        ("language", pa.string()),
        ("topic", pa.string()),
        ("words", pa.string()),
    ]
)
NAMES = ", ".join(SCHEMA.names)
LISTED_NAMES = [name for name in SCHEMA.names if name != "words"]
LISTED = ", ".join(LISTED_NAMES)
"""The columns of a row that is listed."""
_LAST_MOMENT = 253_402_300_799_999_999
"""Of the year 9999: no calendar of a reader goes beyond. A stranger's table may."""

SOURCE = {
    "url_id": pa.int64(),
    "fetch_id": pa.int64(),
    "fetched_at": pa.timestamp("us", tz="UTC"),
    "url": pa.string(),
    "host": pa.string(),
    "outcome": pa.string(),
    "status": pa.int16(),
    "content_type": pa.string(),
    "size_bytes": pa.int64(),
    "title": pa.string(),
    "language": pa.string(),
    "distance": pa.int32(),
    "topic": pa.string(),
}
"""The columns of `pages` that the list needs; `topic` is there in crawls with topics."""

MOMENT = f"greatest(0, least({_LAST_MOMENT}, coalesce(epoch_us(fetched_at), 0)))"
_TYPE = "lower(trim(split_part(coalesce(content_type, ''), ';', 1)))"
_TITLE = f"left(trim(coalesce(title, '')), {LONGEST_TITLE})"
_LANGUAGE = "lower(split_part(replace(trim(coalesce(language, '')), '_', '-'), '-', 1))"


def fetched(source: str, names: Collection[str], topics: str = "") -> str:
    """Return the query for the fetches in `source`, which has these columns, as rows of the list.

    `topics` is a table of topics that were computed after the crawl. The row that a browser
    adds to a page is left out: nothing was fetched for it. That of a view stays.
    """
    own = "coalesce(topic, '')" if "topic" in names else "''"
    topic = f"coalesce(told.topic, {own.replace('topic', 'page.topic', 1)})" if topics else own
    joined = f" left join {topics} told using (url_id)" if topics else ""
    depth = f"coalesce(distance // {STEP}, 0)::integer" if "distance" in names else "0"
    return f"""
        select url_id, coalesce(page.url, '') as url, {_TITLE} as title, lower(outcome) as outcome,
            coalesce(status, 0)::integer as status, {_TYPE} as type,
            coalesce(size_bytes, 0) as size, {depth} as depth, {MOMENT} as fetched,
            coalesce(page.host, '') as host, {_LANGUAGE} as language, {topic} as topic,
            lower(coalesce(page.url, '') || ' ' || {_TITLE}) as words, fetch_id
        from {source} page{joined} where {LISTED_ROW}
    """


LISTED_ROW = f"(lower(outcome) != 'rendered' or {VIEW_ROW}) and url_id is not null"
"""The condition for a row of `pages` that the list has."""
NEWEST = "row_number() over (partition by url_id order by fetched desc, fetch_id desc) = 1"
"""The condition for the newest fetch of a URL."""
