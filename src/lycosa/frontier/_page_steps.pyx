"""The steps of a partition that every page takes; `lycosa.frontier.partition` has the others.

A page is chosen (`next_task`), its outcome recorded (`finish`), and what it links to admitted
(`admit`). Columns of the state are read in place (`lycosa/_support/cells.pxd`). Queues to which
their scheduler adds nothing are asked as C, and so is breadth-first, whose ranks are distances; any
other scheduler is asked in Python.

Always true (tests/unit/frontier/test_page_steps.py, against the plain steps beside it): events,
what is offered and what is chosen are those of the plain steps.
"""

from cpython cimport array as arrays
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE, PyByteArray_Resize
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.string cimport memset
from lycosa._support.cells cimport int64_t, small, whole
from lycosa._support.fields cimport field, offset_of
from lycosa.frontier.schedulers._queues cimport SiteQueues

from lycosa.frontier.facts.columns import Status
from lycosa.frontier.schedulers._queues import Queues
from lycosa.frontier.schedulers.breadth_first import BreadthFirst
from lycosa.frontier.task import PAGE, Task
from lycosa.model.records import Admitted, Fetched, Outcome

cdef Py_ssize_t DUE = offset_of(Fetched, "due")
cdef Py_ssize_t FETCHED_PAGE = offset_of(Fetched, "page")
cdef Py_ssize_t OUTCOME = offset_of(Fetched, "outcome")

cdef int PUT_OFF = Status.PUT_OFF
cdef int REDIRECTED = Outcome.REDIRECTED
cdef object STALE = Outcome.STALE_CONNECTION
cdef object A_PAGE = PAGE, A_TASK = Task, ADMITTED = Admitted


cdef class PageSteps:
    """The steps that a partition takes for every page.

    `is_leaving` says that it is being handed over, `is_held_back` that nothing is asked until the
    answers under way are in; `in_flight` is the number of these. `predict` returns queues and
    positions of new URLs, in a crawl by topic. `put_off` says which new URLs wait for a later
    cycle, by their places; None: there are none.
    """

    def __init__(self, number, state, scheduler, readiness, around):
        pages, sites, kind = state.pages, state.sites, type(scheduler)
        self.number = self._number = number
        self._state, self._scheduler = state, scheduler
        self._readiness, self._agenda, self._changes = readiness, around.agenda, around.changed
        self._table, self._appliers = state.table, state.appliers
        self._queues = self._nearest = None
        if isinstance(scheduler, Queues) and (
            kind.choose is Queues.choose and kind.ready is Queues.ready
        ):
            self._queues = scheduler
            if kind.offer is BreadthFirst.offer and kind.put is Queues.put:
                self._nearest = scheduler
        self._site, self._status, self._distance = pages.site, pages.status, pages.distance
        self._hops, self._guess, self._outcome = pages.hops, pages.guess, pages.outcome
        self._closed, self._host = sites.closed, sites.host
        self._robots_expires = sites.robots_expires
        self._offered = bytearray(len(pages.site))
        self.uncommitted = []
        self.predict = self.put_off = None
        self.is_leaving = self.is_held_back = False
        self.in_flight = 0

    # -- choosing -------------------------------------------------------------------------

    cpdef bint has_work(self) except -1:
        """Return whether `next_task` would find one."""
        if self._queues is not None:
            return self._queues.count_ready() > 0 or self._readiness.has_first()
        return bool(self._scheduler.ready) or self._readiness.has_first()

    cpdef object next_task(self):
        """Return the next thing to fetch: errands first, then robots files, then pages.

        A page that is returned is no longer offered: it must be fetched, settled, or
        handed back with `hand_back`.
        """
        cdef int64_t page
        if self._readiness.has_first():
            task = self._next_first()
            if task is not None:
                return task
        elif self._readiness.bursts_wanted:
            found = self._next_of_burst()
            if found is not None:
                return self._task_of(found)
        if self._queues is not None:
            page = self._queues.choose_first()
            return None if page < 0 else self._task_of(page)
        found = self._scheduler.choose()
        return None if found is None else self._task_of(found)

    cpdef object _task_of(self, int64_t page):
        """Return the task of a page, which is offered no longer."""
        self._set_offered(page, 0)
        return A_TASK(A_PAGE, page, whole(self._host, whole(self._site, page)))

    # -- recording ------------------------------------------------------------------------

    cpdef int record(self, event) except -1:
        """Apply an event and keep it for the next commit."""
        # As `PartitionState.apply` does.
        (<object> self._appliers[type(event)])(event)
        self.uncommitted.append(event)
        self._changes[self._number] = None
        return 0

    def finish(self, event):
        """Record the outcome of a page that was fetched."""
        self.record(event)
        due, page = field(event, DUE), field(event, FETCHED_PAGE)
        if not due:
            return
        repeats, site = self._readiness.firsts.repeats, whole(self._site, page)
        if field(event, OUTCOME) is STALE and site not in repeats:
            repeats[site] = page
        else:
            self._agenda.note(due, self._on_page_due, page)

    def admit(
        self, double moment, str source, keys, distances, requisites=(), int hops=0
    ):
        """Take URLs in; returns the known ones that came nearer after they were fetched.

        `requisites` are those of the keys that are page requisites; `hops` is the number of
        redirects in a row that led to the keys.
        """
        cdef list found = self._table.find_many(keys), again, passed = []
        cdef dict new = {}, nearer = {}, linked = {}, fewer = {}
        cdef Py_ssize_t first = len(self._site), i = 0
        cdef int64_t page, distance
        cdef PyObject *met
        for key, there, far in zip(keys, found, distances, strict=True):
            page, distance = there, far
            if page < 0:
                met = PyDict_GetItemWithError(new, key)
                if met is NULL or distance < <object> met:
                    new[key] = far
                continue
            met = PyDict_GetItemWithError(nearer, there)
            if distance < (self._distance_of(page) if met is NULL else <object> met):
                nearer[there] = far
            if small(self._hops, page) > hops:
                fewer[there] = None
            if small(self._guess, page) and key != source:
                linked[there] = None
        new_requisites = self._new_requisites(requisites, new, first) if requisites else []
        if not new and not nearer and not new_requisites and not linked and not fewer:
            return passed
        again = [there for there in linked if self._state.was_tried_in_vain(there)]
        new_keys = list(new)
        queues = positions = b""
        put_off = []
        if new:
            if self.predict is not None:
                queues, positions = self.predict(first, new_keys)
            if self.put_off is not None:
                put_off = self.put_off(self._state, new_keys)
        self.record(
            ADMITTED(
                moment,
                source,
                new_keys,
                list(new.values()),
                list(nearer),
                list(nearer.values()),
                new_requisites,
                list(linked),
                put_off,
                hops,
                list(fewer),
                queues,
                positions,
            )
        )
        self._offer_from(first, moment)
        for there in again:
            self._offer_one(there, moment)
        for there in nearer:
            if self._came_nearer(there):
                passed.append(there)
        for there in fewer:  # of others than redirects nothing follows from it
            if there not in nearer and small(self._outcome, there) == REDIRECTED:
                passed.append(there)
        return passed

    # -- inside ---------------------------------------------------------------------------

    cpdef int _offer_from(self, Py_ssize_t first, double now) except -1:
        """Offer all URLs with numbers from `first` on, and tell their hosts."""
        cdef Py_ssize_t count = len(self._site), page
        cdef int64_t site, host, last = -1
        cdef dict hosts = {}
        if count == first:
            return 0
        PyByteArray_Resize(self._offered, count)
        memset(PyByteArray_AS_STRING(self._offered) + first, 0, count - first)
        for page in range(first, count):
            site = whole(self._site, page)
            if small(self._closed, site) or small(self._status, page) == PUT_OFF:
                continue
            self._offer(page, site)
            host = whole(self._host, site)
            if host != last:  # most links of a page lead to one host
                hosts[host] = None
                last = host
        for known in hosts:
            self._readiness.work_came(known, now)
        return 0

    cpdef int _offer(self, int64_t page, int64_t site) except -1:
        """Let the scheduler have a URL."""
        self._set_offered(page, 1)
        if self._nearest is not None:
            self._nearest.offer_ranked(page, site, self._distance_of(page))
        else:
            self._scheduler.offer(page, site)
        return 0

    cdef int _set_offered(self, int64_t page, char is_offered) except -1:
        if not 0 <= page < PyByteArray_GET_SIZE(self._offered):
            raise IndexError(f"{page} of {len(self._offered)}")
        PyByteArray_AS_STRING(self._offered)[page] = is_offered
        return 0

    cdef int64_t _distance_of(self, int64_t page) except -1:
        if not 0 <= page < len(self._distance):
            raise IndexError(f"{page} of {len(self._distance)}")
        return self._distance.data.as_ushorts[page]
