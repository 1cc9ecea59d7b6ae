"""The protocol of a web with replies that only sockets can give.

`Web` answers with replies; that is enough for everything that HTTP can say. A `RawWeb`
may also write bytes that are not HTTP, at any pace, accept connections slowly, and show a faulty
certificate. `SocketWeb` asks it before it asks `answer`; for such a URL `answer` then tells the
referee the result.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Iterable
from typing import Protocol, runtime_checkable

from lycosa.model.records import Request
from lycosa_testweb.web import Reply, Web


class Hosted(Web, Protocol):
    """A web that can name its hosts, so that they can be given addresses."""

    def hosts(self) -> Iterable[str]:
        """Return the names of all hosts."""


class Ending(Exception):
    """Ways to end raw bytes other than an orderly close."""


class Reset(Ending):
    """The connection is torn down: the client sees a reset."""


class StayOpen(Ending):
    """The answer is over, and the connection waits for the next request."""


class Door(enum.Enum):
    """The way in which connections to a host's address are accepted."""

    OPEN = enum.auto()
    SLOW = enum.auto()
    """Accepted only after a while."""
    DEAF = enum.auto()
    """Never accepted; the queue is full, so that no connection comes about."""
    SHUT = enum.auto()
    """The port is closed: refused at once."""
    ONCE = enum.auto()
    """Each connection has one answer, stays open, and is closed when the next request arrives."""


class Certificate(enum.Enum):
    """The kind of certificate that a host shows."""

    GOOD = enum.auto()
    SELF_SIGNED = enum.auto()
    UNKNOWN_ISSUER = enum.auto()
    EXPIRED = enum.auto()
    WRONG_HOST = enum.auto()


@runtime_checkable
class RawWeb(Protocol):
    """A web that can misbehave beneath HTTP."""

    def raw(self, request: Request) -> AsyncIterator[bytes] | None:
        """Return the bytes to write, at the pace at which they come; None to ask `answer`.

        The connection is closed after the last, unless the iterator raises an `Ending`.
        """

    def door(self, host: str) -> Door:
        """Return how connections to the host's address are accepted."""

    def certificate(self, host: str) -> Certificate:
        """Return the kind of certificate that the host shows."""


class Watcher(Protocol):
    """A referee, or a recorder before one, that is told what the server sees."""

    def began(self, request: Request, moment: float, client: str = "") -> int:
        """A request has come in; returns the ticket to end it with."""

    def ended(self, ticket: int, moment: float, reply: Reply) -> None:
        """The last byte was sent, or the connection has ended."""

    def killed(self, moment: float, client: str | None = None) -> None:
        """The client was killed."""

    def partly_killed(self, moment: float, client: str | None = None) -> None:
        """Note that a process of the client was killed; without a name, it is unknown which."""
