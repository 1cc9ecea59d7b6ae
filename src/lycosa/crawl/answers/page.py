"""An answer becomes a decision about its page.

The outcome is read off the answer; the links are taken out of what was kept; the record
goes to the store; and one `Fetched` event says it all: what became of the page, where
its record stands, when it is due again and from when on its host may be asked. When the
answer concerns the host as a whole (429, 503), a `HostChanged` event precedes it; when no
connection could be made, a `SiteChanged` event: that says something of the origin alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.crawl.answers.bursts import Bursts
from lycosa.crawl.answers.changes import Watcher
from lycosa.crawl.answers.links import Router
from lycosa.crawl.answers.mining import Mining
from lycosa.crawl.answers.novelty.copies import Novelty
from lycosa.crawl.answers.novelty.mirrors import Mirrors
from lycosa.crawl.answers.novelty.soft_404 import Prober, Seen
from lycosa.crawl.answers.novelty.traps import Trapper
from lycosa.crawl.answers.reading import judge, links_of_page, read_page, redirect_of
from lycosa.crawl.answers.triples import Distilling
from lycosa.crawl.pauses import back_off, due_pause, pause_after, resume_pause, says_when
from lycosa.crawl.ports import Parts
from lycosa.extract.facts import Facts
from lycosa.extract.fingerprint import fingerprint
from lycosa.failpoints import reach
from lycosa.frontier.cycle_candidates import Planner
from lycosa.frontier.fold.guesses import rule_name
from lycosa.frontier.partition import Partition
from lycosa.records import (
    NO_CONNECTION,
    NO_LINKS,
    REFUSALS,
    STAY_AWAY,
    TRANSIENT,
    Answer,
    Capture,
    Fetched,
    HostChanged,
    LinkKind,
    Links,
    Outcome,
    Place,
    Purpose,
    Request,
    SiteChanged,
)
from lycosa.url import parse

if TYPE_CHECKING:
    from lycosa.crawl.answers.plugins import Visit, Visits

FORGETTABLE_SECONDS = 1.0
"""A pause may be longer than the host's usual one by this much without being committed at
once: after a resume every host is left alone for that much longer than its usual pause."""


NO_FACTS = Facts()
"""Of what was not kept."""


class Gatherer:
    """Turns answers into events; one per worker."""

    def __init__(
        self,
        parts: Parts,
        router: Router,
        mining: Mining,
        novelty: Novelty,
        trapper: Trapper,
        mirrors: Mirrors,
        planner: Planner,
    ) -> None:
        self._parts = parts
        self._mining = mining
        self._visits: Visits | None = None
        if parts.hooks is not None:
            from lycosa.crawl.answers.plugins import (
                Visits,  # a crawl without plugins never comes here
            )

            self._visits = Visits(parts.hooks, parts.job)
        self._job = parts.job if self._visits is None else self._visits.job
        self._router = router
        self._prober = Prober(parts)
        self._novelty = novelty
        self._trapper = trapper
        self._mirrors = mirrors
        self._wants_novelty = trapper.is_on or parts.job.discovery.mining != "off"
        self.bursts = Bursts(parts.job)
        self._distilling = Distilling(self._job)
        has_policy = parts.job.revisit.policy != "off"
        self._watcher = Watcher(parts.job, planner) if has_policy else None

    def page_answered(
        self,
        partition: Partition,
        page: int,
        request: Request,
        answer: Answer,
        reserved_bytes: int,
    ) -> bool:
        """Decide on a page; returns whether the decision must be committed at once."""
        state, budget = partition.state, self._parts.budget
        url = request.url
        site = state.pages.site[page]
        host = state.sites.host[site]
        outcome = judge(answer, self._job)
        if answer.beginning is not None and self._is_last_try(partition, page):
            answer = answer.beginning
            outcome = judge(answer, self._job)
        if outcome is Outcome.NOT_MODIFIED and request.validators is None:
            outcome = Outcome.BAD_STATUS  # nobody had asked whether it changed
        visit = None
        if outcome is not Outcome.KEPT:
            facts = NO_FACTS
        elif self._visits is None:
            facts = read_page(answer, self._job)
        else:
            visit = self._visits.begin(url, answer, state.pages.distance[page])
            facts = visit.facts
        seen = Seen(answer, facts.content, fingerprint(facts.content) if facts.content else 0)
        outcome = self._prober.judge(state, page, outcome, seen)
        if visit is not None and outcome is Outcome.KEPT:
            outcome, facts = visit.end()
        if outcome is not Outcome.KEPT:
            budget.give_back(reserved_bytes)
        elif not budget.keep(reserved_bytes, len(answer.body), url):
            outcome, facts, seen = Outcome.TOO_LARGE, NO_FACTS, Seen(answer)
        key = state.table.key(page)
        triples = self._distilling.triples(partition, page, key, url, answer, outcome, facts)
        links = self._links(partition, page, url, answer, outcome, facts, visit, triples)
        place = self._keep(
            key, partition, page, outcome, request, seen, facts, links, visit, triples
        )
        reach("answer.stored")
        pause = self.host_pause(partition, host, answer, outcome, site)
        pause = self.bursts.pause_after_page(partition, host, outcome, pause)
        must_commit = outcome in STAY_AWAY or (
            pause > FORGETTABLE_SECONDS
            and pause > resume_pause(self._job, state, host) + FORGETTABLE_SECONDS
        )
        due = self._due(partition, page, outcome, answer.ended, pause)
        is_kept = outcome is Outcome.KEPT
        is_first = is_kept and state.pages.outcome[page] != Outcome.KEPT
        partition.finish(
            Fetched(
                answer.ended,
                page,
                outcome,
                answer.status,
                len(answer.body),
                due,
                answer.ended + pause,
                place if answer.status else None,
            )
        )
        if self._watcher is not None:
            self._watcher.visited(partition, page, outcome, seen)
            if outcome is Outcome.KEPT and facts.kinds and facts.kinds[0] == LinkKind.SITEMAP:
                self._watcher.announced(partition, answer.body, answer.ended)
        known = len(state.table)
        if not self._mining.moves(partition, page, outcome, links, answer.ended) and not (
            is_kept and self._mirrors.skips(partition, page, seen, links)
        ):
            self._router.route(partition, answer.ended, page, links)
        self._prober.learn(partition, page, outcome, seen)
        is_compared = is_kept and self._wants_novelty
        times = self._novelty.times_shown(state, page, seen) if is_compared else 0
        if is_first and self._trapper.is_on:
            self._trapper.weigh(partition, page, key, seen, times_shown=times, known=known)
        self._mining.answered(partition, page, outcome, seen, is_copy=times > 0)
        self._close_when_full(partition, host, answer.ended)
        return must_commit

    def host_pause(
        self,
        partition: Partition,
        host: int,
        answer: Answer,
        outcome: Outcome,
        site: int | None,
        at_least: float = 0.0,
    ) -> float:
        """Return how long the host is left alone, after recording what the answer says of it.

        `site` is the origin that was asked, if the partition knows it as one.
        """
        state, politeness = partition.state, self._job.politeness
        ahead = self._parts.clock_ahead
        told = answer.earlier(ahead) if ahead else answer  # Retry-After may name a date
        pause = pause_after(due_pause(self._job, state, host), self._job, told)
        pause = max(pause, at_least)
        strikes = state.hosts.strikes[host]
        if site is not None and (answer.failure is not None or state.sites.strikes[site]):
            self._reached_or_not(partition, site, answer, outcome, pause)
        if outcome is Outcome.REFUSED_ADDRESS:
            closed = HostChanged(answer.ended, host, answer.ended, strikes, outcome)
            partition.change_host(closed)
        elif outcome in REFUSALS:
            strikes += 1
            is_announced = says_when(answer)
            if strikes > 1 or not is_announced:
                back_off = self.back_off(strikes)
                is_announced = is_announced and pause >= back_off
                pause = max(pause, back_off)
            self.strike(partition, host, answer.ended, pause, strikes, is_announced)
        elif pause > politeness.longest_pause_seconds:
            self.strike(partition, host, answer.ended, pause, strikes)
        elif strikes and answer.status:
            partition.change_host(HostChanged(answer.ended, host, answer.ended + pause, 0))
        return min(pause, politeness.longest_pause_seconds)

    def _reached_or_not(
        self, partition: Partition, site: int, answer: Answer, outcome: Outcome, pause: float
    ) -> None:
        """Record that no connection to an origin could be made, or that one could after all."""
        if outcome is Outcome.REFUSED_ADDRESS:
            return
        if outcome not in NO_CONNECTION:
            if partition.state.sites.strikes[site]:
                partition.change_site(SiteChanged(answer.ended, site, 0.0, 0))
            return
        politeness, moment = self._job.politeness, answer.ended
        strikes = partition.state.sites.strikes[site] + 1
        due = moment + max(pause, self.back_off(strikes))
        closed = Outcome.UNREACHABLE if strikes >= politeness.strikes else None
        host_due = moment + min(pause, politeness.longest_pause_seconds)
        partition.change_site(SiteChanged(moment, site, due, strikes, closed, host_due))

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
        self,
        partition: Partition,
        host: int,
        moment: float,
        pause: float,
        strikes: int,
        is_announced: bool = False,
    ) -> None:
        """Record that a host failed, refused, or wants too long a pause; perhaps for good."""
        politeness = self._job.politeness
        is_last = strikes >= politeness.strikes or pause > politeness.longest_pause_seconds
        due = moment + min(pause, politeness.longest_pause_seconds)
        closed = Outcome.HOST_GIVEN_UP if is_last else None
        partition.change_host(HostChanged(moment, host, due, strikes, closed, is_announced))

    def _links(
        self,
        partition: Partition,
        page: int,
        url: str,
        answer: Answer,
        outcome: Outcome,
        facts: Facts,
        visit: Visit | None,
        triples: bytes | None,
    ) -> Links:
        if outcome is Outcome.REDIRECTED:
            return self._router.resolve_redirect(partition, page, redirect_of(answer), url)
        if outcome is not Outcome.KEPT:
            return NO_LINKS
        links, not_followed = (
            links_of_page(answer, facts, self._job) if visit is None else visit.links
        )
        if not_followed:
            partition.count_refusal("nofollow", not_followed)
        links = self._distilling.with_links(links, triples, facts, answer)
        base = parse(facts.base, url) if facts.base else url
        return self._router.resolve(partition, links, base or url)

    def _keep(
        self,
        key: str,
        partition: Partition,
        page: int,
        outcome: Outcome,
        request: Request,
        seen: Seen,
        facts: Facts,
        links: Links,
        visit: Visit | None,
        triples: bytes | None,
    ) -> Place:
        state = partition.state
        is_held = outcome is Outcome.KEPT and state.pages.outcome[page] == Outcome.KEPT
        return self._parts.store.append(
            Capture(
                key=key,
                purpose=Purpose.PAGE,
                outcome=outcome,
                distance=state.pages.distance[page],
                request=request,
                answer=seen.answer,
                links=links,
                title=facts.title,
                description=facts.description,
                text=facts.content,
                language=facts.language,
                charset=facts.charset,
                fingerprint=seen.fingerprint,
                rule=rule_name(state.pages.guess[page]),
                extra=() if visit is None or outcome is not Outcome.KEPT else visit.values,
                triples=triples,
                held=state.place_of(page) if is_held else None,
            )
        )

    def _due(
        self, partition: Partition, page: int, outcome: Outcome, ended: float, pause: float
    ) -> float:
        """Return when to ask for the page again, or 0."""
        if outcome is Outcome.KEPT or outcome is Outcome.NOT_MODIFIED:
            return ended + self._job.revisit.seconds if self._job.revisit.seconds else 0.0
        if outcome in NO_CONNECTION:
            sites, site = partition.state.sites, partition.state.pages.site[page]
            return max(ended + pause, sites.due[site])
        if outcome in STAY_AWAY:
            return ended + pause
        fetch, tries = self._job.fetch, partition.state.pages.tries[page]
        if outcome in TRANSIENT and tries < fetch.retries:
            most = self._job.politeness.backoff_most_seconds
            wait = back_off(fetch.retry_first_seconds, most, tries + 1, self._parts.random)
            return ended + max(wait, pause)
        return 0.0

    def _is_last_try(self, partition: Partition, page: int) -> bool:
        """Return whether what came of a page is all that will come.

        A page that is held stays as it is: its beginning is no newer version of the whole.
        """
        pages = partition.state.pages
        return pages.tries[page] >= self._job.fetch.retries and pages.outcome[page] != Outcome.KEPT

    def _close_when_full(self, partition: Partition, host: int, moment: float) -> None:
        limit = self._job.limits.host_pages
        hosts = partition.state.hosts
        if limit and hosts.kept[host] >= limit and not hosts.closed[host]:
            partition.change_host(
                HostChanged(moment, host, hosts.due[host], hosts.strikes[host], Outcome.HOST_LIMIT)
            )
