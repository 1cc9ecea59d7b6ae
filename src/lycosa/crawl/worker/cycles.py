"""Runs the cycles of a crawl that keeps itself fresh: partitions bid for visits, the best are done.

    the whole crawl is idle ──▶ partition 0 asks all for their bids      CycleWanted, BidsWanted
                                each says what it would fetch            BidMade
                                the bids are kept, one by one            BidTaken
    the last one is durable ──▶ each is told its share                   CycleShare
                                each puts its URLs up                    CycleBegun

Everything between partitions goes through their inboxes, so it does not matter whose they are, and
a kill at any moment is followed by the same cycle: what was asked is asked again by the next owner
of partition 0, what was bid is in its log, and the shares follow from the bids. A URL that is found
while a cycle runs is taken into it as long as it has room, and otherwise put off to the next.

Always true:
  * a partition begins each cycle once, with one event that has everything it chose;
  * shares are made from bids that are durable: made again, they are the same;
  * inboxes are read only while the qualities are at hand that bids are made by (`is_measuring`).

Not here: what a visit is worth (lycosa.frontier.freshness), the end of a cycle (ending).
"""

from __future__ import annotations

from collections.abc import Callable

from lycosa.crawl.pauses import due_pause, usual_pause
from lycosa.crawl.ports import Ports
from lycosa.crawl.worker.quality import Quality, measure
from lycosa.failpoints import reach
from lycosa.frontier.cycle_candidates import Planner
from lycosa.frontier.fold.columns import PUT_OFF
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.freshness.bids import Candidate, Share, bid_of, chosen, share_out
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.records import BidMade, BidsWanted, BidTaken, CycleBegun, CycleShare, CycleWanted

CHAIR = 0
"""The partition that collects the bids."""

MOST_AT_ONCE = 500_000
"""How many URLs are looked through before the worker does something else: some seconds."""


class Cycles:
    """What one worker does about cycles."""

    def __init__(
        self,
        ports: Ports,
        partitions: dict[int, Partition],
        agenda: Agenda,
        when_durable: Callable[[Callable[[], None]], None],
        on_measured: Callable[[], None],
    ) -> None:
        self._ports = ports
        self._revisit = ports.job.revisit
        self._partitions = partitions
        self._agenda = agenda
        self._when_durable = when_durable
        self._on_measured = on_measured
        self.is_on = self._revisit.policy != "off"
        self.planner = Planner(self._revisit, self._most_of_host)
        self._quality = Quality({})
        self._measured_at = -1
        self._noted = 0
        """The cycle that is on the agenda."""
        self._shared = 0
        """The cycle that was shared out in this life."""
        self._looked_through = 0
        self.is_measuring = False

    # -- the beginning --------------------------------------------------------------------

    def resume(self, partition: Partition, now: float) -> None:
        """Go on with a partition where its log ends."""
        state = partition.state
        if not self.is_on:
            if state.history.cycle:
                self._release(partition, now)
            return
        partition.put_off = self.planner.put_off
        if state.fetches.due and not self.is_measuring:
            self._measure(0)
        if partition.number != CHAIR:
            return
        history = state.history
        if not history.wanted:
            self._want(1, now)
        elif history.wanted > history.cycle:
            for number in range(self._ports.job.frontier.partitions):
                if number not in history.bids:
                    partition.post(number, BidsWanted(history.wanted_at, history.wanted))
            self._share_when_complete(partition)

    def _release(self, partition: Partition, now: float) -> None:
        """Put up everything that was put off: the job goes in cycles no longer."""
        status = partition.state.pages.status
        pages = [page for page in range(len(status)) if status[page] == PUT_OFF]
        partition.begin_cycle(CycleBegun(now, 0, pages, [], 0), now)

    # -- between cycles -------------------------------------------------------------------

    def goes_on(self, partition: Partition) -> bool:
        """Return whether another cycle follows, as far as it is this partition's to say."""
        return partition.number == CHAIR and self._is_followed(partition)

    def _is_followed(self, partition: Partition) -> bool:
        revisit = self._revisit
        return self.is_on and (revisit.continuous or partition.state.history.cycle < revisit.cycles)

    def is_ready(self, requests: int) -> bool:
        """Return whether bids could be made; if not, see to it."""
        if not self.planner.needs_quality or self._measured_at == requests:
            return True
        if not any(self._is_followed(partition) for partition in self._partitions.values()):
            return True
        if not self.is_measuring:
            self._measure(requests)
        return False

    def over(self, now: float) -> None:
        """Note that a cycle has ended everywhere: the next begins when it is due."""
        chair = self._partitions.get(CHAIR)
        if chair is None or not self.goes_on(chair):
            return
        history = chair.state.history
        if self._noted <= history.cycle:
            reach("cycle.over")
            self._noted = history.cycle + 1
            due = max(now, history.began + self._revisit.cycle_seconds)
            self._agenda.note(due, self._want, self._noted)

    def _want(self, cycle: int, now: float) -> None:
        """Ask all partitions for their bids."""
        chair = self._partitions.get(CHAIR)
        if chair is None or chair.state.history.wanted >= cycle:
            return
        chair.record(CycleWanted(now, cycle))
        for number in range(self._ports.job.frontier.partitions):
            chair.post(number, BidsWanted(now, cycle))

    def _measure(self, requests: int) -> None:
        """Find out beside the crawl what pages are worth."""
        if not self.planner.needs_quality:
            return
        self.is_measuring = True

        def done(quality: Quality) -> None:
            self.is_measuring = False
            self._quality, self._measured_at = quality, requests
            self._on_measured()

        store, kind = self._ports.store, self._revisit.quality
        self._ports.clock.run_aside(lambda: measure(store.link_ends(), kind), done)

    # -- messages -------------------------------------------------------------------------

    def bids_wanted(self, partition: Partition, message: BidsWanted) -> None:
        """Say what a partition would fetch."""
        if partition.state.history.cycle < message.cycle:
            found = self._candidates(partition, message.moment)
            bid = BidMade(message.moment, message.cycle, partition.number, bid_of(found))
            partition.post(CHAIR, bid)

    def bid_made(self, chair: Partition, message: BidMade) -> None:
        """Keep a bid; after the last one all are told their shares."""
        history = chair.state.history
        is_open = history.cycle < message.cycle == history.wanted
        if is_open and message.partition not in history.bids:
            chair.record(BidTaken(message.partition, message.bins))
            self._share_when_complete(chair)

    def share_came(self, partition: Partition, message: CycleShare, now: float) -> None:
        """Begin a cycle in a partition."""
        if partition.state.history.cycle >= message.cycle:
            return
        found = self._candidates(partition, message.moment)
        plan = chosen(found, Share(message.bin, message.of_bin, message.room))
        pages = [candidate.page for candidate in plan]
        worths = [candidate.worth for candidate in plan]
        event = CycleBegun(message.moment, message.cycle, pages, worths, message.room)
        partition.begin_cycle(event, now)
        reach("cycle.begun")

    def wants_breath(self) -> bool:
        """Return whether planning has taken so long that others should be heard first."""
        is_long = self._looked_through >= MOST_AT_ONCE
        if is_long:
            self._looked_through = 0
        return is_long

    def _candidates(self, partition: Partition, moment: float) -> list[Candidate]:
        self._looked_through += len(partition.state.table)
        return self.planner.candidates(partition.state, moment, self._quality.of)

    def _share_when_complete(self, chair: Partition) -> None:
        history = chair.state.history
        if len(history.bids) == self._ports.job.frontier.partitions:
            cycle = history.wanted
            self._when_durable(lambda: self._share_out(cycle))

    def _share_out(self, cycle: int) -> None:
        chair = self._partitions.get(CHAIR)
        if chair is None or self._shared >= cycle or chair.state.history.cycle >= cycle:
            return
        reach("cycle.bid")
        self._shared = cycle
        history = chair.state.history
        shares = share_out(history.bids, self._revisit.cycle_urls)
        # The chair's own last: once it has begun nobody would ask for the others' again.
        for number in sorted(shares, key=lambda number: (number == CHAIR, number)):
            share = shares[number]
            message = CycleShare(history.wanted_at, cycle, share.bin, share.of_bin, share.room)
            chair.post(number, message)

    # -- hosts ----------------------------------------------------------------------------

    def _most_of_host(self, state: PartitionState, host: int | None) -> int:
        """Return how many URLs of a host can be asked for within a cycle."""
        job = self._ports.job
        pause = usual_pause(job, 0) if host is None else due_pause(job, state, host)
        seconds = self._revisit.cycle_seconds
        if not seconds or not pause:
            return self._revisit.cycle_urls
        return max(1, int(seconds / pause))
