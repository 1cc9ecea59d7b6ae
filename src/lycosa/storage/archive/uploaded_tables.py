"""Reads tables that machines have uploaded to the store of objects, one segment after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lycosa.errors import FormatError, StoreError
from lycosa.model.url.key import key_of
from lycosa.storage.archive.layout import Name
from lycosa.storage.archive.reader import as_now
from lycosa.storage.objects.manifests import MANIFESTS, Manifest, read_manifest
from lycosa.storage.objects.protocol import Objects
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.tables.rows import signed, url_id


class UploadedTables:
    """The tables in a store of objects."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def names(self, except_for: Collection[int] = ()) -> Iterator[Name]:
        """Yield the segments that were uploaded, except some."""
        for found in self._objects.list(MANIFESTS):
            number = found.key.removeprefix(MANIFESTS).removesuffix(".json")
            if not number.isdigit() or int(number) in except_for:
                continue
            manifest = read_manifest(self._objects, int(number))
            if manifest is not None and not manifest.lost:
                yield Name(manifest.segment, manifest.worker)

    def rows(
        self,
        name: Name,
        kind: str,
        columns: Sequence[str],
        on_damage: Callable[[StoreError], None],
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a kind of one segment; `on_damage` is told of what cannot be read."""
        key = f"{kind}/{name}.parquet"
        content = self._objects.read(key)
        if content is None:
            on_damage(StoreError(f"{self._objects.place}: {key} is missing"))
            return
        try:
            with rows_file(pa.BufferReader(content)) as file:
                there = [column for column in columns if column in file.schema_arrow.names]
                for batch in file.iter_batches(columns=there):
                    yield as_now(batch, kind, columns)
        except (pa.ArrowException, OSError, ValueError) as problem:
            text = " ".join(str(problem).split())[:100]
            on_damage(StoreError(f"{self._objects.place}: {key} cannot be read: {text}"))

    def text(self, segment: int, url: str) -> str:
        """Return the visible text of a canonical URL in a segment; "" when it has none."""
        manifest = self._manifest(segment)
        number = pa.scalar(signed(url_id(key_of(url))), pa.int64())
        newest = ""
        if manifest is not None:
            name = Name(segment, manifest.worker)
            for batch in self.rows(name, "text", ["url_id", "text"], _raise):
                for row in batch.filter(pc.equal(batch.column("url_id"), number)).to_pylist():
                    newest = row["text"]
        return newest

    def _manifest(self, segment: int) -> Manifest | None:
        try:
            return read_manifest(self._objects, segment)
        except FormatError as problem:
            raise StoreError(str(problem)) from problem


def _raise(problem: StoreError) -> None:
    raise problem
