"""A table whose columns have other types is damaged, and named before any query runs."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lycosa.analysis.checks.outside import ANSWERS, ANSWERS_SCHEMA
from lycosa.analysis.checks.run import check_site
from lycosa.analysis.exports.export import export
from lycosa.analysis.page_list.copy import make_copy
from lycosa.analysis.report.build import report
from lycosa.analysis.study.build import study
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import damaged_tables_told, named_failures, rows_now
from lycosa.analysis.text_index.index import TextIndex
from lycosa.errors import StoreError
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import SEALED
from lycosa.storage.tables.derived import PAGE_TOPICS, READ, derived_path
from unit.analysis.study.drawn_crawl import Fetch, write

FETCHES = [Fetch("test.a:/", ["test.a:/b"]), Fetch("test.a:/b", depth=1)]


def retype(path: Path, column: str, values: pa.Array) -> None:
    rows = pq.read_table(path)
    at = rows.schema.get_field_index(column)
    kept = rows.schema.metadata
    pq.write_table(rows.set_column(at, column, values).replace_schema_metadata(kept), path)


@pytest.mark.parametrize(
    ("column", "values", "told"),
    [
        ("status", pa.array(["200", "404"]), "'status' is of type BYTE_ARRAY STRING, not INT32"),
        ("url", pa.array([1, 2]), "'url' is of type INT64, not BYTE_ARRAY STRING"),
        ("url", pa.array([b"1", b"2"]), "'url' is of type BYTE_ARRAY, not BYTE_ARRAY STRING"),
        ("fetched_at", pa.array([1, 2]), "'fetched_at' is of type INT64, not INT64 TIMESTAMP"),
    ],
)
def test_a_table_of_other_types_is_named(
    tmp_path: Path, column: str, values: pa.Array, told: str
) -> None:
    write(tmp_path, FETCHES, is_sealed=True)
    (path,) = (tmp_path / "pages").glob(f"*{SEALED}")
    retype(path, column, values)
    with pytest.raises(StoreError) as raised:
        rows_now(tmp_path, "pages")
    assert path.name in str(raised.value) and told in str(raised.value)


def test_columns_of_plugins_and_of_older_versions_are_taken_as_they_are(tmp_path: Path) -> None:
    write(tmp_path, FETCHES, is_sealed=True)
    (path,) = (tmp_path / "pages").glob(f"*{SEALED}")
    rows = pq.read_table(path).drop_columns(["noindex"])
    pq.write_table(rows.append_column("my_column", pa.array(["a", "b"])), path)
    assert rows_now(tmp_path, "pages").sealed == [path]


def computed(folder: Path, name: str, schema: pa.Schema, column: str, kind: pa.DataType) -> Path:
    """Write a table without rows in `index/tables/`, with one column of another type."""
    path = derived_path(folder, name)
    path.parent.mkdir(parents=True)
    changed = schema.set(schema.get_field_index(column), pa.field(column, kind))
    pq.write_table(changed.empty_table(), path)
    return path


def test_topics_of_another_type_are_named_by_the_study_and_by_the_list(tmp_path: Path) -> None:
    write(tmp_path, FETCHES, is_sealed=True)
    schema = READ[PAGE_TOPICS]
    path = computed(tmp_path, PAGE_TOPICS, schema, "topic_confidence", pa.list_(pa.string()))
    with pytest.raises(StoreError, match=f"{path}: its column 'topic_confidence"):
        study(tmp_path)
    with pytest.raises(StoreError, match=f"{path}: its column 'topic_confidence"):
        make_copy(CrawlDirectory(tmp_path), [], lambda progress: None)


def test_answers_of_another_type_are_named_by_the_checks(tmp_path: Path) -> None:
    write(tmp_path, FETCHES, is_sealed=True)
    path = computed(tmp_path, ANSWERS, ANSWERS_SCHEMA, "status", pa.list_(pa.string()))
    with pytest.raises(StoreError, match=f"{path}: its column 'status"):
        check_site(tmp_path)


@pytest.mark.parametrize("is_missing", [False, True])
def test_a_table_of_a_study_with_other_columns_is_named_by_report_and_export(
    tmp_path: Path, is_missing: bool
) -> None:
    write(tmp_path, FETCHES, is_sealed=True)
    study(tmp_path)
    path = Results(tmp_path).path("ranks")
    if is_missing:
        pq.write_table(pq.read_table(path).drop_columns(["pagerank"]), path)
    else:
        retype(path, "pagerank", pa.array([["a"], ["b"]]))
    with pytest.raises(StoreError, match=f"{path}: cannot be read: its column 'pagerank"):
        report(tmp_path)
    with pytest.raises(StoreError, match=f"{path}: cannot be read: its column 'pagerank"):
        export(tmp_path, "pages", "graphml", tmp_path / "graph.xml")


def test_a_cached_result_of_another_type_is_computed_again(tmp_path: Path) -> None:
    write(tmp_path, FETCHES, is_sealed=True)
    study(tmp_path)
    (path,) = (Results(tmp_path).folder / "heads").glob("*.parquet")
    whole = pq.read_table(path)
    retype(path, "fetch_id", pa.array([["a"]] * len(whole)))
    study(tmp_path, rebuild=True)
    assert pq.read_table(path) == whole


def test_documents_of_another_type_are_named_by_the_text_index(tmp_path: Path) -> None:
    write(tmp_path, FETCHES, is_sealed=True)
    index = TextIndex(tmp_path, CrawlDirectory(tmp_path).job())
    index.update()
    path = index.store.folder / str(index.store.current()) / "documents.parquet"
    retype(path, "stamp", pa.array([["a"], ["b"]]))
    study(tmp_path)  # so that the index is no longer current
    with pytest.raises(StoreError, match=f"{path}: its column 'stamp"):
        index.update()


# -- faults of our own ------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["select no_such", "select * from no_such", "select from from"])
def test_a_fault_in_a_query_of_ours_is_not_called_damage(tmp_path: Path, query: str) -> None:
    for guard in (named_failures(tmp_path, "what", "remedy"), damaged_tables_told(tmp_path)):
        with pytest.raises(duckdb.Error, match=r"no_such|syntax error"), guard:
            duckdb.sql(query)


def test_a_fault_in_a_query_of_a_study_is_not_called_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, FETCHES, is_sealed=True)
    monkeypatch.setattr("lycosa.analysis.statistics.histograms.query", lambda: "select no_such")
    with pytest.raises(duckdb.BinderException, match="no_such"):
        study(tmp_path)
