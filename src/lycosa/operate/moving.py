"""Move a crawl's log to another place: from a file to a server, back, or between servers.

    1  open the new log, which checks whether its server can be trusted; it is empty
    2  note in the old log where it goes (`moved`); from then on nothing may be added to it
    3  append `Moved` to every partition of the old log: a running owner can no longer write
    4  copy every partition: all batches under their sequences, and the unread part of its inbox
    5  copy the notes, and note the job last: now the new log is whole, and can be joined
    6  name the new log in crawl.toml

Until step 2 the old log is in charge. After it only `move` can continue, and it can be repeated:
the note names the target, and a new log without a job is made again. After step 5 nothing is copied
again.

Batches keep their sequences, so snapshots stay valid, and `explain`, `audit` and `verify` know the
whole history. Numbers of inboxes outlive their log, because the events name them. The new log
therefore numbers above all of them.

Always true: every write to the old log before its fencing is in the new log; afterwards no write
succeeds there, and at no time are two logs written to.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

from lycosa._support.failpoints import arm_from_environment, reach
from lycosa.crawl.takeover import read_partition
from lycosa.errors import ConfigError, LogError
from lycosa.model.job import Job
from lycosa.model.job.log_servers import NATS, server_problem
from lycosa.model.records import Moved
from lycosa.operate.new_log import OpenPlace, open_place
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.shared_log.notes import (
    DIRECTORY,
    IN_FILE,
    JOB,
    MOVED,
    LogPlace,
    decode_place,
    encode_place,
    note_job,
    other_directories,
)
from lycosa.runtime.shared_log.other_machines import refuse_running
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Contents, Head, Log, Write

MOST_IN_NATS = 960
_AT_ONCE = 64
Tell = Callable[[int, int], None]


def move(directory: CrawlDirectory, server: str, tell: Tell = lambda done, total: None) -> LogPlace:
    """Move the log of a crawl that is not running; return its new place."""
    if server != IN_FILE and (problem := server_problem(server)):
        raise ConfigError(problem)
    if not directory.has_begun:
        raise ConfigError(
            f"{directory.path}: the crawl has not begun, so it has no log to move\n"
            f"  set [log] server in {directory.job_file}"
        )
    arm_from_environment()
    with directory.locked():
        job = directory.whole_job()
        if (job.log.server or IN_FILE) == server:
            raise ConfigError(f"{directory.path}: the log is there already")
        with closing(directory.log(job)) as source:
            place = _Move(directory, job, source, tell).run(server)
    return place


class _Move:
    """Moves one log."""

    def __init__(self, directory: CrawlDirectory, job: Job, source: Log, tell: Tell) -> None:
        self._directory = directory
        self._job = job
        self._source = source
        self._snapshots = directory.snapshots()
        self._partitions = job.frontier.partitions
        self._tell = tell
        self._fenced: dict[int, tuple[int, int]] = {}
        """For each fenced partition, the sequence of its `Moved` and the read position of its
        inbox."""

    def run(self, server: str) -> LogPlace:
        """Do all steps, or those that remain from an interrupted move."""
        note = self._source.noted(MOVED)
        if note is None:
            self._refuse(server)
        place = decode_place(note) if note else LogPlace(server, os.urandom(16).hex())
        if place.server != server:
            raise LogError(
                f"{self._directory.path}: a move to {place.server} was begun\n"
                f"  finish it first: lycosa move {self._directory.path} {place.server}"
            )
        job = self._job_at(place)
        target = open_place(
            self._directory, job, place, self._first_number(), is_repeated=note is not None
        )
        with closing(target):
            if not target.is_whole:
                if note is None:
                    self._note(place)
                reach("move.noted")
                self._fence(place)
                reach("move.fenced")
                self._fill(target, job)
            reach("move.whole")
            target.put_in_place()
        reach("move.placed")
        self._directory.write_job(job)
        self._directory.copy_job()
        self._directory.accept()
        return place

    def _refuse(self, server: str) -> None:
        """Refuse, before any change, a log that the new place could not hold."""
        refuse_running(self._source, self._job)
        if server.partition("://")[0] in NATS and self._partitions > MOST_IN_NATS:
            raise ConfigError(
                f"{self._directory.path}: has {self._partitions:,} partitions, and a log in"
                f" JetStream has at most {MOST_IN_NATS}\n"
                "  the number is chosen when a crawl is begun; choose another kind of log"
            )
        if server == IN_FILE and (others := other_directories(self._source, self._directory)):
            raise ConfigError(
                f"{self._directory.path}: {others:,} other crawl directories hold pages of this"
                " crawl, and a log in a file is for one directory alone\n"
                "  choose another server"
            )

    def _note(self, place: LogPlace) -> None:
        self._source.note(MOVED, encode_place(place))
        if self._source.noted(MOVED) != encode_place(place):
            raise LogError(
                f"{self._directory.path}: another machine has begun to move this log\n"
                f"  to see the target: lycosa status {self._directory.path}"
            )

    def _job_at(self, place: LogPlace) -> Job:
        is_server = place.server != IN_FILE
        log = dataclasses.replace(
            self._job.log,
            server=place.server if is_server else "",
            name=place.name if is_server else "",
        )
        return dataclasses.replace(self._job, log=log)

    def _first_number(self) -> int:
        """Return a number above all present and future numbers of the inboxes."""
        return max(head.inbox for head in self._source.heads()) + 1_000_000_000

    def _fence(self, place: LogPlace) -> None:
        """Append `Moved` to every partition that has no such event yet."""
        waiting = list(range(self._partitions))
        event = encode([Moved(time.time(), place.server, place.name)])
        while waiting:
            group, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            writes = []
            for number in group:
                state = read_partition(self._source, self._snapshots, number).state
                if state.moved_to == place.name:
                    self._fenced[number] = state.sequence, state.inbox_read
                else:
                    writes.append(Write(number, state.sequence, event, (), state.inbox_read))
            results = self._source.commit(writes)
            for write, sequence in zip(writes, results, strict=True):
                if sequence is None:
                    waiting.append(write.partition)
                else:
                    self._fenced[write.partition] = sequence, write.inbox_read

    def _fill(self, target: OpenPlace, job: Job) -> None:
        for number in range(self._partitions):
            self._tell(number, self._partitions)
            target.log.fill(number, self._contents(number))
            reach("move.copying")
        notes = self._source.notes("")
        if not self._job.log.server:
            notes.setdefault(f"{DIRECTORY}0", self._directory.identity().encode())
        for name, value in notes.items():
            if name != MOVED and name != JOB and not name.startswith(f"{JOB}/"):
                target.log.note(name, value)
        reach("move.copied")
        note_job(target.log, job)

    def _contents(self, number: int) -> Contents:
        """Return the content of a fenced partition, up to `Moved`."""
        last, inbox_read = self._fenced[number]
        head = self._source.head(number)
        if head.log != last:
            raise LogError(
                f"partition {number} was written to after it was fenced\n"
                f"  find out why: lycosa verify {self._directory.path}"
            )
        return Contents(
            partial(self._batches, number, last),
            inbox_read,
            self._unread(number, inbox_read, head),
        )

    def _batches(self, number: int, last: int) -> Iterator[tuple[int, bytes]]:
        expected = 1
        for sequence, batch in self._source.read(number, 0):
            if sequence > last:
                break
            if sequence != expected:
                break
            expected += 1
            yield sequence, batch
        if expected != last + 1:
            raise LogError(
                f"partition {number}: the log lacks the batches after sequence {expected - 1}\n"
                f"  repair it first: lycosa verify {self._directory.path} --repair"
            )

    def _unread(self, number: int, after: int, head: Head) -> list[bytes]:
        found: list[bytes] = []
        while after < head.inbox:
            entries = self._source.inbox(number, after)
            if not entries:  # the answering replica is behind the one that returned the head
                time.sleep(0.01)
                continue
            found += [batch for _, batch in entries]
            after = entries[-1][0]
        return found
