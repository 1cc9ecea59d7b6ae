"""Opens the log that an address names: a folder, PostgreSQL or NATS JetStream.

The clients of servers are an extra (`pip install '.[cluster]'`), and are loaded when an
address needs them: a crawl in a folder does not pay for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lycosa.errors import ConfigError
from lycosa.storage.log.last_write import LastWrite
from lycosa.storage.log.protocol import Log, ServerLog, StoredCrawl
from lycosa.storage.log.sqlite import SqliteLog

_SERVERS = {
    "postgresql": "postgres",
    "postgres": "postgres",
    "nats": "jetstream",
    "tls": "jetstream",
}


def is_server(place: str | Path) -> bool:
    """Return whether an address names a server, not a folder."""
    return isinstance(place, str) and "://" in place


def open_log(
    place: str | Path,
    partitions: int,
    *,
    crawl: str = "",
    durability: str = "process",
    patience_seconds: float = 30.0,
    may_begin: bool = True,
    joins: bool = True,
    last_write: LastWrite | None = None,
) -> Log:
    """Open a log; on a server, that of the crawl with this name, which is begun if it is new.

    Without `may_begin` a crawl unknown to the server is an error. A process that `joins` the crawl
    checks that the server can be trusted, by writes of two connections against each other. A log
    on a server must have the `last_write` of the directory.

    The name names a schema or stream and should be unique: use the hex digits of a UUID.
    """
    if not is_server(place):
        return SqliteLog(Path(place), partitions, durability)
    return open_in_server(
        str(place),
        partitions,
        crawl=crawl,
        durability=durability,
        patience_seconds=patience_seconds,
        may_begin=may_begin,
        joins=joins,
        last_write=last_write,
    )


def open_in_server(
    address: str,
    partitions: int,
    *,
    crawl: str,
    durability: str,
    first_number: int = 1,
    **more: Any,
) -> ServerLog:
    """Open the log of a crawl in a server; a new one numbers its inboxes from a number on."""
    scheme, kind = _kind_of(address)
    if not re.fullmatch(r"[a-z0-9_]{1,50}", crawl):
        raise ConfigError(
            f"{scheme}://: a crawl in a server needs a name of a-z, 0-9 and _, not {crawl!r}\n"
            "  use the hex digits of a UUID, which no other crawl has"
        )
    with _missing_package_told(scheme):
        if kind == "postgres":
            from lycosa.storage.postgres.log import PostgresLog
        else:
            from lycosa.storage.jetstream.log import JetStreamLog
    if kind == "postgres":  # a move fills its heads, which give the first numbers
        return PostgresLog(address, partitions, crawl, durability, **more)
    return JetStreamLog(address, partitions, crawl, durability, first_number=first_number, **more)


def crawls_on(address: str, patience_seconds: float = 10.0) -> list[StoredCrawl]:
    """Return the crawls on a server, with their notes."""
    scheme, kind = _kind_of(address)
    with _missing_package_told(scheme):
        if kind == "postgres":
            from lycosa.storage.postgres.connection import list_crawls
        else:
            from lycosa.storage.jetstream.listing import list_crawls
    return list_crawls(address, patience_seconds)


def _kind_of(address: str) -> tuple[str, str]:
    scheme = address.partition("://")[0]
    kind = _SERVERS.get(scheme) if is_server(address) else None
    if kind is None:
        shown = f"{scheme}://" if is_server(address) else address
        raise ConfigError(
            f"{shown}: not a place for a log\n"
            "  use a folder, postgresql://HOST/DATABASE or nats://HOST1,HOST2,HOST3"
        )
    return scheme, kind


@contextmanager
def _missing_package_told(scheme: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as missing:
        raise ConfigError(
            f"{scheme}://: a log in a server needs the package {missing.name}\n"
            "  install, in the clone of Lycosa: pip install '.[cluster]'"
        ) from None
