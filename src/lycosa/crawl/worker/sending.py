"""From a partition that has work to a request on its way.

A request is sent only when all of these agree, in this order: the job's limits give a reservation,
no rule that the operator added since rejects the URL, no feature excludes it, the
robots rules allow it, its shape is not a trap, its site may be asked at this time of the day
(`Visit-time`), the log says that the partition is still ours, and the address is free (its slot is
shared with other processes of this machine). A feature may put another request, as one of a login,
in the place of a page's.

The steps of every page are compiled (`_sending`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from lycosa.crawl.pauses.host_pauses import HostPauses
from lycosa.crawl.ports import Ports
from lycosa.crawl.status.unreachable import SeedWatch
from lycosa.crawl.worker._sending import Asked, Sending
from lycosa.errors import StoreError
from lycosa.fetch.robots.rules import Rules, seconds_until_open
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.task import Task, TaskKind
from lycosa.model.records import Answer, Outcome, Request, Validators

if TYPE_CHECKING:
    from lycosa.crawl.points import Points
    from lycosa.model.url.posts import Body

OnAnswer = Callable[[Partition, Task, int, Request, Answer], None]
"""Takes the partition, the task, its reserved bytes, the request and the answer."""


SILENT = frozenset(
    {
        Outcome.CONNECT_FAILURE,
        Outcome.TIMEOUT,
        Outcome.REFUSED_ADDRESS,
        Outcome.REFUSED_PORT,
    }
)
"""Failures after which an address has not answered, unless the head of an answer came."""


class Sender(Sending):
    """Chooses permitted tasks and sends their requests; one per worker."""

    def __init__(
        self,
        ports: Ports,
        seeds: SeedWatch,
        points: Points,
        on_answer: OnAnswer,
        on_lost: Callable[[int], None],
        *,
        when_durable: Callable[[Callable[[], None]], None],
    ) -> None:
        """`when_durable` calls back soon, when a power cut takes no decision any more."""
        super().__init__(ports, points, on_answer, on_lost)
        self._lose, self._when_durable = on_lost, when_durable
        self._ports = ports
        self._scope = ports.scope
        self._seeds = seeds
        self._points = points
        self._host_pauses = HostPauses(ports)

    def forget_rules(self, partition: int, site: int) -> None:
        """Forget the compiled robots rules of a site: it has new ones."""
        self._rules.pop((partition, site), None)

    def forget(self, partition: int) -> None:
        """Forget all rules of a partition: it is no longer ours, and its sites get new numbers."""
        for cached in [cached for cached in self._rules if cached[0] == partition]:
            del self._rules[cached]

    def _end(self, partition: Partition, task: Task, outcome: Outcome, now: float) -> None:
        """End a URL that was about to be asked for."""
        if outcome is Outcome.DISALLOWED:
            self._seeds.disallowed(partition, task.subject)
        partition.settle(now, [task.subject], outcome)
        site = partition.state.pages.site[task.subject]
        for settled in self._points.settled:
            settled(partition, site)
        partition.readiness.look_again(task.host, now)

    def _is_excluded(self, partition: Partition, page: int) -> bool:
        for excludes in self._points.excluded:
            if excludes(partition, page):
                return True
        rejects_more = self._scope.rejects_more
        return rejects_more and self._scope.is_rejected_since(partition.state.table.key(page))

    def _send_noted(self, partition: Partition, body: Body, asked: Asked) -> None:
        """Post something, when it is noted in the log: a kill must not let it be sent twice.

        A partition that was lost meanwhile posts nothing, and its next owner cannot know that.
        """
        with_login = self._ports.job.plugins.post_with_login
        request = asked.request = replace(
            asked.request, content_type=body.content_type, is_anonymous=not with_login
        )

        def send() -> None:
            now, ports = self._ports.clock.now(), self._ports
            is_ours = ports.log.owner(partition.number) == ports.owner
            if not partition.is_lost and is_ours:
                ports.transport.send(request, asked)
                return
            if not partition.is_lost:
                self._lose(partition.number)
            asked(Answer(0, (), b"", now, now, Outcome.CUT_SHORT))

        self._when_durable(send)

    def is_claimed(
        self, partition: Partition, task: Task, reserved: int, request: Request, answer: Answer
    ) -> bool:
        """Return whether a feature takes an answer; a page's reservation is given back then."""
        if not any(claim(partition, task, request, answer) for claim in self._points.claimed):
            return False
        if task.kind is TaskKind.PAGE:
            self._ports.budget.give_back(reserved)
        return True

    def has_missed(
        self, partition: Partition, task: Task, reserved: int, request: Request, answer: Answer
    ) -> bool:
        """Note whether an address speaks; True if it missed its short handshake.

        Nothing was sent to it then: its host is asked again, after all that wait for a place.
        """
        addresses, now = partition.readiness.addresses, self._ports.clock.now()
        if not answer.is_missed:
            is_silent = answer.failure in SILENT and not answer.head
            addresses.heard(request.address, now, has_answered=not is_silent)
            return False
        if task.kind is TaskKind.PAGE:
            self._ports.budget.give_back(reserved)
        partition.hand_back(task, now)
        addresses.missed(request.address)
        partition.readiness.give_back(task.host, now)
        return True

    def _waits(self, partition: Partition, task: Task, rules: Rules, now: float) -> bool:
        """Let a host rest until its site's Visit-time, or put it off where the job does not wait.

        Returns whether it does. Robots files are asked for at any time: only they tell whether the
        times still hold.
        """
        seconds = seconds_until_open(rules.visit_hours, now)
        if not seconds:
            return False
        partition.hand_back(task, now)
        strikes = partition.state.hosts.strikes[task.host]
        self._host_pauses.strike(
            partition, task.host, now, seconds, strikes, is_announced=True, demanded=seconds
        )
        partition.readiness.let_rest(task.host, now)
        return True

    def _step_of(self, partition: Partition, task: Task) -> tuple[str, bytes, Task] | None:
        """Return the URL and the form of a login that a page needs first, and its task."""
        for step_of in self._points.step:
            step = step_of(partition, task.subject)
            if step is not None:
                return *step, Task(TaskKind.LOGIN, task.subject, task.host)
        return None

    def _validators(self, state: PartitionState, page: int) -> Validators | None:
        """Return what tells the server which version of a page we hold."""
        place = state.place_of(page)
        try:
            return self._ports.store.validators(place) if place is not None else None
        except StoreError:  # its site was forgotten meanwhile
            return None
