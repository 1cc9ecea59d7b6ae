"""Reads the forms and the words of a site from the archive, when its forms are to be tried.

Nothing of it stands in the log, because it can be read again: a resumed crawl finds the same forms
and words in the same records. Queries that were asked are in the log like every guess.

Cost: some hundred pages are read at most for a look, a millisecond each; what was read is
remembered, so that a further look costs some five milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from lycosa.crawl.ports import Archive, Store
from lycosa.errors import LycosaError
from lycosa.extract.forms import Form, forms_of, headings_of
from lycosa.extract.page import scan
from lycosa.features.mining.known_urls import known_url
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.patterns.miner import Guess, Known
from lycosa.frontier.patterns.queries import (
    QueryLimits,
    Site,
    Source,
    guess_queries,
    nearest_forms,
)
from lycosa.frontier.patterns.query_words import Page, Vocabulary, own_words, words_in
from lycosa.model.job import Job
from lycosa.model.records import MiningRule, Place
from lycosa.model.url import url_of
from lycosa.storage.warc.http_messages import header

FIRST_PAGES, LAST_PAGES = 12, 100
"""Numbers of a site's pages that are read: its first ones, where most forms are, and its newest."""
LAST_RESULTS = 6
"""Number of pages of results that are read, to know what all of them show."""
RECENT_URLS = 20_000
"""Number of newest URLs that are looked through, where a site is looked at in parts."""
MOST_REMEMBERED = 2_000


class _Read(NamedTuple):
    """Forms and words of a page."""

    forms: Sequence[Form] = ()
    words: frozenset[str] = frozenset()
    title: frozenset[str] = frozenset()
    own: Sequence[str] = ()
    """With a form: the words in the order in which they are tried."""


class FormPages:
    """Finds queries for the forms of sites; one per worker."""

    def __init__(self, job: Job, store: Store) -> None:
        forms = job.forms
        self._limits = QueryLimits(
            forms.most_fields, forms.form_requests, forms.site_requests, forms.least_new
        )
        self._archive = store if isinstance(store, Archive) else None
        self._known: dict[Place, _Read] = {}

    def queries(
        self,
        state: PartitionState,
        number: int,
        known: Sequence[Known],
        may_ask: Callable[[Guess], bool],
        *,
        is_idle: bool,
    ) -> list[Guess]:
        """Return queries that may lead to new pages; words only if nothing else is to be asked."""
        is_large = state.table.site_urls(number) > len(known)
        if is_large:
            known = _with_recent(state, number, known)
        pages = sorted((url for url in known if url.is_page), key=lambda url: url.page)
        chosen = dict.fromkeys([*pages[:FIRST_PAGES], *pages[-LAST_PAGES:]])
        read = {url: self._read(state, url.page) for url in chosen}
        if not any(found.forms for found in read.values()):
            return []
        site = Site(state.site_names[number], known, lambda page: state.sources.of(page)[1])
        # Results are not asked for their forms: they repeat those of the page that led to them.
        sources = [
            Source(url.page, url.distance, found.forms, found.own)
            for url, found in read.items()
            if not site.is_result(url)
        ]
        # Queries of a large site that were asked long ago are known by their number alone.
        guessed = state.guesses.of(state.sites.host[number], MiningRule.FORM).guessed
        before = max(0, guessed - len(site.queries)) if is_large else 0
        most = self._limits._replace(site_requests=self._limits.site_requests - before)
        forms = nearest_forms(sources, most)
        if not is_idle:
            return guess_queries(site, forms, None, most, may_ask)
        read |= {url: self._read(state, url.page) for url in site.queries[-LAST_RESULTS:]}
        return guess_queries(site, forms, _vocabulary(site, read, forms), most, may_ask)

    def _read(self, state: PartitionState, page: int) -> _Read:
        place = state.place_of(page)
        if place is None or not place.length or self._archive is None:
            return _Read()
        found = self._known.get(place)
        if found is None:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            url = url_of(state.table.key(page))
            found = self._known[place] = _of_record(self._archive, place, url)
        return found


def _with_recent(state: PartitionState, number: int, known: Sequence[Known]) -> list[Known]:
    """Add what was found lately to a part of a site that is too large for one look.

    Queries and what they led to lie in other parts than the form.
    """
    recent = range(max(0, len(state.table) - RECENT_URLS), len(state.table))
    here = {url.page for url in known}
    found = [page for page in recent if state.pages.site[page] == number and page not in here]
    keys = ((state.table.key(page), page) for page in found)
    return [*known, *(known_url(state, key, page) for key, page in keys if "#" not in key)]


def _vocabulary(
    site: Site, read: Mapping[Known, _Read], forms: Mapping[Form, Source]
) -> Vocabulary:
    """Return the words of pages other than the forms' own."""
    own = {source.page for source in forms.values()}
    # The address of a form without a query shows the template of its results.
    empty = {site.path_of(form.action) for form in forms}
    pages, results = [], []
    for url, found in read.items():
        if not found.words or url.page in own:
            continue
        if site.is_result(url) or url.path in empty:
            results.append(found.words)
        else:
            is_queried = bool(url.rule) or site.root_of(url) is not None
            pages.append(Page(found.words, found.title, is_queried))
    if len(results) == 1:
        # Words that the form's page shows, too, are certainly not results.
        results.append(frozenset().union(*(read[url].words for url in read if url.page in own)))
    return Vocabulary(pages, frozenset.intersection(*results) if results else frozenset())


def _of_record(archive: Archive, place: Place, url: str) -> _Read:
    try:
        stored = archive.read(place)
    except LycosaError:  # another machine has it, or it is damaged
        return _Read()
    kind = header(stored.headers, "content-type") or None
    body = stored.body
    facts, forms = scan(body, kind), forms_of(body, kind, url)
    words, title = frozenset(words_in(facts.text)), frozenset(words_in(facts.title))
    headings = f"{headings_of(body, kind)} {facts.description}" if forms else ""
    own = own_words(headings, facts.text, facts.texts) if forms else ()
    return _Read(forms, words | title, title, own)
