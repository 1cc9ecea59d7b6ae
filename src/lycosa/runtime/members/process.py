"""A process that shares a crawl with other machines.

It joins, begins one life after the other (`lives`), and leaves when the run is over, when its disk
is full, or when the operator stops it. In the last two cases the other members go on.

Threads besides the worker's: two renew the membership and watch the other members (`session`), one
makes the calls of ledger, reports, addresses and log lines (`courier`), one asks the log (`clock`).
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from lycosa import __version__
from lycosa.crawl.budget import Limit
from lycosa.crawl.ending import EndingElsewhere
from lycosa.crawl.status.progress import Listener, Progress, add_up
from lycosa.errors import LogUnavailable
from lycosa.runtime.cluster.addresses import AddressDesk
from lycosa.runtime.cluster.courier import Courier, Desk
from lycosa.runtime.cluster.idle import IdleDesk
from lycosa.runtime.cluster.lines import Line, LineDesk
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.directory import OpenCrawl
from lycosa.runtime.members.adopting import Adopter, note_old_settings
from lycosa.runtime.members.last_life import LastLife
from lycosa.runtime.members.limits import SharedLimits
from lycosa.runtime.members.lives import REFUSED, Lives, Working
from lycosa.runtime.members.member import Member, Surroundings
from lycosa.runtime.members.notes import leaves_in
from lycosa.runtime.members.telling import Telling
from lycosa.runtime.membership import record
from lycosa.runtime.membership.graves import bury
from lycosa.runtime.membership.joining import Agreement
from lycosa.runtime.membership.life import Life
from lycosa.runtime.membership.session import Session
from lycosa.runtime.orders.live import State
from lycosa.runtime.orders.watch import Standing
from lycosa.runtime.processes.assignments import Assignment
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.processes.runtime import Duties, Runtime
from lycosa.runtime.processes.signals import Stop
from lycosa.runtime.shared_log.notes import LOST, directory_number, given_up, refuse_given_up

JOIN_SECONDS = 30.0
FORMAT = 1
"""Format of the log that this release reads and writes."""
_LOOK_SECONDS = 1.0
DRAINED = "drained"
"""Reason for the end of a member that the operator has taken out of the cluster."""
STOPPED_FOR_ALL = "stopped for all"
"""Reason for a member's end when the operator has stopped the crawl on all machines."""


class MemberProcess:
    """A worker process of a cluster."""

    def __init__(
        self,
        main: MainLoop,
        crawl: OpenCrawl,
        assignment: Assignment,
        listener: Listener,
        run: int,
        with_unsent: Callable[[Progress], Progress] = lambda progress: progress,
    ) -> None:
        job = crawl.job
        self._main = main
        assignment = msgspec.structs.replace(assignment, job_digest=job.digest())
        self._adopter = Adopter(job, main.clock, self._machines)
        self._crawl = crawl = crawl._replace(job=self._adopter.job)
        self._listener = listener
        self._run_number = run
        self._with_unsent = with_unsent
        self._machine = os.uname().nodename
        self._directory_number = directory_number(crawl.log, crawl.directory)
        self._last_lives = LastLife(crawl.directory, job)
        # Read before the board: a life owns partitions only after the board has given its number.
        owners = [record.life_of(head.owner) or 0 for head in crawl.log.heads()]
        self._last_life = max(self._last_lives.number, *owners)
        refuse_given_up(crawl.log, crawl.directory, self._directory_number)
        self._reason = ""
        self._is_sealing = self._is_stopping = False
        self._runtime = Runtime(main, crawl, assignment)
        open_one = partial(open_board, job.log.server, job.log.name)
        self._board = open_one()
        self._session = Session(open_one, self._make_life, self._say)
        self._courier = Courier(open_one, ())
        self._lives = Lives(main.clock, self._session, self._work, self._ended)
        self._lines: LineDesk | None = None
        self._early: list[Line] = []
        self._addresses: AddressDesk | None = None
        self._handler = _LineHandler(self._add_line)
        self._last: Progress | None = None
        self._drained_as = 0
        self._leaves: dict[int, int] = {}
        """Orders to lives to leave, or not to (`notes.leave_name`)."""
        self._telling, self._told = Telling(), record.Progress()
        self._gone: list[Progress] = []
        """Progress of earlier lives. Their requests count here; their pages count at the new
        owners."""

    def run(self, stop: Stop, on_progress: Callable[[Progress], None]) -> str:
        """Crawl until the run is over, or a stop request; return the reason for the end."""
        logging.getLogger("lycosa").addHandler(self._handler)
        if not self._session.join(JOIN_SECONDS):
            raise LogUnavailable(
                f"{self._crawl.job.log.server}: this crawl's board (coordination store) did not"
                f" answer within {JOIN_SECONDS:g} s\n"
                "  check [log] server in crawl.toml, and try again when the server answers"
            )
        self._end_own_dead()
        note_old_settings(self._crawl.log, self._board)
        self._on_progress = on_progress
        loop = self._main.loop
        loop.call_soon(self._lives.begin)
        loop.call_soon(self._report)
        loop.call_soon(self._look)
        self._main.run_until_stopped(stop, self._stop_cleanly)
        return self._reason

    def _end_own_dead(self) -> None:
        """End the lives of earlier processes of this directory: we hold its lock, so all are dead.

        Without this, their partitions would wait until members have found those lives silent.
        """
        dead = {
            record.life_of(head.owner)
            for head in self._crawl.log.heads()
            if record.directory_of(head.owner) == self._directory_number
        }
        for number in dead - {None, self._session.number}:
            assert number is not None
            bury(self._board, number, self._session.number, JOIN_SECONDS)

    def progress(self) -> Progress:
        """Return this member's progress; after the end of the run, the progress of all members.

        A member that leaves has released its partitions, and returns their state before that.
        """
        own = add_up([self._runtime.progress()], self._gone)
        if not self._reason:
            return own
        if self._reason in (Limit.STOPPED, STOPPED_FOR_ALL, DRAINED):
            return (self._last or own)._replace(requests=own.requests, in_flight=0)
        hosts, parts = 0, []
        for state in self._crawl.directory.each_state(self._crawl.job):
            hosts += len(state.host_names)
            parts.append(self._runtime.progress([state]))
        return add_up(parts)._replace(
            hosts={"idle": hosts},
            requests=own.requests,
            in_flight=0,
            commits=own.commits,
            commit_queue_seconds=own.commit_queue_seconds,
            commit_lock_seconds=own.commit_lock_seconds,
            commit_write_seconds=own.commit_write_seconds,
        )

    def standing(self) -> Standing:
        """Return this member's state, orders and job, which are shown with its progress."""
        in_force = self._adopter.in_force
        state: State = "paused" if in_force.is_paused else "running"
        if self._is_stopping or self._reason:
            state = "stopping"
        return Standing(state, in_force, self._crawl.job, self._adopter.applied)

    def close(self) -> None:
        """Close everything; committed work is not lost."""
        logging.getLogger("lycosa").removeHandler(self._handler)
        self._runtime.close()
        self._courier.close()
        self._session.close()
        self._board.close()

    # -- lives ----------------------------------------------------------------------------

    def _make_life(self) -> Life:
        crawl = self._crawl
        plugins = ", ".join(crawl.job.plugins.use)
        agreement = Agreement(
            crawl.job.log.name, self._runtime.partitioner.identity, plugins, FORMAT
        )
        own = record.Member(
            0,
            self._machine,
            __version__,
            FORMAT,
            since=round(time.time()),
            directory=str(crawl.directory.path.absolute()),
            directory_number=self._directory_number,
        )
        return Life(own, agreement, last_known=self._last_life)

    def _work(self, number: int) -> Working:
        self._last_life = max(self._last_life, number)
        self._last_lives.note(number)
        job, clock, courier = self._crawl.job, self._main.clock, self._courier
        limits = SharedLimits(job, clock, self._crawl.directory.free_disk, number, courier.lock)
        end, idle = EndingElsewhere(), IdleDesk(number)
        addresses = self._addresses = AddressDesk(number, self._machine)
        self._lines = LineDesk(number)
        for line in self._early:
            self._lines.add(*line)
        self._early.clear()
        if self._lives.count > 1:
            self._gone.append(self._runtime.progress([]))
        worker = self._runtime.employ(
            Duties(
                limits.budget,
                end,
                self._lives.worker_ended,
                self._listener.seed_failed,
                self._listener.noticed,
                owner=record.owner_name(number, self._directory_number, self._machine),
                may_begin=self._session.may_begin,
                is_shared=True,
                on_notes=self._noted,
                machines_at=addresses.machines_at,
                directory=self._directory_number,
            )
        )
        limits.when_durable, limits.counts = worker.when_durable, worker.durable_counts
        self._adopter.employ(self._runtime.ports, worker, self._runtime.transport, limits)
        around = Surroundings(
            membership=self._session,
            board=self._board,
            limits=limits,
            end=end,
            idle=idle,
            adopter=self._adopter,
            run=self._run_number,
            earlier=self._lives.earlier,
        )
        member = Member(self._runtime.ports, worker, around, self._lives.life_over)
        desks: list[Desk] = [idle, addresses, self._lines]
        courier.serve(desks if limits.desk is None else [limits.desk, *desks])
        if not self._is_sealing:
            self._is_sealing = True
            self._runtime.seal_now_and_then()
        return Working(worker, member, limits)

    def _noted(self, notes: Mapping[str, bytes]) -> None:
        """Read notes of the log; the process ends if its directory was given up."""
        if f"{LOST}{self._directory_number}" in notes:
            self._main.fail(given_up(self._crawl.directory, self._directory_number))
            return
        self._adopter.noted(notes)
        self._leaves |= leaves_in(notes)
        self._lives.noted(notes)

    def _ended(self, reason: str) -> None:
        if reason == REFUSED:
            assert self._session.refusal is not None
            self._main.fail(self._session.refusal)
            return
        self._reason = self._why_stopped() if reason == Limit.STOPPED else reason
        self._runtime.seal_all(self._main.loop.stop)

    def _why_stopped(self) -> str:
        present = self._lives.present
        if present is not None and present.member.reason == Limit.STOPPED:
            return STOPPED_FOR_ALL
        return DRAINED if self._lives.is_draining else Limit.STOPPED

    def _stop_cleanly(self) -> None:
        self._is_stopping = True
        self._listener.stopping()
        self._lives.stop()

    # -- the rhythm -----------------------------------------------------------------------

    def _look(self) -> None:
        """Tell the others this member's progress; end the process if a thread has failed."""
        failure = self._session.failure or self._courier.failure
        if failure is not None:
            self._main.fail(failure)
            return
        self._main.loop.call_later(_LOOK_SECONDS, self._look)
        if self._lives.present is None:
            return
        worker = self._lives.present.worker
        self._adopter.look()
        self._session.tell(self._told, self._adopter.in_force.last)
        leaving = {life for life, change in self._leaves.items() if change % 2}
        if self._session.number in leaving:
            self._drained_as = self._session.number  # a later life of this process leaves as well
            self._lives.drain()
        elif self._drained_as not in leaving:
            self._lives.stay()
        if self._addresses is not None:
            gone = {n for n, one in self._session.members().items() if one.is_gone}
            with self._courier.lock:
                self._addresses.serve(worker.addresses.served())
                self._addresses.lives_gone(gone)

    def _report(self) -> None:
        """Report progress, less often in a crawl of many hosts, where the figures take long."""
        began = time.monotonic()
        if self._lives.present is not None:
            self._last = found = self._with_unsent(self.progress())
            self._on_progress(found)
            self._told = self._telling.told(found, self._lives.present.worker)
            self._session.tell(self._told, self._adopter.in_force.last)
        took = time.monotonic() - began
        self._main.loop.call_later(self._listener.seconds_to_next(took), self._report)

    def _machines(self) -> int:
        members = self._session.members().values()
        return len({one.machine for one in members if not one.is_gone} | {self._machine})

    def _say(self, text: str) -> None:
        """Log events of the membership; called from its threads."""
        logging.getLogger("lycosa").info(text)

    def _add_line(self, record: logging.LogRecord) -> None:
        line = Line(record.created, record.levelname, record.getMessage())
        with self._courier.lock:
            if self._lines is None:
                self._early.append(line)  # the first life, which will send it, has no number yet
            else:
                self._lines.add(*line)


class _LineHandler(logging.Handler):
    """Hands log lines over to the board."""

    def __init__(self, add: Callable[[logging.LogRecord], None]) -> None:
        super().__init__(logging.INFO)
        self._add = add

    def emit(self, record: logging.LogRecord) -> None:
        """Hand one line over."""
        self._add(record)
