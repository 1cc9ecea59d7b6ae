"""Sends all requests through a proxy by libcurl's multi interface.

    start     gives the request to an idle handle, and the handle to libcurl
    ready     a socket can be read or written: libcurl acts, and reports which have ended
    hand over gives ended exchanges to the transport, outside of libcurl

libcurl's sockets are in one epoll set of our own, and the event loop watches only that
set. So a request registers and leaves its socket with two system calls instead
of two rounds through the loop's bookkeeping.

The bytes of the request are computed, not captured: all headers are ours, so its bytes
are known without libcurl's tracing, which would cost more than the request
(`test_the_request_is_archived_as_it_was_sent` compares). libcurl would send a request a
second time at once when a reused connection ends without an answer; `may_go` refuses that, and no
second connection is opened for it.

Cost: docs/decisions/0012-http-client.md.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable

import pycurl

from lycosa._support.loop import Cancellable, EventLoop
from lycosa.fetch.http import undelivered
from lycosa.fetch.http._exchange import Exchange, Outgoing, Received
from lycosa.fetch.http.exchange import Surroundings
from lycosa.fetch.http.kept import MOST_SITES, Lane, idle_seconds
from lycosa.model.records import Outcome

READ_BYTES = 131_072
"""How much libcurl reads at once: most pages then come in one piece. All handles share it."""

MOST_IDLE_EXCHANGES = 256

IDLE_SECONDS = 118
"""After so long an idle connection is not used again, unless its server says less: as libcurl."""

_PROXY: Lane = ("proxy",)
_OPTIONS_SET: int = pycurl.SOCKOPT_OK
_NO_CONNECTION: int = pycurl.SOCKOPT_ERROR
_GO_ON: int = pycurl.PREREQFUNC_OK
_ABORT: int = pycurl.PREREQFUNC_ABORT
_PAUSE: int = pycurl.WRITEFUNC_PAUSE
_FOREVER = float("inf")
_POLLS = {
    pycurl.POLL_IN: select.EPOLLIN,
    pycurl.POLL_OUT: select.EPOLLOUT,
    pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
}
_NOT_HTTP = frozenset(
    {
        pycurl.E_UNSUPPORTED_PROTOCOL,
        pycurl.E_FTP_WEIRD_SERVER_REPLY,
        pycurl.E_BAD_CONTENT_ENCODING,
        100,  # CURLE_TOO_LARGE: a head beyond libcurl's bounds
    }
)


def failure_of(code: int, message: str, received: Received) -> Outcome | None:
    """Return what a result of libcurl means for the fetch."""
    if received.verdict is not None:
        return received.verdict
    if code == pycurl.E_OK or received.is_cut:
        return None
    if code == pycurl.E_COULDNT_RESOLVE_HOST:
        return Outcome.NAME_FAILURE
    # A malformed head has the same code as a reset connection; only the text differs.
    if code in _NOT_HTTP or (code == pycurl.E_RECV_ERROR and "header" in message.lower()):
        return Outcome.BAD_ANSWER
    if received.was_asked:
        return Outcome.CUT_SHORT
    # Failed TLS, a refused connection and a connect timeout all count the same.
    received.detail = message
    return Outcome.CONNECT_FAILURE


class CurlCarrier:
    """Implements `exchange.Carrier` by libcurl; it can also do without a proxy."""

    def __init__(
        self,
        loop: EventLoop,
        around: Surroundings,
        most_connections: int,
        on_end: Callable[..., None],
    ) -> None:
        self._loop = loop
        self._around = around
        self._most_connections = most_connections
        self._on_end = on_end
        self._flying: dict[pycurl.Curl, CurlExchange] = {}
        self._idle: dict[tuple[str, ...], CurlExchange] = {}
        self._kept_seconds: dict[Lane, int] = {}
        """For how long servers, or the proxy, say that they keep a connection."""
        self._kick_handle: Cancellable | None = None
        self._timer: Cancellable | None = None
        self._timer_at = self._due = _FOREVER
        self._registered: set[int] = set()
        self._epoll = select.epoll()
        loop.add_reader(self._epoll.fileno(), self._on_ready)
        self._multi = self._new_multi()

    def _new_multi(self) -> pycurl.CurlMulti:
        multi = pycurl.CurlMulti()
        multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_NOTHING)
        multi.setopt(pycurl.M_MAXCONNECTS, self._most_connections)
        multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        return multi

    # -- the protocol ---------------------------------------------------------------------

    def start(self, outgoing: Outgoing) -> Exchange:
        """Give libcurl a request, if possible on the handle that last served this host."""
        idle = self._idle
        exchange = idle.pop(outgoing.key, None)
        if exchange is None and len(idle) >= MOST_IDLE_EXCHANGES:
            exchange = idle.pop(next(iter(idle)))
        exchange = exchange or CurlExchange(self._around, self)
        try:
            exchange.begin(outgoing)
        except (pycurl.error, UnicodeError) as problem:
            exchange.easy.close()
            raise ValueError(f"{outgoing.request.url}: {problem}") from problem
        self._flying[exchange.easy] = exchange
        self._multi.add_handle(exchange.easy)
        return exchange

    def stop(self, exchange: Exchange) -> None:
        """Take a transfer away from libcurl, which closes its connection."""
        assert isinstance(exchange, CurlExchange)
        exchange.give_up()
        self._take_away(exchange)

    def _take_away(self, exchange: CurlExchange) -> None:
        exchange.is_paused = False
        del self._flying[exchange.easy]
        self._multi.remove_handle(exchange.easy)

    def release(self, exchange: Exchange) -> None:
        """Keep a handle for the next request to its host."""
        assert isinstance(exchange, CurlExchange)
        exchange.rest()
        if exchange.key and exchange.key not in self._idle:
            self._idle[exchange.key] = exchange
        else:
            exchange.easy.close()

    def kept_seconds(self, lane: Lane) -> int:
        """Return how long a connection may have been idle for the next request; 0 is not at all."""
        if lane in self._around.stale.often:
            return 0
        return self._kept_seconds.get(lane, IDLE_SECONDS) if self._kept_seconds else IDLE_SECONDS

    def _note_kept(self, exchange: CurlExchange) -> None:
        """Take note of how long the server of an answer keeps its connection."""
        for line in exchange.received.lines:
            if line[:11].lower() == b"keep-alive:":
                seconds = idle_seconds(line[11:].decode("latin-1"))
                if seconds is not None:
                    known, lane = self._kept_seconds, exchange.lane
                    if len(known) >= MOST_SITES and lane not in known:
                        del known[next(iter(known))]
                    known[lane] = max(0, min(int(seconds), IDLE_SECONDS))

    def let_go(self, is_wanted: Callable[[str], bool], since: float) -> None:
        """Do nothing: libcurl's connections lead to the proxy."""

    def abort_all(self) -> None:
        """Take everything away from libcurl and close every connection."""
        for handle in (self._kick_handle, self._timer):
            if handle is not None:
                handle.cancel()
        self._kick_handle = self._timer = None
        self._timer_at = self._due = _FOREVER
        for easy, exchange in self._flying.items():
            exchange.give_up()
            self._multi.remove_handle(easy)
        exchanges = [*self._flying.values(), *self._idle.values()]
        self._flying.clear()
        self._idle.clear()
        self._registered.clear()
        self._multi.close()
        for exchange in exchanges:
            exchange.easy.close()
        self._multi = self._new_multi()

    def close(self) -> None:
        """Abort everything and give back what the carrier holds."""
        self.abort_all()
        self._multi.close()
        self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()

    # -- what libcurl wants ---------------------------------------------------------------

    def _watch(self, event: int, descriptor: int, _multi: object, _data: object) -> None:
        registered = self._registered
        try:
            if event == pycurl.POLL_REMOVE:
                registered.discard(descriptor)
                self._epoll.unregister(descriptor)
            elif descriptor in registered:
                self._epoll.modify(descriptor, _POLLS[event])
            else:
                self._epoll.register(descriptor, _POLLS[event])
                registered.add(descriptor)
        except OSError:
            # A socket that was closed has left the set by itself.
            if event != pycurl.POLL_REMOVE:
                self._epoll.register(descriptor, _POLLS[event])
                registered.add(descriptor)

    def _set_timer(self, milliseconds: int) -> None:
        if milliseconds < 0:
            self._due = _FOREVER
        elif milliseconds == 0:
            self._due = _FOREVER
            self.kick_soon()
        else:
            self._due = self._loop.time() + milliseconds / 1000.0
            # A timer that rings too early is set again: cheaper than to cancel each time.
            if self._due < self._timer_at:
                self._arm()

    def kick_soon(self) -> None:
        """Call libcurl again once it has returned."""
        if self._kick_handle is None:
            self._kick_handle = self._loop.call_soon(self._kick)

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = self._due
        self._timer = self._loop.call_at(self._due, self._ring)

    def _ring(self) -> None:
        self._timer, self._timer_at = None, _FOREVER
        if self._due <= self._loop.time():
            self._due = _FOREVER
            self._kick()
        elif self._due != _FOREVER:
            self._arm()

    # -- what libcurl does ----------------------------------------------------------------

    def _kick(self) -> None:
        self._kick_handle = None
        self._act(pycurl.SOCKET_TIMEOUT, 0)

    def _on_ready(self) -> None:
        for descriptor, events in self._epoll.poll(0):
            action = 0
            if events & select.EPOLLIN:
                action = pycurl.CSELECT_IN
            if events & select.EPOLLOUT:
                action |= pycurl.CSELECT_OUT
            if events & (select.EPOLLERR | select.EPOLLHUP):
                action |= pycurl.CSELECT_ERR
            self._act(descriptor, action)

    def _act(self, descriptor: int, action: int) -> None:
        _, running = self._multi.socket_action(descriptor, action)
        if running < len(self._flying):
            self._collect()

    def _collect(self) -> None:
        queued = 1
        ended: list[CurlExchange] = []
        while queued:
            queued, good, bad = self._multi.info_read()
            for easy, code, message in [*((easy, pycurl.E_OK, "") for easy in good), *bad]:
                exchange = self._flying[easy]
                self._take_away(exchange)
                self._note_kept(exchange)
                exchange.received.verdict = failure_of(code, message, exchange.received)
                ended.append(exchange)
        self._on_end(*ended)


class CurlExchange(Exchange):
    """An easy handle with the request that it carries."""

    __slots__ = ("_curl", "_is_get", "_kept_seconds", "_opened", "easy")

    def __init__(self, around: Surroundings, carrier: CurlCarrier) -> None:
        super().__init__(around, carrier)
        self._curl = carrier
        self._opened = -1
        """A connection that was opened for this request, until the request is sent."""
        self._is_get = True
        """Whether the handle sends a GET, as a new one does."""
        self._kept_seconds = IDLE_SECONDS
        """The oldest connection that the handle would use, as a new one does."""
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
        # Without these libcurl takes proxies, and hosts that go without one, from the environment.
        easy.setopt(pycurl.PROXY, around.proxy.url if around.proxy else "")
        easy.setopt(pycurl.NOPROXY, "")
        if around.proxy and around.proxy.user:
            easy.setopt(pycurl.PROXYUSERNAME, around.proxy.user)
            easy.setopt(pycurl.PROXYPASSWORD, around.proxy.password)
        if ca_file := around.ca_file():
            # A file alone, without a folder, is parsed once for all connections.
            easy.setopt(pycurl.CAINFO, ca_file)
            easy.unsetopt(pycurl.CAPATH)
        easy.setopt(pycurl.HEADERFUNCTION, self.received.lines.append)
        take = self._take if around.throttle is None else self._take_throttled
        easy.setopt(pycurl.WRITEFUNCTION, take)
        easy.setopt(pycurl.PREREQFUNCTION, self._before_sending)
        easy.setopt(pycurl.SOCKOPTFUNCTION, self._note_opened)
        return easy

    def begin(self, outgoing: Outgoing) -> None:
        """Take a request; raises `pycurl.error` or `UnicodeError` for what cannot be carried."""
        super().begin(outgoing)
        if self._is_told_to_proxy:
            url = outgoing.request.url
            self.request_target = url.partition("#")[0] if outgoing.request.form else url
        kept_seconds = self._curl.kept_seconds(self.lane)
        if kept_seconds != self._kept_seconds:
            self._keep_for(kept_seconds)
        self.easy.setopt(pycurl.REQUEST_TARGET, self.request_target)
        if not self._is_get:
            self.easy.setopt(pycurl.HTTPGET, 1)
        self._is_get = not (outgoing.request.form or self.is_head)
        if outgoing.request.form:
            self.easy.setopt(pycurl.POSTFIELDS, outgoing.request.form)
        elif self.is_head:
            self.easy.setopt(pycurl.NOBODY, 1)

    @property
    def _is_told_to_proxy(self) -> bool:
        """Whether the proxy itself answers the request, not a tunnel through it."""
        proxy = self._around.proxy
        return bool(proxy and self.outgoing.origin.scheme == "http" and proxy.speaks_http)

    @property
    def lane(self) -> Lane:
        """Key of the requests that share a connection: the site, or everything that a proxy is
        told."""
        return _PROXY if self._is_told_to_proxy else super().lane

    def _keep_for(self, seconds: int) -> None:
        """Use connections that were idle for at most so long; for 0, a new one that ends."""
        self._kept_seconds = seconds
        self.easy.setopt(pycurl.MAXAGE_CONN, seconds)
        self.easy.setopt(pycurl.FRESH_CONNECT, seconds == 0)
        self.easy.setopt(pycurl.FORBID_REUSE, seconds == 0)

    def address(self, outgoing: Outgoing, headers: list[str]) -> None:
        """Make ready for another host, or for other headers."""
        super().address(outgoing, headers)
        request, origin = outgoing.request, outgoing.origin
        around, easy = self._around, self.easy
        easy.setopt(pycurl.URL, f"{origin.scheme}://{origin.authority}/")
        easy.setopt(pycurl.HTTPHEADER, [*headers, "Proxy-Connection:"] if around.proxy else headers)
        if not around.proxy:
            address = f"[{request.address}]" if ":" in request.address else request.address
            port = around.ports.get(origin.port, origin.port)
            easy.setopt(pycurl.CONNECT_TO, [f"::{address}:{port}"])

    def go_on(self) -> None:
        """Read again."""
        self.easy.pause(pycurl.PAUSE_CONT)
        self._curl.kick_soon()

    def give_up(self) -> None:
        """Let the connection be reset when it is closed: the request must not arrive any more."""
        _use(self.easy.getinfo(pycurl.ACTIVESOCKET), undelivered.forget)

    # -- called by libcurl ----------------------------------------------------------------

    def _note_opened(self, descriptor: int, _purpose: int) -> int:
        if self.received.was_asked:  # libcurl would send the request again, without a pause
            self.note_stale()
            return _NO_CONNECTION
        self._opened = descriptor
        return _OPTIONS_SET

    def _before_sending(self, peer: str, _own: str, peer_port: int, _own_port: int) -> int:
        proxy, port = self._around.proxy, self.outgoing.origin.port
        is_proxy = proxy is not None and proxy.is_peer(peer, peer_port, port)
        if not self.may_go(peer, is_proxy=is_proxy):
            return _ABORT
        if self._opened >= 0:
            _use(self._opened, undelivered.limit_delivery)
            self._opened = -1
        self.received.lines.clear()  # what a proxy said to CONNECT
        return _GO_ON

    def _take(self, data: bytes) -> int | None:
        # None is "all of it", and 0 makes libcurl end the transfer.
        return None if self.received.take(data, self.limit) else 0

    def _take_throttled(self, data: bytes) -> int | None:
        throttle = self._around.throttle
        assert throttle is not None
        if not throttle.has_some():
            throttle.pause(self)
            return _PAUSE
        throttle.spend(len(data))
        return self._take(data)


def _use(descriptor: int, call: Callable[[socket.socket], None]) -> None:
    """Do something with a socket of libcurl's, if there is one."""
    if descriptor >= 0:
        connection = socket.socket(fileno=descriptor)
        try:
            call(connection)
        finally:
            connection.detach()
