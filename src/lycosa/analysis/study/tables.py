"""The rows of a crawl directory as DuckDB tables.

The tables have the names of the folders: `pages`, `links`, `text`, `hosts`. Sealed segments are
read from their Parquet files when a query needs them. The rows of open segments are read into
memory at once, because such a segment may be sealed, and its journal gone, a moment later.

Always true: each segment is read once, even if it is sealed meanwhile.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from lycosa._support import beneath
from lycosa.errors import LycosaError, StoreError
from lycosa.frontier.distance import STEP
from lycosa.storage.archive.layout import (
    ITEMS,
    JOURNAL,
    KINDS,
    SEALED,
    Name,
    journal_path,
    names_in,
    sealed_path,
)
from lycosa.storage.log.told_segments import told_in
from lycosa.storage.segments.ends import OpenEnds, missing_bytes, unpack
from lycosa.storage.segments.sealing import journal_batches
from lycosa.storage.tables.extra import journal_schema
from lycosa.storage.tables.missing_tables import (
    damage_told,
    require_items,
    require_table,
    unreadable,
)
from lycosa.storage.tables.parquet_files import footer_of, require_types
from lycosa.storage.tables.rows import JOURNAL_SCHEMAS, SCHEMAS, SPELLED, plain_schema

Connection = Any
"""A `duckdb.DuckDBPyConnection`; DuckDB has no types that mypy could check."""


GONE = [
    "redirected",
    "not_found",
    "client_error",
    "soft_404",
    "wrong_type",
    "wrong_language",
    "too_large",
]
"""Outcomes after which a page no longer says what it said before."""

_TOPIC = [("topic", pa.string()), ("topic_confidence", pa.float32())]
STORED = {kind: plain_schema(one) for kind, one in SCHEMAS.items()}
"""The columns of sealed tables that queries read; an older table lacks some."""
STORED["pages"] = pa.schema([*STORED["pages"], *_TOPIC])

STUDIED = ("links", "hosts", "pages")
"""The kinds of rows that a study queries by SQL; it reads texts in Python."""


class Rows(NamedTuple):
    """The rows of one kind at one moment."""

    kind: str
    sealed: list[Path]
    opened: pa.Table
    """Rows of open segments."""

    def signature(self) -> dict[str, int]:
        """Return a string that changes whenever the rows change."""
        sizes = {path.name: path.stat().st_size for path in self.sealed}
        return sizes | {"open": self.opened.num_rows}


class Known(NamedTuple):
    """Facts about tables in the log's file."""

    ends: list[OpenEnds]
    """Committed ends of open tables."""
    sealed: frozenset[Name]
    """Segments that must have sealed tables."""


def rows_now(folder: Path, kind: str, known: Known | None = None) -> Rows:
    """List the rows of a kind; compare its tables with the facts in the log's file."""
    sealed: list[Path] = []
    opened: list[pa.Table] = []
    ends, must_be_sealed = _known(folder) if known is None else known
    is_of_all = kind != ITEMS
    require = require_table if is_of_all else require_items
    require(folder, *([kind] if is_of_all else []))
    _require_open(folder, kind, ends)
    names = {*names_in(folder, kind, SEALED), *names_in(folder, kind, JOURNAL)}
    if is_of_all:
        _require_sealed(folder, kind, must_be_sealed - names)
    sizes = {one.name: one.ends[kind].size_bytes for one in ends if kind in one.ends}
    for name in sorted(names):
        path = sealed_path(folder, kind, name)
        found = None if path.exists() else _journal(folder, kind, name, sizes.get(name, 0))
        if path.exists():  # perhaps sealed since the listing
            sealed.append(path)
        elif found is not None:
            opened.append(found)
    for path in sealed:
        with damage_told(folder, path):
            require_types(footer_of(path), STORED[kind], may_lack=True)
    opened.append(SCHEMAS[kind].empty_table())
    return Rows(kind, sealed, pa.concat_tables(opened, promote_options="permissive"))


def _known(folder: Path) -> Known:
    """Return the facts in the log's file; call this first, because tables grow meanwhile."""
    told = told_in(folder / "log")
    return Known(unpack(told.ends), told.sealed)


def _require_open(folder: Path, kind: str, committed: Iterable[OpenEnds]) -> None:
    """Refuse an open table that has lost rows since they were committed."""
    for ends in committed:
        if missing := missing_bytes(folder, kind, ends):
            path = journal_path(folder, kind, ends.name)
            lost = f"the last {missing:,} bytes that were committed are missing"
            raise unreadable(folder, path, ValueError(lost))


def _require_sealed(folder: Path, kind: str, missing: Collection[Name]) -> None:
    """Refuse a crawl that has lost sealed tables, unless a repair has just given them up."""
    lost = [name for name in missing if not sealed_path(folder, kind, name).exists()]
    if lost and (lost := sorted(_known(folder).sealed.intersection(lost))):
        more = f" (nor are those of {len(lost) - 1:,} others)" if len(lost) > 1 else ""
        why = f"it was sealed and is not there{more}"
        raise unreadable(folder, sealed_path(folder, kind, lost[0]), ValueError(why))


def _journal(folder: Path, kind: str, name: Name, committed: int) -> pa.Table | None:
    path = journal_path(folder, kind, name)
    with damage_told(folder, path):
        schema = journal_schema(path)
        if schema is None:
            if committed:
                raise unreadable(folder, path, ValueError("it has no columns"))
            return None
        hidden = set(JOURNAL_SCHEMAS[kind].names) - set(SCHEMAS[kind].names)
        names = [column for column in schema.names if column not in hidden]
        shown = plain_schema(pa.schema([schema.field(column) for column in names]))
        return pa.Table.from_batches(journal_batches(path, names, committed=committed), shown)


def require_rows(folder: Path, pages: Rows) -> None:
    """Refuse a crawl that has not fetched anything yet."""
    if not pages.sealed and not pages.opened.num_rows:
        raise LycosaError(
            f"{folder}: no page has been fetched yet, so there is nothing to study\n"
            f"  its state: lycosa status {folder}   go on: lycosa resume {folder}"
        )


@contextmanager
def connected(
    rows: Iterable[Rows], beside: Path | None = None, memory_bytes: int = 0
) -> Iterator[Connection]:
    """Open a database that has these rows as its tables, and nothing else.

    Rows that do not fit into `memory_bytes` go to a temporary folder, `beside` the crawl or where
    the system keeps such folders, which is removed at the end. 0 is two fifths of the machine's
    memory, or of the container's limit: the graph needs the rest.
    """
    with tempfile.TemporaryDirectory(".tmp", "lycosa-study-", beside) as spill:
        connection = duckdb.connect()
        try:
            connection.execute("set TimeZone = 'UTC'")
            connection.execute("set enable_progress_bar = false")
            connection.execute("set preserve_insertion_order = false")
            connection.execute(f"set temp_directory = {quoted(spill)}")
            limit = f"{memory_bytes} B" if memory_bytes else _half_of_memory(connection)
            connection.execute(f"set memory_limit = {quoted(limit)}")
            for some in rows:
                add_rows(connection, some)
            yield connection
        finally:
            connection.close()


def lock(connection: Connection, folders: Iterable[Path] = ()) -> None:
    """Give a database no files but those in some folders, no network, and the settings it has."""
    # The database compares a pattern as it is written, and then each file that it has found by it.
    spelled = (path for folder in folders for path in (folder.resolve(), _literal(folder)))
    allowed = ", ".join(map(quoted, spelled))
    for setting in (
        f"set allowed_directories = [{allowed}]",
        "set python_enable_replacements = false",
        "set autoinstall_known_extensions = false",
        "set autoload_known_extensions = false",
        "set enable_external_access = false",
        "set lock_configuration = true",
    ):
        connection.execute(setting)


OF_THE_QUERY = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.ParserException,
    duckdb.PermissionException,
    duckdb.SyntaxException,
)
"""Errors about a query, never about the bytes of a table.

Every table has the types that the queries expect: `rows_now` and `add_files` compare them.
"""

_NOT_OURS = (
    duckdb.IOException,
    duckdb.InvalidInputException,
    duckdb.OutOfMemoryException,
    pa.ArrowInvalid,
)


@contextmanager
def named_failures(folder: Path, what: str, remedy: str) -> Iterator[None]:
    """Turn errors of a full disk, too little memory or a damaged table into a `LycosaError`.

    A footer that makes no sense raises `duckdb.Error` itself.
    """
    try:
        yield
    except (duckdb.Error, pa.ArrowInvalid) as error:
        if not isinstance(error, _NOT_OURS) and type(error) is not duckdb.Error:
            raise
        raise StoreError(
            f"{folder}: {what}\n  {' '.join(str(error).split())}\n"
            f"  {remedy}; the crawl is unchanged\n"
            f"  if a table is damaged: lycosa verify {folder} --repair"
        ) from None


def _half_of_memory(connection: Connection) -> str:
    """Return half the memory that DuckDB would use by default, which is four fifths."""
    (whole,) = connection.execute("select current_setting('memory_limit')").fetchone()
    amount, unit = whole.split()
    return f"{float(amount) / 2} {unit}"


def all_rows(folder: Path, kinds: Iterable[str] = KINDS) -> list[Rows]:
    """List the rows of these kinds; `pages` come first, so that their links are there."""
    known = _known(folder)
    return [rows_now(folder, one, known) for one in (*reversed(KINDS), ITEMS) if one in set(kinds)]


def add_files(
    connection: Connection, name: str, files: Iterable[Path], schema: pa.Schema | None = None
) -> None:
    """Give Parquet files a name in the database.

    Files that this process has not written itself need a `schema`: the columns that queries read.
    """
    files = list(files)
    for path in files if schema is not None else ():
        with named(path):
            require_types(footer_of(path), schema)
    connection.execute(f"create view {name} as select * from {_scan(files)}")


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Name the file in Arrow's errors about it."""
    try:
        yield
    except pa.ArrowInvalid as error:
        raise pa.ArrowInvalid(f"{path}: {error}") from None


def add_rows(connection: Connection, rows: Rows, prefix: str = "") -> None:
    """Make rows a table of the database; a prefix tells apart the tables of several crawls."""
    opened = f"open_{prefix}{rows.kind}"
    connection.register(opened, rows.opened)
    parts = [f"select * from {_scan(rows.sealed)}"] if rows.sealed else []
    parts.append(f"select * from {opened}")
    stored = " union all by name ".join(parts)
    name = "items_history" if rows.kind == ITEMS else rows.kind
    connection.execute(f"create view {prefix}{name} as {shown(rows.kind, f'({stored})')}")


def shown(kind: str, stored: str) -> str:
    """Return the query for the rows of a kind in their public form; `stored` is the stored form."""
    names = SCHEMAS[kind].names
    spelled = f" replace ({SPELLED} as outcome)" if "outcome" in names else ""
    # In segments of all versions a distance counts links and redirects; depth counts links only.
    depth = f", distance // {STEP} as depth" if "distance" in names else ""
    return f"select *{spelled}{depth} from {stored}"


def quoted(text: object) -> str:
    """Write a string of SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def _scan(files: Iterable[Path]) -> str:
    listed = ", ".join(map(file_literal, files))
    return f"read_parquet([{listed}], union_by_name = true)"


def file_literal(path: Path) -> str:
    """Write the path of a crawl's file as a string of SQL that is not a pattern."""
    return quoted(_literal(beneath.checked(path)))


def _literal(path: Path) -> str:
    """Write a path so that DuckDB does not take parts of it for a pattern."""
    return re.sub(r"[\[*?]", lambda found: f"[{found[0]}]", str(path.resolve()))


@contextmanager
def damaged_tables_told(folder: Path) -> Iterator[None]:
    """Report damaged tables; an error about one of Lycosa's own queries is a bug."""
    try:
        with damage_told(folder, f"{folder}: a table"):
            yield
    except duckdb.Error as error:
        if isinstance(error, OF_THE_QUERY):
            raise
        raise unreadable(folder, f"{folder}: a table", error) from None
