"""Reads hreflang from stored pages, once for each sealed segment (`segment_cache`).

The table `links` says which pages have a `link` to an alternate version; only these are read from
their WARC files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.analysis.study.segment_cache import Derived, Kind, OnSegment, derive
from lycosa.analysis.study.tables import Rows
from lycosa.errors import StoreError
from lycosa.extract.hreflang import language_versions
from lycosa.model.records import Place
from lycosa.model.url import key_of
from lycosa.storage.archive.layout import KINDS
from lycosa.storage.tables.rows import signed, url_id
from lycosa.storage.warc.record_reader import WarcFiles, read_exchange

SCHEMA = pa.schema(
    [
        ("url_id", pa.int64()),
        ("fetch_id", pa.int64()),
        ("target_id", pa.int64()),
        ("target_url", pa.string()),
        ("language", pa.string()),
    ]
)
LANGUAGE_LINKS = Kind("language_links", SCHEMA, "1")

_PLACED = ["url_id", "fetch_id", "url", "content_type", "warc", "offset", "length"]
_MOST_VERSIONS = 500
"""Most alternate versions of one page; longer lists are not about languages."""


class _Page(NamedTuple):
    """The columns of a page that locate its answer."""

    url_id: int
    fetch_id: int
    url: str
    content_type: str | None
    warc: str
    offset: int
    length: int


def language_links_of(
    folder: Path, links: Rows, pages: Rows, store: Path, on_segment: OnSegment
) -> Derived:
    """Read the languages of all alternate versions; those of sealed segments stay in `store`."""
    assert {links.kind, pages.kind} <= set(KINDS)
    by_name = {path.name: path for path in pages.sealed}

    def read(rows: Path) -> Iterator[pa.Table]:
        found = pq.read_table(beneath.checked(rows), columns=["fetch_id", "kind", "rel"])
        placed = by_name.get(rows.name)
        if placed is not None:
            yield _versions(folder, found, pq.read_table(beneath.checked(placed), columns=_PLACED))

    files = derive(store, LANGUAGE_LINKS, links.sealed, read, on_segment)
    opened = links.opened.select(["fetch_id", "kind", "rel"])
    return Derived(files, _versions(folder, opened, pages.opened.select(_PLACED)))


def _versions(folder: Path, links: pa.Table, pages: pa.Table) -> pa.Table:
    is_alternate = pc.equal(links.column("kind"), "alternate")
    is_named = pc.match_substring(pc.fill_null(links.column("rel"), ""), "alternate")
    fetches = links.filter(pc.and_(is_alternate, is_named)).column("fetch_id").unique()
    wanted = pages.filter(pc.is_in(pages.column("fetch_id"), value_set=fetches))
    columns = list(zip(*_read(folder, wanted), strict=True)) or [()] * len(SCHEMA)
    arrays = [pa.array(c, field.type) for c, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def _read(folder: Path, pages: pa.Table) -> Iterator[tuple[int, int, int, str, str]]:
    with closing(WarcFiles(folder)) as files:
        for page in _pages(pages):
            segment = int(page.warc.partition(".")[0].rpartition("-")[2])
            place = Place(segment, page.offset, page.length)
            try:
                stored = read_exchange(place, files.member)
                found = language_versions(stored.body, page.content_type, stored.headers, page.url)
            except StoreError:  # the operator may have moved the WARC file away
                continue
            for target, language in found[:_MOST_VERSIONS]:
                number = signed(url_id(key_of(target)))
                yield page.url_id, page.fetch_id, number, target, language


def _pages(rows: pa.Table) -> Iterable[_Page]:
    for batch in rows.to_batches():
        for row in batch.to_pylist():
            if row["length"] and row["warc"]:
                yield _Page(**row)
