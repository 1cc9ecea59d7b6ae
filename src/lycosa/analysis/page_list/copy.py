"""The narrow copy of a large crawl's list: `index/page-list/`, in generations.

    index/page-list/00000003/store/rows.parquet     one row a URL, sorted by URL
    index/page-list/00000003/store/latest.parquet   the tenth fetched last, in that order
    index/page-list/00000003/store/counts.parquet   numbers of rows by host, outcome, type, topic
    index/page-list/00000003/manifest.json          the segments that it was made from
    index/page-list/current                         which of them is the copy: "00000003"

A copy is made of all sealed segments and of the log, in two passes: the first reads segment by
segment which fetches are not the newest of their URLs, the second sorts the others. Groups of rows
are small, so that some rows out of millions are read without their neighbours.

Always true: a copy of which a segment has been rewritten or removed is not read any more.

Cost: DuckDB keeps `MEMORY_BYTES` and writes the rest to a temporary folder beside the copy.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa._support.decoders import json_decoder
from lycosa.analysis.page_list.columns import (
    LISTED_ROW,
    MOMENT,
    NAMES,
    NEWEST,
    SCHEMA,
    SOURCE,
    fetched,
)
from lycosa.analysis.page_list.fetches import Fetches, fetches_now
from lycosa.analysis.page_list.log_rows import log_batches
from lycosa.analysis.study.tables import (
    Connection,
    add_files,
    connected,
    file_literal,
    lock,
    named_failures,
    quoted,
)
from lycosa.analysis.triples.generation_build import NextGeneration, remove_old, writing
from lycosa.analysis.triples.generations import STORE, Generations
from lycosa.errors import StoreError
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.tables.derived import PAGE_TOPICS, READ, derived_path

FORMAT = 1
MEMORY_BYTES = 400_000_000
GROUP_ROWS = 10_240
LATEST_SHARE = 10
"""One row in so many is one of the latest."""
ROWS, LATEST, COUNTS = "rows.parquet", "latest.parquet", "counts.parquet"
MANIFEST = "manifest.json"
_WRITTEN_AS = "format parquet, compression lz4_raw, parquet_version v2"
"""The second version keeps texts without their lengths between them, and numbers packed."""
_LATEST = pa.schema(
    [("number", pa.int64())]
    + [SCHEMA.field(name) for name in ("url_id", "fetched", "outcome", "type", "topic", "words")]
)
"""The latest rows: the number of each among all, and what a search by time needs."""
_COUNTED = pa.schema(
    [(name, pa.string()) for name in ("host", "outcome", "type", "topic")]
    + [("number", pa.int64())]
)


class Manifest(msgspec.Struct):
    """The inputs of a copy."""

    format: int
    segments: dict[str, tuple[int, int]]
    """Size and time of the table of each segment."""
    topics: tuple[int, int] | None
    """Size and time of the topics that were computed after the crawl."""
    moment: float
    """The moment at which the log was read."""
    log: list[int]
    """A value that changes with the log."""
    rows: int = 0
    latest: int = 0
    """Number of the latest rows; 0 in a copy of an older version, which has none."""


class Progress(NamedTuple):
    """How far the making of a copy is."""

    done: int
    of: int
    what: str


def store_of(folder: Path) -> Generations:
    """Return the generations of the copy."""
    return Generations(folder, "page-list", "list of pages")


def state_of(path: Path) -> tuple[int, int] | None:
    """Return size and time of a file; None if it is not there."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns


def topics_of(folder: Path) -> tuple[int, int] | None:
    """Return size and time of the topics that `lycosa topics apply` has computed."""
    return state_of(derived_path(folder, PAGE_TOPICS))


def read_manifest(generation: Path) -> Manifest:
    """Read the manifest of a copy; raises `ValueError` if it is damaged."""
    return json_decoder(Manifest).decode(beneath.read_bytes(generation / MANIFEST))


def is_usable(manifest: Manifest, folder: Path, sealed: dict[str, Path]) -> bool:
    """Return whether the inputs of a copy are unchanged; there may be more by now."""
    states = {name: state_of(sealed[name]) for name in manifest.segments if name in sealed}
    return (
        manifest.format == FORMAT
        and states == manifest.segments
        and manifest.topics == topics_of(folder)
    )


def read_folders(folder: Path) -> tuple[Path, Path]:
    """Return the folders of a crawl's tables from which the list is made."""
    return folder / "pages", derived_path(folder, PAGE_TOPICS).parent


def add_topics(connection: Connection, folder: Path) -> str:
    """Make a table of the topics that were computed after the crawl; return its name, or ""."""
    path = derived_path(folder, PAGE_TOPICS)
    if not path.exists():
        return ""
    add_files(connection, "computed_topics", [path], READ[PAGE_TOPICS])
    connection.execute(
        "create table told as select url_id, max_by(topic, fetch_id) as topic"
        " from computed_topics group by all"
    )
    return "told"


def make_copy(
    directory: CrawlDirectory, log: list[int], on_progress: Callable[[Progress], None]
) -> Manifest:
    """Make the copy again, and put it in the place of the last one."""
    folder, job = directory.path, directory.job()
    store = store_of(folder)
    (folder / "index").mkdir(exist_ok=True)
    store.folder.mkdir(exist_ok=True)
    with writing(store):
        moment = time.time()
        fetches = fetches_now(folder)
        states = {name: state_of(path) for name, path in fetches.sealed.items()}
        segments = {name: state for name, state in states.items() if state is not None}
        manifest = Manifest(FORMAT, segments, topics_of(folder), moment, log)
        build = NextGeneration(store.folder)
        try:
            with (
                named_failures(folder, "the list of pages cannot be made", "make room on the disk"),
                connected([], store.folder, MEMORY_BYTES) as connection,
            ):
                connection.execute("set threads = 2")
                lock(connection, (*read_folders(folder), store.folder))
                maker = _Maker(connection, fetches, build, on_progress)
                maker.find_newest()
                maker.read_log(directory, job)
                maker.write(add_topics(connection, folder))
                manifest.rows, manifest.latest = maker.rows, maker.write_latest()
            _require_made(folder, build.path, manifest)
            beneath.write_bytes(build.path / MANIFEST, msgspec.json.encode(manifest))
            build.publish()
        finally:
            build.abandon()
        remove_old(store)
        return manifest


class _Maker:
    """The steps of one copy."""

    def __init__(
        self,
        connection: Connection,
        fetches: Fetches,
        build: NextGeneration,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._connection = connection
        self._files = fetches.sealed
        self._store = build.store
        self._tell = on_progress
        self._log_file = build.path / "log-rows.parquet"
        self.rows = 0

    def find_newest(self) -> None:
        """Find the fetches that are not the newest of their URL, segment by segment."""
        run = self._connection.execute
        run("create table ids (url_id bigint, fetch_id bigint, fetched bigint)")
        for number, path in enumerate(self._files.values(), 1):
            add_files(self._connection, "segment", [path])
            run(
                f"insert into ids select url_id, fetch_id, {MOMENT} from segment where {LISTED_ROW}"
            )
            run("drop view segment")
            self._tell(Progress(number, len(self._files), "segments read"))
        run(
            "create table again as select url_id from ids group by url_id having count(*) > 1;"
            f"create table old as select fetch_id from ids semi join again using (url_id)"
            f" qualify not ({NEWEST})"
        )

    def read_log(self, directory: CrawlDirectory, job: Job) -> None:
        """Write the rows of URLs without a fetch to a file, partition by partition."""
        segments = {int(name.rpartition("-")[2]) for name in self._files}
        of = job.frontier.partitions
        path = beneath.new_place(self._log_file)
        with pq.ParquetWriter(path, SCHEMA, compression="lz4") as writer:
            if directory.has_begun and not job.log.server:
                for number, state in enumerate(directory.each_state(job), 1):
                    for batch in log_batches(state, segments):
                        writer.write_batch(batch)
                    self._tell(Progress(number, of, "parts of the queue read"))
        add_files(self._connection, "log_rows", [self._log_file])

    def write(self, topics: str) -> None:
        """Write rows and counts."""
        run, count = self._connection.execute, len(self._files)
        self._tell(Progress(count, count, "segments read; now they are sorted"))
        run(f"create view every as {self._every(topics)}")
        rows, counts = self._store / ROWS, self._store / COUNTS
        run(
            f"copy (select {NAMES} from every order by url) to {quoted(rows)}"
            f" ({_WRITTEN_AS}, row_group_size {GROUP_ROWS})"
        )
        add_files(self._connection, "written", [rows])
        run(
            "copy (select host, outcome, type, topic, count(*) as number from written"
            f" group by all) to {quoted(counts)} ({_WRITTEN_AS})"
        )
        (self.rows,) = run("select count(*) from written").fetchone()
        self._log_file.unlink()

    def write_latest(self) -> int:
        """Write the latest rows, whole moments of them; return their number."""
        run, last = self._connection.execute, self.rows // LATEST_SHARE
        run("set variable since = -1")
        if last:
            run(
                "set variable since = (select fetched from written"
                f" order by fetched desc limit 1 offset {last})"
            )
        columns = ", ".join(_LATEST.names[1:])
        base = f"read_parquet({file_literal(self._store / ROWS)}, file_row_number = true)"
        path = self._store / LATEST
        run(
            f"copy (select file_row_number as number, {columns} from {base}"
            " where fetched > getvariable('since') order by fetched desc, url_id)"
            f" to {quoted(path)} ({_WRITTEN_AS}, row_group_size {GROUP_ROWS})"
        )
        add_files(self._connection, "latest", [path])
        (found,) = run("select count(*) from latest").fetchone()
        return int(found)

    def _every(self, topics: str) -> str:
        from_log = f"select {NAMES}, 0 as fetch_id from log_rows anti join ids using (url_id)"
        if not self._files:
            return from_log
        add_files(self._connection, "sealed", self._files.values())
        names = set(_names(self._connection, "sealed"))
        missing = "".join(f", null as {name}" for name in SOURCE.keys() - names - {"topic"})
        source = f"(select *{missing} from sealed anti join old using (fetch_id))"
        return f"{fetched(source, names, topics)} union all by name {from_log}"


def _names(connection: Connection, table: str) -> Iterator[str]:
    return (row[0] for row in connection.execute(f"describe {table}").fetchall())


def require_sound(generation: Path, manifest: Manifest) -> None:
    """Raise `ValueError` unless the files of a copy have the columns that they must have.

    A copy may come from a stranger, as the crawl does: other types would fail in a comparison with
    younger rows.
    """
    files = [(ROWS, SCHEMA, manifest.rows), (COUNTS, _COUNTED, None)]
    if manifest.latest:
        files.append((LATEST, _LATEST, manifest.latest))
    for name, schema, rows in files:
        path = generation / STORE / name
        found = pq.read_schema(beneath.checked(path))
        if (found.names, found.types) != (schema.names, schema.types):
            raise ValueError(f"{name} has other columns")
        if rows is not None and pq.read_metadata(beneath.checked(path)).num_rows != rows:
            raise ValueError(f"{name} has another number of rows")


def _require_made(folder: Path, generation: Path, manifest: Manifest) -> None:
    """Raise an error if tables have given a copy columns that it must not have."""
    try:
        require_sound(generation, manifest)
    except ValueError as error:
        raise StoreError(
            f"{folder}: the list of pages cannot be made: {error}, so a table is damaged\n"
            f"  see which: lycosa verify {folder}   mend it: lycosa verify {folder} --repair"
        ) from None


def rows_path(generation: Path) -> Path:
    """Return the file of a copy's rows."""
    return generation / STORE / ROWS


def latest_path(generation: Path) -> Path:
    """Return the file of a copy's latest rows."""
    return generation / STORE / LATEST


def counts_path(generation: Path) -> Path:
    """Return the file of a copy's counts."""
    return generation / STORE / COUNTS
