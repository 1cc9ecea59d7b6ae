"""Count the sites and rank the pages of a crawl in a store, with DuckDB.

    python rank_with_duckdb.py STORE/CRAWL [OUT]

The store is file:///FOLDER or s3://BUCKET/PREFIX. Files are opened by pyarrow, so DuckDB needs no
extension. What does not fit into memory goes to DuckDB's temporary folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import pyarrow.dataset as ds
from sealed_tables import DAMPING, EDGES, HOP, MOST_HOPS, QUESTIONS, SITES, TOLERANCE, Store


def connect(store: Store) -> duckdb.DuckDBPyConnection:
    """Return a database whose tables are those of the crawl."""
    connection = duckdb.connect()
    for name, files in store.tables().items():
        connection.register(name, ds.dataset(files, filesystem=store.files))
    for name, question in QUESTIONS.items():
        kind = "view" if name == "fetches" else "temp table"
        connection.execute(f"create {kind} {name} as {question}")
    return connection


def rank(connection: duckdb.DuckDBPyConnection) -> int:
    """Make the table `ranks`; return how many steps that took."""
    for _ in range(MOST_HOPS):
        connection.execute(f"create or replace temp table further as {HOP}")
        same = "(select * from further except all select * from leads)"
        (moves,) = connection.execute(f"select count(*) from {same}").fetchone()
        if not moves:
            break
        connection.execute("create or replace temp table leads as select * from further")
    connection.execute(f"create temp table edges as {EDGES}")
    connection.execute(
        "create temp table degrees as select source, count(*) as links from edges group by source"
    )
    (pages,) = connection.execute("select count(*) from held").fetchone()
    connection.execute(f"create temp table ranks as select url_id, 1e0 / {pages} as rank from held")
    step, error = 0, 1.0
    while error > TOLERANCE and step < 300:
        step += 1
        connection.execute(f"""
            create or replace temp table next as
            with given as (
                select target as url_id, sum(rank / links) as came
                from edges join degrees using (source) join ranks on source = ranks.url_id
                group by target
            ), lost as (
                select coalesce(sum(rank), 0) as rest from ranks
                where url_id not in (select source from degrees)
            )
            select ranks.url_id, {DAMPING} * coalesce(came, 0)
                + (1 - {DAMPING} + {DAMPING} * rest) / {pages} as rank
            from ranks left join given using (url_id), lost""")
        (change,) = connection.execute(
            "select sum(abs(next.rank - ranks.rank)) from next join ranks using (url_id)"
        ).fetchone()
        error = change * DAMPING / (1 - DAMPING)
        connection.execute("create or replace temp table ranks as select * from next")
    return step


def main(place: str, out: str = "ranks") -> None:
    """Write OUT/sites.parquet and OUT/ranks.parquet, and print the first ones."""
    connection = connect(Store(place))
    steps = rank(connection)
    Path(out).mkdir(exist_ok=True)
    connection.execute(f"copy ({SITES}) to '{out}/sites.parquet'")
    ranked = "select url, rank, url_id from ranks join held using (url_id)"
    connection.execute(f"copy ({ranked}) to '{out}/ranks.parquet'")
    print(f"{connection.sql('from held').shape[0]} pages, PageRank in {steps} steps")
    print(connection.sql(f"select * from ({SITES}) order by pages desc, site limit 5"))
    print(
        connection.sql(
            "select rank, url from ranks join held using (url_id) order by 1 desc limit 5"
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
