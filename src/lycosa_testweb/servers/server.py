"""Serves a test web over real sockets, on loopback.

    with SocketWeb(web, referee=referee) as server:
        ...  # crawl by server.hosts_file, trusting server.ca_file

Every address of the web has a loopback address of its own, all on the same two ports; the hosts
file (`places`) tells the crawler. The answers are those of the pure function, byte for byte, after
their latency times `time_scale`. A single thread with one event loop serves everything; the referee
is called from that thread alone.

A server does not know the purpose of a request. Requests for /robots.txt, and for the URLs that
such a request was redirected to, count as made for the robots file, all others for the page.

Over sockets the moments of a server and of a client differ a little, by as much as either
had to wait for a processor. Give a referee some `tolerance_seconds`, for instance
`SOCKET_TOLERANCE_SECONDS`.
"""

from __future__ import annotations

import asyncio
import shutil
import ssl
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urljoin

from lycosa.errors import ConfigError, LycosaError
from lycosa.model.records import Purpose, Request
from lycosa_testweb.servers.certificates import Authority
from lycosa_testweb.servers.connection import Connection, Exchange, Site
from lycosa_testweb.servers.doors import Listener, open_door
from lycosa_testweb.servers.places import FIRST_ADDRESS, Places
from lycosa_testweb.servers.raw import Certificate, Door, Hosted, RawWeb, Watcher
from lycosa_testweb.web import FormWeb, Reply

SOCKET_TOLERANCE_SECONDS = 0.05
_START_SECONDS = 30.0
_TRIES = 30
_PASSES = 5
"""Turns of the event loop in which what had already arrived is taken in."""


class Listen(NamedTuple):
    """Where a server listens, and where it writes its hosts file and certificate."""

    port: int = 0
    tls_port: int = 0
    """Of these, 0 is any free port."""
    first_address: str = FIRST_ADDRESS
    folder: Path | None = None
    """None is a temporary folder."""


_ANYWHERE = Listen()


class SocketWeb:
    """Serves a web on loopback for as long as the `with` block runs."""

    def __init__(
        self,
        web: Hosted,
        *,
        referee: Watcher | None = None,
        time_scale: float = 0.0,
        silence_seconds: float = 600.0,
        tls: bool = True,
        listen: Listen = _ANYWHERE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.time_scale = time_scale
        self.silence_seconds = silence_seconds
        self.now = clock
        self.http_port = listen.port
        self.https_port = listen.tls_port
        self._web = web
        self._raw_web = web if isinstance(web, RawWeb) else None
        self._form_web = web if isinstance(web, FormWeb) else None
        self.takes_forms = self._form_web is not None
        """Whether the web takes posted forms and cookies."""
        self._watcher = referee
        names = list(web.hosts())
        self.places = Places(web, names, clock(), listen.first_address)
        self._authority = Authority(names, self._certificate) if tls else None
        self._wanted_folder = listen.folder
        self._folder: Path | None = None
        self._robots_elsewhere: set[str] = set()
        self._connections: set[Connection] = set()
        self._listeners: list[Listener] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._crash: BaseException | None = None
        self.requests = 0
        """Number of requests received."""

    # -- life ----------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(self) -> None:
        """Take the ports, write the files and serve from a thread of its own."""
        try:
            self._take_ports()
            self._write_files()
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._run, name="testweb", daemon=True)
            self._thread.start()
            self._call(self._open())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Drop all connections, free the ports and remove the files that were made here."""
        loop, self._loop = self._loop, None
        if loop is not None and self._thread is not None:
            asyncio.run_coroutine_threadsafe(self._shut(), loop).result(_START_SECONDS)
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join(_START_SECONDS)
            loop.close()
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()
        if self._folder is not None and self._wanted_folder is None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = None
        if self._crash is not None:
            crash, self._crash = self._crash, None
            raise LycosaError(f"the test web went wrong while it served: {crash!r}") from crash

    def _run(self) -> None:
        assert self._loop is not None
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(self._note_crash)
        self._loop.run_forever()

    def _note_crash(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if error is not None and not isinstance(error, OSError):
            self._crash = self._crash or error

    def _call(self, job: Coroutine[Any, Any, None]) -> None:
        """Run a job in the server's thread and wait for it."""
        if self._loop is None:
            job.close()
            raise LycosaError("the test web is not running: use it in a `with` block")
        asyncio.run_coroutine_threadsafe(job, self._loop).result(_START_SECONDS)

    async def _open(self) -> None:
        context = self._authority.server_context() if self._authority else None
        for listener in self._listeners:
            listener.serve(context if listener.site.scheme == "https" else None)

    async def _shut(self) -> None:
        for listener in self._listeners:
            await listener.stop()
        for _ in range(_PASSES):
            await asyncio.sleep(0)
        await self._abandon_all()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    # -- ports and files -----------------------------------------------------------------

    def _take_ports(self) -> None:
        for scheme in ("http", "https") if self._authority else ("http",):
            wanted = self.http_port if scheme == "http" else self.https_port
            port = self._listen_everywhere(scheme, wanted)
            if scheme == "http":
                self.http_port = port
            else:
                self.https_port = port

    def _listen_everywhere(self, scheme: str, port: int) -> int:
        """Listen on one port of all addresses; any that is free, if `port` is 0."""
        for attempt in range(_TRIES):
            taken: list[Listener] = []
            try:
                number = port
                for place, address in self.places.web_address.items():
                    door = self._door(self.places.hosts_at[place][0])
                    site = Site(scheme, address, number)
                    listener = open_door(door, place, site, self._connection)
                    number = listener.site.port
                    taken.append(listener)
            except OSError as error:
                for listener in taken:
                    listener.close()
                if port or attempt == _TRIES - 1:
                    raise ConfigError(
                        f"port {number} of loopback cannot be used: {error}\n"
                        "  choose another, or none to have a free one chosen"
                    ) from error
            else:
                self._listeners += taken
                return number
        raise AssertionError("unreachable")

    def _connection(self, site: Site) -> Connection:
        return Connection(self, site)

    def _write_files(self) -> None:
        folder = self._wanted_folder
        if folder is None:
            folder = Path(tempfile.mkdtemp(prefix="lycosa-testweb-"))
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        (folder / "hosts").write_text(self.hosts_file_text())
        if self._authority is not None:
            self._authority.write(folder / "ca.pem")

    def hosts_file_text(self) -> str:
        """Return the hosts file by which the crawler finds the web's hosts here."""
        ports = {80: self.http_port, 8080: self.http_port}
        if self._authority is not None:
            ports[443] = self.https_port
        return self.places.hosts_file(ports)

    @property
    def hosts_file(self) -> Path:
        """The file with `hosts_file_text`."""
        return self._in_folder("hosts")

    @property
    def ca_file(self) -> Path:
        """The certificate of the authority that the crawler is to trust."""
        if self._authority is None:
            raise LycosaError("the test web was told to do without TLS, and has no authority")
        return self._in_folder("ca.pem")

    def _in_folder(self, name: str) -> Path:
        if self._folder is None:
            raise LycosaError("the test web is not running: use it in a `with` block")
        return self._folder / name

    def endpoint(self, url: str) -> tuple[str, int]:
        """Return the loopback address and port at which a URL of the web is served."""
        authority = url.partition("://")[2].partition("/")[0]
        host = authority.partition(":")[0]
        for place, hosts in self.places.hosts_at.items():
            if host in hosts:
                is_tls = url.startswith("https:")
                return place, self.https_port if is_tls else self.http_port
        raise LycosaError(f"the test web has no host {host}, or none with an address")

    def tls_context(self) -> ssl.SSLContext:
        """Return a client's TLS context that trusts the web's authority alone."""
        return ssl.create_default_context(cafile=self.ca_file)

    # -- those who watch -----------------------------------------------------------------

    def settle(self) -> None:
        """Wait until the referee has been told of everything that clients have seen."""
        self._call(asyncio.sleep(0))

    def client_killed(self) -> None:
        """Tell the referee that the client has just been killed; may be called in any thread.

        Requests of the client that are under way end now. Call it after the process is gone and
        before the next one starts: whatever is still connected is taken to be of the dead.
        """
        self._call(self._client_killed())

    async def _client_killed(self) -> None:
        for _ in range(_PASSES):
            await asyncio.sleep(0)
        await self._abandon_all()
        if self._watcher is not None:
            self._watcher.killed(self.now())

    def worker_killed(self, client: str | None = None) -> None:
        """Tell the referee that one of the client's processes was killed and is gone.

        Its connections have ended by that; those of the others go on. `client` is the address from
        which the dead one asked, where processes have addresses of their own.
        """
        self._call(self._worker_killed(client))

    async def _worker_killed(self, client: str | None) -> None:
        for _ in range(_PASSES):
            await asyncio.sleep(0)
        if self._watcher is not None:
            self._watcher.partly_killed(self.now(), client)

    async def _abandon_all(self) -> None:
        while self._connections:
            for connection in list(self._connections):
                connection.abandon()
            await asyncio.sleep(0)

    def begin(self, request: Request, moment: float, client: str) -> int:
        """A request has come in from the client with this address."""
        self.requests += 1
        return self._watcher.began(request, moment, client) if self._watcher is not None else 0

    def end(self, exchange: Exchange, moment: float, reply: Reply) -> None:
        """A request is over."""
        request = exchange.request
        if request.purpose is Purpose.ROBOTS and 300 <= reply.status < 400:
            location = reply.header("location")
            if location is not None:
                self._robots_elsewhere.add(urljoin(request.url, location))
        if self._watcher is not None:
            self._watcher.ended(exchange.ticket, moment, reply)

    def opened(self, connection: Connection) -> None:
        """A connection has been accepted."""
        self._connections.add(connection)

    def closed(self, connection: Connection) -> None:
        """A connection has ended."""
        self._connections.discard(connection)

    # -- the web -------------------------------------------------------------------------

    def answer(self, request: Request, moment: float, cookie: str) -> Reply:
        """Ask the web."""
        if self._form_web is not None:
            return self._form_web.answer_visitor(request, moment, cookie)
        return self._web.answer(request, moment)

    def raw(self, request: Request) -> AsyncIterator[bytes] | None:
        """Ask the web for bytes that are not HTTP."""
        return self._raw_web.raw(request) if self._raw_web is not None else None

    def purpose(self, url: str, target: str) -> Purpose:
        """Return the purpose of a request, as far as a server can tell."""
        if target == "/robots.txt" or url in self._robots_elsewhere:
            return Purpose.ROBOTS
        return Purpose.PAGE

    def _door(self, host: str) -> Door:
        return self._raw_web.door(host) if self._raw_web is not None else Door.OPEN

    def _certificate(self, host: str) -> Certificate:
        return self._raw_web.certificate(host) if self._raw_web is not None else Certificate.GOOD
