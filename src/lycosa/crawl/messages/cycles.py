"""Runs the cycles of a crawl that keeps itself fresh: partitions bid for visits, the best are done.

    the whole crawl is idle ──▶ partition 0 asks all for their bids      CycleWanted, BidsWanted
                                each says what it would fetch            BidMade
                                the bids are kept, one by one            BidTaken
    the last one is durable ──▶ each is told its share                   CycleShare
                                each puts its URLs up                    CycleBegun
    idle, room is left      ──▶ all of this once more, for the URLs that were put off: a round

Everything between partitions goes through their inboxes, so it does not matter whose they are, and
a kill at any moment is followed by the same cycle: what was asked is asked again by the next owner
of partition 0, what was bid is in its log, and the shares follow from the bids. A URL that is found
while a cycle runs is taken into it as long as its partition has room, and otherwise put off. Room
is shared out before it is known where URLs will be found; so when all is idle, what is left of it
is collected and shared out again, in *rounds*, until the cycle has as many URLs as it was to have
or none is put off any more.

Always true:
  * a partition begins each cycle once, with one event that has everything it chose, and each
    further round likewise;
  * a cycle has `cycle_urls` URLs, or all that there are and hosts have time for;
  * shares are made from bids that are durable: made again, they are the same;
  * inboxes are read only while the qualities are at hand that bids are made by (`is_measuring`).

Not here: what a visit is worth (lycosa.frontier.freshness), the end of a cycle (ending).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from lycosa._support.failpoints import reach
from lycosa.crawl.pauses.due import due_pause, usual_pause
from lycosa.crawl.ports import Ports
from lycosa.frontier.facts.columns import PUT_OFF
from lycosa.frontier.facts.visits import History
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.freshness.bids import Candidate, Share, bid_of, chosen, share_out
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.model.records import BidMade, BidsWanted, BidTaken, CycleBegun, CycleShare, CycleWanted

if TYPE_CHECKING:
    from lycosa.frontier.cycle_candidates import Planner
    from lycosa.frontier.freshness.quality import Quality

CHAIR = 0
"""The partition that collects the bids."""

MOST_AT_ONCE = 500_000
"""How many URLs are looked through before the worker does something else: some seconds."""


class Cycles:
    """The part of one worker in cycles."""

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
        self._quality: Quality | None = None
        self._measured_at = -1
        self._noted = (0, 0)
        """The cycle and round that are on the agenda."""
        self._shared = (0, 0)
        """The cycle and round that were shared out in this life."""
        self._looked_through = 0
        self.is_measuring = False

    @cached_property
    def planner(self) -> Planner:
        """Finds the candidates of a cycle."""
        from lycosa.frontier.cycle_candidates import Planner  # most crawls have no cycles

        again = self._ports.job.plugins.post_again
        return Planner(self._revisit, self._most_of_host, posts_again=again)

    @property
    def planner_if_on(self) -> Planner | None:
        """The planner, in a crawl with cycles."""
        return self.planner if self.is_on else None

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
            self._want(1, 0, now)
        elif history.wanted_step > history.step:
            for number in range(self._ports.job.frontier.partitions):
                if number not in history.bids:
                    partition.post(number, BidsWanted(history.wanted_at, *history.wanted_step))
            self._share_when_complete(partition)

    def _release(self, partition: Partition, now: float) -> None:
        """Put up everything that was put off: the job goes in cycles no longer."""
        status = partition.state.pages.status
        pages = [page for page in range(len(status)) if status[page] == PUT_OFF]
        partition.begin_cycle(CycleBegun(now, 0, pages, [], 0), now)

    # -- between cycles -------------------------------------------------------------------

    def goes_on(self, partition: Partition) -> bool:
        """Return whether another cycle follows, as far as it is this partition's to say."""
        if partition.number != CHAIR or not self.is_on:
            return False
        history = partition.state.history
        return self._is_followed(partition) or _has_room(history) or self._is_bidding(history)

    def _is_bidding(self, history: History) -> bool:
        """Return whether bids for a round are awaited, or shares that follow from them."""
        if history.wanted_step <= history.step:
            return False
        is_complete = len(history.bids) == self._ports.job.frontier.partitions
        return not is_complete or not history.wanted_round or bool(history.unspent())

    def _is_followed(self, partition: Partition) -> bool:
        revisit = self._revisit
        return self.is_on and (revisit.continuous or partition.state.history.cycle < revisit.cycles)

    def is_ready(self, requests: int) -> bool:
        """Return whether bids could be made; if not, see to it."""
        if not self.is_on or self._measured_at == requests or not self.planner.needs_quality:
            return True
        if not any(
            self._is_followed(partition) or _has_room(partition.state.history)
            for partition in self._partitions.values()
        ):
            return True
        if not self.is_measuring:
            self._measure(requests)
        return False

    def over(self, now: float) -> None:
        """Note that a cycle has ended everywhere: the next begins when it is due.

        If it may lack URLs, it gets another round first, at once.
        """
        chair = self._partitions.get(CHAIR)
        if chair is None or not self.goes_on(chair):
            return
        history = chair.state.history
        if _has_room(history):
            self._want(history.cycle, history.round + 1, now)
        elif not self._is_bidding(history) and self._noted <= history.step:
            reach("cycle.over")
            self._noted = (history.cycle + 1, 0)
            due = max(now, history.began + self._revisit.cycle_seconds)
            self._agenda.note(due, self._want_cycle, history.cycle + 1)

    def _want_cycle(self, cycle: int, now: float) -> None:
        self._want(cycle, 0, now)

    def _want(self, cycle: int, round_number: int, now: float) -> None:
        """Ask all partitions for their bids."""
        chair = self._partitions.get(CHAIR)
        if chair is None or chair.state.history.wanted_step >= (cycle, round_number):
            return
        chair.record(CycleWanted(now, cycle, round_number))
        for number in range(self._ports.job.frontier.partitions):
            chair.post(number, BidsWanted(now, cycle, round_number))

    def _measure(self, requests: int) -> None:
        """Find out beside the crawl what pages are worth."""
        if not self.planner.needs_quality:
            return
        self.is_measuring = True

        def done(quality: Quality) -> None:
            self.is_measuring = False
            self._quality, self._measured_at = quality, requests
            self._on_measured()

        from lycosa.frontier.freshness.quality import measure  # most crawls have no cycles

        store, kind = self._ports.store, self._revisit.quality
        self._ports.clock.run_aside(lambda: measure(store.link_ends(), kind), done)

    # -- messages -------------------------------------------------------------------------

    def bids_wanted(self, partition: Partition, message: BidsWanted) -> None:
        """Say what a partition would fetch."""
        history = partition.state.history
        if history.step >= (message.cycle, message.round):
            return
        found = self._candidates(partition, message)
        room = history.room if message.round else 0
        partition.post(
            CHAIR,
            BidMade(
                message.moment,
                message.cycle,
                partition.number,
                bid_of(found),
                message.round,
                room,
            ),
        )

    def bid_made(self, chair: Partition, message: BidMade) -> None:
        """Keep a bid; after the last one all are told their shares."""
        history = chair.state.history
        is_open = history.step < (message.cycle, message.round) == history.wanted_step
        if is_open and message.partition not in history.bids:
            chair.record(BidTaken(message.partition, message.bins, message.room))
            self._share_when_complete(chair)

    def share_came(self, partition: Partition, message: CycleShare, now: float) -> None:
        """Begin a cycle, or a round of it, in a partition."""
        if partition.state.history.step >= (message.cycle, message.round):
            return
        found = self._candidates(partition, message)
        plan = chosen(found, Share(message.bin, message.of_bin, message.room))
        pages = [candidate.page for candidate in plan]
        worths = [candidate.worth for candidate in plan]
        history, room = partition.state.history, message.room
        if message.round:  # what was taken since the bid has been paid from the room reported then
            room -= message.reported - history.room
        event = CycleBegun(
            message.moment,
            message.cycle,
            pages,
            worths,
            room,
            message.round,
            message.left,
        )
        partition.begin_cycle(event, now)
        reach("cycle.begun")

    def wants_breath(self) -> bool:
        """Return whether planning has taken so long that others should be heard first."""
        is_long = self._looked_through >= MOST_AT_ONCE
        if is_long:
            self._looked_through = 0
        return is_long

    def _candidates(
        self, partition: Partition, message: BidsWanted | CycleShare
    ) -> list[Candidate]:
        from lycosa.frontier.freshness.quality import Quality  # most crawls have no cycles

        self._looked_through += len(partition.state.table)
        return self.planner.candidates(
            partition.state,
            message.moment,
            (self._quality or Quality({})).of,
            is_further=bool(message.round),
        )

    def _share_when_complete(self, chair: Partition) -> None:
        history = chair.state.history
        if len(history.bids) == self._ports.job.frontier.partitions:
            step = history.wanted_step
            self._when_durable(lambda: self._share_out(step))

    def _share_out(self, step: tuple[int, int]) -> None:
        chair = self._partitions.get(CHAIR)
        if chair is None or self._shared >= step or chair.state.history.step >= step:
            return
        reach("cycle.bid")
        self._shared = step
        history, (cycle, round_number) = chair.state.history, step
        most = history.unspent() if round_number else self._revisit.cycle_urls
        if round_number and not most:
            return  # the cycle is full, or there is nothing to fill it with
        shares = share_out(history.bids, most)
        left = sum(share.room for share in shares.values())
        # The chair's own last: once it has begun nobody would ask for the others' again.
        for number in sorted(shares, key=lambda number: (number == CHAIR, number)):
            share = shares[number]
            message = CycleShare(
                history.wanted_at,
                cycle,
                share.bin,
                share.of_bin,
                share.room,
                round_number,
                left,
                history.rooms.get(number, 0),
            )
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


def _has_room(history: History) -> bool:
    """Return whether a cycle was given room, and nobody has asked since what is left of it."""
    return history.left > 0 and history.wanted_step <= history.step
