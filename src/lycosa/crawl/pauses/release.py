"""When a host may be asked again after its answer: at once, or when the log has the answer.

A kill forgets what was not committed, so those pages are asked for a second time. A host that
rests anyway is therefore released only when its answer is durable, and the commit is brought
forward into its pause: a kill repeats one request to it. A host without a pause is released at
once; a commit follows after `[log] commit_answers` such answers
(docs/decisions/0008-politeness-after-a-kill.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.crawl.pauses.due import FORGETTABLE_SECONDS, usual_pause
from lycosa.crawl.ports import Ports
from lycosa.frontier.partition import Partition

if TYPE_CHECKING:
    from lycosa.crawl.worker._pump import Alarm
    from lycosa.crawl.worker.commits import Committer

HOLDING_PAUSE_SECONDS = 0.2
"""A host with at least this pause is asked again only when the log has its last answer."""

COMMIT_WITHIN_PAUSE = 0.9
"""After this part of a pause its answer is committed: the rest is for the commit, so that no host
waits for it."""

_TICK_SECONDS = 0.001  # a pause of 0.2 s is a little shorter as a difference of two moments


class HostRelease:
    """Gives hosts back to readiness; one per worker."""

    def __init__(self, ports: Ports, committer: Committer, tick: Alarm) -> None:
        self._clock = ports.clock
        self._job = ports.job
        self._commit_seconds = ports.job.log.commit_seconds
        self._commit_answers = ports.job.log.commit_answers
        self._committer = committer
        self._tick = tick
        self._unsaved_answers = 0
        """Of hosts that may be asked again before the next commit."""

    def when_durable(self, partition: Partition, host: int) -> None:
        """Release a host after the next commit."""
        readiness = partition.readiness
        self._committer.after_next(lambda: readiness.give_back(host, self._clock.now()))

    def when_sure(self, partition: Partition, host: int, ended: float) -> None:
        """Release a host after the next commit, which asks the disk if the host rests for long.

        A power cut takes commits that the disk does not have. A resume waits the job's own pause
        and a second; a host that was promised more must be remembered.
        """
        hosts = partition.state.hosts
        known = usual_pause(self._job, hosts.kept[host]) + FORGETTABLE_SECONDS
        if hosts.due[host] - ended > known:
            self._committer.sync_next()
        self.when_durable(partition, host)

    def after_answer(self, partition: Partition, host: int, ended: float) -> bool:
        """Release a host as its pause allows; returns whether a commit is due now.

        The caller pumps next, so the slot of an address without a pause may stay ours until then.
        """
        readiness = partition.readiness
        pause = partition.state.hosts.due[host] - ended
        if readiness.goes_on(host):  # the pause of its address remains
            pause = min(pause, self._job.politeness.ip_delay_seconds)
        if pause > HOLDING_PAUSE_SECONDS - _TICK_SECONDS:
            readiness.free_address(host, self._clock.now())
            self.when_durable(partition, host)
            self._tick.set_before(ended + min(self._commit_seconds, COMMIT_WITHIN_PAUSE * pause))
            return False
        readiness.give_back(host, self._clock.now(), True)
        self._unsaved_answers += 1
        return self._unsaved_answers == self._commit_answers

    def committed(self) -> None:
        """Note that a commit takes in every answer until now."""
        self._unsaved_answers = 0
