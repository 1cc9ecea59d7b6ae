"""Extracts the structured data of a kept page as triples for the store, and the links in it.

Only pages in which the scan has seen structured data are read. A page that is gone, has moved or
changed its type has no triples any more. The store is told so (`b""`), and readers of the segments
can then drop the triples of the earlier version. `None` means that there is nothing to tell: the
page could not be fetched, has not changed, or never had triples.
"""

from __future__ import annotations

import logging
from collections import Counter
from types import MappingProxyType

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.answers.reading import links_of_page
from lycosa.crawl.links.raw_links import RawLinks
from lycosa.crawl.points import Feature, Occasion
from lycosa.extract.facts import Facts
from lycosa.extract.headers import robots_tag
from lycosa.extract.structured.counts import BROKEN, PAGES, REASONS, TRIPLES
from lycosa.extract.structured.distiller import Distiller, Found, Page, links_in
from lycosa.frontier.facts.columns import NONE
from lycosa.model.job import Job
from lycosa.model.records import Answer, LinkKind, Outcome
from lycosa.storage.tables.rows import label_of

_log = logging.getLogger(__name__)

MOST_SAID = 100
"""How many pages with broken JSON-LD a worker names in the log file, for each reason."""

SAYS_NOTHING = frozenset(
    {
        Outcome.REDIRECTED,
        Outcome.NOT_FOUND,
        Outcome.SOFT_404,
        Outcome.WRONG_TYPE,
        Outcome.WRONG_LANGUAGE,
    }
)
"""Outcomes after which the page no longer says what it said before."""


class TripleExtraction(Feature):
    """Takes structured data out of what a worker keeps."""

    # A new page without structured data has no triples, and there are none to take back.
    occasions = MappingProxyType({"extracted": Occasion.STRUCTURED | Occasion.KNOWN})

    def __init__(self, job: Job) -> None:
        wanted = job.structured
        self._job = job
        self._wants_links = wanted.links
        self._distiller = distiller_of(job) if wanted.forms else None
        self._said: Counter[str] = Counter()

    def extracted(self, answered: PageAnswer) -> None:
        """Take the triples out of a page, and the links in them if they are wanted."""
        answered.triples = self._triples(answered)
        if self._wants_links and answered.triples and answered.outcome is Outcome.KEPT:
            found = answered.raw_links
            if found is None:
                found = links_of_page(answered.answer, answered.facts, self._job)
            answered.raw_links = self.with_links(found, answered)

    def _triples(self, answered: PageAnswer) -> bytes | None:
        """Return a page's triples; None when they are not known, or nothing new."""
        if self._distiller is None:
            return None
        nothing = None if answered.partition.state.pages.fetch[answered.page] == NONE else b""
        outcome = Outcome.WRONG_LANGUAGE if answered.is_foreign else answered.outcome
        if outcome is not Outcome.KEPT:
            return nothing if outcome in SAYS_NOTHING else None
        answer, url = answered.answer, answered.request.url
        if answer.findings is not None:
            return self._counted(answered, answer.findings.structured) or nothing
        said = Page(answer.body, url, answer.header("content-type"), answered.facts)
        forms = self._distiller.forms_of(said)
        if not forms:
            return nothing
        found = self._distiller.distil(said, label_of(answered.key, answer.ended), forms)
        return self._counted(answered, found) or nothing

    def _counted(self, answered: PageAnswer, found: Found | None) -> bytes:
        """Count what was found and left out; return the triples."""
        if found is None:
            return b""
        counts = dict(found.left_out)
        if found.triples:
            counts |= {TRIPLES: found.size, PAGES: 1}
        if counts:
            answered.partition.count_structured(counts)
            self._say(answered.request.url, found.left_out)
        return found.triples

    def new_triples(self, answered: PageAnswer, plain: Answer, facts: Facts) -> bytes | None:
        """Return the triples of a rendered page; None if they are those of the page as it came.

        Triples that scripts have removed stay: the page as it came had them.
        """
        if self._distiller is None:
            return None
        label = label_of(answered.key, answered.answer.ended)
        found = self._distil(answered.request.url, answered.answer, answered.facts, label)
        before = self._distil(answered.request.url, plain, facts, label)
        if found is None or not found.triples or (before and before.triples == found.triples):
            return None
        size = before.size if before is not None else 0
        counts = {TRIPLES: max(0, found.size - size), PAGES: int(size == 0)}
        answered.partition.count_structured({name: n for name, n in counts.items() if n})
        return found.triples

    def _distil(self, url: str, answer: Answer, facts: Facts, label: str) -> Found | None:
        assert self._distiller is not None
        said = Page(answer.body, url, answer.header("content-type"), facts)
        forms = self._distiller.forms_of(said)
        return self._distiller.distil(said, label, forms) if forms else None

    def _say(self, url: str, left_out: Counter[str]) -> None:
        """Write to the log file on which page JSON-LD could not be read, for the first ones."""
        for reason in left_out.keys() & BROKEN:
            self._said[reason] += 1
            if self._said[reason] <= MOST_SAID:
                _log.warning("%s: %s", url, REASONS[reason])

    def with_links(self, links: RawLinks, answered: PageAnswer) -> RawLinks:
        """Return the links of a page with those that its structured data names, if wanted."""
        if not self._wants_links or not answered.triples:
            return links
        agent, headers = self._job.fetch.agent, answered.answer.headers
        if self._job.extract.obey_nofollow and (
            answered.facts.is_nofollow or robots_tag(headers, agent)[0]
        ):
            return links
        return links.with_more(RawLinks.of(links_in(answered.triples), LinkKind.DATA))


def distiller_of(job: Job) -> Distiller:
    """Return what reads pages for a job."""
    wanted = job.structured
    return Distiller(wanted.forms, wanted.drop, wanted.most_triples, wanted.largest_bytes)
