"""The rows of URLs that have no fetch in the tables: what the log says of them.

A URL that waits is `pending`, one that waits for a cycle or a topic is `put_off`; any other has
the outcome in which it has ended without a request.

Cost: 3 µs for each URL that is written, 0.5 µs for each that is skipped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pyarrow as pa

from lycosa.analysis.page_list.columns import SCHEMA
from lycosa.frontier.distance import depth_of
from lycosa.frontier.facts.columns import DONE, NONE, PUT_OFF
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.url import host_of, url_of
from lycosa.storage.tables.rows import signed, url_id

PENDING_NAME, PUT_OFF_NAME = "pending", "put_off"
_BATCH_ROWS = 50_000


def standing_of(state: PartitionState, page: int) -> str:
    """Return the place of a URL without a fetch: in the queue, put off, or its outcome."""
    if state.is_pending(page):
        return PENDING_NAME
    site = state.pages.site[page]
    if state.pages.status[page] == PUT_OFF and not state.sites.closed[site]:
        return PUT_OFF_NAME
    outcome = state.outcome_of(page)
    return outcome.name.lower() if outcome else PENDING_NAME


def log_batches(
    state: PartitionState, segments: Collection[int] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition's URLs; the caller takes the fetch of a URL if there is one.

    With `segments`, whose tables are here, URLs are left out that have ended with a fetch, unless
    it stands in another segment.
    """
    pages, fetches = state.pages, state.fetches
    rows: list[tuple[object, ...]] = []
    for key, page in state.table.walk():
        fetch = pages.fetch[page]
        if segments is not None and fetch != NONE and pages.status[page] == DONE:
            segment = fetches.segment[fetch]
            if not segment or segment in segments:
                continue
        url, host = url_of(key), host_of(key)
        number, depth = signed(url_id(key)), depth_of(pages.distance[page])
        what = standing_of(state, page)
        rows.append((number, url, "", what, 0, "", 0, depth, 0, host, "", "", f"{url} ".lower()))
        if len(rows) == _BATCH_ROWS:
            yield _batch(rows)
            rows.clear()
    yield _batch(rows)


def _batch(rows: list[tuple[object, ...]]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(SCHEMA)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, SCHEMA.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)
