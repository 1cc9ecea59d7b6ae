"""The records of requests that other machines of a cluster made, as far as the store has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa

from lycosa.errors import StoreError
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import Name, warc_names
from lycosa.storage.archive.reader import demands_in
from lycosa.storage.archive.uploaded import UploadedRecords
from lycosa.storage.archive.uploaded_tables import UploadedTables
from lycosa.storage.objects.opening import open_objects
from lycosa.storage.objects.protocol import Objects

OnDamage = Callable[[StoreError], None]


class OtherRecords:
    """Rows and answers of segments that are in the store and not in the directory."""

    def __init__(self, objects: Objects, directory: CrawlDirectory) -> None:
        self._tables = UploadedTables(objects)
        self._records = UploadedRecords(objects)
        here = {name.segment for name in warc_names(directory.path)}
        self._names: list[Name] = list(self._tables.names(here))

    def rows(
        self, kind: str, columns: Sequence[str], damaged: OnDamage
    ) -> Iterator[tuple[Name, pa.RecordBatch]]:
        """Yield the rows of a kind, segment by segment."""
        for name in self._names:
            for batch in self._tables.rows(name, kind, columns, damaged):
                yield name, batch

    def demands(self, damaged: OnDamage) -> Iterator[tuple[str, float, str | None]]:
        """Yield URL, moment and Retry-After of every 429 and 503."""
        columns = ["url", "ended", "status", "offset", "length"]
        for kind in ("pages", "hosts"):
            for name in self._names:
                for batch in self._tables.rows(name, kind, columns, damaged):
                    yield from demands_in(batch, name, self._records.member)


@contextmanager
def other_records(
    directory: CrawlDirectory, job: Job, damaged: OnDamage
) -> Iterator[OtherRecords | None]:
    """Open the records that other machines uploaded; None if the crawl has no server or no
    store."""
    if not job.log.server or not job.store.place:
        yield None
        return
    objects = open_objects(job.store.place, job.log.name)
    try:
        try:
            others: OtherRecords | None = OtherRecords(objects, directory)
        except StoreError as problem:
            damaged(problem)
            others = None
        yield others
    finally:
        objects.close()
