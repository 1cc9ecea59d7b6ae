"""Answers questions about a crawl's list, from memory or from its copy.

The rows of a small crawl stand in memory, and are read again when its tables or its log have
changed. The rows of a large crawl are in its copy. Younger fetches stand in memory beside it, with
the rows of the copy that they replace. Its queue is as old as the copy.

Always true:
  * a URL has one row, and that of its newest fetch if it has any;
  * numbers are those of the rows: a number beside a filter is the length of its list.

Cost: a question about a copy reads the columns that it names (`copied_rows`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from lycosa.analysis.page_list import copy
from lycosa.analysis.page_list.columns import (
    LISTED,
    LISTED_NAMES,
    NAMES,
    NEWEST,
    SCHEMA,
    SOURCE,
    fetched,
)
from lycosa.analysis.page_list.copied_rows import CopiedRows, Ordered
from lycosa.analysis.page_list.fetches import Fetches, fetches_now, signature
from lycosa.analysis.page_list.log_rows import log_batches
from lycosa.analysis.page_list.question import (
    FACETS,
    Question,
    cursor_of,
    filtered,
    order,
    placed,
)
from lycosa.analysis.study.tables import (
    OF_THE_QUERY,
    Connection,
    add_files,
    file_literal,
    lock,
    named_failures,
)
from lycosa.analysis.triples.generations import Generations
from lycosa.errors import LycosaError
from lycosa.frontier.fold.state import PartitionState
from lycosa.storage.log.sqlite_files import log_signature

SMALL_TABLE_BYTES, SMALL_LOG_BYTES = 20_000_000, 40_000_000
"""A crawl with less is read whole: some 100,000 URLs."""
MEMORY_BYTES = 400_000_000
MOST_HOSTS = 20
_REMEDY = "ask again"


class NoCopy(LycosaError):
    """The crawl is too large to be read whole, and has no copy that could be used."""


class Rows(NamedTuple):
    """Some rows, in order."""

    rows: list[dict[str, Any]]
    following: str
    """The cursor of the rows behind them; "" if there are none."""


class Counts(NamedTuple):
    """Numbers of rows."""

    total: int
    by: dict[str, dict[str, int]]
    """By facet and value; each facet counts without its own filter."""


def is_small(folder: Path) -> bool:
    """Return whether a crawl is read whole."""
    tables = sum(size for _, size, _ in signature(folder))
    log = sum(path.stat().st_size for path in (folder / "log").rglob("*") if path.is_file())
    return tables < SMALL_TABLE_BYTES and log < SMALL_LOG_BYTES


class PageList:
    """The list of one crawl."""

    def __init__(self, folder: Path, states: Callable[[], Iterable[PartitionState]]) -> None:
        """`states` folds the log, or raises an error if the log is elsewhere."""
        self._folder = folder
        self._states = states
        self._held: ExitStack | None = None
        self._read: tuple[object, ...] = ()
        self._connection: Connection = None
        self._manifest: copy.Manifest | None = None
        self._base = ""
        """How a query names the copy; "" if the crawl is small."""
        self._counts = ""
        self._ordered: tuple[Ordered, Ordered | None] = (Ordered("", "", 0), None)
        """All rows of the copy, and the latest."""
        self._replaced: set[int] = set()
        """Rows of the copy in whose place there are younger ones."""
        self._queue_read = 0.0
        self._queue_log: list[int] = []
        """The signature of the log when the queue was read."""

    @property
    def queue_moment(self) -> float:
        """The moment of the queue: now unless the log has changed; 0 if the log is elsewhere."""
        if self._queue_read and self._queue_log == list(log_signature(self._folder)):
            return time.time()
        return self._queue_read

    def close(self) -> None:
        """Let go of the rows and of the copy."""
        if self._held is not None:
            self._held.close()
        self._held, self._read = None, ()

    # -- questions ----------------------------------------------------------------------------

    def rows(self, asked: Question) -> Rows:
        """Return some rows."""
        ordered, condition = order(asked), placed(asked)
        self._refresh()
        wanted = asked.limit + 1
        found = self._named(
            self._fetched(
                f"select {LISTED} from young where {condition.text}"
                f" order by {ordered} limit {wanted}",
                condition.values,
            )
        )
        if self._base:
            copied = CopiedRows(*self._ordered, self._counts, self._replaced, self._fetched)
            found += self._named(copied.found(asked, wanted))
            found.sort(key=lambda row: row["url_id"])
            found.sort(key=lambda row: row[asked.sort], reverse=asked.is_descending)
        rows = found[: asked.limit]
        return Rows(rows, cursor_of(asked, rows[-1]) if len(found) > asked.limit else "")

    def counts(self, asked: Question) -> Counts:
        """Count the rows of the filters, by each facet without its own filter."""
        self._refresh()
        found: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
        total = 0
        chosen = [getattr(asked, name) for name in FACETS]
        unfaceted = Question(host=asked.host, text=asked.text)
        for *values, number in self._counted(unfaceted, ", ".join(FACETS)):
            misses = [
                place
                for place, (value, wanted) in enumerate(zip(values, chosen, strict=True))
                if wanted and value != wanted
            ]
            total += 0 if misses else number
            for place, name in enumerate(FACETS):
                if not misses or misses == [place]:
                    found[name][values[place]] += number
        by = {name: _ordered(counter) for name, counter in found.items()}
        by["host"] = self._hosts(asked)
        return Counts(total, by)

    def _hosts(self, asked: Question) -> dict[str, int]:
        if asked.text and self._base:
            return {}  # a second look at all texts would take as long as the first
        hosts: Counter[str] = Counter()
        without = Question(
            outcome=asked.outcome, type=asked.type, topic=asked.topic, text=asked.text
        )
        for host, number in self._counted(without, "host"):
            hosts[host] += number
        return dict(sorted(_ordered(hosts).items(), key=lambda one: -one[1])[:MOST_HOSTS])

    def _counted(self, asked: Question, names: str) -> list[tuple[Any, ...]]:
        """Return values of some columns, each with a number of rows, which may be negative."""
        condition = filtered(asked)
        counted = f"select {names}, count(*)::bigint"
        found = self._fetched(
            f"{counted} from young where {condition.text} group by {names}", condition.values
        )
        if not self._base:
            return found
        gone = f"select {names}, -count(*)::bigint from replaced"
        found += self._fetched(f"{gone} where {condition.text} group by {names}", condition.values)
        # Facets are few values in each group of rows; hosts are too many to be counted each time.
        is_counted = names == "host" and not asked.text
        if is_counted:
            counted = f"select {names}, sum(number)::bigint"
        base = self._counts if is_counted else self._base
        found += self._fetched(
            f"{counted} from {base} where {condition.text} group by {names}", condition.values
        )
        return found

    def _fetched(self, query: str, values: list[Any]) -> list[tuple[Any, ...]]:
        try:
            found: list[tuple[Any, ...]] = self._connection.execute(query, values).fetchall()
        except duckdb.OutOfMemoryException:
            raise LycosaError("the question needs too much memory: add a filter") from None
        except duckdb.Error as error:
            if not self._base or isinstance(error, OF_THE_QUERY):
                raise
            self.close()
            raise NoCopy(f"the copy of the list is damaged: {error}") from None
        if self._base and any(None in row for row in found):  # no copy of ours has such a row
            self.close()
            raise NoCopy("the copy of the list is damaged: a row lacks a value")
        return found

    def _named(self, rows: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
        return [dict(zip(LISTED_NAMES, row, strict=True)) for row in rows]

    # -- reading ------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Read again what has changed."""
        store = copy.store_of(self._folder)
        small = is_small(self._folder)
        current = None if small else store.current()
        log = log_signature(self._folder) if small else ()
        topics = copy.topics_of(self._folder)
        state = (small, current, topics, signature(self._folder), log)
        if state == self._read:
            return
        fetches = fetches_now(self._folder)
        try:
            with named_failures(self._folder, "the list of pages cannot be read", _REMEDY):
                self._read_again(fetches, (small, current, topics))
        except BaseException:
            self.close()  # half of it may have been read
            raise
        self._read = state

    def _read_again(self, fetches: Fetches, what: tuple[object, ...]) -> None:
        if self._held is None or self._read[:3] != what:
            self.close()
            self._open(None if what[0] else copy.store_of(self._folder), fetches)
        elif self._manifest is not None:
            self._require_usable(self._manifest, fetches)
        self._fill(fetches, is_whole=bool(what[0]))

    def _open(self, store: Generations | None, fetches: Fetches) -> None:
        """Open a database, on the copy if there is one."""
        with ExitStack() as held:
            self._base = self._counts = ""
            self._manifest = None
            if store is not None:
                self._use(held.enter_context(store.held()) if store.current() else None, fetches)
            self._connection = held.enter_context(duckdb.connect())
            # No folder for what does not fit: a process that is killed would leave it behind.
            self._connection.execute("set temp_directory = ''")
            self._connection.execute(f"set memory_limit = '{MEMORY_BYTES} B'")
            self._connection.execute("set TimeZone = 'UTC'; set enable_progress_bar = false")
            self._connection.execute("set threads = 2; set parquet_metadata_cache = true")
            self._connection.execute("set autoinstall_known_extensions = false")
            self._connection.execute("set autoload_known_extensions = false")
            self._told = copy.add_topics(self._connection, self._folder)
            folders = (*copy.read_folders(self._folder), copy.store_of(self._folder).folder)
            lock(self._connection, folders)
            self._held = held.pop_all()

    def _use(self, generation: Path | None, fetches: Fetches) -> None:
        if generation is None:
            raise NoCopy("the list of this crawl has not been made yet")
        try:
            manifest = copy.read_manifest(generation)
            copy.require_sound(generation, manifest)
        except (OSError, ValueError, LycosaError) as error:
            raise NoCopy(f"the copy of the list is damaged: {error}") from None
        self._require_usable(manifest, fetches)
        self._manifest = manifest
        rows, counts = map(file_literal, (copy.rows_path(generation), copy.counts_path(generation)))
        self._base = f"read_parquet({rows}, file_row_number = true)"
        self._counts = f"read_parquet({counts})"
        latest = None
        if manifest.latest:
            file = file_literal(copy.latest_path(generation))
            read = f"read_parquet({file}, file_row_number = true)"
            latest = Ordered(read, "number", manifest.latest)
        self._ordered = Ordered(self._base, "file_row_number", manifest.rows), latest
        self._queue_read, self._queue_log = manifest.moment, manifest.log

    def _require_usable(self, manifest: copy.Manifest, fetches: Fetches) -> None:
        if not copy.is_usable(manifest, self._folder, fetches.sealed):
            self.close()
            raise NoCopy("the crawl's tables have been rewritten since its list was made")

    def _fill(self, fetches: Fetches, *, is_whole: bool) -> None:
        """Put the rows that are not in the copy into memory."""
        run = self._connection.execute
        run("drop table if exists young; drop table if exists replaced")
        run("drop view if exists sealed")
        known = self._manifest.segments if self._manifest is not None else {}
        young = [path for name, path in fetches.sealed.items() if name not in known]
        self._connection.register("opened", fetches.opened)
        parts = [fetched("opened", SOURCE, self._told)]
        if young:
            add_files(self._connection, "sealed", young)
            names = {row[0] for row in run("describe sealed").fetchall()}
            missing = "".join(f", null as {name}" for name in SOURCE.keys() - names - {"topic"})
            source = f"(select *{missing} from sealed)" if missing else "sealed"
            parts.append(fetched(source, names, self._told))
        query = " union all by name ".join(f"({part})" for part in parts)
        run(f"create table young as select * from ({query}) qualify {NEWEST}")
        run("alter table young drop fetch_id")
        if is_whole:
            self._add_log()
        else:
            self._fetched(
                f"create table replaced as select {NAMES} from {self._base}"
                " where url_id in (select url_id from young)",
                [],
            )
            self._replaced = {one for (one,) in self._fetched("select url_id from replaced", [])}

    def _add_log(self) -> None:
        """Add the rows of the log for URLs without a fetch."""
        log = list(log_signature(self._folder))
        try:
            states = list(self._states())
        except LycosaError:  # in a server, which this process cannot reach
            self._queue_read = 0.0
            return
        self._queue_read, self._queue_log = time.time(), log
        batches = [batch for state in states for batch in log_batches(state)]
        self._connection.register("log_rows", pa.Table.from_batches(batches, SCHEMA))
        self._connection.execute(
            f"insert into young by name select {NAMES} from log_rows anti join young using (url_id)"
        )
        self._connection.unregister("log_rows")


def _ordered(counter: Counter[str]) -> dict[str, int]:
    """Return what was counted, the largest first."""
    return {value: number for value, number in counter.most_common() if number}
