"""Resolves host names ahead of need, and keeps the addresses in the log.

An answer is an event of the host's partition: the address, and until when it is valid.
So the state is the only cache there is, it survives a kill, and a resumed crawl asks for
nothing that it still knows, also under another limit or pause. A change of name servers, hosts
file, proxy or allowed addresses makes it ask for everything again (`Configured`). The guard judges
an address before every request, whether it was looked up or read from the log.

    resolve      the address if it is known and valid; else the host waits for it
    look_ahead   a host is due soon: let its address be known by then
    failed       no connection could be made: the address counts no more

Always true:
  * at most `MOST_LOOKUPS` questions are under way, those that hosts wait for first;
  * a host is asked for once at a time;
  * a question that was asked ahead and not answered well changes nothing: what is known
    stays as it is, and the host asks again when it is due.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lycosa.crawl.ports import Ports
from lycosa.frontier.partition import Partition
from lycosa.model.records import HostResolved, Resolved
from lycosa.model.url import host_of

MOST_LOOKUPS = 64
"""Questions under way at once."""

MOST_AHEAD = 10_000
"""Hosts that may wait for a question ahead of time; more ask when they are due."""

LEAST_SECONDS = 1.0
"""An address is good for this long at least: for the request that it was asked for."""

_Asked = tuple[int, int]
"""(partition, host)"""


class Lookups:
    """The questions of one worker."""

    def __init__(
        self,
        ports: Ports,
        partitions: Mapping[int, Partition],
        on_no_address: Callable[[Partition, int, Resolved], None],
        on_answered: Callable[[], None],
    ) -> None:
        self._transport = ports.transport
        self._clock = ports.clock
        self._partitions = partitions
        self._on_no_address = on_no_address
        self._on_answered = on_answered
        self._urgent: dict[_Asked, None] = {}
        self._ahead: dict[_Asked, None] = {}
        self._under_way: set[_Asked] = set()
        self._is_stopping = False

    def resolve(self, number: int, host: int) -> str | None:
        """Return a host's address if it is known; else ask for it."""
        state = self._partitions[number].state
        if state.hosts.address_expires[host] > self._clock.now() and state.hosts.address[host]:
            return state.address_of(host)
        asked = (number, host)
        if asked not in self._under_way:
            self._ahead.pop(asked, None)
            self._urgent[asked] = None
            self._ask()
        return None

    def look_ahead(self, number: int, host: int) -> None:
        """Ask for the address of a host that will be due soon."""
        asked = (number, host)
        if (
            asked not in self._under_way
            and asked not in self._urgent
            and len(self._ahead) < MOST_AHEAD
        ):
            self._ahead[asked] = None
            self._ask()

    def under_way(self) -> list[_Asked]:
        """Return the questions under way, as (partition, host)."""
        return list(self._under_way)

    def stop(self) -> None:
        """Ask no more: nothing is sent any more, and a hundred thousand names would take long."""
        self._is_stopping = True

    def failed(self, partition: Partition, host: int, moment: float) -> None:
        """Ask again before the host is next asked: nobody was found at its address."""
        if partition.state.hosts.address_expires[host] > moment:
            address = partition.state.address_of(host)
            partition.record(HostResolved(moment, host, address, moment))

    def _ask(self) -> None:
        while (
            not self._is_stopping
            and len(self._under_way) < MOST_LOOKUPS
            and (self._urgent or self._ahead)
        ):
            waiting = self._urgent or self._ahead
            asked = next(iter(waiting))
            del waiting[asked]
            partition = self._partitions.get(asked[0])
            if partition is not None:
                self._under_way.add(asked)
                self._send(partition, asked)

    def _send(self, partition: Partition, asked: _Asked) -> None:
        name = host_of(partition.state.host_names[asked[1]] + ":/")
        self._transport.resolve(name, lambda found: self._answered(partition, asked, found))

    def _answered(self, partition: Partition, asked: _Asked, found: Resolved) -> None:
        self._under_way.discard(asked)
        if not partition.is_lost and not partition.is_leaving:
            self._learn(partition, asked[1], found)
        elif (other := self._partitions.get(asked[0])) and other.readiness.is_resolving(asked[1]):
            self._urgent[asked] = None  # taken again meanwhile; the number may mean another host
        self._ask()
        self._on_answered()

    def _learn(self, partition: Partition, host: int, found: Resolved) -> None:
        now = self._clock.now()
        is_waiting = partition.readiness.is_resolving(host)
        if found.address is not None or is_waiting:
            expires = now + max(found.seconds_valid, LEAST_SECONDS)
            address, is_missing = found.address or "", found.is_missing
            partition.record(HostResolved(now, host, address, expires, is_missing))
        if is_waiting:
            if found.address is None:
                self._on_no_address(partition, host, found)
            partition.readiness.resolved(host, found.address, now)
