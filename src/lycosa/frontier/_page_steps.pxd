from cpython cimport array as arrays
from lycosa._support.cells cimport int64_t
from lycosa.frontier.schedulers._queues cimport SiteQueues


cdef class PageSteps:
    cdef readonly int number
    cdef public bint is_leaving, is_held_back
    cdef public Py_ssize_t in_flight
    cdef public list uncommitted
    cdef public object predict, put_off
    cdef readonly bytearray _offered
    cdef object _number, _state, _scheduler, _table, _agenda, _readiness
    cdef SiteQueues _queues     # if the scheduler chooses as they do, else None
    cdef SiteQueues _nearest    # if it also offers by distance
    cdef dict _changes, _appliers
    cdef arrays.array _site, _status, _distance, _hops, _guess, _outcome, _closed, _host
    cdef arrays.array _robots_expires

    cpdef bint has_work(self) except -1
    cpdef object next_task(self)
    cpdef object _task_of(self, int64_t page)
    cpdef int record(self, event) except -1
    cpdef int _offer_from(self, Py_ssize_t first, double now) except -1
    cpdef int _offer(self, int64_t page, int64_t site) except -1
    cdef int _set_offered(self, int64_t page, char is_offered) except -1
    cdef int64_t _distance_of(self, int64_t page) except -1
