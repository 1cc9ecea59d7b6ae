"""Ways in which a server accepts connections: at once, after a while, or never."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable

from lycosa_testweb.servers.connection import Connection, Site
from lycosa_testweb.servers.raw import Door

SLOW_SECONDS = 0.5
"""How long a slow door leaves a client standing."""

_BACKLOG = 1024

MakeConnection = Callable[[Site], Connection]


class Listener:
    """Accepts every connection, at once or after some seconds.

    Connections are accepted by hand and not by asyncio's own server, which in Python 3.11
    loses a connection that comes in while it is being closed.
    """

    patience_seconds = 0.0
    """How long a client waits before it is accepted."""

    def __init__(self, place: str, site: Site, make: MakeConnection, backlog: int) -> None:
        self._socket = _bound(place, site.port)
        self._socket.listen(backlog)
        self.site = site._replace(port=self._socket.getsockname()[1])
        self._make = make
        self._context: ssl.SSLContext | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: set[asyncio.Task[None]] = set()

    def serve(self, context: ssl.SSLContext | None) -> None:
        """Begin to look for clients, in the event loop that runs."""
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket, self._someone_waits)

    def _someone_waits(self) -> None:
        if not self.patience_seconds:
            self._let_in()
        elif self._loop is not None:
            self._loop.remove_reader(self._socket)
            self._loop.call_later(self.patience_seconds, self._let_in_late)

    def _let_in_late(self) -> None:
        if self._loop is not None:
            self._let_in()
            self._loop.add_reader(self._socket, self._someone_waits)

    def _let_in(self) -> None:
        assert self._loop is not None
        with contextlib.suppress(BlockingIOError, ConnectionAbortedError):
            accepted, _ = self._socket.accept()
            task = self._loop.create_task(self._greet(accepted))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    async def _greet(self, accepted: socket.socket) -> None:
        accepted.setblocking(False)
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(
                lambda: self._make(self.site), accepted, ssl=self._context
            )
        except (OSError, asyncio.CancelledError):
            accepted.close()

    async def stop(self) -> None:
        """Accept no more, and wait for those who are being let in."""
        if self._loop is not None:
            self._loop.remove_reader(self._socket)
            self._loop = None
        await asyncio.sleep(0)  # a task that has not begun could not close its socket
        waiting = list(self._opening)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    def close(self) -> None:
        """Free the port; may be called again."""
        self._socket.close()


def _bound(place: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in place else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((place, port))
        found.setblocking(False)
    except OSError:
        found.close()
        raise
    return found


class SlowListener(Listener):
    """Accepts slowly: clients wait, one after the other."""

    patience_seconds = SLOW_SECONDS


class DeafListener(Listener):
    """Never accepts a connection; those that wait fill its queue."""

    def __init__(self, place: str, site: Site, make: MakeConnection, backlog: int) -> None:
        super().__init__(place, site, make, 0)
        self._crowd: list[socket.socket] = []
        for _ in range(2):
            client = socket.socket(self._socket.family, socket.SOCK_STREAM)
            client.setblocking(False)
            client.connect_ex((place, self.site.port))
            self._crowd.append(client)

    def serve(self, context: ssl.SSLContext | None) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Close the connections that wait."""
        for client in self._crowd:
            client.close()
        super().close()


class ShutListener(Listener):
    """Refuses connections: the port is bound, but not listened on."""

    def __init__(self, place: str, site: Site, make: MakeConnection, backlog: int) -> None:
        self._socket = _bound(place, site.port)
        self.site = site._replace(port=self._socket.getsockname()[1])

    def serve(self, context: ssl.SSLContext | None) -> None:
        """Do nothing."""

    async def stop(self) -> None:
        """Do nothing."""


class OnceListener(Listener):
    """Lets connections die under their second request."""

    def __init__(self, place: str, site: Site, make: MakeConnection, backlog: int) -> None:
        super().__init__(place, site, lambda site: _answering_once(make(site)), backlog)


def _answering_once(connection: Connection) -> Connection:
    connection.answers_once = True
    return connection


_KINDS: dict[Door, type[Listener]] = {
    Door.OPEN: Listener,
    Door.SLOW: SlowListener,
    Door.DEAF: DeafListener,
    Door.SHUT: ShutListener,
    Door.ONCE: OnceListener,
}


def open_door(door: Door, place: str, site: Site, make: MakeConnection) -> Listener:
    """Take an address; port 0 takes any that is free."""
    return _KINDS[door](place, site, make, _BACKLOG)
