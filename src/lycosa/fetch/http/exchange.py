"""The surroundings of a request on its way, and what a carrier is.

There are three carriers: our own connections, plain (`http1`) and over TLS (`tls`), and libcurl's
handles for proxies (`curl`). They carry an `Exchange` (`_exchange`), which is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from lycosa._support.tuples import NamedTuple
from lycosa.fetch.coding.contents import ACCEPTED
from lycosa.fetch.guard import AddressGuard
from lycosa.fetch.http.kept import StaleSites
from lycosa.fetch.http.throttle import Throttle
from lycosa.model.records import Request

if TYPE_CHECKING:
    from lycosa.fetch.http._exchange import Exchange, Outgoing
    from lycosa.fetch.http.proxies import Proxy

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Surroundings(Struct):
    """The settings that all exchanges of a transport share."""

    now: Callable[[], float]
    guard: AddressGuard
    may_send: Callable[[Request], bool]
    ports: dict[int, int]
    headers: dict[str, tuple[str, ...]]
    """Headers that the job adds, by host; `*` is every host."""
    connect_seconds: float
    proxy: Proxy | None = None
    ca_file: Callable[[], str] = str
    """Returns the file of trusted certificates; called with the first TLS request."""
    throttle: Throttle | None = None
    stale: StaleSites = field(default_factory=StaleSites)
    """The sites to which connections are not kept."""


class Origin(NamedTuple):
    """Scheme, host and port of a URL: `http://a.test:81` taken apart."""

    scheme: str
    authority: str
    host: str
    port: int


@lru_cache(maxsize=4_096)
def parse_origin(origin: str) -> Origin:
    """Take the scheme and the authority of a canonical URL apart."""
    scheme, _, authority = origin.partition("://")
    host, colon, port = authority.rpartition(":")
    if colon and port.isdecimal():
        return Origin(scheme, authority, host, int(port))
    return Origin(scheme, authority, authority, _DEFAULT_PORTS[scheme])


class Carrier(Protocol):
    """A way to the web. Exchanges that have ended are handed to the transport, never from within
    `start`."""

    def start(self, outgoing: Outgoing) -> Exchange:
        """Begin an exchange; raises `ValueError` for what cannot be carried."""

    def stop(self, exchange: Exchange) -> None:
        """Break off an exchange that is under way; nothing is handed over."""

    def release(self, exchange: Exchange) -> None:
        """Take back an exchange that has ended, for the next request."""

    def let_go(self, is_wanted: Callable[[str], bool], since: float) -> None:
        """Close what has been idle since a moment and leads to a site that is not wanted."""

    def abort_all(self) -> None:
        """Close every connection, also the idle ones."""

    def close(self) -> None:
        """Abort everything, and give back what the carrier holds."""


def request_headers(around: Surroundings, outgoing: Outgoing) -> list[str]:
    """Return the header lines of a request; the job's own header replaces ours."""
    origin = outgoing.origin
    host_headers = around.headers.get("*", ()) + around.headers.get(origin.host, ())
    headers = [
        f"Host: {origin.authority}",
        f"User-Agent: {outgoing.request.agent}",
        f"Accept: {ACCEPT}",
        f"Accept-Encoding: {ACCEPTED}",
        *host_headers,
    ]
    if host_headers:
        headers = list({line.partition(":")[0].lower(): line for line in headers}.values())
    return headers + list(outgoing.key[3:])
