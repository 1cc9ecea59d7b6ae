"""The transport over real sockets: libcurl's multi interface on the event loop.

    send      the address is judged; an exchange takes the request; libcurl is given it
    ready     a socket can be read or written: libcurl acts, and says which have ended
    deliver   what has ended becomes an answer and is called back, outside of libcurl
    sweep     a few times a second: who has been silent, slow or at it for too long?

libcurl's sockets stand in one epoll set of our own, and the event loop watches that set
alone: a request registers and leaves its socket at the price of two system calls instead
of two rounds through the loop's books.

Always true:
  * `on_answer` is called once for each `send`, later, on the loop's thread; after
    `abort_all` or `close` it is called no more;
  * one `send` puts one request on the wire at most, to the address that it names;
  * nothing that a server does raises; a body costs its bound in memory, its content
    another time the bound.

Cost: docs/decisions/0012-http-client.md.
Not here: pauses and the order of requests (frontier), redirects (they are links).
"""

from __future__ import annotations

import asyncio
import resource
import select
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

import pycurl

from lycosa.clock import Clock
from lycosa.config import Fetch
from lycosa.fetch.cookies import Cookies
from lycosa.fetch.exchange import Exchange, Surroundings, parse_origin
from lycosa.fetch.guard import AddressGuard
from lycosa.fetch.names import MOST_SECONDS, Hosts, Names, read_hosts
from lycosa.fetch.throttle import Throttle
from lycosa.fetch.trust import Trust
from lycosa.records import Answer, Outcome, Request, Resolved

SPEED_WINDOW_SECONDS = 60.0
"""Over how long the slowest speed is measured."""

MOST_IDLE_EXCHANGES = 256
MOST_KEPT_CONNECTIONS = 1_024

_FOREVER = float("inf")
_POLLS = {
    pycurl.POLL_IN: select.EPOLLIN,
    pycurl.POLL_OUT: select.EPOLLOUT,
    pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
}


class CurlTransport:
    """Carries requests to the web and answers back."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        fetch: Fetch,
        *,
        may_send: Callable[[Request], bool] = lambda request: True,
        ports: Mapping[int, int] | None = None,
        names: Names | None = None,
        speed_window_seconds: float = SPEED_WINDOW_SECONDS,
    ) -> None:
        self._loop = loop
        self._clock = clock
        self._fetch = fetch
        self._speed_window_seconds = speed_window_seconds
        self._guard = AddressGuard(fetch.allow_private, fetch.private_networks)
        hosts = read_hosts(Path(fetch.hosts_file)) if fetch.hosts_file else Hosts({}, {})
        self._names = names or Names(
            loop,
            hosts=hosts if fetch.hosts_file else None,
            servers=fetch.name_servers,
            is_accepted=lambda address: self._guard.refusal(address) is None,
        )
        self._trust = Trust(fetch.ca_file)
        rate = fetch.bytes_per_second
        self._throttle = Throttle(rate, loop.time) if rate else None
        self._cookies = Cookies() if fetch.cookies else None
        self._around = Surroundings(
            clock.now,
            self._guard,
            may_send,
            {**hosts.ports, **(ports or {})},
            _by_host(fetch.headers),
            fetch.connect_seconds,
            fetch.proxy,
            self._trust.path,
            self._throttle,
        )
        self._flying: dict[pycurl.Curl, Exchange] = {}
        self._idle: dict[tuple[str, ...], Exchange] = {}
        self._ended: deque[tuple[Exchange, int, str]] = deque()
        self._generation = 0
        self._kick_handle: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = self._due = _FOREVER
        self._sweeper: asyncio.TimerHandle | None = None
        self._waker: asyncio.TimerHandle | None = None
        self._registered: set[int] = set()
        self._epoll = select.epoll()
        loop.add_reader(self._epoll.fileno(), self._on_ready)
        self._multi = self._new_multi()

    def _new_multi(self) -> pycurl.CurlMulti:
        multi = pycurl.CurlMulti()
        multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_NOTHING)
        multi.setopt(pycurl.M_MAXCONNECTS, self._most_connections())
        multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        return multi

    def _most_connections(self) -> int:
        """Return how many connections may stand, idle ones between two requests included."""
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        spare = MOST_KEPT_CONNECTIONS if soft == resource.RLIM_INFINITY else soft // 4
        return max(self._fetch.connections, min(spare, MOST_KEPT_CONNECTIONS))

    @property
    def in_flight(self) -> int:
        """How many requests and questions for names are under way."""
        return len(self._flying) + len(self._ended) + self._names.in_flight

    # -- the protocol ---------------------------------------------------------------------

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        """Send one request; `on_answer` is called once, later."""
        url = request.url
        slash = url.index("/", 8)
        site, path = url[:slash], url[slash:]
        origin = parse_origin(site)
        address = origin.host.strip("[]") if self._fetch.proxy else request.address
        if self._refuses(address):
            self._later(on_answer, self._unsent(Outcome.REFUSED_ADDRESS))
            return
        cookie = ""
        if self._cookies is not None:
            cookie = self._cookies.header(origin.scheme, origin.host, path, self._clock.now())
        key = (site, request.address, request.agent, cookie)
        exchange = self._exchange(key)
        try:
            exchange.begin(request, (origin, path), key, on_answer)
        except (pycurl.error, UnicodeError):  # a host or a header that libcurl cannot carry
            exchange.easy.close()
            self._later(on_answer, self._unsent(Outcome.CONNECT_FAILURE))
            return
        self._flying[exchange.easy] = exchange
        self._multi.add_handle(exchange.easy)
        if self._sweeper is None:
            self._sweeper = self._loop.call_later(self._sweep_seconds(), self._sweep)

    def resolve(self, host: str, on_resolved: Callable[[Resolved], None]) -> None:
        """Look a host name up; `on_resolved` is called once, later.

        Through a proxy every host is its own address: the proxy looks the names up.
        """
        if self._fetch.proxy:
            self._later(on_resolved, Resolved(host.strip("[]"), MOST_SECONDS))
            return
        generation = self._generation

        def resolved(found: Resolved) -> None:
            if generation == self._generation:
                on_resolved(found)

        self._names.resolve(host, resolved)

    def abort_all(self) -> None:
        """End everything that is under way and close every connection; nobody is called back."""
        self._generation += 1
        self._names.cancel()
        for handle in (self._kick_handle, self._timer, self._sweeper, self._waker):
            if handle is not None:
                handle.cancel()
        self._kick_handle = self._timer = self._sweeper = self._waker = None
        self._timer_at = self._due = _FOREVER
        for easy in self._flying:
            self._multi.remove_handle(easy)
        exchanges = [
            *self._flying.values(),
            *(exchange for exchange, _, _ in self._ended),
            *self._idle.values(),
        ]
        self._flying.clear()
        self._ended.clear()
        self._idle.clear()
        self._registered.clear()
        if self._throttle is not None:
            self._throttle.waiting.clear()
        self._multi.close()
        for exchange in exchanges:
            exchange.easy.close()
        self._multi = self._new_multi()

    def close(self) -> None:
        """Abort everything and give back what the transport holds."""
        self.abort_all()
        self._multi.close()
        self._names.close()
        self._trust.close()
        self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()

    # -- beginnings -----------------------------------------------------------------------

    def _refuses(self, address: str) -> bool:
        refusal = self._guard.refusal(address)
        # Through a proxy most hosts are names, which only the proxy can judge.
        return refusal is not None and not (self._fetch.proxy and refusal == "not an address")

    def _unsent(self, outcome: Outcome) -> Answer:
        now = self._clock.now()
        return Answer(0, (), b"", now, now, outcome)

    def _later(self, callback: Callable[..., None], *arguments: object) -> None:
        generation = self._generation

        def run() -> None:
            if generation == self._generation:
                callback(*arguments)

        self._loop.call_soon(run)

    def _exchange(self, key: tuple[str, ...]) -> Exchange:
        """Return an idle exchange, best one that has just served this host."""
        idle = self._idle
        exchange = idle.pop(key, None)
        if exchange is None and len(idle) >= MOST_IDLE_EXCHANGES:
            exchange = idle.pop(next(iter(idle)))
        return exchange or Exchange(self._around)

    def _release(self, exchange: Exchange) -> None:
        exchange.received.clear()  # an idle exchange must not hold a body
        if exchange.key and exchange.key not in self._idle:
            self._idle[exchange.key] = exchange
        else:
            exchange.easy.close()

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
            if self._kick_handle is None:
                self._kick_handle = self._loop.call_soon(self._kick)
        else:
            self._due = self._loop.time() + milliseconds / 1000.0
            # A timer that rings too early is set again: cheaper than to cancel each time.
            if self._due < self._timer_at:
                self._arm()

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
        self._deliver()

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
        self._deliver()

    def _act(self, descriptor: int, action: int) -> None:
        _, running = self._multi.socket_action(descriptor, action)
        if running < len(self._flying):
            self._collect()
        if self._throttle is not None and self._throttle.waiting and self._waker is None:
            self._waker = self._loop.call_later(self._throttle.wait_seconds(), self._wake)

    def _collect(self) -> None:
        queued, earliest = 1, self._clock.now() - self._fetch.total_seconds
        while queued:
            queued, good, bad = self._multi.info_read()
            for easy in good:
                exchange = self._flying[easy]
                if exchange.began < earliest:  # late is late, also between two sweeps
                    exchange.received.verdict = Outcome.TIMEOUT
                self._end(exchange, pycurl.E_OK, "")
            for easy, code, message in bad:
                self._end(self._flying[easy], code, message)

    def _end(self, exchange: Exchange, code: int, message: str) -> None:
        del self._flying[exchange.easy]
        self._multi.remove_handle(exchange.easy)
        self._ended.append((exchange, code, message))

    def _deliver(self) -> None:
        """Call back for all that has ended, outside of libcurl."""
        ended = self._ended
        try:
            while ended:
                exchange, code, message = ended.popleft()
                answer = exchange.finish(code, message)
                request, on_answer = exchange.request, exchange.on_answer
                if answer.failure is Outcome.CONNECT_FAILURE:
                    self._names.failed(request.host, request.address)
                elif self._cookies is not None:
                    host, path = exchange.origin.host, exchange.path
                    self._cookies.learn(host, path, answer.headers, answer.ended)
                self._release(exchange)
                on_answer(answer)
        finally:
            if ended:  # the one who was called back has raised: the others are not lost
                self._loop.call_soon(self._deliver)

    # -- patience -------------------------------------------------------------------------

    def _sweep_seconds(self) -> float:
        fetch = self._fetch
        shortest = min(fetch.first_byte_seconds, fetch.total_seconds, self._speed_window_seconds)
        return min(max(shortest / 4.0, 0.01), 1.0)

    def _sweep(self) -> None:
        """End what has been silent, slow or under way for too long."""
        self._sweeper = None
        now = self._clock.now()
        late = [exchange for exchange in self._flying.values() if self._is_late(exchange, now)]
        for exchange in late:
            exchange.received.verdict = Outcome.TIMEOUT
            self._end(exchange, pycurl.E_OPERATION_TIMEDOUT, "too slow")
        self._deliver()
        if self._flying and self._sweeper is None:
            self._sweeper = self._loop.call_later(self._sweep_seconds(), self._sweep)

    def _is_late(self, exchange: Exchange, now: float) -> bool:
        fetch = self._fetch
        if now - exchange.began > fetch.total_seconds:
            return True
        if not exchange.received.was_asked:
            return False
        if not exchange.received.lines:
            if not exchange.asked_at:
                exchange.asked_at = now  # to the sweep: a clock read less for each request
            return now - exchange.asked_at > fetch.first_byte_seconds
        if not exchange.window_began or exchange.is_paused:
            exchange.window_began, exchange.window_size = now, exchange.received.size
        elif now - exchange.window_began >= self._speed_window_seconds:
            size = exchange.received.size
            least = fetch.slowest_bytes_per_second * self._speed_window_seconds
            if size - exchange.window_size < least:
                return True
            exchange.window_began, exchange.window_size = now, size
        return False

    def _wake(self) -> None:
        """Let those go on that were paused for want of bandwidth."""
        self._waker = None
        assert self._throttle is not None
        waiting, self._throttle.waiting = self._throttle.waiting, deque()
        for exchange in waiting:
            if exchange.easy in self._flying:
                exchange.is_paused = False
                exchange.easy.pause(pycurl.PAUSE_CONT)
        self._kick()


def _by_host(entries: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the job's headers by host, from `host Name: value`."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        host, _, header = entry.partition(" ")
        found[host.lower()] = (*found.get(host.lower(), ()), header)
    return found
