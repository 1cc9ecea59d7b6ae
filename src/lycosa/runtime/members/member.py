"""A life in a cluster: takes and releases partitions as all members agree.

Twice a second the member looks around, on the worker's thread, and never waits. Questions to the
servers are asked on another thread, one at a time: the heads of the log, when something that the
plan depends on may have changed; the reports of all members, if partition 0 is ours.

    take      a plan assigns partitions to members (`runtime.cluster.shares`); `taking` takes them;
              the ledger opens them (`limits`); then the worker begins with them
    release   partitions that the plan gives to others are handed over, a few at a time
    end       the end is a note in the log, and arrives with the other notes
    lapse     without its lease (tenure) a life drops everything at once, and is over
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol

from lycosa._support.amounts import counted
from lycosa.crawl.budget import Limit
from lycosa.crawl.ending import EndingElsewhere, Finding
from lycosa.crawl.ports import Ports
from lycosa.crawl.takeover import Opened
from lycosa.crawl.worker.worker import EXHAUSTED, Worker
from lycosa.errors import LogUnavailable
from lycosa.model.clock import Timer
from lycosa.model.records import Taken
from lycosa.runtime.cluster import shares
from lycosa.runtime.cluster.cordons import SURVIVED_SECONDS, Cordons
from lycosa.runtime.cluster.idle import IdleDesk, IdleReport
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.members import taking
from lycosa.runtime.members.adopting import Adopter
from lycosa.runtime.members.chair import CLEARING_SECONDS, Minutes, clear_graves, look_for_end
from lycosa.runtime.members.limits import SharedLimits
from lycosa.runtime.members.notes import (
    end_name,
    loss_name,
    losses_in,
    patience_name,
    patience_of,
)
from lycosa.runtime.membership.record import Member as MemberRecord
from lycosa.runtime.membership.record import Standing, life_of
from lycosa.runtime.orders.desk import orders
from lycosa.runtime.orders.orders import Numbered
from lycosa.storage.log.protocol import Head

LOOK_SECONDS = 0.5
SETTLE_SECONDS = 2.0
"""Delay before a life's first plan, so that members that start together share from the start."""
PLAN_SECONDS = 10.0
"""Longest time between two plans, even if nothing seems to have changed."""
RELEASED_AT_ONCE = 8
"""Partitions handed over at a time, at least; the others are crawled in the meantime."""
RELEASED_SHARE = 16
"""Or this fraction (1/16) of those held, so that a member that joins a large crawl waits
briefly."""
CHAIR = 0

log_messages = logging.getLogger(__name__)


class Membership(Protocol):
    """The member's place in the cluster (`runtime.membership.session`)."""

    @property
    def number(self) -> int:
        """The number of the present life."""

    def may_begin(self) -> bool:
        """Return whether a request may begin at this moment."""

    def members(self) -> Mapping[int, MemberRecord]:
        """Return the records of all lives, as last read."""


class Surroundings(NamedTuple):
    """Parts that a member works with, besides the worker and its ports."""

    membership: Membership
    board: Board
    """A connection that only threads other than the worker's use."""
    limits: SharedLimits
    end: EndingElsewhere
    idle: IdleDesk
    adopter: Adopter
    run: int
    earlier: Collection[int] = ()
    """The earlier lives of this process."""


class _Questions(NamedTuple):
    """Questions for the servers, to be asked on another thread."""

    reason: str
    """Reason why the run is over for all; "" if it is not."""
    next_loss: str
    """The note of the next loss: if it exists, a machine was lost since a limit was found
    reached."""
    patience: int
    """Ordinal of the end of patience to be noted; 0 for none."""
    minutes: Minutes | None
    survived: Sequence[int]
    wants_plan: bool
    last_order: int
    graves: Mapping[int, MemberRecord] | None
    """The members, if it is time to remove old tombstones."""


class _Answers(NamedTuple):
    """Answers of the servers."""

    finding: Finding | None = None
    heads: list[Head] | None = None
    cordons: Cordons | None = None
    given: Sequence[Numbered] = ()
    """Orders that are not known yet, if a plan is to be made."""


class Member:
    """Keeps a worker's partitions in step with the cluster, for one life."""

    def __init__(
        self, ports: Ports, worker: Worker, around: Surroundings, on_over: Callable[[], None]
    ) -> None:
        self._ports = ports
        self._clock = ports.clock
        self._worker = worker
        self._around = around
        self._on_over = on_over
        self._digest = ports.job_digest or ports.job.digest()
        self._life = around.membership.number
        self._began = ports.clock.now()
        self._planned_at = float("-inf")
        self._planned_for: object = None
        self._cleared_at = float("-inf")
        self._is_asking = False
        self._is_taking = False
        self._opening: dict[int, Opened] = {}
        """Partitions taken in the log, and not opened in the ledger yet."""
        self._taken_at: dict[int, float] = {}
        self._leaving: set[int] = set()
        self._has_planned_leaving = False
        """Whether the last plan was made when others knew that this life leaves."""
        self._timer: Timer | None = None
        self.reason = ""
        """Reason why the run has ended; "" before that."""
        self.is_over = False

    def begin(self) -> None:
        """Begin the regular looks."""
        self._worker.begin()
        self._look()

    def noted(self, notes: Mapping[str, bytes]) -> None:
        """Read the lasting facts that members share as notes."""
        around = self._around
        around.end.patience_noted(patience_of(around.run, notes))
        around.limits.noted(losses_in(notes))
        reason = notes.get(end_name(around.run))
        if reason is not None and not self.reason:
            self._end(reason.decode())

    @property
    def has_nothing_left(self) -> bool:
        """Whether a member that is leaving has handed all its partitions over."""
        is_idle = not self._opening and not self._is_taking and not self._leaving
        return is_idle and self._has_planned_leaving and not self._worker.partitions()

    def worker_ended(self) -> None:
        """Stop looking around: the worker has ended, and everything is durable."""
        self._stop_looking()

    # -- the rhythm -----------------------------------------------------------------------

    def _look(self) -> None:
        if self.is_over:
            return
        around, worker = self._around, self._worker
        if not around.membership.may_begin():
            self._stop_looking()
            worker.abandon()
            self._on_over()
            return
        self._timer = self._clock.call_at(self._clock.now() + LOOK_SECONDS, self._look)
        members = around.membership.members()
        if around.limits.look([number for number, one in members.items() if one.is_gone]):
            worker.pump()
        for number in [one for one in self._opening if around.limits.has_opened(one)]:
            self._add(number, self._opening.pop(number))
        around.idle.tell(self._idle_reports())
        if not self._is_asking:
            self._is_asking = True
            questions = self._questions(members)
            self._clock.run_aside(partial(self._ask, questions), self._answered)

    def _stop_looking(self) -> None:
        self.is_over = True
        if self._timer is not None:
            self._timer.cancel()

    def _idle_reports(self) -> list[IdleReport]:
        """Return the reports for the other members; none while a partition of ours is busy."""
        held, reports = list(self._worker.partitions()), self._around.end.reports
        if self._opening or any(number not in reports for number in held):
            return []
        return [IdleReport(number, *reports[number]) for number in held]

    def _questions(self, members: Mapping[int, MemberRecord]) -> _Questions:
        around, now = self._around, self._clock.now()
        reached = around.limits.reached
        patience = 0
        if around.end.wants_to_give_up:
            around.end.wants_to_give_up = False
            patience = around.end.patience_known + 1
        survived = [number for number, at in self._taken_at.items() if now >= at + SURVIVED_SECONDS]
        for number in survived:
            del self._taken_at[number]
        return _Questions(
            reason=str(reached) if reached and not self.reason else "",
            next_loss=loss_name(around.limits.losses + 1),
            patience=patience,
            minutes=self._minutes(),
            survived=survived,
            wants_plan=self._wants_plan(members, now),
            last_order=around.adopter.in_force.last,
            graves=members if self._is_clearing(now) else None,
        )

    def _is_clearing(self, now: float) -> bool:
        """Return whether this member is the leader and it is time to remove old tombstones."""
        if CHAIR not in self._worker.partitions() or now < self._cleared_at + CLEARING_SECONDS:
            return False
        self._cleared_at = now
        return True

    def _minutes(self) -> Minutes | None:
        """Return the facts for the search for the end; None if another member leads, or we are
        busy."""
        chair = self._worker.partitions().get(CHAIR)
        own = self._idle_reports() if chair is not None else []
        if chair is None or not own:
            return None
        history = chair.state.history
        step = "-".join(f"{cycle}.{turn}" for cycle, turn in (history.step, history.wanted_step))
        return Minutes(self._around.run, step, own)

    def _ask(self, questions: _Questions) -> _Answers:
        """Ask log and board, outside the worker's thread."""
        log, around = self._ports.log, self._around
        try:
            # If a machine was given up in the meantime, its pages no longer count towards the
            # limit.
            if questions.reason and log.noted(questions.next_loss) is None:
                log.note(end_name(around.run), questions.reason.encode())
            if questions.patience:
                log.note(patience_name(around.run, questions.patience), b"")
            if questions.survived:
                taking.strike_out(around.board, questions.survived)
            if questions.graves is not None:
                clear_graves(log, around.board, questions.graves)
            finding = questions.minutes and look_for_end(log, around.board, questions.minutes)
            if not questions.wants_plan:
                return _Answers(finding)
            # An order that was given before the plan holds for what the plan takes.
            given = orders(log, questions.last_order)
            known = taking.known_cordons(around.board, around.earlier)
            return _Answers(finding, log.heads(), known, given)
        except LogUnavailable:
            return _Answers()

    def _answered(self, answers: _Answers) -> None:
        self._is_asking = False
        if self.is_over:
            return
        end, finding = self._around.end, answers.finding
        end.learn(finding or end.finding._replace(is_stuck=False))
        if finding is not None and finding.is_between:
            self._worker.cycle_over()
        self._around.adopter.learn(answers.given)
        if answers.heads is not None and answers.cordons is not None:
            self._plan(answers.heads, answers.cordons)

    def _end(self, reason: str) -> None:
        """End the run together with all members."""
        self.reason = reason
        if reason == EXHAUSTED:
            self._around.end.learn(Finding(is_over=True))
        else:
            self._around.limits.budget.end(Limit(reason))
        self._worker.look()

    # -- partitions -----------------------------------------------------------------------

    def _wants_plan(self, members: Mapping[int, MemberRecord], now: float) -> bool:
        if now < self._began + SETTLE_SECONDS or self._life not in members or self._is_taking:
            return False
        basis = {
            number: (one.standing, one.is_cordoned, one.weight) for number, one in members.items()
        }
        if basis == self._planned_for and now < self._planned_at + PLAN_SECONDS:
            return False
        self._planned_for, self._planned_at = basis, now
        return True

    def _plan(self, heads: Sequence[Head], known: Cordons) -> None:
        """Take the partitions that the plan gives us, and release those that it gives to others."""
        members, worker = self._around.membership.members(), self._worker
        if self._life not in members:
            return
        self._has_planned_leaving = members[self._life].standing is Standing.LEAVING
        owners = [life_of(head.owner) for head in heads]
        wishes = shares.plan(owners, members, known.cordoned)
        held = worker.partitions()
        # A partition that is ours in the log and not held here: the answer to a take or release was
        # lost.
        wanted = [
            number
            for number, (owner, wish) in enumerate(zip(owners, wishes, strict=True))
            if number not in held
            and number not in self._opening
            and (owner == self._life or (wish == self._life and shares.is_free(owner, members)))
        ]
        going = [
            number
            for number in shares.to_release(self._life, wishes, owners)
            if number in held and number not in self._leaving
        ]
        if wanted or going or self._is_waiting_for_others(wishes, held):
            self._planned_for = None  # look again soon
        if wanted and not self._is_stopping():
            self._take({number: owners[number] for number in wanted}, members)
        most = max(RELEASED_AT_ONCE, len(held) // RELEASED_SHARE)
        some = going[: max(0, most - len(self._leaving))]
        if some:
            self._leaving.update(some)
            log_messages.info("handing over %s", counted(len(some), "partition"))
            worker.release(some, self._released)

    def _released(self, number: int) -> None:
        self._leaving.discard(number)
        self._taken_at.pop(number, None)
        if number == CHAIR:
            self._around.limits.no_longer_chair()

    def _is_waiting_for_others(self, wishes: Sequence[int], held: Mapping[int, object]) -> bool:
        return any(wish == self._life and number not in held for number, wish in enumerate(wishes))

    def _is_stopping(self) -> bool:
        return bool(self.reason) or self._worker.is_stopping

    def _take(self, owners: Mapping[int, int | None], members: Mapping[int, MemberRecord]) -> None:
        ports, board = self._ports, self._around.board
        taken = Taken(self._clock.now(), ports.owner, ports.clock_ahead)
        permit = taking.Permit(self._life, members, owners)
        self._is_taking = True
        self._clock.run_aside(
            partial(taking.take, ports.log, ports.snapshots, board, permit, taken, self._digest),
            self._taken,
        )

    def _taken(self, opened: Mapping[int, Opened]) -> None:
        self._is_taking = False
        if self.is_over:
            return
        if opened:
            log_messages.info("took %s", counted(len(opened), "partition"))
        limits = self._around.limits
        limits.open(opened)
        for number, one in opened.items():
            if limits.has_opened(number):
                self._add(number, one)
            else:
                self._opening[number] = one

    def _add(self, number: int, opened: Opened) -> None:
        if number == CHAIR:
            self._around.limits.begin(opened.state)
        self._taken_at[number] = self._clock.now()
        self._worker.add(number, opened)
