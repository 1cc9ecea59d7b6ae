"""Applies `Fetched` to the state of a partition: the event that every page of a crawl makes.

It reads the fields of the event at their places (`lycosa/_support/fields.pxd`) and the columns of
the state in theirs (`lycosa/_support/cells.pxd`). Numbers that Python reads often, such as
`kept_pages`, stay attributes of the state.
"""

import cython

from cpython cimport array as arrays
from lycosa._support.cells cimport int64_t, put_large, put_real, put_small, put_whole, real, small, whole
from lycosa._support.fields cimport field, offset_of

from lycosa.frontier.facts.columns import Status
from lycosa.model.records import TRANSIENT, UNCOUNTED, Fetched, Outcome

cdef Py_ssize_t MOMENT = offset_of(Fetched, "moment")
cdef Py_ssize_t PAGE = offset_of(Fetched, "page")
cdef Py_ssize_t OUTCOME = offset_of(Fetched, "outcome")
cdef Py_ssize_t SIZE = offset_of(Fetched, "size_bytes")
cdef Py_ssize_t DUE = offset_of(Fetched, "due")
cdef Py_ssize_t HOST_DUE = offset_of(Fetched, "host_due")
cdef Py_ssize_t PLACE = offset_of(Fetched, "place")

cdef int KEPT = Outcome.KEPT, SITEMAP = Outcome.SITEMAP
cdef int WAITING = Status.WAITING, DONE = Status.DONE, PUT_OFF = Status.PUT_OFF
cdef int64_t NONE = 0xFFFFFFFF

# Consequences of an outcome, as bits: a kept page stays kept, with its record and its links; the
# site has answered, so that the page has all its tries again; the try does not count.
cdef enum:
    STILL_HELD = 1
    ANSWERED = 2
    NOT_COUNTED = 4

cdef unsigned char MEANS[256]
for one in Outcome:
    MEANS[one] = (
        STILL_HELD * (one in TRANSIENT or one is Outcome.NOT_MODIFIED)
        | ANSWERED
        * (one in (Outcome.KEPT, Outcome.NOT_MODIFIED, Outcome.SITEMAP, Outcome.WRONG_LANGUAGE))
        | NOT_COUNTED * (one in UNCOUNTED)
    )


@cython.final
cdef class FetchedFold:
    """Applies `Fetched` events to one state, whose columns it knows."""

    cdef object _state
    cdef arrays.array _site, _fetch, _outcome, _status, _tries
    cdef arrays.array _segment, _offset, _length, _due
    cdef arrays.array _host, _pending, _closed, _mined_out
    cdef arrays.array _host_due, _kept

    def __init__(self, state):
        pages, fetches, sites, hosts = state.pages, state.fetches, state.sites, state.hosts
        self._state = state
        self._site, self._fetch, self._outcome = pages.site, pages.fetch, pages.outcome
        self._status, self._tries = pages.status, pages.tries
        self._segment, self._offset = fetches.segment, fetches.offset
        self._length, self._due = fetches.length, fetches.due
        self._host, self._pending, self._closed = sites.host, sites.pending, sites.closed
        self._mined_out = sites.mined_out
        self._host_due, self._kept = hosts.due, hosts.kept

    def apply(self, event):
        """Change the state as a `Fetched` says; of no other type."""
        state = self._state
        cdef int64_t page = field(event, PAGE)
        cdef int64_t site = whole(self._site, page), host = whole(self._host, site)
        cdef int outcome = field(event, OUTCOME), before = small(self._outcome, page)
        cdef bint is_held = before == KEPT and MEANS[outcome] & STILL_HELD
        cdef double due = field(event, DUE), host_due = field(event, HOST_DUE)
        put_real(self._due, self._place_for(page, field(event, PLACE), is_held), due)
        state.last_moment = field(event, MOMENT)
        if host_due > real(self._host_due, host):
            put_real(self._host_due, host, host_due)
        if not is_held:
            if outcome == KEPT and before != KEPT:
                put_small(self._mined_out, site, 0)
            # A sitemap is held as a page is, and counts for nothing.
            put_small(self._outcome, page, KEPT if outcome == SITEMAP else outcome)
        self._count(field(event, OUTCOME))
        if outcome == KEPT:
            state.kept_pages += 1
            state.kept_bytes += field(event, SIZE)
            put_whole(self._kept, host, whole(self._kept, host) + 1)
        if MEANS[outcome] & ANSWERED:
            put_small(self._tries, page, 0)
        elif not MEANS[outcome] & NOT_COUNTED:
            put_small(self._tries, page, min(small(self._tries, page) + 1, 255))
        if due:
            put_small(self._status, page, WAITING)
        else:
            self._finish(page, site)

    cdef int64_t _place_for(self, int64_t page, object place, bint is_held) except -1:
        """Return the number of a page's fetch, which is entered; its record's place is noted."""
        cdef int64_t fetch = whole(self._fetch, page)
        if fetch == NONE:
            fetch = len(self._due)
            for column in (self._segment, self._offset, self._length):
                column.append(0)
            self._due.append(0.0)
            put_whole(self._fetch, page, fetch)
        if place is None:
            return fetch
        segment, offset, length = <tuple> place
        ends = self._state.segment_ends
        if offset + length > ends.get(segment, 0):
            ends[segment] = offset + length
        if not is_held:
            put_whole(self._segment, fetch, segment)
            put_large(self._offset, fetch, offset)
            put_whole(self._length, fetch, length)
        return fetch

    cdef int _count(self, object outcome) except -1:
        """Count a fetch with its outcome."""
        cdef dict outcomes = <dict> self._state.outcomes
        guesses = self._state.guesses
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        guesses.asked += 1
        return 0

    cdef int _finish(self, int64_t page, int64_t site) except -1:
        """Mark a pending or waiting URL as done (`Holdings._finish`)."""
        cdef int status = small(self._status, page)
        if status == DONE:
            return 0
        put_small(self._status, page, DONE)
        if status == PUT_OFF:
            return 0
        if not whole(self._pending, site):  # no crawl writes such a log
            raise OverflowError(f"site {site} has no pending URL that could be done")
        put_whole(self._pending, site, whole(self._pending, site) - 1)
        if not small(self._closed, site):
            self._state.pending -= 1
        return 0
