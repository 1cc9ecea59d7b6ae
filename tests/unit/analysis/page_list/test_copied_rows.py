"""Rows of a copy with many hosts, and how much of it is read."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lycosa.analysis.page_list import copied_rows
from lycosa.analysis.page_list.columns import LISTED_NAMES, SCHEMA
from lycosa.analysis.page_list.copied_rows import CopiedRows, Ordered
from lycosa.analysis.page_list.question import Question, cursor_of
from lycosa.analysis.study.tables import file_literal, quoted

ROWS, GROUP = 2_000, 100
Row = dict[str, Any]


def made(chance: random.Random) -> list[Row]:
    """Return rows of hosts of very different sizes, in order of the URL."""
    found = []
    for number in range(ROWS):
        host = f"h{int(chance.paretovariate(0.4)) % 300:03}.example"
        url, title = f"https://{host}/{number}", "bridge" if number % 5 else "stone bridge"
        row = dict.fromkeys(SCHEMA.names, 0) | dict.fromkeys(("language", "topic"), "")
        row |= {"url_id": chance.getrandbits(60), "url": url, "host": host, "title": title}
        row |= {"outcome": chance.choice(("kept", "timeout")), "type": "text/html"}
        row |= {"fetched": chance.randrange(ROWS), "words": f"{url} {title}"}
        found.append(row)
    return sorted(found, key=lambda row: row["url"])


def _ordered(path: Path, number: str, rows: int) -> Ordered:
    return Ordered(f"read_parquet({file_literal(path)}, file_row_number = true)", number, rows)


class Reader:
    """A copy, and the queries that were asked of it."""

    def __init__(self, folder: Path, replaced: int) -> None:
        chance = random.Random(replaced)
        self.rows = made(chance)
        self.replaced = {row["url_id"] for row in chance.sample(self.rows, replaced)}
        self.queries: list[str] = []
        self._connection = duckdb.connect()
        rows, counts = folder / "rows.parquet", folder / "counts.parquet"
        pq.write_table(pa.Table.from_pylist(self.rows, SCHEMA), rows, row_group_size=GROUP)
        self._connection.execute(
            "copy (select host, outcome, type, topic, count(*) as number"
            f" from {file_literal(rows)} group by all) to {quoted(counts)}"
        )
        counted = f"read_parquet({file_literal(counts)})"
        self.copied = CopiedRows(
            _ordered(rows, "file_row_number", ROWS),
            self._latest(rows),
            counted,
            self.replaced,
            self._fetched,
        )

    def _latest(self, rows: Path) -> Ordered:
        path = rows.with_name("latest.parquet")
        self._connection.execute(
            "copy (select * exclude (file_row_number), file_row_number as number"
            f" from read_parquet({file_literal(rows)}, file_row_number = true) where fetched > 1500"
            f" order by fetched desc, url_id) to {quoted(path)}"
        )
        return _ordered(path, "number", pq.read_metadata(path).num_rows)

    def _fetched(self, query: str, values: list[Any]) -> list[tuple[Any, ...]]:
        self.queries.append(query)
        found: list[tuple[Any, ...]] = self._connection.execute(query, values).fetchall()
        return found

    def paged(self, limit: int, **asked: Any) -> list[str]:
        """Return the URLs of all rows, page by page."""
        found: list[str] = []
        cursor = ""
        while True:
            question = Question(cursor=cursor, **asked)
            rows = [
                dict(zip(LISTED_NAMES, row, strict=True))
                for row in self.copied.found(question, limit + 1)
            ]
            rows.sort(key=lambda row: row["url_id"])
            rows.sort(key=lambda row: row[question.sort], reverse=question.is_descending)
            found += [row["url"] for row in rows[:limit]]
            if len(rows) <= limit:
                return found
            cursor = cursor_of(question, rows[limit - 1])

    def wanted(self, sort: str, outcome: str = "") -> list[str]:
        """Return the same by the rows that were written, downwards."""
        rows = [row for row in self.rows if row["url_id"] not in self.replaced]
        rows = [row for row in rows if row["outcome"] == (outcome or row["outcome"])]
        rows.sort(key=lambda row: row["url_id"])
        rows.sort(key=lambda row: row[sort], reverse=True)
        return [row["url"] for row in rows]


@pytest.mark.parametrize("replaced", [0, 150])
@pytest.mark.parametrize("outcome", ["", "timeout"])
def test_hosts_from_the_end_are_found_page_by_page(
    replaced: int, outcome: str, tmp_path: Path
) -> None:
    reader = Reader(tmp_path, replaced)
    assert reader.paged(37, sort="host", outcome=outcome) == reader.wanted("host", outcome)


def test_hosts_behind_the_answer_are_not_read(tmp_path: Path) -> None:
    reader = Reader(tmp_path, 0)
    found = reader.copied.found(Question(sort="host"), 20)
    hosts = sorted((row["host"] for row in reader.rows), reverse=True)
    (query,) = (query for query in reader.queries if "order by host" in query and "url_id" in query)
    assert "host >= ?" in query
    assert min(row[LISTED_NAMES.index("host")] for row in found) == hosts[19]


@pytest.mark.parametrize("replaced", [0, 150])
@pytest.mark.parametrize("text", ["stone", "9", "zebra"])
def test_words_are_found_page_by_page_beyond_the_latest(
    replaced: int, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copied_rows, "_STRETCH_ROWS", 50)
    reader = Reader(tmp_path, replaced)
    words = {row["url"] for row in reader.rows if text in row["words"]}
    wanted = [url for url in reader.wanted("fetched") if url in words]
    assert reader.paged(37, text=text) == wanted


def test_where_the_latest_rows_have_enough_no_others_are_searched(tmp_path: Path) -> None:
    reader = Reader(tmp_path, 0)
    assert len(reader.copied.found(Question(text="stone"), 20)) == 20
    searched = [query for query in reader.queries if "contains" in query]
    assert searched and all("latest.parquet" in query for query in searched)


@pytest.mark.parametrize(("group", "is_scanned"), [(100, False), (1000, True)])
def test_words_are_looked_for_along_the_order_unless_most_groups_were_read(
    group: int, is_scanned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copied_rows, "_GROUP_ROWS", group)
    monkeypatch.setattr(copied_rows, "_LEAST_FIRST_ROWS", 10)
    reader = Reader(tmp_path, 0)
    # Every row has the word, so 15 rows of the order are looked through for 10.
    found = reader.copied.found(Question(text="bridge", sort="size"), 10)
    assert len(found) == 10
    ordered = [query for query in reader.queries if "order by size" in query]
    assert any("contains" in query for query in ordered) == is_scanned
