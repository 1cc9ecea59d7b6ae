"""Compares two sides and gives the differences as tables; or compares the texts of one page."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from lycosa.analysis.comparison.sides import AFTER, BEFORE, Side, add_side
from lycosa.analysis.comparison.sides import Mapping as UrlMapping
from lycosa.analysis.comparison.tables import PREPARATIONS, TABLES
from lycosa.analysis.study.tables import OF_THE_QUERY, Connection, connected
from lycosa.errors import LycosaError
from lycosa.model.url import canonicalize
from lycosa.storage.tables.missing_tables import damage_told, unreadable

_BATCH = 200
"""Pages whose texts are in memory at a time."""
_TEXTS = f"""
    select page.url, page.old_url, page.title, coalesce(old.text, ''), coalesce(new.text, '')
    from pages_both page
    left join {BEFORE}_text old on old.fetch_id = page.old_text_fetch
    left join {AFTER}_text new on new.fetch_id = page.text_fetch
    where {{which}} order by page.url
"""
_CHANGED = pa.schema(
    [
        ("url", pa.string()),
        ("old_url", pa.string()),
        ("title", pa.string()),
        ("changed", pa.float64()),
        ("words_before", pa.int64()),
        ("words_after", pa.int64()),
        ("words_added", pa.int64()),
        ("words_removed", pa.int64()),
    ]
)


class Totals(NamedTuple):
    """Numbers of the pages of both sides, and of unchanged pages."""

    pages_before: int
    pages_after: int
    same: int
    """Pages of both sides with the same text."""
    other_markup: int
    """Of these, pages whose bytes differ."""


class Comparison(NamedTuple):
    """The differences between two sides; valid while the database is open."""

    before: Side
    after: Side
    totals: Totals
    connection: Connection
    counts: Mapping[str, int]
    """Rows by table."""

    def rows(self, name: str, most: int | None = None) -> list[dict[str, Any]]:
        """Return rows of a table, all of them or the first."""
        limit = "" if most is None else f" limit {most}"
        query = f"select * from {name} order by {TABLES[name]}{limit}"
        found: list[dict[str, Any]] = self.connection.sql(query).to_arrow_table().to_pylist()
        return found


class PageDifference(NamedTuple):
    """The difference between two texts of a page."""

    url: str
    old_url: str
    change: Change
    lines: list[str]


@contextmanager
def compared(before: Side, after: Side, maps: Sequence[UrlMapping] = ()) -> Iterator[Comparison]:
    """Compare two sides; the tables can be read until the block is left."""
    with _sides(before, after, maps) as connection:
        _add_changes(connection)
        counts = {
            name: int(connection.sql(f"select count(*) from {name}").fetchall()[0][0])
            for name in TABLES
        }
        (totals,) = connection.sql("""
            select (select count(*) from before_kept), (select count(*) from after_kept),
                count(*) filter (not has_other_text),
                count(*) filter (not has_other_text and has_other_bytes)
            from pages_both
        """).fetchall()
        yield Comparison(before, after, Totals(*totals), connection, counts)


def compare_page(
    before: Side, after: Side, url: str, maps: Sequence[UrlMapping] = ()
) -> PageDifference:
    """Compare the texts of one page, by its URL on either side."""
    canonical = canonicalize(url) or url
    with _sides(before, after, maps) as connection:
        query = _TEXTS.format(which="page.url = ? or page.old_url = ?")
        found = connection.execute(query, [canonical, canonical]).fetchone()
    if found is None:
        raise LycosaError(
            f"{url}: is not a page of both sides\n"
            f"  see its history: lycosa explain {after.folder} {url}"
        )
    new_url, old_url, _, old, new = found
    names = (f"{before.title} {old_url}", f"{after.title} {new_url}")
    return PageDifference(new_url, old_url, change_of(old, new), difference(old, new, names))


@contextmanager
def _sides(before: Side, after: Side, maps: Sequence[UrlMapping]) -> Iterator[Connection]:
    with connected([]) as connection:
        try:
            with damage_told(after.folder, "a table"):
                add_side(connection, BEFORE, before, maps)
                add_side(connection, AFTER, after)
                for preparation in PREPARATIONS:
                    connection.execute(preparation)
                yield connection
        except duckdb.Error as error:
            if isinstance(error, OF_THE_QUERY):  # a bug in a query
                raise
            which = before.folder if str(before.folder) in str(error) else after.folder
            raise unreadable(which, f"{which}: a table", error) from None


def _add_changes(connection: Connection) -> None:
    """Make the table of changed pages, with the share of changed words."""
    cursor = connection.execute(_TEXTS.format(which="page.has_other_text"))
    rows: list[tuple[Any, ...]] = []
    while batch := cursor.fetchmany(_BATCH):
        for url, old_url, title, old, new in batch:
            change = change_of(old, new)
            rows.append((url, old_url, title, change.share, *change))
    columns = list(zip(*rows, strict=True)) or [()] * len(_CHANGED)
    arrays = [pa.array(c, field.type) for c, field in zip(columns, _CHANGED, strict=True)]
    connection.register("pages_changed", pa.Table.from_arrays(arrays, schema=_CHANGED))


class Change(NamedTuple):
    """The difference between two texts, regardless of the order of their words."""

    words_before: int
    words_after: int
    added: int
    removed: int

    @property
    def share(self) -> float:
        """The changed share: 0 for the same words, 1 for no word in common."""
        whole = self.words_before + self.words_after
        return (self.added + self.removed) / whole if whole else 0.0


def change_of(before: str, after: str) -> Change:
    """Compare the words of two texts."""
    old, new = Counter(before.split()), Counter(after.split())
    return Change(old.total(), new.total(), added=(new - old).total(), removed=(old - new).total())


def difference(before: str, after: str, names: tuple[str, str]) -> list[str]:
    """Return the difference as `diff -u` writes it, without line ends."""
    return list(
        difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="", n=2)
    )
