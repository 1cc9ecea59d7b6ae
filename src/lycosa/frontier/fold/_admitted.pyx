"""Applies `Admitted` to the state of a partition: the event of every page that leads to something
new.

Fields of the event are read at their places (`lycosa/_support/fields.pxd`), columns of the state in
theirs (`lycosa/_support/cells.pxd`). Rare contents of the event (guesses that are linked, URLs that
are put off, queues of topics) stay with the state, in Python.

Always true (tests/unit/frontier/fold/test_admitted_twin.py, against the plain fold beside it): the
state packs to the same bytes.
"""

import cython

from cpython cimport array as arrays
from libc.string cimport memset
from lycosa._support.cells cimport (
    grow,
    grow_by_zeros,
    int64_t,
    large,
    put_large,
    put_small,
    put_whole,
    small,
    uint64_t,
    whole,
)
from lycosa._support.fields cimport field, offset_of

from xxhash import xxh3_64_intdigest

from lycosa.model.records import Admitted

cdef Py_ssize_t SOURCE = offset_of(Admitted, "source")
cdef Py_ssize_t KEYS = offset_of(Admitted, "keys")
cdef Py_ssize_t DISTANCES = offset_of(Admitted, "distances")
cdef Py_ssize_t NEARER = offset_of(Admitted, "nearer")
cdef Py_ssize_t NEARER_DISTANCES = offset_of(Admitted, "nearer_distances")
cdef Py_ssize_t REQUISITES = offset_of(Admitted, "requisites")
cdef Py_ssize_t LINKED = offset_of(Admitted, "linked")
cdef Py_ssize_t PUT_OFF = offset_of(Admitted, "put_off")
cdef Py_ssize_t HOPS = offset_of(Admitted, "hops")
cdef Py_ssize_t FEWER = offset_of(Admitted, "fewer")
cdef Py_ssize_t QUEUES = offset_of(Admitted, "queues")
cdef Py_ssize_t POSITIONS = offset_of(Admitted, "positions")

cdef str NO_SITE = "/"      # no key begins with a slash


@cython.final
cdef class AdmittedFold:
    """Applies `Admitted` events to one state, whose columns it knows."""

    cdef object _state, _table, _history
    cdef arrays.array _distance, _status, _outcome, _tries, _site, _fetch, _guess, _hops
    cdef arrays.array _pending, _closed, _mined_out
    cdef arrays.array _first, _source, _source_page
    cdef str _beginning     # the site of the last key, with its slash
    cdef int64_t _number    # that site's

    def __init__(self, state):
        pages, sites, sources = state.pages, state.sites, state.sources
        self._state, self._table, self._history = state, state.table, state.history
        self._distance, self._status, self._outcome = pages.distance, pages.status, pages.outcome
        self._tries, self._site, self._fetch = pages.tries, pages.site, pages.fetch
        self._guess, self._hops = pages.guess, pages.hops
        self._pending, self._closed, self._mined_out = sites.pending, sites.closed, sites.mined_out
        self._first, self._source, self._source_page = sources.first, sources.source, sources.page
        self._beginning, self._number = NO_SITE, -1

    def apply(self, event):
        """Change the state as an `Admitted` says; of no other type."""
        cdef list keys = field(event, KEYS), put_off = field(event, PUT_OFF)
        cdef int64_t first = len(self._site), page
        cdef int hops = as_byte(field(event, HOPS))
        if keys:
            self._enter(field(event, SOURCE), keys, field(event, DISTANCES), hops)
            if field(event, QUEUES):
                self._state.topics.queued(first, field(event, QUEUES), field(event, POSITIONS))
        for page in <list> field(event, FEWER):
            put_small(self._hops, page, hops)
        if put_off or self._history.cycle:
            self._state._sort_in(first, len(keys), put_off)
        if <list> field(event, NEARER):
            self._come_nearer(field(event, NEARER), field(event, NEARER_DISTANCES))
        if <list> field(event, REQUISITES):
            self._state.requisites.update(field(event, REQUISITES))
        if <list> field(event, LINKED):
            self._state._unguess(field(event, LINKED))

    cdef int _enter(self, str source, list keys, list distances, int hops) except -1:
        """Enter new URLs as pending."""
        cdef Py_ssize_t count = len(keys), first = len(self._site), i
        cdef int64_t site, opened = 0
        cdef arrays.array column
        if len(distances) != count:
            raise ValueError(f"{count} URLs with {len(distances)} distances")
        for i in range(count):
            as_distance(distances[i])  # before anything is entered
        self._note_source(first, source)
        self._table.add_many(keys)
        grow(self._distance, count)
        grow(self._site, count)
        grow(self._fetch, count)
        for column in (self._status, self._outcome, self._tries, self._guess, self._hops):
            grow_by_zeros(column, count)
        memset(self._fetch.data.as_uints + first, 0xFF, count * sizeof(unsigned int))  # `NONE`
        if hops:
            memset(self._hops.data.as_uchars + first, hops, count)
        for i in range(count):
            site = self._site_of(<str?> keys[i])
            self._distance.data.as_ushorts[first + i] = as_distance(distances[i])
            self._site.data.as_uints[first + i] = site
            put_whole(self._pending, site, whole(self._pending, site) + 1)
            put_small(self._mined_out, site, 0)
            opened += not small(self._closed, site)
        self._state.pending += opened
        return 0

    cdef int64_t _site_of(self, str key) except -1:
        """Return the number of a key's site, which is entered if it is new."""
        if not key.startswith(self._beginning):  # most links of a page lead to one site
            name = key[: key.index("/")]
            self._number = self._state.site_for(name)
            self._beginning = name + "/"
        return self._number

    cdef int _note_source(self, Py_ssize_t first, str source) except -1:
        """Note the page that led to the URLs from this number on, unless it is that of the last."""
        cdef uint64_t number = 0, last = 0
        cdef Py_ssize_t length = len(self._source)
        page = None
        if source:
            number = xxh3_64_intdigest(source.encode())
            page = self._table.find(source)
        if length:
            last = large(self._source, length - 1)
        if number != last:
            grow(self._first, 1)
            grow(self._source, 1)
            grow(self._source_page, 1)
            put_whole(self._first, length, first)
            put_large(self._source, length, number)
            # 0 says that the page is of another partition.
            put_whole(self._source_page, length, 0 if page is None else page + 1)
        return 0

    cdef int _come_nearer(self, list pages, list distances) except -1:
        cdef Py_ssize_t i
        cdef int64_t page
        if len(pages) != len(distances):
            raise ValueError(f"{len(pages)} nearer URLs with {len(distances)} distances")
        for i in range(len(pages)):
            page = pages[i]
            if not 0 <= page < len(self._distance):
                raise IndexError(f"{page} of {len(self._distance)}")
            self._distance.data.as_ushorts[page] = as_distance(distances[i])
        return 0


cdef inline int as_byte(object number) except -1:
    cdef int64_t value = number
    if not 0 <= value <= 0xFF:
        raise OverflowError(f"{value} is no byte")
    return value


cdef inline int as_distance(object number) except -1:
    cdef int64_t value = number
    if not 0 <= value <= 0xFFFF:
        raise OverflowError(f"{value} is no distance")
    return value
