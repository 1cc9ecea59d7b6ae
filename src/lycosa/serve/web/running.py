"""Runs the server, and makes the token and the address with it.

The token stands in the fragment of the address that is printed: browsers send no fragment to any
server, and the page takes it out of the address bar. Who sees the token may do with the crawls what
their owner may do; so it is printed to the owner's terminal alone, and a file with it is
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

from lycosa.errors import LycosaError
from lycosa.serve.web.app import application
from lycosa.serve.web.security import Access
from lycosa.serve.web.served import ServedCrawls

LEAST_TOKEN = 16
MOST_CONNECTIONS = 256
KEEP_SECONDS = 15
STOP_SECONDS = 1
COLLECTING = (2_000, 5, 5)
"""After how many new objects cycles are looked for, and how often among older ones."""


class Listening(NamedTuple):
    """Where the server listens, and who may ask it."""

    host: str = "127.0.0.1"
    port: int = 8890
    origins: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    token_file: Path | None = None


def run(
    crawls: ServedCrawls,
    listening: Listening,
    tell: Callable[[str], None],
    should_end: Callable[[], bool] | None = None,
) -> None:
    """Serve until a signal comes or `should_end` says so; `tell` gets the address with the token.

    `should_end` is asked every second.
    """
    token = read_token(listening.token_file) if listening.token_file else new_token()
    names = (*listening.names, socket.gethostname(), *_own_name(listening.host))
    access = Access(token, tuple(map(_origin, listening.origins)), names)
    listener = _listener(listening.host, listening.port)
    try:
        tell(start_url(crawls, listener, token))
        config = uvicorn.Config(
            application(crawls, access),
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            ws="none",
            proxy_headers=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=KEEP_SECONDS,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        server = uvicorn.Server(config)
        if should_end is not None:
            threading.Thread(target=_end_when, args=(server, should_end), daemon=True).start()
        with collecting_often():
            server.run(sockets=[listener])
    finally:
        listener.close()
        crawls.close()


@contextmanager
def collecting_often() -> Iterator[None]:
    """Collect garbage often while the context lasts, without looking at what is loaded already.

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
    host, port = listener.getsockname()[:2]
    shown = "127.0.0.1" if host == "0.0.0.0" else f"[{'::1' if host == '::' else host}]"
    if ":" not in host and host != "0.0.0.0":
        shown = host
    page = "/" if crawls.is_root else f"/crawl/{quote(crawls.all()[0].name)}/now"
    return f"http://{shown}:{port}{page}#token={token}"


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def read_token(path: Path) -> str:
    """Return the token of a file, which is made if it is not there."""
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
            "  remove the file, and a good one is made"
        )
    return token


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise LycosaError(
            f"{host}:{port}: cannot listen there: {error.strerror}\n"
            "  choose another --port (0 takes a free one), or --host"
        ) from None
    return listener


def _own_name(host: str) -> tuple[str, ...]:
    return (host,) if host else ()


def _origin(text: str) -> str:
    scheme, _, rest = text.partition("://")
    if scheme not in ("http", "https") or not rest or "/" in rest.rstrip("/") or "*" in text:
        raise LycosaError(f"--cors {text}: is no origin\n  write it like https://app.example.org")
    return text.rstrip("/").lower()


# -- beside a crawl -----------------------------------------------------------------------

LINGER_SECONDS = 600.0
"""How long a server beside a crawl stays after the crawl has ended."""


def until_ended(crawls: ServedCrawls) -> Callable[[], bool]:
    """Return the question whether the crawl has ended ten minutes ago, or its folder is gone."""
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
