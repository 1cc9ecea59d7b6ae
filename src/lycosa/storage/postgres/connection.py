"""A connection to PostgreSQL that is restored after a restart or a failover.

`ask` repeats a query on a new connection while the server cannot answer, and raises
`LogUnavailable` when its patience has ended. Only repeatable queries may be asked through it:
reads, and functions that recognise their own earlier calls.

`prepare_threshold=None`: a pooler gives every transaction another server connection, which does not
know the statements that were prepared on the last one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from lycosa.errors import ConfigError, LogError, LogUnavailable
from lycosa.model.job.log_servers import parameter_problem
from lycosa.storage.log.open_servers import is_loopback, warn_if_open
from lycosa.storage.log.protocol import StoredCrawl

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

_WAIT_CLASSES = ("08", "40", "53", "55", "57", "58")
"""Classes of SQLSTATE: connection lost, deadlock, no resources, locked, shut down, system error."""
_WAIT_STATES = ("25006",)
"""A read-only transaction: the server has become a standby."""
_KEEPALIVES: dict[str, str | int] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "lycosa",
}


def checked_url(url: str) -> str:
    """Return the parameters of a connection; secrets and parameters that may load code are refused.

    libpq itself parses the address, so that no spelling of a name is missed. It opens no file for
    that, and reads no variable.
    """
    try:
        told = conninfo_to_dict(url)
    except psycopg.Error as problem:
        raise ConfigError(
            f"{without_secrets(url)}: is not a PostgreSQL address: {problem}\n"
            "  write it as postgresql://USER@HOST:PORT/DATABASE"
        ) from None
    if told.keys() & {"password", "sslpassword"}:
        raise ConfigError(
            f"{without_secrets(url)}: has a password in it, which others could read in the list of"
            " processes\n  leave it out and put it into ~/.pgpass (mode 600), the file that"
            " PGPASSFILE names, or the variable PGPASSWORD"
        )
    if found := parameter_problem((name, str(value)) for name, value in told.items()):
        raise ConfigError(f"{without_secrets(url)}: {found}")
    return make_conninfo(
        url, **{key: value for key, value in _KEEPALIVES.items() if key not in told}
    )


def without_secrets(url: str) -> str:
    """Return an address for messages, without any password in it."""
    scheme, _, rest = url.partition("://")
    user, at, place = rest.rpartition("@")
    told = f"{scheme}://{user.split(':')[0]}{at}{place}"
    if "password=" not in told:
        return told
    return told.partition("?")[0].partition(" ")[0]


class Link:
    """A connection, used by one thread at a time."""

    def __init__(self, url: str, patience_seconds: float, schema: str = "") -> None:
        self._url = checked_url(url)
        self._told_url = without_secrets(url)
        self._patience_seconds = patience_seconds
        self._schema = schema
        self._lock = threading.RLock()
        self._connection: Connection | None = None
        self._is_closed = False
        self.on_connected: Callable[[Connection], None] | None = None
        """Called with every new connection before it is used; raises what speaks against it."""

    def ask(self, question: Callable[[Connection], T]) -> T:
        """Return the answer to a query that may be repeated."""
        end = time.monotonic() + self._patience_seconds
        pause = 0.02
        with self._lock:
            while True:
                try:
                    return question(self._connected())
                except (psycopg.Error, OSError) as problem:
                    self._let_go()
                    if not is_passing(problem):
                        raise self._failure(problem) from problem
                    if time.monotonic() + pause > end:
                        raise self._unavailable(problem) from problem
                time.sleep(pause)
                pause = min(1.0, 2 * pause)

    def rows(self, question: str, *values: object) -> list[Any]:
        """Return the rows of a query."""
        text = question.encode()
        return self.ask(lambda link: link.execute(text, values, binary=True).fetchall())

    def hint(self, statement: str) -> None:
        """Run a statement once, if there is a connection, whatever its result."""
        with self._lock:
            if self._connection is not None:
                try:
                    self._connection.execute(statement.encode())
                except (psycopg.Error, OSError):
                    self._let_go()

    def close(self) -> None:
        """Close the connection for good."""
        with self._lock:
            self._is_closed = True
            self._let_go()

    def _connected(self) -> Connection:
        if self._is_closed:
            raise LogError(f"{self._told_url}: the log is closed")
        if self._connection is None or self._connection.closed:
            connection = psycopg.connect(self._url, autocommit=True, prepare_threshold=None)
            try:
                warn_if_open_to_all(connection, self._told_url)
                if self.on_connected is not None:
                    self.on_connected(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _let_go(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error, OSError):
                self._connection.close()
            self._connection = None

    def _failure(self, problem: Exception) -> LogError:
        return LogError(
            f"{self._told_url}: PostgreSQL refuses: {str(problem).strip()}\n"
            "  if permissions are missing: the role needs CREATE on the database, and its own"
            " password file or certificate"
        )

    def _unavailable(self, problem: Exception) -> LogUnavailable:
        return LogUnavailable(
            f"{self._told_url}: PostgreSQL has not answered for {self._patience_seconds:g} s:"
            f" {str(problem).strip()}\n  start it or repair the network, then repeat the command;"
            " a running crawl waits for it"
        )


def is_passing(problem: Exception) -> bool:
    """Return whether a failure is temporary, so that the same query may be answered later."""
    if isinstance(problem, OSError):
        return True
    if not isinstance(
        problem, psycopg.OperationalError | psycopg.InternalError | psycopg.InterfaceError
    ):
        return False
    state = getattr(problem, "sqlstate", None)
    if state is None:  # no answer at all; but a wrong password or certificate is permanent
        told = str(problem)
        return not any(word in told for word in _LASTING)
    return state.startswith(_WAIT_CLASSES) or state in _WAIT_STATES


_LASTING = (
    "password authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "certificate verify failed",
    "does not exist",
    "root certificate file",
    "server does not support SSL",
)
"""Texts of libpq for permanent failures; it gives no code before a connection is made."""


_CHECKED = ("verify-full", "verify-ca")
_CERTIFICATE = b"SELECT client_dn IS NOT NULL FROM pg_stat_ssl WHERE pid = pg_backend_pid()"


def warn_if_open_to_all(connection: psycopg.Connection[Any], server: str) -> None:
    """Warn of a server elsewhere that asks for no credentials, or is not checked by TLS."""
    own = connection.pgconn
    address = own.hostaddr.decode()
    if own.host.startswith(b"/") or is_loopback(address):
        return
    mode = connection.info.get_parameters().get("sslmode", "")
    warn_if_open(
        server,
        lacks_credentials=not own.used_password and not _is_known(connection),
        is_in_clear=not own.ssl_in_use or mode not in _CHECKED,
        remedy=f"lycosa cluster keys FOLDER --postgres {own.host.decode()}",
    )


def _is_known(connection: psycopg.Connection[Any]) -> bool:
    """Return whether the server identifies us by a Kerberos ticket or by our certificate."""
    if connection.pgconn.used_gssapi:
        return True
    found = connection.execute(_CERTIFICATE).fetchone()
    return bool(found and found[0])


_SCHEMAS = """
SELECT n.nspname FROM pg_namespace n
WHERE n.nspname ~ '^lycosa_[a-z0-9_]{1,50}$' AND has_schema_privilege(n.oid, 'USAGE')
    AND (SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid
            AND c.relname IN ('about', 'heads', 'notes')) = 3
ORDER BY n.nspname
"""


def list_crawls(url: str, patience_seconds: float) -> list[StoredCrawl]:
    """Return the crawls of a database that we may read."""
    link = Link(url, patience_seconds)
    found: list[StoredCrawl] = []
    try:
        for (schema,) in link.rows(_SCHEMAS):
            try:
                ((partitions,),) = link.rows(f'SELECT partitions FROM "{schema}".about')
                notes = dict(link.rows(f'SELECT name, value FROM "{schema}".notes'))
            except (LogError, ValueError):  # removed in the meantime, or a foreign table
                continue
            found.append(StoredCrawl(schema.removeprefix("lycosa_"), partitions, notes))
    finally:
        link.close()
    return found
