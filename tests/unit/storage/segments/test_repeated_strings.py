"""Strings of links that repeat: dictionaries in the journals, strings everywhere else."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lycosa.model.records import Place
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import journal_path, sealed_path, warc_names
from lycosa.storage.archive.reader import rows
from lycosa.storage.segments.survey import journal_batches
from lycosa.storage.tables.rows import JOURNAL_SCHEMAS, SCHEMAS, plain, plain_schema
from unit.storage.archive.exchanges import capture

COLUMNS = ["source_url", "target_url", "kind", "reason", "rel", "text"]


def always(place: Place, key: str) -> bool:
    return True


def crawl_with_links(folder: Path) -> Path:
    """Write two flushes whose pages have links in common, as a process that was then killed."""
    store = ArchiveStore(folder)
    for number in range(6):
        store.append(capture(number, links=4))
        if number in (2, 5):
            store.flush()
    store.close()
    return journal_path(folder, "links", warc_names(folder)[0])


def seal(folder: Path) -> None:
    store = ArchiveStore(folder)
    store.seal(always)
    store.close()


def links(folder: Path) -> list[dict[str, object]]:
    found = rows(folder, "links", COLUMNS)
    return [row for batch in found for row in batch.to_pylist()]


def test_a_reader_sees_strings_before_and_after_sealing(tmp_path: Path) -> None:
    journal = crawl_with_links(tmp_path)
    with pa.OSFile(str(journal)) as file, pa.ipc.open_stream(file) as stream:
        assert stream.schema == JOURNAL_SCHEMAS["links"]
        assert pa.types.is_dictionary(stream.schema.field("target_url").type)
    for batch in journal_batches(journal):
        assert batch.schema == SCHEMAS["links"]
    before = links(tmp_path)
    assert len(before) > 12
    seal(tmp_path)
    assert links(tmp_path) == before
    sealed = pq.read_schema(
        sealed_path(tmp_path, "links", warc_names(tmp_path)[0])
    ).remove_metadata()
    assert sealed == SCHEMAS["links"]


@pytest.mark.parametrize("lost", [1, 200, 1_200])
def test_a_flush_that_a_kill_cut_short_is_as_if_it_had_not_been(tmp_path: Path, lost: int) -> None:
    journal = crawl_with_links(tmp_path)
    whole = list(journal_batches(journal))
    content = journal.read_bytes()
    journal.write_bytes(content[:-lost])
    assert list(journal_batches(journal)) == whole[:1]


def test_a_journal_of_plain_strings_is_sealed_as_before(tmp_path: Path) -> None:
    journal = crawl_with_links(tmp_path)
    batches, before = list(journal_batches(journal)), links(tmp_path)
    with pa.OSFile(str(journal), "wb") as file, pa.ipc.new_stream(file, SCHEMAS["links"]) as stream:
        for batch in batches:
            stream.write_batch(batch)
    seal(tmp_path)
    assert links(tmp_path) == before


def test_rows_and_schema_become_plain_together() -> None:
    empty = JOURNAL_SCHEMAS["links"].empty_table().to_batches()
    assert all(plain(batch).schema == SCHEMAS["links"] for batch in empty)
    assert plain_schema(JOURNAL_SCHEMAS["links"]) == SCHEMAS["links"]
