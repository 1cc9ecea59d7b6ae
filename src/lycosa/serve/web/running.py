"""Runs the server, and makes the token and the address with it.

The token stands in the fragment of the address that is printed: browsers send no fragment to any
server, and the page takes it out of the address bar. Anybody with the token may do with the crawls
what their owner may do; so it is printed to the owner's terminal alone, and a file with it is
readable by the owner alone.
"""

from __future__ import annotations

import gc
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import uvicorn

from lycosa.errors import LycosaError, QueryError
from lycosa.query.protocol import Query
from lycosa.query.triple_store import TripleStore
from lycosa.serve.connections import ConnectionLimits
from lycosa.serve.listening import bounded_server, checked_proxies, listen
from lycosa.serve.web.app import application, endpoint_application
from lycosa.serve.web.security import Access
from lycosa.serve.web.served import ServedCrawls

LEAST_TOKEN = 16
ENDPOINT_LIMITS = ConnectionLimits(most=64, most_each=32)
"""The connections of the SPARQL endpoint alone, whose responses may be large."""
MOST_HELD_ANSWERS = 2
"""Most responses of the largest size that may wait in memory for slow readers."""
COLLECTING = (2_000, 5, 5)
"""New objects after which garbage is collected, and the ratios for older generations."""


class Listening(NamedTuple):
    """The address of the server, and the access rights."""

    host: str = "127.0.0.1"
    port: int = 8890
    origins: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    token_file: Path | None = None
    is_sparql_public: bool = False
    proxies: tuple[str, ...] = ()

    def access(self) -> Access:
        """Return the access rights, with the token of the file or a new one."""
        token = read_token(self.token_file) if self.token_file else new_token()
        names = (*self.names, socket.gethostname(), *_own_name(self.host))
        origins = tuple(map(_origin, self.origins))
        proxies = checked_proxies(self.proxies)
        return Access(token, origins, names, self.is_sparql_public, proxies)


def run(
    crawls: ServedCrawls,
    listening: Listening,
    tell: Callable[[str], None],
    should_end: Callable[[], bool] | None = None,
) -> None:
    """Serve until a signal comes or `should_end` says so; `tell` gets the address with the token.

    `should_end` is asked every second.
    """
    access = listening.access()
    listener = listen(listening.host, listening.port)
    try:
        tell(start_url(crawls, listener, access.token))
        limits = ConnectionLimits(proxies=access.proxies)
        server = bounded_server(application(crawls, access), limits, lifespan="on")
        if should_end is not None:
            threading.Thread(target=_end_when, args=(server, should_end), daemon=True).start()
        with collecting_often():
            server.run(sockets=[listener])
    finally:
        listener.close()
        crawls.close()


class EndpointServer:
    """The SPARQL endpoint alone; the constructor starts to listen."""

    def __init__(self, crawls: ServedCrawls, listening: Listening) -> None:
        self._crawls = crawls
        self._access = listening.access()
        _require_answers(crawls)
        try:
            self._listener = listen(listening.host, listening.port)
        except LycosaError:
            crawls.close()
            raise

    @property
    def url(self) -> str:
        """The address, with the token if one is needed."""
        address = f"http://{_shown(self._listener)}/sparql"
        is_public = self._access.is_sparql_public
        return address if is_public else f"{address}#token={self._access.token}"

    def run(self) -> None:
        """Answer requests until a signal comes."""
        held = MOST_HELD_ANSWERS * self._crawls.limits.largest_bytes
        limits = ENDPOINT_LIMITS._replace(most_held_bytes=held, proxies=self._access.proxies)
        app = endpoint_application(self._crawls, self._access)
        with collecting_often():
            bounded_server(app, limits).run(sockets=[self._listener])

    def close(self) -> None:
        """Stop listening, and end the answering processes."""
        self._listener.close()
        self._crawls.close()


def _require_answers(crawls: ServedCrawls) -> None:
    """Raise an error unless the crawl has an index that answers."""
    (crawl,) = crawls.all()
    index = TripleStore(crawl.directory.path)
    if index.current() is None:
        raise index.missing()
    reply = crawl.answers.ask(Query("ASK {}"), crawl.limits.seconds)
    if reply.kind != "answer":
        crawls.close()
        raise QueryError(reply.text)


@contextmanager
def collecting_often() -> Iterator[None]:
    """Collect garbage often while the context lasts, except for objects loaded already.

    A closed connection leaves a cycle of 1 kB behind. By the thresholds of a command
    (`lycosa.memory`) none would be freed before 200,000 objects more are there than at the start.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTING)
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def start_url(crawls: ServedCrawls, listener: socket.socket, token: str) -> str:
    """Return the address of the first page, with the token."""
    page = "/" if crawls.is_root else f"/crawl/{quote(crawls.all()[0].name)}/now"
    return f"http://{_shown(listener)}{page}#token={token}"


def _shown(listener: socket.socket) -> str:
    """Return the server's address for clients on this machine."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{shown}]:{port}" if ":" in shown else f"{shown}:{port}"


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def read_token(path: Path) -> str:
    """Return the token of a file; make the file if it does not exist."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(new_token() + "\n")
    except FileExistsError:
        pass
    except OSError as error:
        raise LycosaError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise LycosaError(f"{path}: cannot be read as a token") from None
    if path.stat().st_mode & 0o077:
        raise LycosaError(
            f"{path}: other users may read the token\n  take that away: chmod 600 {path}"
        )
    if len(token) < LEAST_TOKEN or not token.isprintable() or " " in token:
        raise LycosaError(
            f"{path}: a token is one word of at least {LEAST_TOKEN} characters\n"
            "  remove the file: the next start makes a new one"
        )
    return token


def _own_name(host: str) -> tuple[str, ...]:
    return (host,) if host else ()


def _origin(text: str) -> str:
    scheme, _, rest = text.partition("://")
    if scheme not in ("http", "https") or not rest or "/" in rest.rstrip("/") or "*" in text:
        raise LycosaError(
            f"--cors {text}: is not an origin\n  write it like https://app.example.org"
        )
    return text.rstrip("/").lower()


# -- beside a crawl -----------------------------------------------------------------------

LINGER_SECONDS = 600.0
"""Seconds that a server stays after its crawl has ended."""


def until_ended(crawls: ServedCrawls) -> Callable[[], bool]:
    """Return a function that tells whether the crawl ended long ago, or its folder is gone."""
    last = time.monotonic()

    def has_ended() -> bool:
        nonlocal last
        if not crawls.place.exists():
            return True
        if any(crawl.directory.holder() is not None for crawl in crawls.all()):
            last = time.monotonic()
        return time.monotonic() - last > LINGER_SECONDS

    return has_ended


def _end_when(server: uvicorn.Server, should_end: Callable[[], bool]) -> None:
    while not should_end():
        time.sleep(1.0)
    server.should_exit = True
