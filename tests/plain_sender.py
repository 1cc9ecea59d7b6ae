"""Sending and pumping in plain Python: twins of the compiled `Sending`, `Pump` and turns."""

from __future__ import annotations

from typing import Any

from lycosa._support.failpoints import reach
from lycosa.crawl.worker.sending import Sender
from lycosa.crawl.worker.turns import PartitionTurns, is_asking
from lycosa.crawl.worker.worker import Worker
from lycosa.errors import StoreError
from lycosa.fetch.robots.rules import Rules, seconds_until_open
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.agenda import NEVER
from lycosa.frontier.task import Task, TaskKind
from lycosa.model.records import Answer, Outcome, Purpose, Request, Validators
from lycosa.model.url import host_of, site_url


class PlainSender(Sender):
    """Sends what the compiled sender has to."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        _, _, _, self._told, self._lose = arguments

    def start_task(self, partition: Partition, now: float) -> bool:
        budget = self._ports.budget
        reserved = budget.reserve(now)
        if reserved is None:
            return False
        task = self._permitted(partition, now)
        if task is None:
            budget.give_back(reserved)
            return True
        if task.kind is TaskKind.PAGE and self._points.step and budget.reached:
            budget.give_back(reserved)
            partition.hand_back(task, now)
            return False
        if task.kind is not TaskKind.PAGE:
            budget.give_back(reserved)
            reserved = self._ports.job.robots.largest_bytes
        is_ours = self._ports.log.owner(partition.number) == self._ports.owner
        if not is_ours or not partition.readiness.claim(task.host, now):
            if task.kind is TaskKind.PAGE:
                budget.give_back(reserved)
            if is_ours:
                partition.hand_back(task, now)
            else:
                self._lose(partition.number)
            return True
        self._send_plainly(partition, task, reserved)
        return True

    def _permitted(self, partition: Partition, now: float) -> Task | None:
        sites, pages = partition.state.sites, partition.state.pages
        while (task := partition.next_task()) is not None:
            if task.kind is not TaskKind.PAGE:
                return task
            site = pages.site[task.subject]
            outcome: Outcome | None = Outcome.DISALLOWED
            may_exclude = self._points.excluded or self._scope.rejects_more
            if may_exclude and self._is_excluded(partition, task.subject):
                outcome = Outcome.EXCLUDED
            elif sites.robots_expires[site] <= now:
                partition.hand_back(task, now)
                continue
            else:
                rules = self._rules_for(partition, site)
                if rules is None or self._is_allowed(partition, rules, task.subject):
                    outcome = None
                    for permit in self._points.permitted:
                        outcome = outcome or permit(partition.state, task.subject)
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
            for settled in self._points.settled:
                settled(partition, site)
            partition.readiness.look_again(task.host, now)
        return None

    def _wait(self, partition: Partition, task: Task, now: float, seconds: float) -> None:
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

    def _rules_for(self, partition: Partition, site: int) -> Rules | None:
        stored = partition.state.rules.get(site)
        if stored is None:
            return None
        cached = (partition.number, site)
        rules = self._rules.get(cached)
        if rules is None:
            if len(self._rules) >= self._ports.job.caches.robots_rules:
                self._rules.clear()
            rules = self._rules[cached] = Rules.from_bytes(stored)
        return rules

    def _send_plainly(self, partition: Partition, task: Task, reserved: int) -> None:
        reach("send.before")
        state = partition.state
        if task.kind is TaskKind.PAGE:
            key = state.table.key(task.subject)
        elif task.kind is TaskKind.ROBOTS:
            key = state.site_names[task.subject] + "/robots.txt"
        else:
            key = state.errands[task.subject].key
        fetch, form = self._ports.job.fetch, b""
        site = key[: key.index("/")]
        origin, host = (site_url(site), host_of(site))
        url = origin + key[len(site) :]
        if task.kind is TaskKind.PAGE:
            for step_of in self._points.step:
                step = step_of(partition, task.subject)
                if step is not None:
                    url, form = step
                    self._ports.budget.give_back(reserved)
                    reserved = self._ports.job.robots.largest_bytes
                    task = Task(TaskKind.LOGIN, task.subject, task.host)
                    break
        readiness = partition.readiness
        address, handshake_seconds = readiness.take(task.host), 0.0
        if readiness.addresses.newcomers and not (fetch.proxy or form):
            handshake_seconds = readiness.addresses.handshake_seconds(address)
        request = Request(
            url,
            host,
            address,
            Purpose.ROBOTS if task.kind in (TaskKind.ROBOTS, TaskKind.ERRAND) else Purpose.PAGE,
            fetch.user_agent,
            fetch.largest_body_bytes if task.kind is TaskKind.PAGE else reserved,
            partition.number,
            self._held(state, task.subject) if task.kind is TaskKind.PAGE else None,
            form,
            handshake_seconds,
        )
        self.in_flight += 1
        partition.in_flight += 1
        self.requests += 1

        def answered(answer: Answer) -> None:
            self._ports.durations.note(answer.ended - answer.began)
            self._told(partition, task, reserved, request, answer)

        self._ports.transport.send(request, answered)
        reach("send.after")

    def _held(self, state: PartitionState, page: int) -> Validators | None:
        if state.pages.outcome[page] != Outcome.KEPT or not self._ports.job.revisit.conditional:
            return None
        place = state.place_of(page)
        try:
            return self._ports.store.validators(place) if place is not None else None
        except StoreError:  # its site was forgotten meanwhile
            return None


class PlainTurns(PartitionTurns):
    """Partitions take turns in the order in which they came to have work."""

    def next(self) -> Partition | None:
        turns = self._with_work
        while turns:
            number = next(iter(turns))
            del turns[number]
            partition = self._partitions[number]
            if is_asking(partition) and partition.has_work():
                turns[number] = None
                return partition
        return None


def plain_pump(self: Worker) -> None:
    """Start everything that may be started now, and see to being woken again."""
    ports, slots = self._ports, self._ports.slots
    if self.is_over:
        if slots is not None:
            slots.let_others_in()
        return
    now = self._clock.now()
    self._agenda.run(now)
    sender = self._sender
    while sender.in_flight < self.connections and not self.is_stopping:
        if ports.may_begin is not None and not ports.may_begin():
            break
        partition = self._turns.next()
        if partition is None or not sender.start_task(partition, now):
            break
    if slots is not None and slots.kept:
        slots.let_others_in()
    if self._changed and not self._committer.is_busy:
        self._tick_alarm.set_before(now + self._job.log.commit_seconds)
    if ports.poll_seconds != NEVER:
        self._tick_alarm.set_before(now + ports.poll_seconds)
    due = self._agenda.next_moment() or NEVER
    self._wake_alarm.set_before(min(due, ports.budget.next_moment()))
