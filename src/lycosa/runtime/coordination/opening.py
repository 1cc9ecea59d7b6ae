"""Opens the board beside the log that an address names.

    postgresql://…  a table in the schema `lycosa_CRAWL_board` of the same database
    nats://…        the bucket `lycosa_CRAWL` of the same servers

The log is opened first, because it checks at joining whether the server can be trusted. A log in a
file has no board: one machine does not need one.
"""

from __future__ import annotations

from lycosa.errors import ConfigError
from lycosa.runtime.coordination.protocol import Board

_POSTGRES = ("postgresql", "postgres")
_NATS = ("nats", "tls")


def open_board(url: str, crawl: str) -> Board:
    """Open one more connection to the board of a crawl."""
    scheme = url.partition("://")[0]
    if scheme in _POSTGRES:
        from lycosa.runtime.coordination.postgres import PostgresBoard

        return PostgresBoard(url, f"lycosa_{crawl}_board")
    if scheme in _NATS:
        from lycosa.runtime.coordination.nats_kv import NatsBoard
        from lycosa.storage.jetstream.address import parse_address

        return NatsBoard(parse_address(url).options(), f"lycosa_{crawl}")
    raise ConfigError(
        f"{url}: a log in a file cannot be shared by several machines\n"
        "  use a server: postgresql://HOST/DATABASE or nats://HOST1,HOST2,HOST3"
    )
