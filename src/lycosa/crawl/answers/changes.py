"""Records whether a page has changed since the last visit, as evidence of its rate of change.

A page has changed when its text has (other content is compared as a whole), unless the job lets
small differences pass: then the fingerprints decide, and the version that further ones are compared
with stays the old one, so that many small changes are one in the end. A server that says 304 has
compared for us.

Where the server says when the page changed last (Last-Modified), and that lies after the last
visit, the visit says more than that there was a change. On a first visit it is all that is known.

Sitemaps announce changes (`lastmod`): a page of which the archive holds an older copy is recorded
as out of date.
"""

from __future__ import annotations

from datetime import UTC
from hashlib import blake2b

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.answers.revisit_wishes import RevisitWishes
from lycosa.extract.sitemap import changes_listed
from lycosa.extract.text.fingerprint import distance
from lycosa.frontier.cycle_candidates import Planner
from lycosa.frontier.facts.columns import NONE
from lycosa.frontier.freshness.changes import Belief, Evidence, changed, changed_at, of_host
from lycosa.frontier.freshness.changes import unchanged as not_changed
from lycosa.frontier.partition import Partition
from lycosa.model.job import Job
from lycosa.model.records import Answer, LinkKind, Outcome, Sight, Visited
from lycosa.model.url import canonicalize, key_of

LEAST_AGE_SECONDS = 60.0
"""A page that changed later than this before its first visit is probably made for each request."""


class ChangeWatcher:
    """Records what visits show; one for each worker, where the job has a policy."""

    def __init__(self, job: Job, planner: Planner, wishes: RevisitWishes) -> None:
        self._bits = job.revisit.change_bits
        self._planner = planner
        self._wishes = wishes

    def visited(self, answered: PageAnswer) -> None:
        """Record a visit, whose `Fetched` is in the log, and what a sitemap announces."""
        if answered.outcome is Outcome.KEPT or answered.outcome is Outcome.NOT_MODIFIED:
            self._record_visit(answered)
        kinds = answered.facts.kinds
        if answered.outcome is Outcome.KEPT and kinds and kinds[0] == LinkKind.SITEMAP:
            self.announced(answered.partition, answered.answer.body, answered.ended)

    def _record_visit(self, answered: PageAnswer) -> None:
        partition, page, host = answered.partition, answered.page, answered.host
        state, moment = partition.state, answered.ended
        fetch, history = state.pages.fetch[page], state.history
        before = history.visited_at(fetch)
        sight, digest, fingerprint = self._compare(answered, fetch)
        of_the_host = self._planner.host_belief(state, host)
        own = of_host(of_the_host).given(history.evidence(fetch))
        since, last = moment - before if before else 0.0, _last_change(answered.answer)
        page_evidence = history.evidence(fetch).plus(_evidence(sight, own, since, last))
        host_evidence = history.host_evidence(host).plus(_evidence(sight, of_the_host, since, last))
        wish = self._wishes.seconds(answered)
        not_before = moment + wish if wish else 0.0
        event = Visited(
            moment, page, sight, digest, fingerprint, *page_evidence, *host_evidence, not_before
        )
        partition.record(event)

    def announced(self, partition: Partition, sitemap: bytes, now: float) -> None:
        """Record which of the pages that we hold have changed since, as a sitemap says."""
        state = partition.state
        for url, moment in changes_listed(sitemap).items():
            canonical = canonicalize(url)
            page = None if canonical is None else state.table.find(key_of(canonical))
            fetch = NONE if page is None else state.pages.fetch[page]
            if page is None or fetch == NONE:
                continue
            visited_at = state.history.visited_at(fetch)
            known = max(visited_at, state.history.visits.announced[fetch]) if visited_at else now
            if known < moment <= now:
                partition.record(Visited(moment, page, Sight.ANNOUNCED))

    def _compare(self, answered: PageAnswer, fetch: int) -> tuple[Sight, int, int]:
        """Return what was seen, with digest and fingerprint of what to compare with from now on."""
        history = answered.state.history
        is_first = not history.visited_at(fetch)
        known = (0, 0)
        if not is_first:
            known = (history.visits.digest[fetch], history.visits.fingerprint[fetch])
        if answered.outcome is Outcome.NOT_MODIFIED:
            return (Sight.FIRST if is_first else Sight.UNCHANGED), *known
        new = (_digest(answered.text or answered.answer.body), answered.fingerprint)
        if is_first:
            return Sight.FIRST, *new
        can_be_near = self._bits and known[1] and new[1]
        if new[0] == known[0] or (can_be_near and distance(known[1], new[1]) <= self._bits):
            return Sight.UNCHANGED, *known
        return Sight.CHANGED, *new


def _evidence(sight: Sight, before: Belief, since: float, last: float | None) -> Evidence:
    """Return what a visit adds: `last` is how long ago the page changed, where that is known."""
    if sight is Sight.UNCHANGED:
        return not_changed(since)
    if sight is Sight.CHANGED:
        is_told = last is not None and last < since
        return changed_at(last or 0.0) if is_told else changed(before, since)
    return changed_at(last) if last is not None and last >= LEAST_AGE_SECONDS else Evidence()


def _last_change(answer: Answer) -> float | None:
    """Return how long ago the page changed, as its server says; None when it says nothing."""
    value = answer.header("last-modified")
    if not value:
        return None
    from email.utils import parsedate_to_datetime  # only where pages are watched

    try:
        moment = parsedate_to_datetime(value)
        changed_at = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
    age = answer.ended - changed_at
    return age if changed_at > 0 and age >= 1.0 else None


def _digest(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")
