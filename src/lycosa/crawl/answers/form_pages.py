"""Reads the forms and the words of a site from the archive, when its forms are to be tried.

Nothing of it stands in the log, because it can be read again: a resumed crawl finds the same forms
and words in the same records. What was asked is in the log like every guess.

Cost: a few pages are read for a look, some milliseconds each; what was read is remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lycosa.config import Job
from lycosa.crawl.ports import Archive, Store
from lycosa.errors import LycosaError
from lycosa.extract.forms import Form, forms_of
from lycosa.extract.page import scan
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.patterns.miner import Guess, Known
from lycosa.frontier.patterns.queries import (
    Limits,
    Source,
    guess_queries,
    promising_words,
    words_of,
)
from lycosa.records import MiningRule, Place
from lycosa.store.warc.http_messages import header
from lycosa.url import url_of

FIRST_PAGES, LAST_PAGES = 12, 24
"""So many pages of a site are read: its first ones, where forms are, and its newest, for words."""
MOST_REMEMBERED = 2_000


class _Read(NamedTuple):
    """What a page gives."""

    forms: Sequence[Form]
    words: frozenset[str]


class FormPages:
    """Finds queries for the forms of sites; one per worker."""

    def __init__(self, job: Job, store: Store) -> None:
        forms = job.forms
        self._limits = Limits(forms.most_fields, forms.form_requests, forms.site_requests)
        self._archive = store if isinstance(store, Archive) else None
        self._known: dict[Place, _Read] = {}

    def queries(self, state: PartitionState, site: int, known: Sequence[Known]) -> list[Guess]:
        """Return queries that may lead to new pages."""
        pages = sorted((url for url in known if url.is_page), key=lambda url: url.page)
        chosen = pages if len(pages) <= FIRST_PAGES + LAST_PAGES else pages[:FIRST_PAGES]
        if chosen is not pages:
            chosen = [*chosen, *pages[-LAST_PAGES:]]
        read = [(url, self._read(state, url.page)) for url in chosen]
        # Results are not asked for their forms: they repeat those of the page that led to them.
        sources = [
            Source(url.page, url.distance, found.forms)
            for url, found in read
            if found.forms and url.rule != MiningRule.FORM
        ]
        if not sources:
            return []
        words = promising_words([found.words for _, found in read])
        return guess_queries(state.site_names[site], sources, words, known, self._limits)

    def _read(self, state: PartitionState, page: int) -> _Read:
        place = state.place_of(page)
        if place is None or not place.length or self._archive is None:
            return _Read((), frozenset())
        found = self._known.get(place)
        if found is None:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            url = url_of(state.table.key(page))
            found = self._known[place] = _of_record(self._archive, place, url)
        return found


def _of_record(archive: Archive, place: Place, url: str) -> _Read:
    try:
        stored = archive.read(place)
    except LycosaError:  # another machine has it, or it is damaged
        return _Read((), frozenset())
    kind = header(stored.headers, "content-type") or None
    body = stored.body
    return _Read(forms_of(body, kind, url), words_of(scan(body, kind).text))
