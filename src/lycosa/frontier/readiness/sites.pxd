from cpython cimport array as arrays
from lycosa._support.cells cimport int64_t
from lycosa.frontier.readiness.addresses cimport Entrant
from lycosa.frontier.schedulers._queues cimport SiteQueues


cdef class HostSites(Entrant):
    cdef readonly Py_ssize_t _number
    cdef readonly object _state
    cdef object _scheduler
    cdef SiteQueues _queues
    cdef dict _with_work
    cdef readonly object firsts
    cdef readonly dict robots_wanted, bursts_wanted
    cdef readonly set _bursting
    cdef dict _errands, _errands_wanted, _repeats, _repeats_wanted
    cdef arrays.array _first_site, _closed, _following, _site_due, _robots, _robots_expires
    cdef arrays.array _strikes

    cpdef bint has_first(self) except -1
    cpdef double _moment_of_work(self, Py_ssize_t host) except? -1.0
    cpdef int _rest_sites(self, Py_ssize_t host) except -1
    cdef bint _wake_sites(self, Py_ssize_t host, double now) except -1
    cdef bint _wake_site(self, Py_ssize_t host, int64_t site, double now, list failed) except -1
    cdef int _want_no_robots(self, int64_t site) except -1
    cdef bint _wake_failed(self, list failed, double now) except -1
    cdef bint _is_waiting(self, int64_t site) except -1
    cdef int _wake(self, int64_t site) except -1
    cdef int _rest(self, int64_t site) except -1
