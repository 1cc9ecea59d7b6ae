"""The lives of one process, one after the other, until the crawl is done or the operator stops it.

A life that was cut off for too long is over, because others may own its partitions. Its worker has
dropped everything, so the process joins again under a new number and with a new worker.

The same code runs in a process (`processes`) and in a simulation: both give it a session and a way
to make a worker.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from lycosa.crawl.budget import Limit
from lycosa.crawl.worker.worker import Worker
from lycosa.model.clock import Clock
from lycosa.runtime.members.limits import SharedLimits
from lycosa.runtime.members.member import Member, Membership
from lycosa.runtime.membership.life import OVER, Phase

POLL_SECONDS = 0.1
LEAVE_SECONDS = 10.0
"""Seconds that the board has to record that a life ended in order."""

REFUSED = "refused"
"""Reason with which a process ends whose clock or version does not fit any more."""

log_messages = logging.getLogger(__name__)


class LivingSession(Membership, Protocol):
    """A session as the process sees it, over all its lives."""

    @property
    def phase(self) -> Phase:
        """Phase of the present life."""

    @property
    def is_joined(self) -> bool:
        """Whether the present life has a record, and a clock that agrees with the cluster's."""

    def drain(self) -> None:
        """Announce that this worker hands its partitions over."""

    def stay(self) -> None:
        """Cancel that announcement, while partitions are left."""

    def leave_soon(self) -> None:
        """End the life; `phase` reports when it is over."""

    def begin_again(self) -> None:
        """Begin a new life after one has ended."""


class Working(NamedTuple):
    """Worker, member and limits of one life."""

    worker: Worker
    member: Member
    limits: SharedLimits


class Lives:
    """The lives of one worker process."""

    def __init__(
        self,
        clock: Clock,
        session: LivingSession,
        begin: Callable[[int], Working],
        on_end: Callable[[str], None],
    ) -> None:
        """Make each life's worker by `begin`; call `on_end` with the reason for the last life's
        end."""
        self._clock = clock
        self._session = session
        self._make = begin
        self._on_end = on_end
        self._is_stopping = False
        self.is_draining = False
        """Whether the operator wants this member to hand everything over."""
        self._leave_by = float("inf")
        self.present: Working | None = None
        self.count = 0
        self.earlier: list[int] = []
        """Numbers of lives that were cut off for too long."""

    def begin(self) -> None:
        """Begin the first life as soon as it has joined."""
        self._wait_for_joining()

    def stop(self) -> None:
        """Hand everything over and leave; between two lives no partition is held."""
        self._is_stopping = True
        self._leave_by = self._clock.now() + LEAVE_SECONDS
        self._session.drain()
        if self.present is not None:
            self.present.worker.stop()

    def drain(self) -> None:
        """Hand partitions over while others take them, a few at a time; then leave."""
        if not self.is_draining and not self._is_stopping:
            self.is_draining = True
            log_messages.info("draining: the operator has told this member to hand everything over")
            self._session.drain()
            self._later(self._look_drained)

    def stay(self) -> None:
        """Continue after all, unless everything is handed over."""
        if self.is_draining and not self._is_stopping:
            self.is_draining = False
            log_messages.info("draining cancelled: the operator lets this member go on")
            self._session.stay()

    def _look_drained(self) -> None:
        if not self.is_draining or self._is_stopping:
            return
        if self.present is not None and self.present.member.has_nothing_left:
            self.stop()
        else:
            self._later(self._look_drained)

    def noted(self, notes: Mapping[str, bytes]) -> None:
        """Pass notes of the log to the present life."""
        if self.present is not None:
            self.present.member.noted(notes)

    def _wait_for_joining(self) -> None:
        session = self._session
        if self._is_stopping:
            session.leave_soon()
            self._leave_unborn()
        elif session.is_joined and session.may_begin():
            self.count += 1
            self.present = self._make(session.number)
            self.present.member.begin()
            if self.is_draining:
                self._session.drain()
        elif session.phase is Phase.REFUSED:
            self._on_end(REFUSED)
        elif session.phase is Phase.LOST:
            session.begin_again()
            self._later(self._wait_for_joining)
        else:
            self._later(self._wait_for_joining)

    def life_over(self) -> None:
        """Continue in another life, because this one was cut off."""
        log_messages.warning("cut off for too long: partitions dropped, joining again")
        self.present = None
        self.earlier.append(self._session.number)
        self._session.leave_soon()
        self._wait_for_the_end()

    def _leave_unborn(self) -> None:
        """End before the first life, or between two; waits only briefly, as the board may be
        down."""
        if self._session.phase in OVER or self._clock.now() >= self._leave_by:
            self._on_end(Limit.STOPPED)
        else:
            self._later(self._leave_unborn)

    def _wait_for_the_end(self) -> None:
        if self._is_stopping:
            self._leave_unborn()
        elif self._session.phase in OVER:
            self._session.begin_again()
            self._wait_for_joining()
        else:
            self._later(self._wait_for_the_end)

    def worker_ended(self, reason: str) -> None:
        """Report the last counts and leave: the worker has ended, with everything durable."""
        present = self.present
        assert present is not None
        present.member.worker_ended()
        present.limits.close()
        self._leave_by = self._clock.now() + LEAVE_SECONDS
        self._leave(present.member.reason or reason)

    def _leave(self, reason: str) -> None:
        assert self.present is not None
        is_late = self._clock.now() >= self._leave_by
        if self._session.phase in OVER or is_late:
            self._on_end(reason)  # past the deadline, other members will detect the silence
            return
        if self.present.limits.is_closed:
            self._session.leave_soon()
        self._clock.call_at(self._clock.now() + POLL_SECONDS, self._leave, reason)

    def _later(self, callback: Callable[[], None]) -> None:
        self._clock.call_at(self._clock.now() + POLL_SECONDS, callback)
