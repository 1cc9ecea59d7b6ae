"""Decides on what has come into a worker's inboxes: URLs, robots files, bids, batons of others.

The number of the last message that was decided on is an event (`InboxRead`), so a message is
decided on once, however often the worker is killed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from lycosa.crawl.answers.links import Router
from lycosa.crawl.answers.site_files.robots import RobotsFiles
from lycosa.crawl.apart.deaths import suspect
from lycosa.crawl.ports import Ports
from lycosa.crawl.worker.messages.cycles import Cycles
from lycosa.crawl.worker.messages.losses import Losses
from lycosa.crawl.worker.messages.mail import Mail
from lycosa.crawl.worker.messages.owed_links import OwedLinks
from lycosa.crawl.worker.sending import Sender
from lycosa.failpoints import reach
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.hosts import Readiness
from lycosa.log.format import decode_messages
from lycosa.records import (
    AnyMessage,
    BatonCame,
    BatonDue,
    BatonWanted,
    BidMade,
    BidsWanted,
    BudgetAsked,
    BudgetGiven,
    CycleShare,
    Discovered,
    Hinted,
    InboxRead,
    LinksCounted,
    PartsFound,
    PartsWanted,
    ProcessDied,
    RobotsWanted,
    SegmentsLost,
)

if TYPE_CHECKING:
    from lycosa.crawl.answers.stages import PageAnswers
    from lycosa.crawl.rendering.waiting import PageRendering
    from lycosa.crawl.worker.messages.batons import Batons

MOST_AT_ONCE = 10_000
"""How many URLs are decided on before requests have their turn again."""


class InboxReader:
    """Decides on messages; one per worker."""

    def __init__(
        self,
        ports: Ports,
        partitions: Mapping[int, Partition],
        router: Router,
        robots: RobotsFiles,
        cycles: Cycles,
        sender: Sender,
        mail: Mail,
    ) -> None:
        self._clock = ports.clock
        self._scope = ports.scope
        self._mail = mail
        self._partitions = partitions
        self._router = router
        self._robots = robots
        self._cycles = cycles
        self._sender = sender
        self._losses = Losses(router, sender)
        self._owed = OwedLinks(ports, partitions, router)
        self._rendering: PageRendering | None = None
        if ports.rendering is not None:
            from lycosa.crawl.rendering.waiting import PageRendering  # few crawls render pages

            self._rendering = PageRendering(ports, partitions, router)
        self._batons: Batons | None = None
        if ports.partitioner.splits_hosts:
            self._batons = _batons(ports, partitions, sender)

    @property
    def make_readiness(self) -> Callable[..., Readiness] | None:
        """Makes the readiness of partitions that take turns at hosts; None if they share none."""
        return self._batons.make_readiness if self._batons is not None else None

    def rendered_by(self, wake: Callable[[], None], pages: PageAnswers) -> PageRendering | None:
        """Return what renders pages, if the crawl has browsers; `wake` is told of its decisions."""
        if self._rendering is not None:
            self._rendering.wake = wake
            self._rendering.read_by(pages.tree())
        return self._rendering

    @property
    def is_rendering(self) -> bool:
        """Whether pages are rendered that a limit does not keep from it."""
        return self._rendering is not None and self._rendering.is_at_work

    def stop(self) -> None:
        """Render nothing more."""
        if self._rendering is not None:
            self._rendering.stop()

    def forget(self, partition: int) -> None:
        """Forget a partition that is no longer ours."""
        if self._batons is not None:
            self._batons.forget(partition)
        if self._rendering is not None:
            self._rendering.forget(partition)

    def read(self) -> bool:
        """Decide on what has come in; returns whether some is left for the next tick."""
        self._owed.look()
        if self._rendering is not None:
            self._rendering.look()
        self._mail.look(
            {
                number: partition.state.inbox_read
                for number, partition in self._partitions.items()
                if not partition.is_leaving
            }
        )
        admitted = 0
        for number, partition in self._partitions.items():
            if partition.is_leaving:
                continue
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
            if isinstance(message, Discovered):
                if not message.source:
                    for key in message.keys:  # seeds, perhaps added while we were running
                        self._scope.join(key)
                self._router.admit(partition, message)
                urls += len(message.keys)
            elif isinstance(message, RobotsWanted):
                self._robots.wanted(partition, message, now)
            elif isinstance(message, Hinted):
                if self._router.predictor is not None:
                    self._router.predictor.hear_message(partition, message)
                    self._router.predictor.end()
            elif isinstance(message, BudgetAsked | BudgetGiven):
                self._budget_came(partition, message, now)
            elif isinstance(message, PartsWanted | PartsFound):
                if self._rendering is not None:
                    self._rendering.decide(partition, message)
            elif isinstance(message, LinksCounted):
                self._router.links_counted(partition, message)
            elif isinstance(message, BidsWanted):
                self._cycles.bids_wanted(partition, message)
            elif isinstance(message, BidMade):
                self._cycles.bid_made(partition, message)
            elif isinstance(message, CycleShare):
                self._cycles.share_came(partition, message, now)
            elif isinstance(message, ProcessDied):
                suspect(partition, message, now)
            elif isinstance(message, SegmentsLost):
                self._losses.decide(partition, message, now)
            elif isinstance(message, BatonWanted | BatonDue | BatonCame):
                if self._batons is not None:
                    self._batons.decide(partition, message)
            elif self._batons is None or not self._batons.passes_on(partition, message):
                site = partition.state.site_number(message.site)
                if site is not None:
                    self._sender.forget_rules(partition.number, site)
                self._robots.found(partition, message, now)
        return urls

    def _budget_came(
        self, partition: Partition, message: BudgetAsked | BudgetGiven, now: float
    ) -> None:
        predictor = self._router.predictor
        if predictor is None or predictor.budgets is None:
            return  # the job has another policy now
        if isinstance(message, BudgetAsked):
            predictor.budgets.asked(partition, message)
        else:
            predictor.budgets.given(partition, message, now)


def _batons(ports: Ports, partitions: Mapping[int, Partition], sender: Sender) -> Batons:
    """Make the batons of a worker; other crawls do without the module."""
    from lycosa.cluster.partitioners.urls import UrlPartitioner
    from lycosa.crawl.worker.messages.batons import Batons

    assert isinstance(ports.partitioner, UrlPartitioner)
    return Batons(ports.job, ports.clock, ports.partitioner, partitions, sender.forget_rules)
