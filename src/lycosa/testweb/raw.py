"""What only sockets can do: the second face of a web that is served over them.

`Web` answers with replies; that is enough for everything that HTTP can say. A `RawWeb`
may also write bytes that are no HTTP at all, at any pace, behind a door that is slow to
open, with a certificate that nobody should trust. `SocketWeb` asks it before it asks
`answer`; for such a URL `answer` then says what came of it, for the referee.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Iterable
from typing import Protocol, runtime_checkable

from lycosa.records import Request
from lycosa.testweb.web import Reply, Web


class Hosted(Web, Protocol):
    """A web that can name its hosts, so that they can be given addresses."""

    def hosts(self) -> Iterable[str]:
        """Return the names of all hosts."""


class Ending(Exception):
    """How raw bytes end, other than by an orderly close."""


class Reset(Ending):
    """The connection is torn down: the client sees a reset."""


class StayOpen(Ending):
    """The answer is over, and the connection waits for the next request."""


class Door(enum.Enum):
    """What becomes of connections to a host's address."""

    OPEN = enum.auto()
    SLOW = enum.auto()
    """Accepted only after a while."""
    DEAF = enum.auto()
    """Never accepted; the queue is full, so that no connection comes about."""
    SHUT = enum.auto()
    """Nobody listens: refused at once."""


class Certificate(enum.Enum):
    """What a host shows to those who ask for TLS."""

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
        """Return how connections are received at the host's address."""

    def certificate(self, host: str) -> Certificate:
        """Return what the host shows."""


class Watcher(Protocol):
    """Who is told what the server sees: a referee, or a recorder before one."""

    def began(self, request: Request, moment: float, client: str = "") -> int:
        """A request has come in; returns the ticket to end it with."""

    def ended(self, ticket: int, moment: float, reply: Reply) -> None:
        """The last byte was sent, or the connection has ended."""

    def killed(self, moment: float, client: str | None = None) -> None:
        """The client was killed."""

    def partly_killed(self, moment: float) -> None:
        """One of the client's processes was killed; nobody knows whose answers are lost."""
