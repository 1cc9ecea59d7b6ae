"""Resolves host names to IP addresses, by c-ares on the event loop.

An answer is valid as long as its record says, within bounds; a failure for a minute. IPv4 is
asked first, then IPv6 if there is none. A name that does not exist or has no address is an answer
(`is_missing`); name servers that cannot say are a failure. Of several addresses the first that the
guard accepts is returned, except one to which a connection failed while another is left.

Nothing is cached here: results are in the log (`lycosa.crawl.worker.lookups`).
c-ares itself caches an answer for the rest of its lifetime, but forgets soon that
a name does not exist, so that checking it again asks the network again.

A job may name a hosts file, which is read *instead* of asking the network (for a test web, a
closed network, a rehearsal). Literal addresses stand for themselves, and `localhost` for
the loopback address (RFC 6761, 6.3).

Always true: a callback is called once, and later, never from within `resolve`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lycosa._support.loop import Cancellable, EventLoop
from lycosa._support.tuples import NamedTuple
from lycosa.errors import ConfigError
from lycosa.model.records import Resolved

if TYPE_CHECKING:
    import pycares

LEAST_SECONDS = 60.0
MOST_SECONDS = 86_400.0
FAILURE_SECONDS = 60.0
LOCAL_SECONDS = 300.0
"""How long an answer of the hosts file is valid: short, because it may be edited."""

FORGET_SECONDS = 10.0
"""How long c-ares may remember that a name does not exist."""

MOST_AVOIDED = 10_000
"""How many hosts with an address that has failed are remembered."""

_NOBODY = -1
_DO_NOT_SORT = 1 << 7
"""ARES_AI_NOSORT, which pycares does not name: sorting would open sockets to try routes."""
_PROCESS_SECONDS = 0.5


class Hosts(NamedTuple):
    """A hosts file: addresses by name, and ports that are served by other ports."""

    addresses: dict[str, list[str]]
    ports: dict[int, int]


class Names:
    """The resolver of one worker."""

    def __init__(
        self,
        loop: EventLoop,
        *,
        hosts: Hosts | None = None,
        servers: Sequence[str] = (),
        is_accepted: Callable[[str], bool] = lambda address: True,
    ) -> None:
        self._loop = loop
        self._hosts = hosts
        self._servers = servers
        self._is_accepted = is_accepted
        self._avoided: dict[str, set[str]] = {}
        self._waiting: dict[str, list[Callable[[Resolved], None]]] = {}
        self._channel: pycares.Channel | None = None
        self._watched: set[int] = set()
        self._timer: Cancellable | None = None
        self._forgetting: Cancellable | None = None

    @property
    def in_flight(self) -> int:
        """The number of lookups under way."""
        return len(self._waiting)

    def resolve(self, host: str, on_resolved: Callable[[Resolved], None]) -> None:
        """Look a host up; `on_resolved` is called once, later."""
        local = self._without_asking(host)
        if local is not None:
            self._loop.call_soon(on_resolved, self._resolved(host, *local))
            return
        waiting = self._waiting.setdefault(host, [])
        waiting.append(on_resolved)
        if len(waiting) == 1:
            self._ask(host, socket.AF_INET)

    def failed(self, host: str, address: str) -> None:
        """Note that a connection failed: the next lookup prefers another address of the host."""
        if len(self._avoided) >= MOST_AVOIDED:
            self._avoided.clear()
        self._avoided.setdefault(host, set()).add(address)

    def cancel(self) -> None:
        """Drop all lookups, without calling back."""
        self._waiting.clear()
        if self._channel is not None:
            self._channel.cancel()

    def close(self) -> None:
        """Drop all lookups and close the sockets."""
        self.cancel()
        channel, self._channel = self._channel, None
        for watched in self._watched:
            self._loop.remove_reader(watched)
            self._loop.remove_writer(watched)
        self._watched.clear()
        for timer in (self._timer, self._forgetting):
            if timer is not None:
                timer.cancel()
        if channel is not None:
            channel.close()

    def _without_asking(self, host: str) -> tuple[list[str], float] | None:
        """Return the addresses of a host that need no lookup, and for how long they are valid."""
        literal = host[1:-1] if host.startswith("[") else host
        try:
            return [str(ip_address(literal))], MOST_SECONDS
        except ValueError:
            pass
        name = host.rstrip(".")
        if self._hosts is not None:
            return self._hosts.addresses.get(name, []), LOCAL_SECONDS
        if name == "localhost" or name.endswith(".localhost"):
            return ["127.0.0.1", "::1"], LOCAL_SECONDS
        return None

    def _resolved(
        self, host: str, addresses: list[str], seconds: float, is_missing: bool = True
    ) -> Resolved:
        if not addresses:
            return Resolved(None, FAILURE_SECONDS, is_missing)
        accepted = list(filter(self._is_accepted, addresses)) or addresses[:1]
        avoided = self._avoided.get(host, set())
        untried = [address for address in accepted if address not in avoided]
        if not untried:
            self._avoided.pop(host, None)  # all have failed: from the first again
        return Resolved((untried or accepted)[0], seconds)

    # -- the network ----------------------------------------------------------------------

    def _ask(self, host: str, family: socket.AddressFamily, is_missing: bool = True) -> None:
        """Look up the addresses of one family; `is_missing` is the result for the other."""
        import pycares  # takes 12 ms, which addresses and a hosts file need not wait for

        if self._channel is None:
            self._channel = pycares.Channel(
                flags=pycares.ARES_FLAG_NOSEARCH,
                timeout=3.0,
                tries=3,
                servers=list(self._servers) or None,
                sock_state_cb=self._watch,
            )

        def answered(result: Any, error: int | None) -> None:
            # c-ares calls back from within its own functions: nothing may be asked from here.
            is_answer = error in (pycares.errno.ARES_ENOTFOUND, pycares.errno.ARES_ENODATA)
            still_missing = is_missing and (error is None or is_answer)
            self._loop.call_soon(self._answered, host, family, result, error, still_missing)

        try:
            self._channel.getaddrinfo(
                host,
                None,
                family=family,
                type=socket.SOCK_STREAM,
                flags=_DO_NOT_SORT,
                callback=answered,
            )
        except (ValueError, pycares.AresError):  # not a name that can be asked for
            self._loop.call_soon(self._learn, host, [], FAILURE_SECONDS, True)
        if self._timer is None:
            self._timer = self._loop.call_later(_PROCESS_SECONDS, self._process)

    def _answered(
        self,
        host: str,
        family: socket.AddressFamily,
        result: Any,
        error: int | None,
        is_missing: bool,
    ) -> None:
        if host not in self._waiting or self._channel is None:
            return
        nodes = result.nodes if error is None else []
        if not nodes and family == socket.AF_INET:
            self._ask(host, socket.AF_INET6, is_missing)
            return
        addresses = list(dict.fromkeys(_text(node.addr[0]) for node in nodes))
        seconds = min((node.ttl for node in nodes), default=FAILURE_SECONDS)
        seconds = min(max(seconds, LEAST_SECONDS), MOST_SECONDS)
        self._learn(host, addresses, seconds, is_missing)

    def _learn(self, host: str, addresses: list[str], seconds: float, is_missing: bool) -> None:
        found = self._resolved(host, addresses, seconds, is_missing)
        if found.is_missing and self._forgetting is None:
            self._forgetting = self._loop.call_later(FORGET_SECONDS, self._forget)
        for on_resolved in self._waiting.pop(host, ()):
            on_resolved(found)

    def _forget(self) -> None:
        """Clear the cache of c-ares; lookups under way continue."""
        self._forgetting = None
        if self._channel is not None:
            self._channel.reinit()

    def _watch(self, descriptor: int, wants_read: bool, wants_write: bool) -> None:
        channel = self._channel
        if channel is None:  # the channel is being closed, in its own thread
            return
        if wants_read:
            self._loop.add_reader(descriptor, channel.process_fd, descriptor, _NOBODY)
        else:
            self._loop.remove_reader(descriptor)
        if wants_write:
            self._loop.add_writer(descriptor, channel.process_fd, _NOBODY, descriptor)
        else:
            self._loop.remove_writer(descriptor)
        if wants_read or wants_write:
            self._watched.add(descriptor)
        else:
            self._watched.discard(descriptor)

    def _process(self) -> None:
        """Let c-ares handle its timeouts."""
        self._timer = None
        if self._channel is not None and self._waiting:
            self._channel.process_fd(_NOBODY, _NOBODY)
            self._timer = self._loop.call_later(_PROCESS_SECONDS, self._process)


def _text(address: str | bytes) -> str:
    return address if isinstance(address, str) else address.decode("ascii")


def read_hosts(path: Path) -> Hosts:
    """Read a hosts file; raises `ConfigError` with the line that cannot be read."""
    hosts = Hosts({}, {})
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"the hosts file {path} cannot be read: {error}\n  check the path in [fetch] hosts_file"
        ) from None
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if words and not _read_line(words, hosts):
            raise ConfigError(
                f"{path}:{number}: neither an address with names nor a pair of ports: {line!r}\n"
                "  write `127.0.0.1 a.example b.example`, or `port 80 8080`"
            )
    return hosts


def _read_line(words: list[str], hosts: Hosts) -> bool:
    first, *rest = words
    if first == "port":
        is_pair = len(rest) == 2 and all(word.isascii() and word.isdecimal() for word in rest)
        if not is_pair or not all(0 < int(word) < 65_536 for word in rest):
            return False
        hosts.ports[int(rest[0])] = int(rest[1])
        return True
    try:
        address = str(ip_address(first))
    except ValueError:
        return False
    for name in rest:
        hosts.addresses.setdefault(name.lower().rstrip("."), []).append(address)
    return bool(rest)
