"""Source and target page of every stored link, as input for PageRank.

Only links that lead a reader from one page to another count, and that the crawl does not refuse;
each pair counts once, however often it occurs and in however many versions of its page.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa._support.tuples import NamedTuple
from lycosa.model.records import LinkKind

if TYPE_CHECKING:
    import pyarrow as pa

READERS_KINDS = (
    LinkKind.ANCHOR,
    LinkKind.FRAME,
    LinkKind.FORM,
    LinkKind.PAGINATION,
    LinkKind.REFRESH,
)
COUNTED_REASONS = ("followed", "too-deep", "known-copy")
"""Links in scope. Links in a segment of an earlier version have no reason, and are all in scope."""
_TRIES = 10


class LinkEnds(NamedTuple):
    """Links by the ids of their pages, as in the rows: two columns of 64-bit ids."""

    sources: array[int]
    targets: array[int]


def link_ends(folder: Path) -> LinkEnds:
    """Return the ends of all links in the segments of a folder, open ones among them.

    A segment may be sealed while we read: then its journal is gone, and we begin again.
    """
    for _ in range(_TRIES - 1):
        try:
            return _read(folder)
        except FileNotFoundError:
            continue
    return _read(folder)


def _read(folder: Path) -> LinkEnds:
    import pyarrow as pa  # imported late: a crawl without PageRank never needs it
    import pyarrow.compute as pc

    from lycosa.storage.archive.reader import rows

    names = pa.array([kind.name.lower() for kind in READERS_KINDS])
    reasons = pa.array([None, *COUNTED_REASONS])
    columns = ["source_id", "target_id"]
    schema = pa.schema([(name, pa.int64()) for name in columns])
    batches = []
    for batch in rows(folder, "links", [*columns, "kind", "reason"]):
        kept = batch.filter(pc.is_in(batch.column("kind"), value_set=names))
        kept = kept.filter(pc.is_in(kept.column("reason"), value_set=reasons))
        batches.append(kept.select(columns))
    pairs = pa.Table.from_batches(batches, schema).group_by(columns).aggregate([])
    return LinkEnds(*(_plain(pairs.column(name)) for name in columns))


def _plain(column: pa.ChunkedArray) -> array[int]:
    values = array("q")
    for chunk in column.chunks:
        content = memoryview(chunk.buffers()[1]).cast("q") if len(chunk) else memoryview(values)
        values.frombytes(content[chunk.offset : chunk.offset + len(chunk)].tobytes())
    return values
