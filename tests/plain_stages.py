"""The stages of a page in plain Python: the twin of `lycosa.crawl.answers._page_stages`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lycosa._support.failpoints import reach
from lycosa.crawl.answers.changes import ChangeWatcher
from lycosa.crawl.answers.page_answer import PageAnswer, is_cookie_wall
from lycosa.crawl.answers.reading import (
    is_sitemap,
    judge,
    links_of_page,
    read_page,
    redirect_of,
    showing_wishes,
    with_types,
)
from lycosa.crawl.answers.revisit_wishes import RevisitWishes
from lycosa.crawl.answers.shells import SHELL_TEXT_BYTES, note_shell, note_size
from lycosa.crawl.answers.stages import SITEMAPS_WITHOUT_A_PAGE
from lycosa.crawl.links.router import Router
from lycosa.crawl.pauses.due import FORGETTABLE_SECONDS, back_off, resume_pause
from lycosa.crawl.pauses.host_pauses import HostPauses
from lycosa.crawl.points import Points
from lycosa.crawl.ports import Ports
from lycosa.extract.text.fingerprint import fingerprint
from lycosa.frontier.cycle_candidates import Planner
from lycosa.frontier.facts.guesses import rule_name
from lycosa.frontier.partition import Partition
from lycosa.model.records import (
    NO_CONNECTION,
    STAY_AWAY,
    TRANSIENT,
    UNCOUNTED,
    Answer,
    Capture,
    Fetched,
    HostChanged,
    Outcome,
    Purpose,
    Request,
)
from lycosa.model.url import parse, url_of


class PlainPageAnswers:
    """Decides on pages as `stages.PageAnswers` does, and asks features of every page."""

    def __init__(
        self,
        ports: Ports,
        router: Router,
        planner: Planner | None,
        points: Points,
    ) -> None:
        self._budget = ports.budget
        self._store_of_pages = ports.store
        self._random = ports.random
        self._job = with_types(ports.job, points.content_types)
        self._points = points
        self._router = router
        self._wishes = RevisitWishes(ports.store)
        watchers: list[Callable[[PageAnswer], None]] = []
        if planner is not None:
            watchers.append(ChangeWatcher(ports.job, planner, self._wishes).visited)
        self._notes_shells = ports.rendering is None
        self.host_pauses = HostPauses(ports)
        self._reader = points.read[0] if points.read else None
        self._first_stages: Sequence[Callable[[PageAnswer], None]] = (
            *(self._judge, *points.judged),
            *(self._read, *points.recognised),
        )
        self._other_stages: Sequence[Callable[[PageAnswer], None]] = (
            *points.shown,
            *(self._charge, *points.extracted, self._extract, *points.columned, self._store),
            *(self._rest, self._finish, *watchers, *points.finished),
            *(self._route, *points.learned, self._end),
        )

    def decide(
        self, partition: Partition, page: int, request: Request, answer: Answer, reserved: int
    ) -> bool:
        """Take an answer through all stages; returns whether it must be committed at once."""
        answered = PageAnswer(partition, page, request, answer, reserved)
        state = partition.state
        answered.key = state.table.key(page)
        answered.site = state.pages.site[page]
        answered.host = state.sites.host[answered.site]
        for stage in self._first_stages:
            stage(answered)
        if state.pages.guess[page]:
            for recognise in self._points.guess_recognised:
                recognise(answered)
        for stage in self._other_stages:
            stage(answered)
        return answered.must_commit

    # -- what came ------------------------------------------------------------------------

    def _judge(self, answered: PageAnswer) -> None:
        answered.outcome = judge(answered.answer, self._job)
        beginning = answered.answer.beginning
        if beginning is not None and self._is_last_try(answered):
            answered.answer = beginning
            answered.outcome = judge(beginning, self._job)
        if answered.outcome is Outcome.NOT_MODIFIED and answered.request.validators is None:
            answered.outcome = Outcome.BAD_STATUS  # the request did not ask whether it changed

    def _is_last_try(self, answered: PageAnswer) -> bool:
        """Return whether no further try follows, so that the beginning of a page is kept.

        A page that is held stays as it is: its beginning is no newer version of the whole.
        """
        pages, page = answered.partition.state.pages, answered.page
        return pages.tries[page] >= self._job.fetch.retries and pages.outcome[page] != Outcome.KEPT

    def _read(self, answered: PageAnswer) -> None:
        if answered.outcome is not Outcome.KEPT:
            return
        if self._reader is None:
            answered.facts = read_page(answered.answer, self._job)
        else:
            self._reader(answered)
        text, findings = answered.facts.content, answered.answer.findings
        if text:
            answered.text = text
            if findings is not None and self._reader is None:
                answered.fingerprint = findings.fingerprint
            else:
                answered.fingerprint = fingerprint(text)

    def _charge(self, answered: PageAnswer) -> None:
        if answered.outcome is not Outcome.KEPT:
            self._budget.give_back(answered.reserved_bytes)
            return
        state = answered.partition.state
        facts = answered.facts
        if facts.is_list and (answered.is_tried or is_sitemap(answered.answer, facts)):
            most = SITEMAPS_WITHOUT_A_PAGE + state.kept_pages
            answered.is_sitemap = state.outcomes[Outcome.SITEMAP] < most
        else:
            for charge in self._points.charged:
                charge(answered)
        if answered.is_sitemap or answered.is_foreign:
            self._budget.give_back(answered.reserved_bytes)
            return
        size, url = len(answered.answer.body), answered.request.url
        if not self._budget.keep(answered.reserved_bytes, size, url):
            answered.outcome = Outcome.TOO_LARGE
            answered.drop_facts()

    def _extract(self, answered: PageAnswer) -> None:
        answer, facts, url = answered.answer, answered.facts, answered.request.url
        if answered.outcome is Outcome.REDIRECTED:
            links = self._router.resolve_redirect(
                answered.partition, answered.page, redirect_of(answer), url
            )
        elif answered.outcome is Outcome.KEPT:
            found = answered.raw_links
            if found is None:
                found = links_of_page(answer, facts, self._job)
            base = parse(facts.base, url) if facts.base else url
            links = self._router.resolve(
                answered.partition,
                answered.page,
                found,
                base or url,
                is_kept=not answered.is_foreign,
            )
        else:
            return
        answered.links, answered.refused, answered.ahead = links

    def _store(self, answered: PageAnswer) -> None:
        state, page, facts = answered.partition.state, answered.page, answered.facts
        is_kept = answered.outcome is Outcome.KEPT
        was_kept = state.pages.outcome[page] == Outcome.KEPT
        answered.is_first = is_kept and not was_kept
        source_id, source = state.sources.of(page)
        is_noindex = is_noarchive = False
        if is_kept:
            is_noindex, is_noarchive = showing_wishes(answered.answer, facts, self._job)
        answered.place = self._store_of_pages.append(
            Capture(
                key=answered.key,
                purpose=Purpose.PAGE,
                outcome=answered.recorded_outcome,
                distance=state.pages.distance[page],
                request=answered.request,
                answer=answered.answer,
                links=answered.links,
                refused_links=answered.refused,
                title=facts.title,
                description=facts.description,
                text=b"" if answered.is_foreign else facts.content,
                language=facts.language,
                charset=facts.charset,
                fingerprint=answered.fingerprint,
                rule=rule_name(state.pages.guess[page]),
                extra=answered.extra,
                triples=answered.triples,
                held=state.place_of(page) if is_kept and was_kept else None,
                is_noindex=is_noindex,
                is_noarchive=is_noarchive,
                is_withheld=is_noarchive and self._job.extract.obey_noarchive,
                source_id=source_id,
                is_after_redirect=state.pages.hops[page] > 0,
                source_url=url_of(state.table.key(source)) if source is not None else "",
                unread=answered.answer.findings.unread if answered.answer.findings else "",
                items=answered.items,
            )
        )

    # -- the decision ---------------------------------------------------------------------

    def _rest(self, answered: PageAnswer) -> None:
        """Let the host rest, and find out whether a kill must not make us forget that."""
        reach("answer.stored")
        partition, host, outcome = answered.partition, answered.host, answered.outcome
        pause = self.host_pauses.after(partition, host, answered.answer, outcome, answered.site)
        for owe in self._points.owed:
            pause = owe(partition, host, outcome, pause)
        answered.pause = pause
        answered.must_commit = outcome in STAY_AWAY or (
            pause > FORGETTABLE_SECONDS
            and pause > resume_pause(self._job, partition.state, host) + FORGETTABLE_SECONDS
        )

    def _finish(self, answered: PageAnswer) -> None:
        answer = answered.answer
        answered.partition.finish(
            Fetched(
                answer.ended,
                answered.page,
                answered.recorded_outcome,
                answer.status,
                len(answer.body),
                self._due(answered),
                answer.ended + answered.pause,
                answered.place if answer.status else None,
            )
        )

    def _due(self, answered: PageAnswer) -> float:
        """Return when to ask for the page again, or 0."""
        outcome, ended, pause = answered.outcome, answered.answer.ended, answered.pause
        if outcome is Outcome.KEPT or outcome is Outcome.NOT_MODIFIED:
            seconds = self._job.revisit.seconds
            return ended + max(seconds, self._wishes.seconds(answered)) if seconds else 0.0
        if outcome in NO_CONNECTION:
            return max(ended + pause, answered.partition.state.sites.due[answered.site])
        if outcome in UNCOUNTED:
            return ended + pause
        fetch, tries = self._job.fetch, answered.partition.state.pages.tries[answered.page]
        if outcome in TRANSIENT and tries < fetch.retries:
            most = self._job.politeness.backoff_most_seconds
            wait = back_off(fetch.retry_first_seconds, most, tries + 1, self._random)
            return ended + max(wait, pause)
        if fetch.cookies and tries < max(fetch.retries, 1) and is_cookie_wall(answered):
            return ended + pause
        return 0.0

    # -- what follows from it -------------------------------------------------------------

    def _route(self, answered: PageAnswer) -> None:
        """Send the links on, unless a feature takes them."""
        state = answered.partition.state
        answered.known_urls = len(state.table)
        takers = self._points.taken
        if state.pages.guess[answered.page]:
            takers = self._points.guess_taken + takers
        for take in takers:
            if take(answered):
                return
        for hear in self._points.heard:
            hear(answered)
        self._router.route(
            answered.partition,
            answered.ended,
            answered.page,
            answered.key,
            answered.links,
            ahead=answered.ahead,
        )

    def _end(self, answered: PageAnswer) -> None:
        """Note a page that seems empty, and close a host that has given enough."""
        if self._notes_shells and answered.is_first and len(answered.text) < SHELL_TEXT_BYTES:
            note_shell(answered)
        if answered.outcome is Outcome.KEPT and (
            answered.answer.truncated or answered.partition.state.limits.truncated
        ):
            note_size(answered)
        limit, host = self._job.limits.host_pages, answered.host
        hosts = answered.partition.state.hosts
        if limit and hosts.kept[host] >= limit and not hosts.closed[host]:
            due, strikes = hosts.due[host], hosts.strikes[host]
            closed = HostChanged(answered.ended, host, due, strikes, Outcome.HOST_LIMIT)
            answered.partition.change_host(closed)
