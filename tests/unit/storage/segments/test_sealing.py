"""What sealing writes: tables that others read, a sorted index, each URL to be found."""

from __future__ import annotations

import fcntl
import gzip
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lycosa.model.records import Capture, Outcome
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.files import temporary
from lycosa.storage.archive.layout import cdx_path, warc_names, warc_path
from lycosa.storage.archive.reader import captures, find, find_text, rows
from lycosa.storage.segments import sealing
from lycosa.storage.tables.arrow_functions import NAME_KEY, RowsWriter, name_of
from lycosa.storage.tables.rows import signed, url_id
from lycosa.storage.warc.cdx import surt
from unit.storage.archive.exchanges import answer, capture, failure, robots
from unit.storage.segments.sealed import always, column, responses, url


def test_duckdb_joins_what_was_sealed(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    for number in range(10):
        store.append(capture(number))
    store.append(failure(11))
    store.append(robots(12))
    store.seal(always)
    store.close()
    query = f"""
        select source.key, source.title, link.kind, link.rel, link.text, link.times, words.text
        from '{tmp_path}/links/*.parquet' link
        join '{tmp_path}/pages/*.parquet' source on source.url_id = link.source_id
        join '{tmp_path}/pages/*.parquet' target on target.url_id = link.target_id
        join '{tmp_path}/text/*.parquet' words on words.fetch_id = source.fetch_id
        where target.url = '{url(5)}' order by source.fetched_at
    """
    assert duckdb.execute(query).fetchall() == [
        (
            f"org.example:/page/{n}",
            f"Page {n}",
            "anchor",
            "next",
            f"to {5 - n}",
            2,
            f"The text of page {n}.",
        )
        for n in (2, 3, 4)
    ]
    counts = f"select outcome, count(*) from '{tmp_path}/pages/*.parquet' group by all order by 1"
    assert duckdb.execute(counts).fetchall() == [("kept", 10), ("timeout", 1)]
    page = f"""
        select url_id, source_id, fingerprint, epoch(ended - began), host, address, language
        from '{tmp_path}/pages/*.parquet' where key = 'org.example:/page/3'
    """
    assert duckdb.execute(page).fetchall() == [
        (
            signed(url_id("org.example:/page/3")),
            None,
            -(1 << 63) + 3,
            0.25,
            "example.org",
            "192.0.2.7:80",
            "en",
        )
    ]


def test_the_index_is_sorted_and_points_at_members(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    for number in range(30):
        store.append(capture(number))
    body = random.Random(31).randbytes(2000)
    store.append(capture(31, body))
    store.append(capture(32, body))
    store.append(failure(33))
    store.append(robots(34))
    store.seal(always)
    store.close()
    lines = cdx_path(tmp_path, warc_names(tmp_path)[0]).read_text().splitlines()
    assert len(lines) == 33
    assert lines == sorted(lines)
    for line in lines:
        key, moment, values = line.split(" ", 2)
        entry = json.loads(values)
        assert key == surt(entry["url"])
        assert len(moment) == 14
        content = (tmp_path / "warc" / entry["filename"]).read_bytes()
        offset, length = int(entry["offset"]), int(entry["length"])
        record = gzip.decompress(content[offset : offset + length])
        assert f"WARC-Target-URI: {entry['url']}\r\n".encode() in record
        assert f"WARC-Payload-Digest: sha1:{entry['digest']}\r\n".encode() in record
        assert record.count(b"WARC/1.1") == 1
    revisit = next(line for line in lines if url(32) in line)
    assert json.loads(revisit.split(" ", 2)[2])["mime"] == "warc/revisit"


def test_a_process_that_is_alive_keeps_its_segment(tmp_path: Path) -> None:
    writing = ArchiveStore(tmp_path)
    place = writing.append(capture(1))
    writing.flush()
    other = ArchiveStore(tmp_path, worker=1)
    assert other.seal(lambda place, key: False) == []
    writing.append(capture(2))
    writing.seal(always)
    assert other.read(place).url == url(1)
    writing.close()
    other.close()
    assert len(responses(tmp_path)) == 2


def test_sealing_twice_changes_nothing(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    store.append(capture(1))
    store.seal(always)

    def state() -> dict[str, int]:
        return {str(p): p.stat().st_mtime_ns for p in tmp_path.rglob("*.*") if p.is_file()}

    before = state()
    assert store.seal(always) == []
    assert state() == before
    store.close()


def test_a_sealer_waits_for_nobody(tmp_path: Path) -> None:
    killed = ArchiveStore(tmp_path)
    killed.append(capture(1))
    killed.close()
    path = warc_path(tmp_path, warc_names(tmp_path)[0])
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        store = ArchiveStore(tmp_path)
        assert store.seal(always) == []
    assert len(store.seal(always)) == 1
    store.close()


def test_the_newest_of_a_url_is_found_sealed_or_not(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)

    def visit(number: int, moment: float) -> Capture:
        return capture(number, reply=answer(f"at {moment}".encode(), began=moment))

    assert find(tmp_path, url(1)) is None
    assert find_text(tmp_path, url(1)) is None
    for number in range(200):
        store.append(visit(number, 1.7e9))
    store.seal(always)
    store.append(visit(7, 1.8e9))
    for is_sealed in (False, True):
        store.flush()
        for number in (0, 1, 7, 99, 199):
            found = find(tmp_path, url(number))
            assert found is not None
            moment = 1.8e9 if number == 7 else 1.7e9
            assert (found.url, found.body) == (url(number), f"at {moment}".encode())
        assert find(tmp_path, "http://example.org/page") is None
        assert find_text(tmp_path, url(7)) == "The text of page 7."
        if not is_sealed:
            store.seal(always)
    store.close()
    assert len(list(captures(tmp_path))) == 201
    batches = list(rows(tmp_path, "pages", ["key", "status"]))
    assert all(batch.schema.names == ["key", "status"] for batch in batches)


def test_rows_are_sealed_a_piece_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "ROW_GROUP_BYTES", 1_000)
    store = ArchiveStore(tmp_path)
    for number in range(50):
        store.append(capture(number))
        if number % 7 == 0:
            store.flush()
    store.seal(always)
    store.close()
    assert pq.ParquetFile(next((tmp_path / "pages").iterdir())).num_row_groups > 3
    assert len(column(tmp_path, "pages", "url")) == 50


def test_an_outcome_is_written_by_its_name(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    store.append(capture(1, outcome=Outcome.WRONG_TYPE, links=0))
    store.seal(always)
    store.close()
    assert column(tmp_path, "pages", "outcome") == ["wrong_type"]
    assert column(tmp_path, "text", "text") == []


def test_rows_are_written_as_parquet_s_own_writer_would(tmp_path: Path) -> None:
    rows = pa.table({"key": ["a", "b", "ü"] * 500, "kind": ["x"] * 1500, "n": list(range(1500))})
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    with RowsWriter(ours, rows.schema, ["kind"]) as writer:
        writer.write_table(rows)
        writer.write_table(rows.slice(10, 20))
    temporary(ours).rename(ours)
    with pq.ParquetWriter(
        theirs,
        rows.schema,
        compression="zstd",
        use_dictionary=["kind"],
        write_statistics=["key", "n"],  # of other strings they tell nothing
        write_page_checksum=True,
    ) as writer:
        writer.write_table(rows)
        writer.write_table(rows.slice(10, 20))
        writer.add_key_value_metadata({NAME_KEY: name_of(ours)})
    assert ours.read_bytes() == theirs.read_bytes()
    with pytest.raises(ValueError, match="another schema"), RowsWriter(ours, rows.schema, []) as w:
        w.write_table(rows.select(["key"]))


def test_row_groups_are_measured_as_arrow_measures_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    gathered = sealing._gathered

    def noted(
        batches: Iterable[pa.RecordBatch], schema: pa.Schema, most_bytes: int
    ) -> Iterator[pa.Table]:
        every = list(batches)
        for batch in every:
            ours = batch.get_total_buffer_size() - sealing._offset_bytes(batch.schema)
            sizes.append((ours, batch.nbytes))
        return gathered(every, schema, most_bytes)

    monkeypatch.setattr(sealing, "_gathered", noted)
    store = ArchiveStore(tmp_path)
    for number in range(300):
        store.append(capture(number))
        if number % 50 == 0:
            store.flush()
    store.append(robots(301))
    store.seal(always)
    store.close()
    assert len(sizes) > 4 and all(ours == theirs for ours, theirs in sizes)
