"""The log of a crawl in PostgreSQL: SQLite's tables, in one schema a crawl.

A commit is one call of one function, and so one transaction and one round trip. There are three
connections: commits run in a side thread on one, reads on another, and the third listens. All are
restored after a restart of the server. Until then calls wait, and after `patience_seconds` they
raise `LogUnavailable`. A commit whose answer was lost is repeated, and the function recognises it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import psycopg
import zstandard

from lycosa._support.decoders import msgpack_decoder
from lycosa._support.failpoints import reach
from lycosa.errors import FormatError, LogError
from lycosa.storage.log.archive import framed, read_history
from lycosa.storage.log.last_write import LastWrite, gone_back
from lycosa.storage.log.protocol import (
    INBOX_MOST,
    Contents,
    Head,
    Take,
    Write,
    check_name,
    identity_of,
    no_such_crawl,
)
from lycosa.storage.postgres.connection import Connection, Link, without_secrets
from lycosa.storage.postgres.news import News
from lycosa.storage.postgres.schema import FORMAT, FUNCTIONS, TABLES, TRIAL
from lycosa.storage.postgres.trust import refuse_unless_one_wins, refuse_untrusted

_AT_ONCE = 64
_WRITE = (
    "SELECT @write(%b::text, %b::int[], %b::bigint[], %b::bytea[], %b::bytea[], %b::bigint[],"
    " %b::int[], %b::int[], %b::bytea[])"
)
_FOUND = """
SELECT h.log, l.batch, CASE WHEN l.batch IS NULL THEN
    (SELECT a.frame FROM @archive a WHERE a.partition = h.partition AND a.last >= %b
        ORDER BY a.last LIMIT 1) END
FROM @heads h LEFT JOIN @log l ON l.partition = h.partition AND l.sequence = %b
WHERE h.partition = %b
"""
"""The end of a partition's log, and one of its batches: from the log, or its archived frame."""
_frames = msgpack_decoder(list[tuple[int, bytes]])


class PostgresLog:
    """A crawl's schema in a server."""

    reads_at_once = 16
    lock_seconds = 0.0
    """The server does not report how long a commit has waited for others."""

    def __init__(
        self,
        url: str,
        partitions: int,
        crawl: str,
        durability: str = "process",
        *,
        patience_seconds: float = 30.0,
        may_begin: bool = True,
        joins: bool = True,
        last_write: LastWrite | None = None,
    ) -> None:
        """Join the crawl of this name, or begin it.

        A process that does not join it, but reads or orders, writes nothing by opening the log, and
        need not see that the server can be entrusted with pages. Every connection must have the
        directory's `last_write`.
        """
        check_name(crawl)
        self.partitions = partitions
        self.crawl = crawl
        self._url = without_secrets(url)
        self._schema = f"lycosa_{crawl}"
        self._writer = Link(url, patience_seconds)
        self._reader = Link(url, patience_seconds)
        self._last_write = last_write
        if last_write is not None:
            self._writer.on_connected = self._reader.on_connected = self._refuse_gone_back
        self._news = News(Link(url, patience_seconds), self._schema)
        self._owners: dict[int, str] = {}
        self._found_empty: tuple[int, dict[int, int]] | None = None
        """The listener's number when inboxes were found empty, and those inboxes."""
        try:
            if joins:
                refuse_untrusted(self._writer, self._url, durability)
            self._writer.ask(lambda connection: self._open(connection, may_begin))
            if joins:
                refuse_unless_one_wins(self._try, lambda: self.head(TRIAL).log, self._url)
        except BaseException:
            self.close()
            raise

    def take(self, owner: str, takes: Sequence[Take]) -> list[int | None]:
        """Append everything that is not superseded as the new owner, in one transaction."""
        writes = [Write(take.partition, take.expect, take.events, (), 0) for take in takes]
        results = self._write(self._writer, owner, writes)
        self._learn(writes, results)
        reach("take.written")
        for take, sequence in zip(takes, results, strict=True):
            if sequence is None:
                self._owners.pop(take.partition, None)
            else:
                self._owners[take.partition] = owner
        return results

    def commit(self, writes: Sequence[Write]) -> list[int | None]:
        """Write everything that is not superseded in one transaction, releases in another."""
        found: dict[int, int | None] = {}
        reach("log.posted")
        # A release names another owner, and one transaction writes one owner.
        for owner, some in (
            (None, [write for write in writes if not write.releases]),
            ("", [write for write in writes if write.releases]),
        ):
            if some:
                results = self._write(self._writer, owner, some)
                self._learn(some, results)
                found.update(zip((write.partition for write in some), results, strict=True))
        reach("log.appended")
        for write in writes:
            if found[write.partition] is None or write.releases:
                self._owners.pop(write.partition, None)
        if any(write.posts for write in writes):
            self._tell()
        return [found[write.partition] for write in writes]

    def read(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield archived batches, then those of the log, which its owner may trim in the
        meantime."""
        return read_history(
            after,
            self.head(partition).log,
            lambda last: self._archived(partition, last),
            lambda last: self._stored(partition, last),
        )

    def post(self, partition: int, messages: bytes) -> int:
        """Append to an inbox."""
        question = self._named("SELECT @post(%b::int, %b)")
        sequence: int = self._writer.rows(question, partition, messages)[0][0]
        self._tell()
        return sequence

    def post_all(
        self, posts: Sequence[tuple[int, bytes]], notes: Mapping[str, bytes] | None = None
    ) -> None:
        """Note and post everything in one transaction."""
        reach("seeds.before-post")
        numbers = [0] * len(posts)
        targets, batches = [post[0] for post in posts], [post[1] for post in posts]
        empty: list[object] = []
        values = (None, empty, empty, empty, empty, empty, numbers, targets, batches)
        given = list((notes or {}).items())
        identity = uuid.uuid4().bytes

        def both(connection: Connection) -> None:
            with connection.transaction():
                if given:
                    names, contents = [name for name, _ in given], [value for _, value in given]
                    question = self._named("SELECT @note(%b::text[], %b::bytea[], %b::bytea[])")
                    connection.execute(
                        question.encode(), (names, [identity] * len(given), contents)
                    )
                connection.execute(self._named(_WRITE).encode(), values)

        self._writer.ask(both)
        reach("seeds.posted")
        self._tell()

    def inbox(self, partition: int, after: int) -> list[tuple[int, bytes]]:
        """Return the next entries after a sequence."""
        return self._rows(
            "SELECT sequence, batch FROM @inbox WHERE partition = %b AND sequence > %b"
            f" ORDER BY sequence LIMIT {INBOX_MOST}",
            partition,
            after,
        )

    def inboxes(self, after: Mapping[int, int]) -> dict[int, list[tuple[int, bytes]]]:
        """Return the next entries of several inboxes, asking only for those whose head has
        moved."""
        looked = self._news.number(), dict(after)
        if looked == self._found_empty:
            return {}
        heads = self.heads()
        found = {
            partition: entries
            for partition, last in after.items()
            if heads[partition].inbox > last and (entries := self.inbox(partition, last))
        }
        self._found_empty = None if found else looked
        return found

    def heads(self) -> list[Head]:
        """Return all heads, as of one moment."""
        rows = self._rows(
            "SELECT log, inbox, owner FROM @heads WHERE partition >= 0 ORDER BY partition"
        )
        heads = [Head(*row) for row in rows]
        self._owners = {number: head.owner for number, head in enumerate(heads)}
        return heads

    def head(self, partition: int) -> Head:
        """Return one head."""
        question = "SELECT log, inbox, owner FROM @heads WHERE partition = %b"
        head = Head(*self._rows(question, partition)[0])
        self._owners[partition] = head.owner
        return head

    def owner(self, partition: int) -> str:
        """Return the owner of a partition, as this object knows it."""
        return self._owners.get(partition, "")

    def news(self) -> int:
        """Return a number that changes when an inbox may have grown; costs no network."""
        return self._news.number()

    def trim(self, partition: int, through: int) -> int:
        """Move batches to the archive, in one transaction."""

        def move(connection: Connection) -> int:
            with connection.transaction():
                rows = connection.execute(
                    self._named(
                        "DELETE FROM @log WHERE partition = %b AND sequence <= %b"
                        " RETURNING sequence, batch"
                    ).encode(),
                    (partition, through),
                    binary=True,
                ).fetchall()
                if rows:
                    rows.sort()
                    frame = zstandard.compress(msgspec.msgpack.encode(rows), 3)
                    connection.execute(
                        self._named("INSERT INTO @archive VALUES (%b, %b, %b)").encode(),
                        (partition, rows[-1][0], frame),
                    )
                    reach("trim.archived")
            return len(rows)

        return self._writer.ask(move)

    def note(self, name: str, value: bytes) -> bool:
        """Write a note once."""
        question = self._named("SELECT @note(ARRAY[%b::text], ARRAY[%b::bytea], ARRAY[%b::bytea])")
        answer: list[bool] = self._writer.rows(question, name, uuid.uuid4().bytes, value)[0][0]
        return answer[0]

    def note_at(self, name: str, value: bytes, heads: Sequence[Head]) -> bool:
        """Write a note once, if no head has moved."""
        question = self._named(
            "SELECT @note_at("
            "%b::text, %b::bytea, %b::bytea, %b::bigint[], %b::bigint[], %b::text[])"
        )
        columns = [list(column) for column in zip(*heads, strict=True)]
        rows = self._writer.rows(question, name, uuid.uuid4().bytes, value, *columns)
        is_noted: bool = rows[0][0]
        return is_noted

    def noted(self, name: str) -> bytes | None:
        """Return a note."""
        rows = self._rows("SELECT value FROM @notes WHERE name = %b::text", name)
        return rows[0][0] if rows else None

    def notes(self, prefix: str) -> dict[str, bytes]:
        """Return notes by prefix."""
        return dict(
            self._rows("SELECT name, value FROM @notes WHERE starts_with(name, %b::text)", prefix)
        )

    def notes_since(self, number: int) -> tuple[int, dict[str, bytes]]:
        """Return the notes with larger numbers."""
        rows = self._rows(
            "SELECT number, name, value FROM @notes WHERE number > %b ORDER BY number", number
        )
        return rows[-1][0] if rows else number, {name: value for _, name, value in rows}

    def fill(self, partition: int, contents: Contents) -> None:
        """Fill a partition in one transaction: the last batch in the log, the others archived."""

        def fill(connection: Connection) -> None:
            execute = connection.execute
            with connection.transaction():
                for table in ("log", "archive", "inbox"):  # the call may be repeated
                    execute(self._named(f"DELETE FROM @{table} WHERE partition = %b"), (partition,))
                last = 0
                for group, is_last in framed(contents.batches()):
                    last = group[-1][0]
                    if is_last:
                        identity = identity_of(partition, last - 1, group[0][1])
                        row: tuple[object, ...] = (partition, last, identity, group[0][1])
                        execute(self._named("INSERT INTO @log VALUES (%b, %b, %b, %b)"), row)
                    else:
                        frame = zstandard.compress(msgspec.msgpack.encode(group), 3)
                        row = (partition, last, frame)
                        execute(self._named("INSERT INTO @archive VALUES (%b, %b, %b)"), row)
                number = contents.inbox_read
                for number, batch in enumerate(contents.messages, number + 1):  # noqa: B020
                    row = (partition, number, batch)
                    execute(self._named("INSERT INTO @inbox VALUES (%b, %b, %b)"), row)
                execute(
                    self._named("UPDATE @heads SET log = %b, inbox = %b WHERE partition = %b"),
                    (last, number, partition),
                )

        self._writer.ask(fill)

    def drop(self) -> None:
        """Remove the whole crawl from the server."""
        question = f'DROP SCHEMA IF EXISTS "{self._schema}" CASCADE'
        self._writer.ask(lambda link: link.execute(question.encode()))

    def sync(self) -> None:
        """Do nothing: the server has synced acknowledged writes."""

    def close(self) -> None:
        """Close the connections; a transaction in progress is undone, as by a kill."""
        self._news.close()
        self._reader.close()
        self._writer.close()
        if self._last_write is not None:
            self._last_write.close()

    def _open(self, connection: Connection, may_begin: bool) -> None:
        """Make the schema of a new crawl, or check that of an old one."""
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (self._schema,))
            made = connection.execute(
                "SELECT 1 FROM pg_namespace WHERE nspname = %s", (self._schema,)
            ).fetchone()
            if not made and not may_begin:
                raise no_such_crawl(self._url, self._schema.removeprefix("lycosa_"))
            if not made:
                connection.execute(f'CREATE SCHEMA "{self._schema}"'.encode())
            connection.execute(f'SET LOCAL search_path TO "{self._schema}"'.encode())
            if not made:
                connection.execute(TABLES.encode())
                connection.execute(FUNCTIONS.encode())
                connection.execute(
                    "INSERT INTO about VALUES (%s, %s, 0)", (FORMAT, self.partitions)
                )
                connection.execute(
                    "INSERT INTO heads SELECT n, 0, 0, '' FROM generate_series(-1, %s) n",
                    (self.partitions - 1,),
                )
            found = connection.execute("SELECT format, partitions FROM about").fetchone()
        assert found is not None
        if found[0] != FORMAT:
            raise FormatError(
                f"{self._url}: the log has format {found[0]}; this Lycosa reads format {FORMAT}\n"
                "  it was written by another release: join with that one or a newer one"
            )
        if found[1] != self.partitions:
            raise LogError(
                f"{self._url}: the crawl has {found[1]} partitions,"
                f" the job asks for {self.partitions}\n"
                f"  the number is chosen once: set [frontier] partitions = {found[1]}"
            )

    def _write(self, link: Link, owner: str | None, writes: Sequence[Write]) -> list[int | None]:
        columns: tuple[list[Any], ...] = ([], [], [], [], [])
        post_writes: list[int] = []
        post_targets: list[int] = []
        post_batches: list[bytes] = []
        for number, write in enumerate(writes, 1):
            identity = identity_of(write.partition, write.expect, write.events, write.posts)
            row = (write.partition, write.expect, identity, write.events, write.inbox_read)
            for column, value in zip(columns, row, strict=True):
                column.append(value)
            for target, messages in write.posts:
                post_writes.append(number)
                post_targets.append(target)
                post_batches.append(messages)
        rows = link.rows(
            self._named(_WRITE), owner, *columns, post_writes, post_targets, post_batches
        )
        results: list[int | None] = rows[0][0]
        return results

    def _learn(self, writes: Sequence[Write], results: Sequence[int | None]) -> None:
        """Remember the last acknowledged write; refuse a log that ends before a superseded one."""
        if self._last_write is None:
            return
        for write, sequence in zip(writes, results, strict=True):
            if sequence is None and (head := self.head(write.partition).log) < write.expect:
                what = f"partition {write.partition} was at {write.expect:,} and ends at {head:,}"
                raise gone_back(self._url, what)
        for write, sequence in zip(reversed(writes), reversed(results), strict=True):
            if sequence is not None:
                self._last_write.note(write.partition, sequence, write.events)
                return

    def _refuse_gone_back(self, connection: Connection) -> None:
        """Raise `LogGoneBack` if a new connection leads to a log without our last write."""
        assert self._last_write is not None
        wanted = self._last_write.wanted
        if wanted is None:
            return
        partition, sequence = wanted.partition, wanted.sequence
        try:
            rows = connection.execute(
                self._named(_FOUND).encode(), (sequence, sequence, partition), binary=True
            ).fetchall()
        except psycopg.errors.UndefinedTable:
            return  # the crawl is not there at all, which `_open` tells
        for head, batch, frame in rows:
            if batch is None and frame is not None:
                batches = dict(_frames.decode(zstandard.decompress(frame)))
                batch = batches.get(sequence)
            wanted.refuse_gone_back(self._url, head, batch)

    def _try(self, number: int, expect: int) -> bool:
        """Write to the row of the contest; the writer's identity distinguishes the two writes."""
        link = (self._writer, self._reader)[number]
        write = Write(TRIAL, expect, uuid.uuid4().bytes, (), 0)
        return self._write(link, None, [write]) != [None]

    def _archived(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        while True:
            rows = self._rows(
                "SELECT last, frame FROM @archive WHERE partition = %b AND last > %b"
                " ORDER BY last LIMIT 1",
                partition,
                after,
            )
            if not rows:
                return
            for sequence, batch in _frames.decode(zstandard.decompress(rows[0][1])):
                if sequence > after:
                    yield sequence, batch
            after = rows[0][0]

    def _stored(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        while True:
            rows = self._rows(
                "SELECT sequence, batch FROM @log WHERE partition = %b AND sequence > %b"
                f" ORDER BY sequence LIMIT {_AT_ONCE}",
                partition,
                after,
            )
            yield from rows
            if len(rows) < _AT_ONCE:
                return
            after = rows[-1][0]

    def _rows(self, question: str, *values: object) -> list[Any]:
        return self._reader.rows(self._named(question), *values)

    def _named(self, question: str) -> str:
        """Return a query with the crawl's schema in place of each `@`.

        A search path would be a setting of the session, which a pooler does not keep.
        """
        return question.replace("@", f'"{self._schema}".')

    def _tell(self) -> None:
        """Notify the listeners that an inbox may have grown, outside of the commit."""
        self._writer.hint(f'NOTIFY "{self._schema}"')
