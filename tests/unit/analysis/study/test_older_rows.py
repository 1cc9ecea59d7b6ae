"""Tables that older versions wrote: younger columns are null, outcomes had capitals."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from lycosa import Crawl
from lycosa.analysis.exports.export import export
from lycosa.analysis.study.build import study
from lycosa.analysis.study.sql import asked
from lycosa.model.records import Outcome
from lycosa.storage.archive.layout import JOURNAL, SEALED
from lycosa.storage.archive.reader import find, table
from lycosa.storage.segments.sealing import seal_dead
from unit.analysis.study.drawn_crawl import Fetch, rows, write

YOUNG = {
    "pages": ["noindex", "noarchive", "redirect_url", "redirect_id"],
    "text": ["url", "title", "language"],
}
FETCHES = [
    Fetch("test.a:/", ["test.a:/b", "test.a:/c"]),
    Fetch("test.a:/b", depth=1),
    Fetch("test.a:/c", outcome=Outcome.NOT_FOUND, status=404, depth=1),
]


def aged(rows: pa.Table, kind: str) -> pa.Table:
    """Return rows as an older version wrote them."""
    rows = rows.drop_columns(YOUNG.get(kind, []))
    if "outcome" in rows.schema.names:
        at = rows.schema.get_field_index("outcome")
        rows = rows.set_column(at, "outcome", pc.ascii_upper(rows.column("outcome")))
    return rows


@pytest.fixture(params=["sealed", "open"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A crawl directory of an older version."""
    is_sealed = request.param == "sealed"
    write(tmp_path, FETCHES, is_sealed=is_sealed)
    for kind in ("pages", "text", "hosts"):
        if is_sealed:
            for path in (tmp_path / kind).glob(f"*{SEALED}"):
                pq.write_table(aged(pq.read_table(path), kind), path)
        for path in (tmp_path / kind).glob(f"*{JOURNAL}"):
            with pa.ipc.open_stream(path.read_bytes()) as stream:
                found = aged(stream.read_all(), kind)
            with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, found.schema) as out:
                out.write_table(found)
    for path in (tmp_path / "digests").glob("*"):
        path.unlink()
    return tmp_path


def test_sql_shows_nulls_and_small_outcomes_and_takes_either_spelling(old: Path) -> None:
    query = (
        "select url, outcome, redirect_url, noarchive from pages where outcome = '{}' order by 1"
    )
    for spelled in ("KEPT", "kept"):
        with asked(old, query.format(spelled)) as answer:
            assert answer.fetchall() == [
                ("http://a.test/", "kept", None, None),
                ("http://a.test/b", "kept", None, None),
            ]
    with asked(old, "select url, title from text") as answer:
        assert answer.fetchall() == [(None, None), (None, None)]


def test_readers_and_the_api_show_the_same(old: Path) -> None:
    found = table(old, "pages")
    assert sorted(found.column("outcome").to_pylist()) == ["kept", "kept", "not_found"]
    assert found.column("redirect_url").null_count == 3
    crawl = Crawl(old)
    assert [page.url for page in crawl.pages(outcome="not_found")] == ["http://a.test/c"]
    assert {page.noindex for page in crawl.pages()} == {None}
    assert len(list(crawl.texts(outcome="KEPT"))) == 2
    assert set(crawl.table("pages").read_all().column("outcome").to_pylist()) == {
        "kept",
        "not_found",
    }
    assert find(old, "http://a.test/b") is not None


def test_a_study_and_an_export_read_them(old: Path, tmp_path: Path) -> None:
    study(old)
    assert {row["outcome"]: row["fetches"] for row in rows(old, "outcomes")} == {
        "kept": 2,
        "not_found": 1,
    }
    export(old, "pages", "jsonl", tmp_path / "pages.jsonl")
    assert (tmp_path / "pages.jsonl").read_text().count('"outcome":"kept"') == 2


def test_an_open_segment_of_an_older_version_is_sealed(tmp_path: Path, old: Path) -> None:
    seal_dead(old, lambda place, key: True)
    assert table(old, "pages").num_rows == 3
    assert table(old, "text").num_rows == 2
