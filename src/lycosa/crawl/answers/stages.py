"""The stages that the answer to a page goes through, from the transport to the log.

One record (`page_answer.PageAnswer`) passes them in this order; each stage depends on the ones
before it. Between them the job's features act (`lycosa.crawl.points`).
The usual way is compiled (`_page_stages`), to be read along with this list; here are the methods
for answers that are not usual, and what a job's stages are made with.

     1  judge      the outcome, from status and headers (`reading`)
     2  read       a page that may be kept is scanned once: text, facts, links. A plugin may read
                   types that Lycosa does not
     3  recognise  a soft 404, the answer to our own probe, or a page in the place of a sitemap gets
                   its outcome. It needs the text; plugins must not be shown such a page
     4  show       the job's plugins see the page. They may change its facts and links, or fail
     5  charge     the page is paid from the job's limits, or the reservation is given back. A page
                   that does not fit leaves nothing but its outcome, so this precedes what is
                   stored. A sitemap and a page in a language that the job does not keep
                   cost nothing: they go on for their links
     6  extract    links (`links`), after the triples, which may name some
     7  store      columns of features, then one record for the archive. The event needs its place
     8  rest       how long the host rests (`host_pauses`). A refusal is recorded before
                   the event of the page, so that a replay sees the host wait first
     9  finish     `Fetched`: the decision. From here on the state knows the outcome
    10  watch      what the visit says about changes of the page (`changes`)
    11  route      the links go to their partitions. After `finish`, because a page that links to
                   itself or comes nearer must count as fetched
    12  learn      samples for soft 404s, traps, guesses: they count the URLs that `route` added
    13  close      the host is closed if it has given as many pages as the job takes
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from lycosa._support.tuples import NamedTuple
from lycosa.crawl.answers._page_stages import PageStages
from lycosa.crawl.answers.page_answer import PageAnswer, is_cookie_wall
from lycosa.crawl.answers.reading import (
    is_sitemap,
    is_wanted_type,
    judge,
    may_be_list,
    reasons_by_kind,
    records_all,
    redirect_of,
    showing_wishes,
    type_named,
    with_types,
)
from lycosa.crawl.answers.revisit_wishes import RevisitWishes
from lycosa.crawl.links.router import Router
from lycosa.crawl.pauses.due import back_off
from lycosa.crawl.pauses.host_pauses import HostPauses
from lycosa.crawl.ports import Ports
from lycosa.extract.facts import Facts
from lycosa.extract.page import scan
from lycosa.model.records import (
    NO_CONNECTION,
    TRANSIENT,
    UNCOUNTED,
    HostChanged,
    Outcome,
)

if TYPE_CHECKING:
    from lycosa.crawl.points import Points
    from lycosa.frontier.cycle_candidates import Planner

SITEMAPS_WITHOUT_A_PAGE = 1_000
"""Sitemaps of a partition that count towards no limit; one more for each kept page. Others
count as pages: a site that makes up sitemaps without end must not outlast the limits."""


class OfJob(NamedTuple):
    """Functions and records of one job with which its stages are made."""

    scan: Callable[[bytes, str | None], Facts]
    """Reads a page."""
    reader: Callable[[PageAnswer], None] | None
    """Reads it in the place of all others, if a feature does."""
    is_wanted: Callable[[str | None], bool]
    """Whether the job keeps content that a server names so."""
    may_be_list: Callable[[str | None], bool]
    """Whether it is read otherwise than a page, or may be."""
    by_kind: list[str]
    """Why links of each kind are not followed, "" where they are."""
    rest_after: Callable[..., float]
    """How long a host rests after an answer that says something of it (`HostPauses.after`)."""
    visited: tuple[Callable[[PageAnswer], None], ...]
    """Functions that watch pages for changes."""
    notes_shells: bool


class PageAnswers(PageStages):
    """Decides on pages; one per worker. The steps of nearly every page are compiled."""

    def __init__(
        self,
        ports: Ports,
        router: Router,
        planner: Planner | None,
        points: Points,
    ) -> None:
        self._budget_of_job = ports.budget
        self._random = ports.random
        self._job_with_types = job = with_types(ports.job, points.content_types)
        self._points = points
        self._ways = router
        self._wishes = RevisitWishes(ports.store)
        watchers: list[Callable[[PageAnswer], None]] = []
        if planner is not None:
            from lycosa.crawl.answers.changes import ChangeWatcher  # most crawls have no cycles

            watchers.append(ChangeWatcher(ports.job, planner, self._wishes).visited)
        self.host_pauses = HostPauses(ports)
        extract, wants_all = job.extract, records_all(job)
        of_job = OfJob(
            partial(
                scan,
                most_links=extract.most_links,
                wants_requisites=extract.requisites or wants_all,
                wants_recorded=wants_all,
                wants_wide=extract.wide,
                agent=job.fetch.agent,
            ),
            points.read[0] if points.read else None,
            lambda told: is_wanted_type(type_named(told or ""), job),
            lambda told: may_be_list(type_named(told or ""), job),
            reasons_by_kind(extract.requisites, extract.wide, job.forms.search),
            self.host_pauses.after,
            tuple(watchers),
            notes_shells=ports.rendering is None,
        )
        super().__init__(job, ports, points, router, of_job)

    # -- what few pages need --------------------------------------------------------------

    def _judge(self, answered: PageAnswer) -> None:
        """Judge an answer that was read apart, or that is not a page of a type that the job
        keeps."""
        job = self._job_with_types
        answered.outcome = judge(answered.answer, job)
        beginning = answered.answer.beginning
        if beginning is not None and self._is_last_try(answered):
            answered.answer = beginning
            answered.outcome = judge(beginning, job)
        if answered.outcome is Outcome.NOT_MODIFIED and answered.request.validators is None:
            answered.outcome = Outcome.BAD_STATUS  # the request did not ask whether it changed

    def _is_last_try(self, answered: PageAnswer) -> bool:
        """Return whether no further try follows, so that the beginning of a page is kept.

        A page that is held stays as it is: its beginning is not a newer version of the whole.
        """
        pages, page = answered.partition.state.pages, answered.page
        retries = self._job_with_types.fetch.retries
        return pages.tries[page] >= retries and pages.outcome[page] != Outcome.KEPT

    def _charge(self, answered: PageAnswer) -> None:
        """Charge what may cost nothing: other answers, lists, and pages that features judge."""
        budget = self._budget_of_job
        if answered.outcome is not Outcome.KEPT:
            budget.give_back(answered.reserved_bytes)
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
            budget.give_back(answered.reserved_bytes)
            return
        size, url = len(answered.answer.body), answered.request.url
        if not budget.keep(answered.reserved_bytes, size, url):
            self._does_not_fit(answered)

    def _does_not_fit(self, answered: PageAnswer) -> None:
        """Leave nothing of a page but that it is larger than what is left of a limit."""
        answered.outcome = Outcome.TOO_LARGE
        answered.drop_facts()

    def _extract_redirect(self, answered: PageAnswer) -> None:
        """Take the one link out of a redirect."""
        answered.links, answered.refused, _ = self._ways.resolve_redirect(
            answered.partition,
            answered.page,
            redirect_of(answered.answer),
            answered.request.url,
        )

    def _showing_wishes(self, answered: PageAnswer) -> tuple[bool, bool]:
        """Return the wishes of a page with a header of its own for robots."""
        return showing_wishes(answered.answer, answered.facts, self._job_with_types)

    def _due(self, answered: PageAnswer) -> float:
        """Return when to ask for the page again, or 0."""
        job = self._job_with_types
        outcome, ended, pause = answered.outcome, answered.answer.ended, answered.pause
        if answered.request.form and outcome not in NO_CONNECTION:
            # It may have had an effect: a server is not told the same again by ourselves.
            is_held = outcome is Outcome.KEPT or outcome is Outcome.NOT_MODIFIED
            if not (is_held and job.plugins.post_again):
                return 0.0
        if outcome is Outcome.KEPT or outcome is Outcome.NOT_MODIFIED:
            seconds = job.revisit.seconds
            return ended + max(seconds, self._wishes.seconds(answered)) if seconds else 0.0
        if outcome in NO_CONNECTION:
            return max(ended + pause, answered.partition.state.sites.due[answered.site])
        if outcome in UNCOUNTED:
            return ended + pause
        fetch, tries = job.fetch, answered.partition.state.pages.tries[answered.page]
        if outcome in TRANSIENT and tries < fetch.retries:
            most = job.politeness.backoff_most_seconds
            wait = back_off(fetch.retry_first_seconds, most, tries + 1, self._random)
            return ended + max(wait, pause)
        if fetch.cookies and tries < max(fetch.retries, 1) and is_cookie_wall(answered):
            return ended + pause
        return 0.0

    def _close_host(self, answered: PageAnswer) -> None:
        """Close a host that has given as many pages as the job takes."""
        hosts, host = answered.partition.state.hosts, answered.host
        due, strikes = hosts.due[host], hosts.strikes[host]
        closed = HostChanged(answered.ended, host, due, strikes, Outcome.HOST_LIMIT)
        answered.partition.change_host(closed)
