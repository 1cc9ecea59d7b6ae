"""The log of one machine: a single SQLite file, shared by all its workers.

It uses write-ahead mode and one transaction per commit, so links and events become visible together
or not at all. `durability="process"` survives any kill of the process, because the kernel has the
bytes; a power cut takes the commits since the last `sync`, and never damages the file
(`synchronous=NORMAL`). `"power"` waits for the disk at each commit.

There are two connections: commits run in a side thread on one, and the worker reads on the other,
which write-ahead mode never blocks.

The file must not lie on a network file system: SQLite's locks do not hold there, and
two owners of one partition could both believe that their append was the only one.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from lycosa._support.failpoints import reach
from lycosa.errors import FormatError, LogError
from lycosa.storage.log.archive import Archive, framed, read_history
from lycosa.storage.log.file_systems import refuse_network_file_system as refuse_network_file_system
from lycosa.storage.log.ownership import Takes
from lycosa.storage.log.protocol import INBOX_MOST, INBOXES_MOST, Contents, Head, Take, Write
from lycosa.storage.log.sqlite_files import (
    ENDS,
    SCHEMA,
    connected,
    failure,
    sync_commits,
    write_ahead,
)

VERSION = 1
_APPLICATION_ID = 0x4C79636F  # "Lyco"


class SqliteLog:
    """Logs and inboxes as two tables; the heads as a third."""

    reads_at_once = 1

    def __init__(self, folder: Path, partitions: int, durability: str = "process") -> None:
        refuse_network_file_system(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "log.sqlite"
        self.crawl_folder = folder.parent
        self._archive = Archive(folder / "archive")
        self._lock = threading.RLock()
        self.lock_seconds = 0.0
        """Total time spent waiting for other writing processes."""
        self._written = 0
        """Number of transactions that this object has committed."""
        self._synced = -1
        """Number of those that are on disk; -1 because earlier writes of others may not be."""
        with ExitStack() as opened:
            with self._failures_told():
                self._connection = opened.enter_context(closing(connected(self._path)))
                write_ahead(self._connection)
                # With OFF the database may reach the disk before the write-ahead file does.
                level = "FULL" if durability == "power" else "NORMAL"
                self._connection.execute(f"PRAGMA synchronous={level}")
                self._connection.execute("PRAGMA cache_size=-8000")
                self.partitions = self._open(partitions)
                self._reader = opened.enter_context(closing(connected(self._path, 5)))
                schema = self._reader.execute("SELECT sql FROM sqlite_schema WHERE name = 'notes'")
                self._notes_are_numbered = "WITHOUT ROWID" not in schema.fetchone()[0]
            try:
                self._takes = Takes(folder / "takes")
            except OSError as problem:
                raise self._failure(problem) from problem
            opened.pop_all()  # no failure: from now on `close` closes them
        self._owners: dict[int, str] = {}
        self._owners_at = -1

    @property
    def crawl(self) -> str:
        """The name that a move noted in the log."""
        return (self.noted("name") or b"").decode()

    def take(self, owner: str, takes: Sequence[Take]) -> list[int | None]:
        """Append everything that is not superseded as the new owner, in one transaction."""
        with self._lock, self._takes.changing(), self._transaction():
            valid = [take for take in takes if self._head(take.partition) == take.expect]
            self._connection.executemany(
                "INSERT INTO log VALUES (?, ?, ?)",
                [(take.partition, take.expect + 1, take.events) for take in valid],
            )
            self._connection.executemany(
                "UPDATE heads SET log = ?, owner = ? WHERE partition = ?",
                [(take.expect + 1, owner, take.partition) for take in valid],
            )
            reach("take.written")
            return self._results(valid, takes)

    def commit(self, writes: Sequence[Write]) -> list[int | None]:
        """Write everything that is not superseded in one transaction."""
        if any(write.releases for write in writes):
            with self._lock, self._takes.changing():
                return self._commit(writes)
        return self._commit(writes)

    def _commit(self, writes: Sequence[Write]) -> list[int | None]:
        with self._transaction():
            valid = [write for write in writes if self._head(write.partition) == write.expect]
            for write in valid:
                for target, messages in write.posts:
                    self._post(target, messages)
            reach("log.posted")
            for write in valid:
                self._append(write.partition, write.events, write.expect)
                self._connection.execute(
                    "DELETE FROM inbox WHERE partition = ? AND sequence <= ?",
                    (write.partition, write.inbox_read),
                )
                if write.releases:
                    self._connection.execute(
                        "UPDATE heads SET owner = '' WHERE partition = ?", (write.partition,)
                    )
                if write.ends is not None:
                    self._connection.execute("REPLACE INTO ends VALUES (?, ?)", write.ends)
            reach("log.appended")
            return self._results(valid, writes)

    def read(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield archived batches, then those of the log.

        Its owner may trim the log in the meantime: a batch missing there is then in the archive.
        """
        return read_history(
            after,
            self.head(partition).log,
            lambda last: self._archive.read(partition, last),
            lambda last: self._stored(partition, last),
        )

    def _stored(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        while True:
            rows = self._rows(
                "SELECT sequence, batch FROM log WHERE partition = ? AND sequence > ?"
                " ORDER BY sequence LIMIT 64",
                partition,
                after,
            )
            if not rows:
                return
            yield from rows
            after = rows[-1][0]

    def post(self, partition: int, messages: bytes) -> int:
        """Append to an inbox."""
        with self._transaction():
            return self._post(partition, messages)

    def post_all(
        self, posts: Sequence[tuple[int, bytes]], notes: Mapping[str, bytes] | None = None
    ) -> None:
        """Note and post everything in one transaction."""
        reach("seeds.before-post")
        with self._transaction():
            if notes:
                self._connection.executemany(
                    "INSERT OR IGNORE INTO notes VALUES (?, ?)", list(notes.items())
                )
            for partition, messages in posts:
                self._post(partition, messages)
            reach("seeds.posted")

    def inbox(self, partition: int, after: int) -> list[tuple[int, bytes]]:
        """Return the next entries after a sequence."""
        return self._rows(
            "SELECT sequence, batch FROM inbox WHERE partition = ? AND sequence > ?"
            f" ORDER BY sequence LIMIT {INBOX_MOST}",
            partition,
            after,
        )

    def inboxes(self, after: Mapping[int, int]) -> dict[int, list[tuple[int, bytes]]]:
        """Return the next entries of several inboxes, in one query."""
        rows = self._rows(
            "SELECT partition, sequence, batch FROM inbox"
            f" WHERE partition IN ({','.join('?' * len(after))})"
            f" ORDER BY partition, sequence LIMIT {INBOXES_MOST}",
            *after,
        )
        found: dict[int, list[tuple[int, bytes]]] = {}
        for partition, sequence, batch in rows:
            # Entries that are read and not committed yet are still in the table.
            if sequence > after[partition]:
                found.setdefault(partition, []).append((sequence, batch))
        return found

    def heads(self) -> list[Head]:
        """Return all heads, as of one moment."""
        rows = self._rows("SELECT log, inbox, owner FROM heads ORDER BY partition")
        return [Head(*row) for row in rows]

    def head(self, partition: int) -> Head:
        """Return one head."""
        question = "SELECT log, inbox, owner FROM heads WHERE partition = ?"
        return Head(*self._rows(question, partition)[0])

    def owner(self, partition: int) -> str:
        """Return the owner of a partition; cached, because every request needs it."""
        number = self._takes.word[0]
        if number != self._owners_at:
            self._owners, self._owners_at = {}, number
        known = self._owners.get(partition)
        if known is not None:
            return known
        rows = self._rows("SELECT owner FROM heads WHERE partition = ?", partition)
        name: str = rows[0][0]
        if number % 2 == 0:
            self._owners[partition] = name
        return name

    def trim(self, partition: int, through: int) -> int:
        """Copy batches to the archive, then delete them."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT sequence, batch FROM log WHERE partition = ? AND sequence <= ?"
                " ORDER BY sequence",
                (partition, through),
            ).fetchall()
        if not rows:
            return 0
        self.sync()  # the archive survives a power cut, and must not be ahead of the log
        self._archive.append(partition, rows)
        reach("trim.archived")
        with self._transaction():
            self._connection.execute(
                "DELETE FROM log WHERE partition = ? AND sequence <= ?", (partition, rows[-1][0])
            )
        return len(rows)

    def note(self, name: str, value: bytes) -> bool:
        """Write a note once."""
        with self._transaction():
            cursor = self._connection.execute(
                "INSERT OR IGNORE INTO notes VALUES (?, ?)", (name, value)
            )
            return cursor.rowcount == 1

    def note_at(self, name: str, value: bytes, heads: Sequence[Head]) -> bool:
        """Write a note once, if no head has moved."""
        with self._transaction():
            rows = self._connection.execute(
                "SELECT log, inbox, owner FROM heads ORDER BY partition"
            )
            if [Head(*row) for row in rows] != list(heads):
                return False
            cursor = self._connection.execute(
                "INSERT OR IGNORE INTO notes VALUES (?, ?)", (name, value)
            )
            return cursor.rowcount == 1

    def noted(self, name: str) -> bytes | None:
        """Return a note."""
        rows = self._rows("SELECT value FROM notes WHERE name = ?", name)
        return rows[0][0] if rows else None

    def notes(self, prefix: str) -> dict[str, bytes]:
        """Return notes by prefix."""
        rows = self._rows("SELECT name, value FROM notes WHERE name >= ?", prefix)
        return {name: value for name, value in rows if name.startswith(prefix)}

    def notes_since(self, number: int) -> tuple[int, dict[str, bytes]]:
        """Return the notes with larger row numbers; an old log has only a count."""
        if self._notes_are_numbered:
            last = self._rows("SELECT max(rowid) FROM notes")[0][0] or 0
            question = "SELECT name, value FROM notes WHERE rowid > ?"
            return last, dict(self._rows(question, number) if last > number else ())
        last = self._rows("SELECT count(*) FROM notes")[0][0]
        return last, dict(self._rows("SELECT name, value FROM notes") if last != number else ())

    def restore(
        self,
        heads: Sequence[tuple[int, Head]],
        batches: Iterable[tuple[int, int, bytes]],
        messages: Iterable[tuple[int, int, bytes]],
        notes: Mapping[str, bytes],
    ) -> None:
        """Fill a new log with the readable parts of a damaged one."""
        with self._transaction():
            execute = self._connection.executemany
            rows = [(head.log, head.inbox, head.owner, number) for number, head in heads]
            execute("UPDATE heads SET log = ?, inbox = ?, owner = ? WHERE partition = ?", rows)
            execute("INSERT OR REPLACE INTO log VALUES (?, ?, ?)", batches)
            execute("INSERT OR REPLACE INTO inbox VALUES (?, ?, ?)", messages)
            execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", notes.items())

    def fill(self, partition: int, contents: Contents) -> None:
        """Fill a partition of a new log: the last batch here, those before it in the archive."""
        last: list[tuple[int, bytes]] = []
        for group, is_last in framed(contents.batches()):
            if is_last:
                last = group
            else:
                self._archive.append(partition, group)
        head = Head(
            last[0][0] if last else 0,
            contents.inbox_read + len(contents.messages),
            "",
        )
        messages = enumerate(contents.messages, contents.inbox_read + 1)
        self.restore(
            [(partition, head)],
            [(partition, *pair) for pair in last],
            [(partition, sequence, batch) for sequence, batch in messages],
            {},
        )

    def sync(self) -> None:
        """Write all commits to disk with one fsync, unless they are there."""
        if self._synced != (written := self._written):
            try:
                sync_commits(self._path)
            except OSError as problem:
                raise self._failure(problem) from problem
            self._synced = written

    def close(self) -> None:
        """Close the file; a transaction in progress is undone, as by a kill."""
        self._reader.close()
        self._connection.close()
        self._takes.close()

    def _open(self, partitions: int) -> int:
        """Make the tables of a new log, or check those of an old one."""
        with self._transaction():
            application = self._pragma("application_id")
            if (
                application == 0
                and not self._connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
            ):
                for statement in SCHEMA.split(";\n"):
                    self._connection.execute(statement)
                self._connection.executemany(
                    "INSERT INTO heads VALUES (?, 0, 0, '')", [(n,) for n in range(partitions)]
                )
                self._connection.execute(ENDS)
                self._connection.execute(f"PRAGMA application_id={_APPLICATION_ID}")
                self._connection.execute(f"PRAGMA user_version={VERSION}")
                return partitions
            if application != _APPLICATION_ID:
                raise FormatError(
                    f"{self._path}: is not a log of Lycosa, or is damaged\n"
                    f"  to find out: lycosa verify {self.crawl_folder}"
                )
            if (version := self._pragma("user_version")) != VERSION:
                raise FormatError(
                    f"{self._path}: has log format {version}; this Lycosa reads format {VERSION}\n"
                    "  it was written by another release: resume with that one or a newer one"
                )
            row = self._connection.execute("SELECT count(*) FROM heads").fetchone()
            self._connection.execute(ENDS)  # logs of older versions lack it
            if row[0] != partitions:
                raise LogError(
                    f"{self._path}: the crawl has {row[0]} partitions,"
                    f" the job asks for {partitions}\n"
                    f"  the number is chosen once: set [frontier] partitions = {row[0]}"
                )
        return partitions

    def _pragma(self, name: str) -> int:
        value: int = self._connection.execute(f"PRAGMA {name}").fetchone()[0]
        return value

    def _head(self, partition: int) -> int:
        head: int = self._connection.execute(
            "SELECT log FROM heads WHERE partition = ?", (partition,)
        ).fetchone()[0]
        return head

    def _results(
        self, valid: Sequence[Take | Write], given: Sequence[Take | Write]
    ) -> list[int | None]:
        """Return the sequences of the writes, including those of repeated writes."""
        accepted = {one.partition for one in valid}
        return [
            one.expect + 1 if one.partition in accepted or self._is_known(one) else None
            for one in given
        ]

    def _is_known(self, one: Take | Write) -> bool:
        """Return whether a repeated write has happened before."""
        row = self._connection.execute(
            "SELECT batch FROM log WHERE partition = ? AND sequence = ?",
            (one.partition, one.expect + 1),
        ).fetchone()
        return row is not None and row[0] == one.events

    def _append(self, partition: int, events: bytes, expect: int) -> None:
        self._connection.execute(
            "INSERT INTO log VALUES (?, ?, ?)", (partition, expect + 1, events)
        )
        self._connection.execute(
            "UPDATE heads SET log = ? WHERE partition = ?", (expect + 1, partition)
        )

    def _post(self, partition: int, messages: bytes) -> int:
        sequence: int = self._connection.execute(
            "UPDATE heads SET inbox = inbox + 1 WHERE partition = ? RETURNING inbox", (partition,)
        ).fetchone()[0]
        self._connection.execute(
            "INSERT INTO inbox VALUES (?, ?, ?)", (partition, sequence, messages)
        )
        return sequence

    def _rows(self, question: str, *values: object) -> list[Any]:
        """Query on the reader's connection. This too needs disk space, for the WAL index."""
        try:
            return self._reader.execute(question, values).fetchall()
        except sqlite3.DatabaseError as problem:
            raise self._failure(problem) from problem

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, self._failures_told():
            try:
                began = time.perf_counter()
                self._connection.execute("BEGIN IMMEDIATE")
                self.lock_seconds += time.perf_counter() - began
                yield
                self._connection.execute("COMMIT")
                self._written += 1
            except BaseException:
                self._roll_back()
                raise

    @contextmanager
    def _failures_told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as problem:
            raise self._failure(problem) from problem

    def _failure(self, problem: sqlite3.DatabaseError | OSError) -> LogError:
        return failure(self._path, self.crawl_folder, problem)

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
