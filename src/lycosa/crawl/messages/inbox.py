"""Decides on what has come into a worker's inboxes: URLs, robots files, bids, batons of others.

The number of the last message that was decided on is an event (`InboxRead`), so a message is
decided on once, however often the worker is killed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from lycosa._support.failpoints import reach
from lycosa.crawl.answers.robots import RobotsFiles
from lycosa.crawl.messages.cycles import Cycles
from lycosa.crawl.messages.losses import Losses
from lycosa.crawl.messages.mail import DistantMail, LocalMail, Mail
from lycosa.crawl.messages.owed_links import OwedLinks
from lycosa.crawl.points import Handler, Points, Spine
from lycosa.crawl.ports import Ports
from lycosa.crawl.suspects.deaths import suspect
from lycosa.crawl.worker.sending import Sender
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.hosts import Readiness
from lycosa.model.records import (
    AnyMessage,
    BatonCame,
    BatonDue,
    BatonWanted,
    BidMade,
    BidsWanted,
    CycleShare,
    Discovered,
    InboxRead,
    LinksCounted,
    ProcessDied,
    RobotsFound,
    RobotsWanted,
    SegmentsLost,
)
from lycosa.storage.log.format import decode_messages

if TYPE_CHECKING:
    from lycosa.crawl.messages.batons import Batons

MOST_AT_ONCE = 10_000
"""How many URLs are decided on before requests have their turn again."""


class InboxReader:
    """Decides on messages; one per worker."""

    def __init__(
        self, spine: Spine, robots: RobotsFiles, cycles: Cycles, sender: Sender, points: Points
    ) -> None:
        ports, partitions, router = spine.ports, spine.partitions, spine.router
        self._mail: Mail = (
            DistantMail(ports, spine.look_soon) if ports.is_shared else LocalMail(ports)
        )
        self._clock = ports.clock
        self._scope = ports.scope
        self._partitions = partitions
        self._router = router
        self._robots = robots
        self._cycles = cycles
        self._sender = sender
        self._losses = Losses(router, sender)
        self._owed = OwedLinks(ports, partitions, router)
        self._batons: Batons | None = None
        if ports.partitioner.splits_hosts:
            self._batons = _batons(ports, partitions, sender)
        self._points = points
        self._handlers = self._own_handlers() | points.messages

    @property
    def make_readiness(self) -> Callable[..., Readiness] | None:
        """Makes the readiness of partitions that take turns at hosts; None if they share none."""
        return self._batons.make_readiness if self._batons is not None else None

    def forget(self, partition: int) -> None:
        """Forget a partition that is no longer ours."""
        if self._batons is not None:
            self._batons.forget(partition)

    def read(self) -> bool:
        """Decide on what has come in; returns whether some is left for the next tick."""
        self._owed.look()
        for look in self._points.looked:
            look()
        with_mail = self._mail.look(
            {
                number: partition.state.inbox_read
                for number, partition in self._partitions.items()
                if not partition.is_leaving
            }
        )
        admitted = 0
        for number in with_mail:
            partition = self._partitions[number]
            for sequence, batch in self._mail.entries(number, partition.state.inbox_read):
                reach("inbox.read")
                messages = decode_messages(batch)
                if partition.in_flight and self._losses.must_wait(partition, messages):
                    break
                admitted += self._decide(partition, messages)
                partition.record(InboxRead(sequence))
                if admitted >= MOST_AT_ONCE:  # a long list of seeds: let requests go out, too
                    return True
            if self._cycles.wants_breath():
                return True
        return False

    def _decide(self, partition: Partition, messages: Iterable[AnyMessage]) -> int:
        """Decide on the messages of one batch; returns how many URLs were in them."""
        now, urls = self._clock.now(), 0
        for message in messages:
            handler = self._handlers.get(type(message))
            if handler is not None:  # else it is for a feature that this job has off
                handler(partition, message, now)
            if isinstance(message, Discovered):
                urls += len(message.keys)
        return urls

    def _discovered(self, partition: Partition, message: Discovered, now: float) -> None:
        if not message.source:
            for key in message.keys:  # seeds, perhaps added while we were running
                self._scope.join(key)
        if message.too_deep:
            partition.note_too_deep(message.too_deep)
            if not message.keys:
                return
        self._router.admit(partition, message)

    def _robots_found(self, partition: Partition, message: RobotsFound, now: float) -> None:
        if self._batons is not None and self._batons.passes_on(partition, message):
            return
        site = partition.state.site_number(message.site)
        if site is not None:
            self._sender.forget_rules(partition.number, site)
        self._robots.found(partition, message, now)

    def _own_handlers(self) -> dict[type, Handler]:
        """Return who decides on messages, by their types."""
        router, cycles, batons = self._router, self._cycles, self._batons
        handlers: dict[type, Handler] = {
            Discovered: self._discovered,
            RobotsWanted: self._robots.wanted,
            RobotsFound: self._robots_found,
            LinksCounted: lambda partition, message, _: router.links_counted(partition, message),
            BidsWanted: lambda partition, message, _: cycles.bids_wanted(partition, message),
            BidMade: lambda partition, message, _: cycles.bid_made(partition, message),
            CycleShare: cycles.share_came,
            ProcessDied: suspect,
            SegmentsLost: self._losses.decide,
        }
        if batons is not None:
            for kind in (BatonWanted, BatonDue, BatonCame):
                handlers[kind] = lambda partition, message, _: batons.decide(partition, message)
        return handlers


def _batons(ports: Ports, partitions: Mapping[int, Partition], sender: Sender) -> Batons:
    """Make the batons of a worker; other crawls do without the module."""
    from lycosa.crawl.messages.batons import Batons
    from lycosa.frontier.partitioners.urls import UrlPartitioner

    assert isinstance(ports.partitioner, UrlPartitioner)
    return Batons(ports.job, ports.clock, ports.partitioner, partitions, sender.forget_rules)
