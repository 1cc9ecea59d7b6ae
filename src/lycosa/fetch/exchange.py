"""One request and its answer on one of libcurl's easy handles, which is used again.

An `Exchange` is made once, with its callbacks, and then carries request after request.
What depends on the host (its URL, the pinned address, the headers) is set only when the
host changes; between two pages of a host the request target alone differs.

The request is written down rather than overheard: all headers are ours, so that its bytes
are known without libcurl's tracing, which would cost more than the request
(`test_the_request_is_archived_as_it_was_sent` compares).

libcurl calls `_before_sending` when the connection stands and the request is about to go
out. There the guard sees the address that is really at the other end, and the lease is
asked for once more. libcurl would send a request a second time when a connection that
was used before ends without an answer; that second time is refused here, because a host
is never to be asked twice without a pause.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import pycurl

from lycosa.coding.contents import ACCEPTED
from lycosa.fetch.answers import Received, compose
from lycosa.fetch.guard import AddressGuard
from lycosa.fetch.throttle import Throttle
from lycosa.records import Answer, Outcome, Request

_log = logging.getLogger(__name__)

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
READ_BYTES = 131_072
"""How much libcurl reads at once: most pages then come in one piece. All handles share it."""

_GO_ON: int = pycurl.PREREQFUNC_OK
_ABORT: int = pycurl.PREREQFUNC_ABORT
_PAUSE: int = pycurl.WRITEFUNC_PAUSE
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Surroundings:
    """What all exchanges of a transport share."""

    now: Callable[[], float]
    guard: AddressGuard
    may_send: Callable[[Request], bool]
    ports: dict[int, int]
    headers: dict[str, tuple[str, ...]]
    """Headers that the job adds, by host; `*` is every host."""
    connect_seconds: float
    proxy: str = ""
    ca_file: str = ""
    throttle: Throttle | None = None


class Origin(NamedTuple):
    """Where a URL leads: `http://a.test:81` taken apart."""

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


class Exchange:
    """An easy handle with the request that it carries."""

    __slots__ = (
        "_around",
        "_asked_end",
        "_request_target",
        "asked_at",
        "began",
        "easy",
        "is_paused",
        "key",
        "limit",
        "on_answer",
        "origin",
        "path",
        "received",
        "request",
        "window_began",
        "window_size",
    )

    request: Request
    on_answer: Callable[[Answer], None]
    origin: Origin
    path: str

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._asked_end = b""
        self._request_target = ""
        self.received = Received()
        self.key: tuple[str, ...] = ()
        self.limit = 0
        self.began = self.asked_at = self.window_began = 0.0
        self.window_size = 0
        self.is_paused = False
        self.easy = self._new_easy()

    def _new_easy(self) -> pycurl.Curl:
        easy, around = pycurl.Curl(), self._around
        easy.setopt(pycurl.NOSIGNAL, 1)
        easy.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        easy.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
        easy.setopt(pycurl.HTTP09_ALLOWED, 0)
        easy.setopt(pycurl.HTTP_TRANSFER_DECODING, 0)
        easy.setopt(pycurl.HTTP_CONTENT_DECODING, 0)
        easy.setopt(pycurl.FOLLOWLOCATION, 0)
        easy.setopt(pycurl.BUFFERSIZE, READ_BYTES)
        easy.setopt(pycurl.CONNECTTIMEOUT_MS, max(1, int(around.connect_seconds * 1000)))
        easy.setopt(pycurl.SSL_VERIFYPEER, 1)
        easy.setopt(pycurl.SSL_VERIFYHOST, 2)
        # Without this libcurl takes proxies from the environment.
        easy.setopt(pycurl.PROXY, around.proxy)
        if around.ca_file:
            # A file alone, without a folder, is parsed once for all connections.
            easy.setopt(pycurl.CAINFO, around.ca_file)
            easy.unsetopt(pycurl.CAPATH)
        easy.setopt(pycurl.HEADERFUNCTION, self.received.lines.append)
        take = self._take if around.throttle is None else self._take_throttled
        easy.setopt(pycurl.WRITEFUNCTION, take)
        easy.setopt(pycurl.PREREQFUNCTION, self._before_sending)
        return easy

    def begin(
        self,
        request: Request,
        where: tuple[Origin, str],
        key: tuple[str, ...],
        on_answer: Callable[[Answer], None],
    ) -> None:
        """Take a request; `key` names all that depends on the host."""
        self.request, self.on_answer = request, on_answer
        self.origin, self.path = origin, path = where
        self.limit = request.largest_body_bytes
        self.began = self._around.now()
        self.asked_at = self.window_began = 0.0
        self.is_paused = False
        if key != self.key:
            self.key = ()
            self._address(request, origin, key[-1])
            self.key = key
        proxy = self._around.proxy
        if proxy and origin.scheme == "http" and proxy.startswith("http"):
            path = request.url
        self._request_target = path
        self.easy.setopt(pycurl.REQUEST_TARGET, path)

    def _address(self, request: Request, origin: Origin, cookie: str) -> None:
        around, easy = self._around, self.easy
        host_headers = around.headers.get("*", ()) + around.headers.get(origin.host, ())
        headers = [
            f"Host: {origin.authority}",
            f"User-Agent: {request.agent}",
            f"Accept: {ACCEPT}",
            f"Accept-Encoding: {ACCEPTED}",
            *host_headers,
        ]
        if host_headers:  # the job's own header replaces ours
            headers = list({line.partition(":")[0].lower(): line for line in headers}.values())
        if cookie:
            headers.append(f"Cookie: {cookie}")
        self._asked_end = "\r\n".join([" HTTP/1.1", *headers, "", ""]).encode("latin-1")
        easy.setopt(pycurl.URL, f"{origin.scheme}://{origin.authority}/")
        easy.setopt(pycurl.HTTPHEADER, [*headers, "Proxy-Connection:"] if around.proxy else headers)
        if not around.proxy:
            address = f"[{request.address}]" if ":" in request.address else request.address
            port = around.ports.get(origin.port, origin.port)
            easy.setopt(pycurl.CONNECT_TO, [f"::{address}:{port}"])

    # -- called by libcurl ----------------------------------------------------------------

    def _before_sending(self, peer: str, _own: str, _peer_port: int, _own_port: int) -> int:
        received, around = self.received, self._around
        if received.was_asked:
            received.verdict = Outcome.CUT_SHORT
            return _ABORT
        refusal = None if around.proxy else around.guard.refusal(peer)
        if refusal is not None:
            _log.debug("%s: not sent to %s: %s", self.request.url, peer, refusal)
            received.verdict = Outcome.REFUSED_ADDRESS
            return _ABORT
        if not around.may_send(self.request):
            received.verdict = Outcome.CONNECT_FAILURE
            return _ABORT
        received.was_asked = True
        received.lines.clear()  # what a proxy said to CONNECT
        return _GO_ON

    def _take(self, data: bytes) -> int | None:
        # None is "all of it", and 0 makes libcurl end the transfer.
        return None if self.received.take(data, self.limit) else 0

    def _take_throttled(self, data: bytes) -> int | None:
        throttle = self._around.throttle
        assert throttle is not None
        if not throttle.spend(len(data)):
            self.is_paused = True
            throttle.waiting.append(self)
            return _PAUSE
        return self._take(data)

    # -- the end --------------------------------------------------------------------------

    def finish(self, code: int, message: str) -> Answer:
        """Return the answer of the transfer, which has ended with this result of libcurl."""
        asked = b"GET " + self._request_target.encode("latin-1") + self._asked_end
        times = (self.began, self._around.now())
        if code == pycurl.E_RECV_ERROR and "header" in message.lower():
            # The same number as for a connection that was reset; only the words differ.
            self.received.verdict = self.received.verdict or Outcome.BAD_ANSWER
        answer = compose(self.received, code, asked, times, self.limit)
        if answer.failure is not None:
            _log.debug(
                "%s: %s at %s: libcurl %d %s",
                self.request.url,
                answer.failure.name,
                self.request.address,
                code,
                message,
            )
        return answer
