"""Finds the pages of older segments that ask for `noindex`, from their records in the archive.

Segments that were sealed by versions without the column `noindex` in `pages` do not say so. Their
pages are read again, by the rules and for the agent of the job, which takes about a millisecond
each; so that is done once (`segment_cache`), in `index/noindex/`. A page whose record is gone or
damaged counts as a page without `noindex`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.analysis.study.segment_cache import Kind, OnSegment, derive
from lycosa.crawl.answers.reading import read_page, showing_wishes
from lycosa.errors import LycosaError, StoreError
from lycosa.model.job import Job
from lycosa.model.records import Answer, Place
from lycosa.storage.archive.lock import alone
from lycosa.storage.tables.missing_tables import damage_told
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.warc.record_reader import WarcFiles, read_exchange

SCHEMA = pa.schema([("fetch_id", pa.int64())])
NAME = "noindex"

_BATCH_ROWS = 1_000


def make_told_noindex(
    folder: Path, pages: Sequence[Path], job: Job, on_segment: OnSegment
) -> list[Path]:
    """Return files with the fetches of pages that ask for `noindex` but are not marked with it."""
    unmarked = [path for path in pages if not _is_marked(folder, path)]
    store = folder / "index"
    if not unmarked:
        return []
    busy = f"{store}: another process is reading which pages ask for noindex\n  wait for it to end"
    with alone(store / "noindex.lock", LycosaError(busy)):
        files = WarcFiles(folder)
        try:

            def make(rows: Path) -> Iterator[pa.Table]:
                return _of_segment(rows, files, job)

            kind = Kind(NAME, SCHEMA, f"1 {job.fetch.agent}")
            return derive(store, kind, unmarked, make, on_segment)
        finally:
            files.close()


def _is_marked(folder: Path, pages: Path) -> bool:
    with damage_told(folder, pages):
        return NAME in pq.read_schema(beneath.checked(pages)).names


def _of_segment(rows: Path, files: WarcFiles, job: Job) -> Iterator[pa.Table]:
    segment = int(rows.stem.rpartition("-")[2])
    columns = ["fetch_id", "outcome", "offset", "length"]
    with rows_file(rows) as pages:
        for batch in pages.iter_batches(_BATCH_ROWS, columns=columns):
            listed = zip(*(batch.column(name).to_pylist() for name in columns), strict=True)
            asking = [
                number
                for number, outcome, offset, length in listed
                if length and outcome in ("kept", "rendered")
                if _asks(Place(segment, offset, length), files, job)
            ]
            yield pa.table({"fetch_id": pa.array(asking, pa.int64())}, schema=SCHEMA)


def _asks(place: Place, files: WarcFiles, job: Job) -> bool:
    try:
        stored = read_exchange(place, files.member)
        answer = Answer(stored.status, stored.headers, stored.body, 0.0, 0.0)
    except StoreError:  # The file was moved away or is damaged; `lycosa verify` reports damage.
        return False
    is_noindex, _ = showing_wishes(answer, read_page(answer, job), job)
    return is_noindex
