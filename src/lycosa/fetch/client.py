"""The transport over real sockets: sends requests, enforces time limits, delivers answers.

    send      has the address judged and gives the request to a carrier: `http1` for plain HTTP,
              `tls` for HTTP over TLS, `curl` for everything through a proxy
    deliver   turns each exchange that has ended into an answer and calls back; both are
              compiled (`_delivery`)
    sweep     a few times a second: ends exchanges that are silent, slow or too long under way
    cut       ends everything now and calls back, for a crawl that is stopping

Always true:
  * `on_answer` is called once for each `send`, later, on the loop's thread; after
    `abort_all` or `close` it is called no more;
  * one `send` puts one request on the wire at most, to the address that it names;
  * nothing that a server does raises; a body costs its size limit in memory, and its content
    the same again.

Cost: docs/decisions/0012-http-client.md.
Not here: pauses and the order of requests (frontier), redirects (they are links).
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa._support.loop import EventLoop
from lycosa.errors import ConfigError
from lycosa.fetch._delivery import Delivery
from lycosa.fetch.certificates import Trust
from lycosa.fetch.dns import MOST_SECONDS, Hosts, Names, read_hosts
from lycosa.fetch.guard import AddressGuard
from lycosa.fetch.http._exchange import Exchange, Outgoing
from lycosa.fetch.http.exchange import Carrier, Surroundings
from lycosa.fetch.http.http1 import DirectCarrier
from lycosa.fetch.http.throttle import Throttle
from lycosa.fetch.ports import PortGuard
from lycosa.model.clock import Clock
from lycosa.model.job import Fetch
from lycosa.model.job.requests import FILES_A_KEPT
from lycosa.model.records import Answer, Outcome, Request, Resolved, Validators

SPEED_WINDOW_SECONDS = 60.0
"""Over how long the slowest speed is measured."""


def require_proxy(fetch: Fetch) -> None:
    """Refuse a proxy where the package that speaks to proxies is missing."""
    if fetch.proxy and find_spec("pycurl") is None:
        raise ConfigError(
            "[fetch] proxy needs pycurl\n  install, in the clone of Lycosa: pip install '.[proxy]'"
        )


_FORM_TYPE = "application/x-www-form-urlencoded"

NOWHERE = "0.0.0.0"
"""The address of hosts that are not looked up because the job may not ask them."""


if TYPE_CHECKING:
    from lycosa.fetch.access import Access
    from lycosa.fetch.http.proxies import Proxy


class HttpTransport(Delivery):
    """Carries requests to the web and answers back."""

    def __init__(
        self,
        loop: EventLoop,
        clock: Clock,
        fetch: Fetch,
        *,
        may_send: Callable[[Request], bool] = lambda request: True,
        ports: Mapping[int, int] | None = None,
        names: Names | None = None,
        speed_window_seconds: float = SPEED_WINDOW_SECONDS,
    ) -> None:
        require_proxy(fetch)
        guard = AddressGuard(fetch.allow_private, fetch.private_networks, fetch.loopback_origins)
        super().__init__(loop, fetch, guard, PortGuard(fetch.ports))
        self._clock = clock
        self._speed_window_seconds = speed_window_seconds
        hosts = read_hosts(Path(fetch.hosts_file)) if fetch.hosts_file else Hosts({}, {})
        self._names = names or Names(
            loop,
            hosts=hosts if fetch.hosts_file else None,
            servers=fetch.name_servers,
            is_accepted=lambda address: guard.refusal(address) is None,
        )
        self._trust = Trust(fetch.ca_file)
        rate = fetch.bytes_per_second
        self._throttle = Throttle(rate, loop) if rate else None
        if fetch.cookies:
            from lycosa.fetch.cookies import Cookies  # few crawls keep cookies

            self._cookies = Cookies()
        self._around = Surroundings(
            clock.now,
            guard,
            may_send,
            {**hosts.ports, **(ports or {})},
            _by_host(fetch.headers),
            fetch.connect_seconds,
            _proxy_of(fetch),
            lambda: self._trust.path,
            self._throttle,
        )
        self._generation = 0
        self._direct = DirectCarrier(loop, self._around, self._most_idle(), self._on_end)
        self._tls: Carrier | None = None
        self._curl: Carrier | None = None

    def _most_idle(self) -> int:
        """Return how many connections of a kind may stand between two requests."""
        kept = self._fetch.kept_connections
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return kept if soft == resource.RLIM_INFINITY else min(kept, soft // FILES_A_KEPT)

    def carry(self, access: Access | None) -> None:
        """Send the secrets of a login from now on, and keep its session."""
        if access is not None:
            from lycosa.fetch.cookies import Cookies  # few crawls keep cookies

            self._access = access
            self._cookies = Cookies(access.cookies, access.typed)

    def limit_bandwidth(self, bytes_per_second: int) -> None:
        """Receive at most this much a second from now on; 0 means no limit."""
        if self._throttle is not None:
            self._throttle.change(bytes_per_second)
        elif bytes_per_second:
            self._throttle = self._around.throttle = Throttle(bytes_per_second, self._loop)

    @property
    def in_flight(self) -> int:
        """The number of requests and DNS lookups under way."""
        return len(self._flying) + len(self._ended) + self._names.in_flight

    # -- the protocol ---------------------------------------------------------------------

    def resolve(self, host: str, on_resolved: Callable[[Resolved], None]) -> None:
        """Look a host name up; `on_resolved` is called once, later.

        Through a proxy every host is its own address: the proxy looks the names up.
        """
        if self._fetch.proxy:
            self._later(on_resolved, Resolved(host.strip("[]"), MOST_SECONDS))
            return
        if not self._guard.opens_host(host):
            # No lookup tells a name server about it; the address is one that is always refused.
            self._later(on_resolved, Resolved(NOWHERE, MOST_SECONDS))
            return
        generation = self._generation

        def resolved(found: Resolved) -> None:
            if generation == self._generation:
                on_resolved(found)

        self._names.resolve(host, resolved)

    def cut_all(self) -> None:
        """End every request that is under way; each is called back as one that took too long."""
        self._cut((exchange, Outcome.TIMEOUT) for exchange in list(self._flying))

    def cut(self, partition: int) -> None:
        """End the requests of one partition in the same way."""
        some = [one for one in self._flying if one.outgoing.request.partition == partition]
        if some:
            self._cut((exchange, Outcome.TIMEOUT) for exchange in some)

    def let_go(self, is_wanted: Callable[[str], bool], idle_seconds: float) -> None:
        """Close connections that have been idle for so long, to sites that are not wanted."""
        since = self._loop.time() - idle_seconds
        for carrier in self._carriers():
            carrier.let_go(is_wanted, since)

    def abort_all(self) -> None:
        """End everything under way and close every connection, without calling back."""
        self._generation += 1
        self._names.cancel()
        if self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        self._flying.clear()
        while self._ended:
            exchange = self._ended.popleft()
            exchange.carrier.release(exchange)
        if self._throttle is not None:
            self._throttle.forget_all()
        for carrier in self._carriers():
            carrier.abort_all()

    def close(self) -> None:
        """Abort everything and give back what the transport holds."""
        self.abort_all()
        for carrier in self._carriers():
            carrier.close()
        self._names.close()
        self._trust.close()

    # -- beginnings -----------------------------------------------------------------------

    def _carriers(self) -> list[Carrier]:
        return [one for one in (self._direct, self._tls, self._curl) if one is not None]

    def _carrier(self, scheme: str) -> Carrier:
        """Return what carries a request; what is for TLS and for proxies is made when needed."""
        if self._fetch.proxy:
            return self._by_curl()
        return self._direct if scheme == "http" else self._by_tls()

    def _by_tls(self) -> Carrier:
        if self._tls is None:
            from lycosa.fetch.http.tls import SecureCarrier

            self._tls = SecureCarrier(self._loop, self._around, self._most_idle(), self._on_end)
        return self._tls

    def _by_curl(self) -> Carrier:
        if self._curl is None:
            from lycosa.fetch.http.curl import CurlCarrier

            most = self._fetch.connections + self._most_idle()
            self._curl = CurlCarrier(self._loop, self._around, most, self._on_end)
        return self._curl

    def _more_lines(self, request: Request, site: str, path: str) -> tuple[str, ...]:
        """Return the header lines that only this request has, or only those of its login."""
        lines: tuple[str, ...] = ()
        is_anonymous = request.is_anonymous and self._access is not None
        if self._cookies is not None and not is_anonymous:
            cookie = self._cookies.header(site, path, self._clock.now())
            lines += (f"Cookie: {cookie}",) if cookie else ()
        if self._access is not None and not is_anonymous:
            lines += self._access.lines(site)
        if request.form:
            kind = request.content_type or _FORM_TYPE
            lines += (f"Content-Type: {kind}", f"Content-Length: {len(request.form)}")
        if request.validators is not None:
            lines += _conditions(request.validators)
        return lines

    def _unsent(self, outcome: Outcome) -> Answer:
        now = self._clock.now()
        return Answer(0, (), b"", now, now, outcome)

    def _later(self, callback: Callable[..., None], *arguments: object) -> None:
        generation = self._generation

        def run() -> None:
            if generation == self._generation:
                callback(*arguments)

        self._loop.call_soon(run)

    # -- ends -----------------------------------------------------------------------------

    def _learn_cookies(self, outgoing: Outgoing, answer: Answer) -> None:
        assert self._cookies is not None
        if self._keeps_cookies(outgoing.key[0]):
            self._cookies.learn(outgoing.key[0], outgoing.path, answer.headers, answer.ended)

    def _keeps_cookies(self, site: str) -> bool:
        access = self._access
        return self._fetch.cookies or (access is not None and access.keeps_cookies_of(site))

    # -- patience -------------------------------------------------------------------------

    def _sweep_later(self) -> None:
        self._sweeper = self._loop.call_later(self._sweep_seconds(), self._sweep)

    def _sweep_seconds(self) -> float:
        fetch = self._fetch
        shortest = min(
            fetch.connect_seconds,
            fetch.first_byte_seconds,
            fetch.total_seconds,
            self._speed_window_seconds,
        )
        return min(max(shortest / 4.0, 0.01), 1.0)

    def _sweep(self) -> None:
        """End what has been silent, slow or under way for too long."""
        self._sweeper = None
        now = self._clock.now()
        late = [
            (exchange, verdict)
            for exchange in self._flying
            if (verdict := self._lateness(exchange, now)) is not None
        ]
        for exchange, verdict in late:
            if verdict is Outcome.CONNECT_FAILURE:
                seconds = exchange.outgoing.request.handshake_seconds
                if not exchange.received.is_missed:
                    seconds = self._fetch.connect_seconds
                exchange.received.detail = f"no answer within {seconds:g} s"
        self._cut(late)
        if self._flying and self._sweeper is None:
            self._sweep_later()

    def _cut(self, exchanges: Iterable[tuple[Exchange, Outcome]]) -> None:
        """Take exchanges away from their carriers and deliver what they are judged to be."""
        cut = []
        for exchange, verdict in exchanges:
            exchange.carrier.stop(exchange)
            exchange.received.verdict = verdict
            cut.append(exchange)
        self._on_end(*cut)

    def _lateness(self, exchange: Exchange, now: float) -> Outcome | None:
        fetch, received = self._fetch, exchange.received
        if now - exchange.began > fetch.total_seconds:
            return Outcome.TIMEOUT
        if not received.was_asked:
            # A connection that cannot be made says something of the host.
            waited, limit = now - exchange.began, exchange.outgoing.request.handshake_seconds
            if limit and waited > limit and not exchange.is_connected:
                received.is_missed = limit < fetch.connect_seconds
                return Outcome.CONNECT_FAILURE
            return Outcome.CONNECT_FAILURE if waited > fetch.connect_seconds else None
        if not received.has_begun:
            if not exchange.asked_at:
                exchange.asked_at = now  # to the sweep: a clock read less for each request
            is_late = now - exchange.asked_at > fetch.first_byte_seconds
            return Outcome.TIMEOUT if is_late else None
        # A paused transfer is slow because of us, so its window begins again.
        if not exchange.window_began or exchange.is_paused:
            exchange.window_began, exchange.window_size = now, received.size
        elif now - exchange.window_began >= self._speed_window_seconds:
            size = received.size
            least = fetch.slowest_bytes_per_second * self._speed_window_seconds
            if size - exchange.window_size < least:
                return Outcome.TIMEOUT
            exchange.window_began, exchange.window_size = now, size
        return None


def _proxy_of(fetch: Fetch) -> Proxy | None:
    if not fetch.proxy:
        return None
    from lycosa.fetch.http.proxies import Proxy  # few crawls have one

    return Proxy(fetch.proxy)


def _conditions(held: Validators) -> tuple[str, ...]:
    """Return the header lines that ask for a page only if it has changed (RFC 9110, 13.1)."""
    lines = []
    if held.etag:
        lines.append(f"If-None-Match: {held.etag}")
    if held.last_modified:
        lines.append(f"If-Modified-Since: {held.last_modified}")
    return tuple(lines)


def _by_host(entries: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the job's headers by host, from `host Name: value`."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        host, _, header = entry.partition(" ")
        found[host.lower()] = (*found.get(host.lower(), ()), header)
    return found
