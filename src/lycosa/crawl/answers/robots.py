"""Turns the answer to a robots.txt request into rules for its site (RFC 9309).

    2xx                 the rules in it, for a day
    3xx                 an errand: the redirect is followed under the clock of the host it
                        leads to, which may belong to another partition; up to five hops
    4xx but 429         no rules: everything is allowed, for a day
    5xx, 429, failure   unreachable: nothing is allowed; asked for again after 1, 2 and 4
                        minutes, then hourly, in the end given up
    no connection       says nothing of the file: the origin waits (`host_pauses`), and its robots
                        file is asked for when it can be reached
    stale connection    says nothing either: the file is asked for again after the host's pause

An errand travels as a `RobotsWanted` message to the partition of the URL it leads to, and
its result comes back as `RobotsFound`. Both are in the log on arrival, so a kill on the
way costs a repetition at most. Until then the site's URLs wait.
"""

from __future__ import annotations

from lycosa._support.tuples import NamedTuple
from lycosa.crawl.answers.reading import judge
from lycosa.crawl.links.router import Router
from lycosa.crawl.pauses.host_pauses import HostPauses
from lycosa.crawl.points import Points
from lycosa.crawl.ports import Ports
from lycosa.fetch.robots.rules import Rules, compile_robots
from lycosa.frontier.partition import Partition
from lycosa.model.job import Job
from lycosa.model.records import (
    NO_CONNECTION,
    Answer,
    Capture,
    ErrandDone,
    ErrandTaken,
    HostChanged,
    Outcome,
    Place,
    Purpose,
    Request,
    RobotsFound,
    RobotsLearned,
    RobotsState,
    RobotsWanted,
)
from lycosa.model.url import canonical_key, reversed_host_of, site_of, url_of

SITEMAP_PATH = "/sitemap.xml"
"""Where most sites have their sitemap."""

FIRST_RETRIES_SECONDS = (60.0, 120.0, 240.0)
"""When a robots file that could not be had is asked for again; then come the job's own times."""


class Reading(NamedTuple):
    """The result of one request for a robots file."""

    state: RobotsState
    rules: bytes = b""
    crawl_delay_seconds: float = 0.0
    target: str | None = None
    """With `ELSEWHERE`: the key of the URL that it redirects to."""
    sitemaps: tuple[str, ...] = ()
    """URLs that it names: sitemaps, and for a wide job the paths that it allows."""
    wants_sitemap: bool = False
    """It names none: the usual place is tried (`features.usual_sitemaps`)."""


ALLOW_ALL = Reading(RobotsState.KNOWN)
NO_FILE = Reading(RobotsState.KNOWN, wants_sitemap=True)

_NOT_REACHED = NO_CONNECTION | {Outcome.REFUSED_ADDRESS, Outcome.REFUSED_PORT}
"""Failures that say nothing of a robots file: the origin or the host was told by them."""


def read_answer(answer: Answer, key: str, job: Job) -> Reading:
    """Read an answer by RFC 9309, section 2.3.1."""
    if answer.failure is not None or answer.status == 429 or answer.status >= 500:
        return Reading(RobotsState.UNREACHABLE)
    if 200 <= answer.status < 300:
        rules = compile_robots(answer.body, job.fetch.agent, job.robots.largest_bytes)
        return Reading(
            RobotsState.KNOWN,
            rules.to_bytes(),
            rules.crawl_delay_seconds,
            sitemaps=_named_by(rules, job),
            wants_sitemap=not rules.sitemaps,
        )
    if 300 <= answer.status < 400 and (location := answer.header("location")):
        target = canonical_key(location, url_of(key))
        return Reading(RobotsState.ELSEWHERE, target=target) if target else ALLOW_ALL
    return NO_FILE


def _named_by(rules: Rules, job: Job) -> tuple[str, ...]:
    sitemaps = tuple(rules.sitemaps) if job.robots.sitemaps else ()
    return (*sitemaps, *rules.allowed_paths()) if job.extract.wide else sitemaps


class RobotsFiles:
    """The life of robots files; one per worker."""

    def __init__(self, ports: Ports, router: Router, points: Points) -> None:
        self._ports = ports
        self._job = ports.job
        self._host_pauses = HostPauses(ports)
        self._points = points
        self._router = router
        self._partition_of = ports.partitioner.partition_of
        self._partition_of_site = ports.partitioner.partition_of_site

    def site_answered(
        self, partition: Partition, site: int, request: Request, answer: Answer
    ) -> None:
        """Decide what a site's own robots file, or its absence, means."""
        state = partition.state
        key = state.site_names[site] + "/robots.txt"
        reading = read_answer(answer, key, self._job)
        delay = reading.crawl_delay_seconds
        host = state.sites.host[site]
        place, host_due = self._keep(
            partition, host, site, key, request, answer=answer, crawl_delay=delay
        )
        if answer.failure in _NOT_REACHED:
            return
        if answer.failure is Outcome.STALE_CONNECTION:
            self._ask_again(partition, host, answer, host_due)
            return
        if reading.target is not None:
            reading = self._send_errand(
                partition, state.site_names[site], reading.target, 1, answer
            )
        self._learn(partition, site, reading, answer.ended, host_due, place=place)
        if reading.sitemaps:
            name = state.site_names[site]
            self._router.sitemaps_found(partition, name, reading.sitemaps, answer.ended)

    def errand_answered(
        self, partition: Partition, errand: int, request: Request, answer: Answer
    ) -> None:
        """Pass on what an errand found, or send it a hop further."""
        record = partition.state.errands[errand]
        reading = read_answer(answer, record.key, self._job)
        site = self._site_of_robots_file(partition, record.key)
        delay = reading.crawl_delay_seconds if site is not None else 0.0
        place, host_due = self._keep(
            partition, record.host, site, record.key, request, answer=answer, crawl_delay=delay
        )
        if answer.failure is Outcome.STALE_CONNECTION:
            self._ask_again(partition, record.host, answer, host_due)
            partition.readiness.errand_came(errand, record.host, answer.ended, is_next=True)
            return
        if site is not None and reading.state is RobotsState.KNOWN:
            self._learn(partition, site, reading, answer.ended, host_due)
        if reading.target is not None:
            hops = record.hops + 1
            reading = self._send_errand(partition, record.site, reading.target, hops, answer)
        if reading.target is None:
            self._reply(partition, record.site, reading, answer.ended)
        if reading.sitemaps:
            self._router.sitemaps_found(partition, record.site, reading.sitemaps, answer.ended)
        partition.record(ErrandDone(answer.ended, errand, host_due, place))

    def errands_failed(self, partition: Partition, host: int, now: float) -> None:
        """Answer all errands to a host that has no address, or that is closed."""
        for errand, record in list(partition.state.errands.items()):
            if record.host == host:
                self._reply(partition, record.site, Reading(RobotsState.UNREACHABLE), now)
                partition.record(ErrandDone(now, errand, 0.0))
        partition.readiness.firsts.drop_errands(host)

    def wanted(self, partition: Partition, message: RobotsWanted, now: float) -> None:
        """Take an errand, unless what it asks for is known already."""
        state = partition.state
        site = self._site_of_robots_file(partition, message.key)
        host = state.host_number(reversed_host_of(message.key))
        if host is not None and state.hosts.closed[host]:
            self._reply(partition, message.site, Reading(RobotsState.UNREACHABLE), now)
            return
        if (
            site is not None
            and state.sites.robots[site] == RobotsState.KNOWN
            and state.sites.robots_expires[site] > now
        ):
            rules = state.rules.get(site, b"")
            known = Reading(RobotsState.KNOWN, rules, state.sites.crawl_delay[site])
            self._reply(partition, message.site, known, now)
            return
        if any(e.site == message.site and e.key == message.key for e in state.errands.values()):
            return  # a kill between posting and appending has sent it twice
        partition.take_errand(ErrandTaken(now, message.site, message.key, message.hops))

    def found(self, partition: Partition, message: RobotsFound, now: float) -> None:
        """Learn what the redirect of a robots file led to."""
        site = partition.state.site_number(message.site)
        if site is not None and partition.state.sites.robots[site] == RobotsState.ELSEWHERE:
            delay = message.crawl_delay_seconds
            wants = message.wants_sitemap
            reading = Reading(message.state, message.rules, delay, wants_sitemap=wants)
            host, pause = partition.state.sites.host[site], message.crawl_delay_seconds
            if pause > self._job.politeness.longest_pause_seconds:
                strikes = partition.state.hosts.strikes[host]
                self._host_pauses.strike(partition, host, now, pause, strikes, demanded=pause)
            self._learn(partition, site, reading, now, now + pause)

    def _keep(
        self,
        partition: Partition,
        host: int,
        site: int | None,
        key: str,
        request: Request,
        *,
        answer: Answer,
        crawl_delay: float,
    ) -> tuple[Place | None, float]:
        """Store an answer; returns where it is, and from when on the host may be asked again.

        A Crawl-delay counts from the answer that names it.
        """
        outcome = judge(answer, self._job)
        place = self._ports.store.append(Capture(key, Purpose.ROBOTS, outcome, 0, request, answer))
        # A robots file that is only read again, a day later, says nothing of pages that the host
        # refuses. If it ended the row, a page refused each time would be asked for without end.
        is_again = site is not None and partition.state.sites.robots[site] == RobotsState.KNOWN
        pause = self._host_pauses.after(
            partition, host, answer, outcome, site, at_least=crawl_delay, keeps_strikes=is_again
        )
        for owe in self._points.owed_at_end:
            pause = owe(partition, host, pause)
        return place if answer.status else None, answer.ended + pause

    @staticmethod
    def _ask_again(partition: Partition, host: int, answer: Answer, host_due: float) -> None:
        """Let a host rest whose kept connection was stale; what was wanted of it still is."""
        if not partition.state.hosts.closed[host]:
            strikes = partition.state.hosts.strikes[host]
            partition.change_host(HostChanged(answer.ended, host, host_due, strikes))

    @staticmethod
    def _site_of_robots_file(partition: Partition, key: str) -> int | None:
        """Return the site whose own robots file the URL is, if it is one of a known site."""
        site = site_of(key)
        return partition.state.site_number(site) if key == site + "/robots.txt" else None

    def _send_errand(
        self, partition: Partition, site: str, target: str, hops: int, answer: Answer
    ) -> Reading:
        """Send an errand; beyond the last hop the file counts as not there (RFC 9309, 2.3.1.2)."""
        if hops > self._job.robots.redirects:
            return ALLOW_ALL
        partition.post(self._partition_of(target), RobotsWanted(answer.ended, site, target, hops))
        return Reading(RobotsState.ELSEWHERE, target=target)

    def _reply(self, partition: Partition, site: str, reading: Reading, now: float) -> None:
        partition.post(
            self._partition_of_site(site),
            RobotsFound(
                now,
                site,
                reading.state,
                reading.rules,
                reading.crawl_delay_seconds,
                reading.wants_sitemap,
            ),
        )

    def _learn(
        self,
        partition: Partition,
        site: int,
        reading: Reading,
        now: float,
        host_due: float,
        *,
        place: Place | None = None,
    ) -> None:
        robots = self._job.robots
        state, expires = reading.state, now + robots.cache_seconds
        if state is RobotsState.UNREACHABLE:
            tries = partition.state.sites.robots_tries[site]
            wait = robots.unreachable_retry_seconds
            if tries < len(FIRST_RETRIES_SECONDS):
                wait = min(wait, FIRST_RETRIES_SECONDS[tries])
            expires = max(now + wait, host_due)
            if tries + 1 >= robots.unreachable_tries:
                state = RobotsState.GIVEN_UP
        partition.learn_robots(
            RobotsLearned(
                now,
                site,
                state,
                reading.rules,
                reading.crawl_delay_seconds,
                expires,
                host_due,
                place,
                reading.wants_sitemap and self._may_try_sitemap(partition, site),
            )
        )

    def _may_try_sitemap(self, partition: Partition, site: int) -> bool:
        """Return whether a site's `/sitemap.xml` is not known yet and the job wants it."""
        key = partition.state.site_names[site] + SITEMAP_PATH
        return self._job.robots.sitemaps and partition.state.table.find(key) is None
