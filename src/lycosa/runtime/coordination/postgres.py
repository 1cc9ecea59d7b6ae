"""The board in PostgreSQL: one small table in the crawl's schema.

Compare-and-swap is one UPDATE with the expected revision in its WHERE. A second writer waits for
the row, then sees the new revision and changes nothing. Revisions come from a sequence, so they
grow and are not used again after a deletion.

Every write sets `synchronous_commit`, whatever the server's default is: if a crash lost an
acknowledged tombstone, the life that it ended would come back.

A server can stop answering without closing the connection (a stopped process, a cut cable), and
libpq would wait for minutes. Every call therefore has a deadline, at which its socket is shut down;
the next call connects again.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Timer
from typing import Any

import psycopg
from psycopg import sql

from lycosa.errors import LogError
from lycosa.runtime.coordination.keys import check
from lycosa.runtime.coordination.protocol import (
    ANSWER_SECONDS,
    NOTHING,
    REFUSED,
    UNAVAILABLE,
    UNDECIDED,
    Answer,
    Entry,
    Verdict,
)
from lycosa.storage.postgres.connection import checked_url, is_passing, without_secrets

Row = tuple[Any, ...]
Rows = list[Row]

_CREATE = """
create schema if not exists {schema};
create sequence if not exists {schema}.board_revisions;
create table if not exists {schema}.board (
    key text collate "C" primary key,
    value bytea not null,
    revision bigint not null,
    written_at timestamptz not null
);
"""
_ENTRY = "value, revision, extract(epoch from written_at)::float8"
_NEW = "nextval({sequence}), clock_timestamp()"
_GET = f"select {_ENTRY} from {{board}} where key = %s"
_LIST = f"select key, {_ENTRY} from {{board}} where starts_with(key, %s)"
_DURABLE = "set_config('synchronous_commit', 'on', true) = 'on'"
_INSERT = (
    f"insert into {{board}} select %s, %s, {_NEW} where {_DURABLE}"
    " on conflict do nothing returning revision"
)
_UPDATE = (
    f"update {{board}} set (value, revision, written_at) = (%s, {_NEW})"
    f" where key = %s and revision = %s and {_DURABLE} returning revision"
)
_DELETE = (
    f"delete from {{board}} where key = %s and revision = %s and {_DURABLE} returning revision"
)


class PostgresBoard:
    """A connection to the board of a crawl; threads may share it."""

    def __init__(self, url: str, schema: str, answer_seconds: float = ANSWER_SECONDS) -> None:
        self._url = checked_url(url)
        self._told_url = without_secrets(url)
        self._schema = schema
        self._seconds = answer_seconds
        self._lock = Lock()
        self._connection: psycopg.Connection[Row] | None = None
        self._is_made = False

    def get(self, key: str) -> Entry | None:
        """Read one row."""
        rows = self._asked(_GET, (key,))
        if rows is None:
            return None
        return Entry(*rows[0]) if rows else NOTHING

    def put(self, key: str, value: bytes, expect: int) -> Answer:
        """Insert or update one row."""
        check(key, value)
        if expect:
            return self._written(_UPDATE, (value, key, expect))
        return self._written(_INSERT, (key, value))

    def delete(self, key: str, expect: int) -> Answer:
        """Delete one row."""
        return self._written(_DELETE, (key, expect))

    def list(self, prefix: str) -> dict[str, Entry] | None:
        """Read the rows whose keys begin with a prefix."""
        rows = self._asked(_LIST, (prefix,))
        return None if rows is None else {row[0]: Entry(*row[1:]) for row in rows}

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()

    def _asked(self, command: str, values: Row) -> Rows | None:
        with self._lock:
            try:
                return self._run(self._connected(), command, values)
            except (psycopg.Error, OSError) as problem:
                self._drop(problem)
                return None

    def _written(self, command: str, values: Row) -> Answer:
        with self._lock:
            try:
                connection = self._connected()
            except (psycopg.Error, OSError) as problem:
                self._drop(problem)
                return UNAVAILABLE
            try:
                rows = self._run(connection, command, values)
            except (psycopg.Error, OSError) as problem:
                # The server may have done it before the connection broke.
                self._drop(problem)
                return UNDECIDED
        return Answer(Verdict.WRITTEN, rows[0][0]) if rows else REFUSED

    def _run(self, connection: psycopg.Connection[Row], command: str, values: Row) -> Rows:
        with _deadline(connection, self._seconds):
            return connection.execute(self._named(command), values).fetchall()

    def _connected(self) -> psycopg.Connection[Row]:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(
                self._url,
                autocommit=True,
                prepare_threshold=None,  # a pooler may send commands to different server processes
                connect_timeout=max(2, round(self._seconds)),
            )
        if not self._is_made:
            with _deadline(self._connection, self._seconds):
                self._make(self._connection)
            self._is_made = True
        return self._connection

    def _make(self, connection: psycopg.Connection[Row]) -> None:
        """Create the table; if two processes do so at once, one is told that it exists."""
        there = connection.execute("select to_regclass(%s)", (f'"{self._schema}".board',))
        if there.fetchone() != (None,):
            return
        with suppress(psycopg.errors.UniqueViolation, psycopg.errors.DuplicateTable):
            connection.execute(self._named(_CREATE))

    def _named(self, command: str) -> sql.Composed:
        schema = sql.Identifier(self._schema)
        return sql.SQL(command).format(
            schema=schema,
            board=sql.SQL("{}.board").format(schema),
            sequence=sql.Literal(f'"{self._schema}".board_revisions'),
        )

    def _drop(self, problem: Exception | None = None) -> None:
        """Drop the connection; raise problems that will not pass by themselves."""
        if self._connection is not None:
            with suppress(psycopg.Error, OSError):
                self._connection.close()
            self._connection = None
        if problem is not None and not is_passing(problem):
            raise LogError(
                f"{self._told_url}: PostgreSQL refuses: {str(problem).strip()}\n"
                "  if permissions are missing: the role needs CREATE on the database, and its own"
                " password file or certificate"
            ) from problem


@contextmanager
def _deadline(connection: psycopg.Connection[Row], seconds: float) -> Iterator[None]:
    """Shut the socket down when the time is up, so that the waiting call fails."""
    with socket.socket(fileno=os.dup(connection.fileno())) as copy:
        timer = Timer(seconds, _shut, (copy,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _shut(copy: socket.socket) -> None:
    with suppress(OSError):
        copy.shutdown(socket.SHUT_RDWR)
