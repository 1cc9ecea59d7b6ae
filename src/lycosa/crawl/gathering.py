"""An answer becomes a decision about its page.

The outcome is read off the answer; the links are taken out of what was kept; the record
goes to the store; and one `Fetched` event says it all: what became of the page, where
its record stands, when it is due again and from when on its host may be asked. When the
answer concerns the host as a whole (429, 503, no connection), a `HostChanged` event
precedes it.
"""

from __future__ import annotations

from lycosa.config import Job
from lycosa.crawl.parts import Parts
from lycosa.crawl.pauses import back_off, due_pause, pause_after
from lycosa.crawl.routing import Router
from lycosa.extract.links import scan
from lycosa.failpoints import reach
from lycosa.frontier.partition import Partition
from lycosa.records import (
    STAY_AWAY,
    TRANSIENT,
    Answer,
    Fetched,
    HostChanged,
    KeyedLink,
    Link,
    LinkKind,
    Outcome,
    Place,
)
from lycosa.store.journal import Kept
from lycosa.url import parse, url_of

FORGETTABLE_SECONDS = 1.0
"""A pause may be longer than the host's usual one by this much without being committed at
once: after a resume every host is left alone for that much longer than its usual pause."""


NAMED_STATUSES = {
    404: Outcome.NOT_FOUND,
    410: Outcome.NOT_FOUND,
    408: Outcome.TIMEOUT,
    429: Outcome.TOO_MANY_REQUESTS,
    503: Outcome.UNAVAILABLE,
}


def judge(answer: Answer, job: Job) -> Outcome:
    """Return how a fetch ended, from the answer alone."""
    status = answer.status
    if answer.failure is not None:
        return answer.failure
    if 200 <= status < 300:
        kind = (answer.header("content-type") or "").partition(";")[0].strip().lower()
        return Outcome.KEPT if not kind or kind in job.fetch.content_types else Outcome.WRONG_TYPE
    if status == 304:
        return Outcome.NOT_MODIFIED
    if 300 <= status < 400:
        return Outcome.REDIRECTED if answer.header("location") else Outcome.BAD_STATUS
    if status in NAMED_STATUSES:
        return NAMED_STATUSES[status]
    if 400 <= status < 500:
        return Outcome.CLIENT_ERROR
    return Outcome.SERVER_ERROR if 500 <= status < 600 else Outcome.BAD_STATUS


class Gatherer:
    """Turns answers into events; one per worker."""

    def __init__(self, parts: Parts, router: Router) -> None:
        self._parts = parts
        self._job = parts.job
        self._router = router

    def page_answered(
        self, partition: Partition, page: int, answer: Answer, reserved_bytes: int
    ) -> bool:
        """Decide on a page; returns whether the decision must be committed at once."""
        state, budget = partition.state, self._parts.budget
        key = state.table.key(page)
        url = url_of(key)
        host = state.sites.host[state.pages.site[page]]
        outcome = judge(answer, self._job)
        if outcome is not Outcome.KEPT:
            budget.give_back(reserved_bytes)
        elif not budget.keep(reserved_bytes, len(answer.body), url):
            outcome = Outcome.TOO_LARGE
        links = self._links(partition, url, answer, outcome)
        place = self._keep_record(key, answer, links) if answer.status else None
        reach("answer.stored")
        usual = due_pause(self._job, state, host)
        pause = self.host_pause(partition, host, answer, outcome)
        due = self._due(partition, page, outcome, answer.ended, pause)
        partition.finish(
            Fetched(
                answer.ended,
                page,
                outcome,
                answer.status,
                len(answer.body),
                due,
                answer.ended + pause,
                place,
            )
        )
        self._router.route(partition, answer.ended, page, links)
        self._close_when_full(partition, host, answer.ended)
        return outcome in STAY_AWAY or pause > usual + FORGETTABLE_SECONDS

    def host_pause(
        self,
        partition: Partition,
        host: int,
        answer: Answer,
        outcome: Outcome,
        at_least: float = 0.0,
    ) -> float:
        """Return how long the host is left alone, after recording what that says of the host."""
        state, politeness = partition.state, self._job.politeness
        pause = pause_after(due_pause(self._job, state, host), self._job, answer)
        pause = max(pause, at_least)
        strikes = state.hosts.strikes[host]
        if outcome in STAY_AWAY:
            strikes += 1
            pause = max(pause, self.back_off(strikes))
            self.strike(partition, host, answer.ended, pause, strikes)
        elif pause > politeness.longest_pause_seconds:
            self.strike(partition, host, answer.ended, pause, strikes)
        elif strikes and answer.status:
            partition.change_host(HostChanged(answer.ended, host, answer.ended + pause, 0))
        return min(pause, politeness.longest_pause_seconds)

    def back_off(self, strikes: int) -> float:
        """Return the pause after so many strikes in a row."""
        politeness = self._job.politeness
        return back_off(
            politeness.backoff_first_seconds,
            politeness.backoff_most_seconds,
            strikes,
            self._parts.random,
        )

    def strike(
        self, partition: Partition, host: int, moment: float, pause: float, strikes: int
    ) -> None:
        """Record that a host failed, refused, or wants too long a pause; perhaps for good."""
        politeness = self._job.politeness
        is_last = strikes >= politeness.strikes or pause > politeness.longest_pause_seconds
        due = moment + min(pause, politeness.longest_pause_seconds)
        closed = Outcome.HOST_GIVEN_UP if is_last else None
        partition.change_host(HostChanged(moment, host, due, strikes, closed))

    def _links(
        self, partition: Partition, url: str, answer: Answer, outcome: Outcome
    ) -> list[KeyedLink]:
        if outcome is Outcome.REDIRECTED:
            target = Link(answer.header("location") or "", LinkKind.REDIRECT)
            return self._router.resolve(partition, [target], url)
        if outcome is not Outcome.KEPT:
            return []
        facts = scan(answer.body, answer.header("content-type"))
        base = parse(facts.base, url) if facts.base else url
        return self._router.resolve(partition, facts.links, base or url)

    def _keep_record(self, key: str, answer: Answer, links: list[KeyedLink]) -> Place:
        record = Kept(key, answer.ended, answer.status, answer.headers, answer.body, links)
        return self._parts.store.append(record)

    def _due(
        self, partition: Partition, page: int, outcome: Outcome, ended: float, pause: float
    ) -> float:
        """Return when to ask for the page again, or 0."""
        if outcome is Outcome.KEPT or outcome is Outcome.NOT_MODIFIED:
            return ended + self._job.revisit.seconds if self._job.revisit.seconds else 0.0
        if outcome in STAY_AWAY:
            return ended + pause
        fetch, tries = self._job.fetch, partition.state.pages.tries[page]
        if outcome in TRANSIENT and tries < fetch.retries:
            most = self._job.politeness.backoff_most_seconds
            wait = back_off(fetch.retry_first_seconds, most, tries + 1, self._parts.random)
            return ended + max(wait, pause)
        return 0.0

    def _close_when_full(self, partition: Partition, host: int, moment: float) -> None:
        limit = self._job.limits.host_pages
        hosts = partition.state.hosts
        if limit and hosts.kept[host] >= limit and not hosts.closed[host]:
            partition.change_host(
                HostChanged(moment, host, hosts.due[host], hosts.strikes[host], Outcome.HOST_LIMIT)
            )
