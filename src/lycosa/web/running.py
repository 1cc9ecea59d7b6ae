"""Makes the server over crawls, its token, and the address with it.

The token stands in the fragment of the address that is printed: browsers send no fragment to any
server, and the page takes it out of the address bar. Anybody with the token may do with the crawls
what their owner may do; so it is printed to the owner's terminal alone, and a file with it is
readable by the owner alone.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from lycosa.analysis.triples.protocol import Query
from lycosa.analysis.triples.triple_store import TripleStore
from lycosa.errors import LycosaError, QueryError
from lycosa.web.app import application
from lycosa.web.connections import ConnectionLimits
from lycosa.web.listening import WebServer, address_of, checked_proxies, listen
from lycosa.web.security import Access
from lycosa.web.served import ServedCrawls

LEAST_TOKEN = 16
ENDPOINT_LIMITS = ConnectionLimits(most=64, most_each=32)
"""The connections of the SPARQL endpoint alone, whose responses may be large."""
MOST_HELD_ANSWERS = 2
"""Most responses of the largest size that may wait in memory for slow readers."""


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


def server_of(
    crawls: ServedCrawls, listening: Listening, *, only_sparql: bool = False
) -> WebServer:
    """Return a server that listens already; its URL has the token, if one is needed."""
    access = listening.access()
    app = application(crawls, access, only_sparql=only_sparql)
    limits, page, token = ConnectionLimits(), "/", f"#token={access.token}"
    if only_sparql:
        _require_answers(crawls)
        held = MOST_HELD_ANSWERS * crawls.limits.largest_bytes
        limits, page = ENDPOINT_LIMITS._replace(most_held_bytes=held), "/sparql"
        token = "" if access.is_sparql_public else token
    elif not crawls.is_root:
        (crawl,) = crawls.all()
        first = "pages" if crawls.ended_alone() is not None else "now"
        page = f"/crawl/{quote(crawl.name)}/{first}"
    listener = listen(listening.host, listening.port)
    url = f"http://{address_of(listener)}{page}{token}"
    return WebServer(app, listener, url, limits._replace(proxies=access.proxies))


def _require_answers(crawls: ServedCrawls) -> None:
    """Raise an error unless the crawl has an index that answers."""
    (crawl,) = crawls.all()
    index = TripleStore(crawl.directory.path)
    if index.current() is None:
        raise index.missing()
    reply = crawl.answers.ask(Query("ASK {}"), crawl.limits.seconds)
    if reply.kind != "answer":
        raise QueryError(reply.text)


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
