"""The parts of a URL, as a server needs them.

The test web splits URLs on its own, so that it can contradict `lycosa.model.url`. It
makes nothing canonical: a URL that is spelled differently from the web's own spelling is
another URL, and is answered with 404.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

DEFAULT_PORTS = {"http": 80, "https": 443}


class Parts(NamedTuple):
    """A URL taken apart; `path` begins with a slash and `query` has no question mark."""

    scheme: str
    host: str
    port: int
    path: str
    query: str

    @property
    def site(self) -> str:
        """Scheme, host and port: what one robots file speaks for."""
        return f"{self.scheme}://{self.host}:{self.port}"

    @property
    def target(self) -> str:
        """Path and query: what robots rules are held against."""
        return f"{self.path}?{self.query}" if self.query else self.path


@lru_cache(maxsize=1 << 13)
def take_apart(url: str) -> Parts:
    """Split an absolute URL; a fragment is dropped."""
    url = url.partition("#")[0]
    scheme, _, rest = url.partition("://")
    before_query, _, query = rest.partition("?")
    authority, slash, path = before_query.partition("/")
    host, _, port = authority.partition(":")
    return Parts(
        scheme,
        host,
        int(port) if port else DEFAULT_PORTS.get(scheme, 0),
        slash + path or "/",
        query,
    )


def origin(scheme: str, host: str, port: int = 0) -> str:
    """Return the beginning of a URL, without a port that goes without saying."""
    if port in (0, DEFAULT_PORTS.get(scheme)):
        return f"{scheme}://{host}"
    return f"{scheme}://{host}:{port}"
