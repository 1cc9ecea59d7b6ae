"""One request on its way to the web, whichever carrier sends it.

An `Exchange` is made once and then carries request after request. Data that depends on the host
(the pinned address, the headers) is computed only when the host changes; between two pages of a
host only the request target differs. There are three carriers: our own connections, plain (`http1`)
and over TLS (`tls`), and libcurl's handles for proxies (`curl`).

When the connection stands and the request is about to go out, the carrier calls `may_go`: the
guard judges the address that is really at the other end, and the lease is checked once more.
It lets only one request through: a host is never asked twice without a pause.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from lycosa.coding.contents import ACCEPTED
from lycosa.fetch.carriers.answers import Received, compose
from lycosa.fetch.carriers.kept import Lane, StaleSites
from lycosa.fetch.carriers.throttle import Throttle
from lycosa.fetch.guard import AddressGuard
from lycosa.records import Answer, Outcome, Purpose, Request

if TYPE_CHECKING:
    from lycosa.fetch.carriers.proxies import Proxy

_log = logging.getLogger(__name__)

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


class Outgoing(Struct, frozen=True):
    """A request with everything that a carrier needs to send it."""

    request: Request
    origin: Origin
    path: str
    key: tuple[str, ...]
    """Site, address and agent; and more header lines: the cookie, and what we hold of the page.

    Between two outgoing requests with the same key the request target alone differs."""
    on_answer: Callable[[Answer], None]


NOTHING = Outgoing(
    Request("", "", "", Purpose.PAGE, "", 0), Origin("", "", "", 0), "", (), lambda answer: None
)
"""What an idle exchange carries."""


@lru_cache(maxsize=4_096)
def parse_origin(origin: str) -> Origin:
    """Take the scheme and the authority of a canonical URL apart."""
    scheme, _, authority = origin.partition("://")
    host, colon, port = authority.rpartition(":")
    if colon and port.isdecimal():
        return Origin(scheme, authority, host, int(port))
    return Origin(scheme, authority, authority, _DEFAULT_PORTS[scheme])


class Carrier(Protocol):
    """A way to the web. What has ended is handed to the transport, never from within `start`."""

    def start(self, outgoing: Outgoing) -> Exchange:
        """Begin an exchange; raises `ValueError` for what cannot be carried."""

    def stop(self, exchange: Exchange) -> None:
        """Break off an exchange that is under way; nothing is handed over."""

    def release(self, exchange: Exchange) -> None:
        """Take back an exchange that has ended, for the next request."""

    def abort_all(self) -> None:
        """Close every connection, also the idle ones."""

    def close(self) -> None:
        """Abort everything, and give back what the carrier holds."""


class Exchange:
    """A request under way, and what has come of its answer."""

    __slots__ = (
        "_around",
        "_asked",
        "asked_at",
        "asked_end",
        "began",
        "carrier",
        "is_paused",
        "key",
        "limit",
        "outgoing",
        "received",
        "request_target",
        "window_began",
        "window_size",
    )

    outgoing: Outgoing

    def __init__(self, around: Surroundings, carrier: Carrier) -> None:
        self._around = around
        self.carrier = carrier
        self.asked_end = b""
        self.request_target = ""
        self._asked = b""
        self.received = Received()
        self.key: tuple[str, ...] = ()
        self.limit = 0
        self.began = self.asked_at = self.window_began = 0.0
        self.window_size = 0
        self.is_paused = False

    def begin(self, outgoing: Outgoing) -> None:
        """Take a request."""
        self.outgoing = outgoing
        self.limit = outgoing.request.largest_body_bytes
        self.began = self._around.now()
        self.asked_at = self.window_began = 0.0
        self.is_paused = False
        self.request_target = outgoing.path
        self._asked = b""
        if outgoing.key != self.key:
            self.key = ()
            self.address(outgoing, self._headers(outgoing))
            self.key = outgoing.key

    def address(self, outgoing: Outgoing, headers: list[str]) -> None:
        """Make ready for another host, or for other headers; raises `UnicodeError`."""
        self.asked_end = "\r\n".join([" HTTP/1.1", *headers, "", ""]).encode("latin-1")

    def rest(self) -> None:
        """Hold nothing of an exchange that has ended: until the next one it may be long."""
        self.received.clear()
        self.outgoing, self.request_target, self._asked = NOTHING, "", b""

    def go_on(self) -> None:
        """Read again: there is bandwidth."""
        raise NotImplementedError

    def _headers(self, outgoing: Outgoing) -> list[str]:
        origin, around = outgoing.origin, self._around
        host_headers = around.headers.get("*", ()) + around.headers.get(origin.host, ())
        headers = [
            f"Host: {origin.authority}",
            f"User-Agent: {outgoing.request.agent}",
            f"Accept: {ACCEPT}",
            f"Accept-Encoding: {ACCEPTED}",
            *host_headers,
        ]
        if host_headers:  # the job's own header replaces ours
            headers = list({line.partition(":")[0].lower(): line for line in headers}.values())
        return headers + list(outgoing.key[3:])

    def may_go(self, peer: str, *, is_proxy: bool = False) -> bool:
        """Return whether the request may be put on this connection, now, the first time.

        The address of a proxy is the operator's choice; every other peer is judged.
        """
        received, around = self.received, self._around
        if received.was_asked:
            self.note_stale()
            return False
        refusal = None if is_proxy else around.guard.refusal(peer)
        if refusal is not None:
            _log.debug("%s: not sent to %s: %s", self.outgoing.request.url, peer, refusal)
            received.verdict = Outcome.REFUSED_ADDRESS
            return False
        if not around.may_send(self.outgoing.request):
            received.verdict = Outcome.CONNECT_FAILURE
            return False
        received.was_asked = True
        return True

    @property
    def is_connected(self) -> bool:
        """Whether TCP's handshake is over, as far as the carrier can tell."""
        return True

    @property
    def lane(self) -> Lane:
        """What shares a connection with this request: the site and its address."""
        return self.outgoing.key[:2]

    def note_stale(self) -> None:
        """Note that a kept connection ended before a byte of the answer came.

        A request that is not idempotent may have been acted upon: it is cut short, and not sent
        again (RFC 9110, 9.2.2).
        """
        is_post = bool(self.outgoing.request.form)
        self.received.verdict = Outcome.CUT_SHORT if is_post else Outcome.STALE_CONNECTION
        self._around.stale.note(self.lane)

    @property
    def is_head(self) -> bool:
        """Whether the head of a page is asked for: its answer has no body (RFC 9110, 9.3.2)."""
        return self.outgoing.request.purpose is Purpose.HEAD

    def asked(self) -> bytes:
        """Return the request as it is sent."""
        if not self._asked:
            form = self.outgoing.request.form
            method = b"POST " if form else b"HEAD " if self.is_head else b"GET "
            self._asked = method + self.request_target.encode("latin-1") + self.asked_end + form
        return self._asked

    def finish(self) -> Answer:
        """Return the answer of the exchange, which has ended."""
        answer = compose(self.received, self.asked(), (self.began, self._around.now()), self.limit)
        if answer.failure is not None:
            request, detail = self.outgoing.request, self.received.detail
            _log.debug("%s: %s at %s", request.url, answer.failure.name, request.address)
            if detail:
                answer = replace(answer, detail=detail, is_missed=self.received.is_missed)
        return answer
