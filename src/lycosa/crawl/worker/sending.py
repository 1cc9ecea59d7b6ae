"""From a partition that has work to a request on its way.

A request is sent only when all of these agree, in this order: the job's limits give a reservation,
no rule that the operator added since rejects the URL, it would end no session, the
robots rules allow it, its shape is no trap, its site may be asked at this time of the day
(`Visit-time`), the log says that the partition is still ours, and the address is free (its slot is
shared with other processes of this machine). Where the job logs in, a page without a session first
leads to the requests of the login (`logins`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lycosa.crawl.answers.host_pauses import HostPauses
from lycosa.crawl.answers.mining import Mining
from lycosa.crawl.answers.novelty.traps import TrapWatch
from lycosa.crawl.ports import Ports
from lycosa.crawl.status.unreachable import SeedWatch
from lycosa.errors import StoreError
from lycosa.failpoints import reach
from lycosa.fetch.robots.rules import Rules, seconds_until_open
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.task import Task, TaskKind
from lycosa.records import Answer, Outcome, Purpose, Request, Validators
from lycosa.url import host_of, url_of

if TYPE_CHECKING:
    from lycosa.crawl.worker.logins import Logins

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


class Sender:
    """Chooses permitted tasks and sends their requests; one per worker."""

    def __init__(
        self,
        ports: Ports,
        traps: TrapWatch,
        mining: Mining,
        seeds: SeedWatch,
        on_answer: OnAnswer,
        on_lost: Callable[[int], None],
    ) -> None:
        self._ports = ports
        self._job = ports.job
        self._scope = ports.scope
        self._traps = traps
        self._mining = mining
        self._seeds = seeds
        self._on_answer = on_answer
        self._on_lost = on_lost
        self.logins: Logins | None = None
        """The session with the site that the job logs in to."""
        if ports.job.login.is_used:
            from lycosa.crawl.worker.logins import Logins  # few crawls log in

            self.logins = Logins(ports)
        self._rules: dict[tuple[int, int], Rules] = {}
        self._host_pauses = HostPauses(ports)
        self.in_flight = 0
        """How many requests are under way."""
        self.requests = 0
        """How many were sent in all."""

    def start_task(self, partition: Partition, now: float) -> bool:
        """Send the partition's next request, if it has a permitted one.

        Returns False when the job's limits permit none.
        """
        budget = self._ports.budget
        reserved = budget.reserve(now)
        if reserved is None:
            return False
        task = self._next_permitted(partition, now)
        if task is None:
            budget.give_back(reserved)
            return True
        if task.kind is not TaskKind.PAGE:
            budget.give_back(reserved)
            reserved = self._job.robots.largest_bytes
        is_ours = self._ports.log.owner(partition.number) == self._ports.owner
        if not is_ours or not partition.readiness.claim(task.host, now):
            if task.kind is TaskKind.PAGE:
                budget.give_back(reserved)
            if is_ours:
                partition.hand_back(task, now)
            else:
                self._on_lost(partition.number)
            return True
        self._send(partition, task, reserved)
        return True

    def forget_rules(self, partition: int, site: int) -> None:
        """Forget the compiled robots rules of a site: it has new ones."""
        self._rules.pop((partition, site), None)

    def forget(self, partition: int) -> None:
        """Forget all rules of a partition: it is no longer ours, and its sites get new numbers."""
        for cached in [cached for cached in self._rules if cached[0] == partition]:
            del self._rules[cached]

    def _next_permitted(self, partition: Partition, now: float) -> Task | None:
        """Return the next task that is permitted; what robots rules or traps forbid ends here."""
        sites, pages = partition.state.sites, partition.state.pages
        while (task := partition.next_task()) is not None:
            if task.kind is not TaskKind.PAGE:
                return task
            site = pages.site[task.subject]
            outcome: Outcome | None = Outcome.DISALLOWED
            if self._is_excluded(partition, task.subject):
                outcome = Outcome.EXCLUDED
            elif sites.robots_expires[site] <= now:
                partition.hand_back(task, now)
                continue
            else:
                rules = self._rules_of(partition, site)
                if rules is None or self._is_allowed(partition, rules, task.subject):
                    outcome = self._traps.put_aside(partition.state, task.subject)
                if outcome is None and rules is not None and rules.visit_hours:
                    wait = seconds_until_open(rules.visit_hours, now)
                    if wait:
                        self._wait(partition, task, now, wait)
                        continue
            if outcome is None:
                return task
            if outcome is Outcome.DISALLOWED:
                self._seeds.disallowed(partition, task.subject)
            partition.settle(now, [task.subject], outcome)
            self._mining.look_if_idle(partition, site)
            partition.readiness.look_again(task.host, now)
        return None

    def _is_excluded(self, partition: Partition, page: int) -> bool:
        if self.logins is None and not self._scope.rejects_more:
            return False
        key = partition.state.table.key(page)
        if self.logins is not None and self.logins.is_logout(key):
            return True
        return self._scope.rejects_more and self._scope.is_rejected_since(key)

    def takes(
        self, partition: Partition, task: Task, reserved: int, request: Request, answer: Answer
    ) -> bool:
        """Take an answer that is part of a login, or shows that one is needed again."""
        if self.logins is None or task.kind not in (TaskKind.PAGE, TaskKind.LOGIN):
            return False
        if task.kind is TaskKind.LOGIN:
            self.logins.answered(partition, task, request, answer)
            return True
        if self.logins.is_lost(partition, task, request, answer):
            self._ports.budget.give_back(reserved)
            return True
        return False

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

    def _wait(self, partition: Partition, task: Task, now: float, seconds: float) -> None:
        """Let a host rest until its site's Visit-time, or put it off where the job does not wait.

        Robots files are asked for at any time: only they tell whether the times still hold.
        """
        partition.hand_back(task, now)
        strikes = partition.state.hosts.strikes[task.host]
        self._host_pauses.strike(
            partition, task.host, now, seconds, strikes, is_announced=True, demanded=seconds
        )
        partition.readiness.let_rest(task.host, now)

    def _is_allowed(self, partition: Partition, rules: Rules, page: int) -> bool:
        state = partition.state
        path = state.table.key(page)[len(state.site_names[state.pages.site[page]]) :]
        return rules.is_allowed(path)

    def _rules_of(self, partition: Partition, site: int) -> Rules | None:
        stored = partition.state.rules.get(site)
        if stored is None:
            return None
        cached = (partition.number, site)
        rules = self._rules.get(cached)
        if rules is None:
            if len(self._rules) >= self._job.caches.robots_rules:
                self._rules.clear()
            rules = self._rules[cached] = Rules.from_bytes(stored)
        return rules

    def _send(self, partition: Partition, task: Task, reserved: int) -> None:
        reach("send.before")
        state = partition.state
        if task.kind is TaskKind.PAGE:
            key = state.table.key(task.subject)
        elif task.kind is TaskKind.ROBOTS:
            key = state.site_names[task.subject] + "/robots.txt"
        else:
            key = state.errands[task.subject].key
        fetch = self._job.fetch
        url, form = url_of(key), b""
        if self.logins is not None and task.kind is TaskKind.PAGE:
            step = self.logins.step(partition, task.subject)
            if step is not None:
                url, form = step
                self._ports.budget.give_back(reserved)
                reserved = self._job.robots.largest_bytes
                task = Task(TaskKind.LOGIN, task.subject, task.host)
        readiness = partition.readiness
        address, handshake_seconds = readiness.take(task.host), 0.0
        if readiness.addresses.newcomers and not (fetch.proxy or form):
            handshake_seconds = readiness.addresses.handshake_seconds(address)
        request = Request(
            url,
            host_of(key),
            address,
            Purpose.ROBOTS if task.kind in (TaskKind.ROBOTS, TaskKind.ERRAND) else Purpose.PAGE,
            fetch.user_agent,
            fetch.largest_body_bytes if task.kind is TaskKind.PAGE else reserved,
            partition.number,
            self._validators(state, task.subject) if task.kind is TaskKind.PAGE else None,
            form,
            handshake_seconds,
        )
        self.in_flight += 1
        partition.in_flight += 1
        self.requests += 1

        def answered(answer: Answer) -> None:
            self._ports.durations.note(answer.ended - answer.began)
            self._on_answer(partition, task, reserved, request, answer)

        self._ports.transport.send(request, answered)
        reach("send.after")

    def _validators(self, state: PartitionState, page: int) -> Validators | None:
        """Return what tells the server which version of a page we hold, if we hold one."""
        if state.pages.outcome[page] != Outcome.KEPT or not self._job.revisit.conditional:
            return None
        place = state.place_of(page)
        try:
            return self._ports.store.validators(place) if place is not None else None
        except StoreError:  # its site was forgotten meanwhile
            return None
