from cpython cimport array as arrays
from lycosa._support.cells cimport uint64_t
from lycosa.frontier.readiness.addresses cimport Addresses
from lycosa.frontier.readiness.agenda cimport Agenda
from lycosa.frontier.readiness.sites cimport HostSites


cdef class Readiness(HostSites):
    cdef readonly object _around
    cdef readonly Agenda _agenda
    cdef readonly object _when_due
    cdef readonly Addresses addresses
    cdef readonly arrays.array _phase, _wake_at
    cdef readonly dict _address
    cdef set _had_turn
    cdef dict _held
    cdef readonly bint _is_abandoned
    cdef readonly object resumed_at
    cdef uint64_t _known_number
    cdef str _known_address
    cdef arrays.array _host_due, _host_address, _address_expires

    cpdef int work_came(self, Py_ssize_t host, double now) except -1
    cpdef bint claim(self, Py_ssize_t host, double now) except -1
    cpdef str take(self, Py_ssize_t host)
    cpdef int free_address(self, Py_ssize_t host, double now) except -1
    cpdef object give_back(self, Py_ssize_t host, double now, bint keeps=*)
    cpdef int put_back(self, Py_ssize_t host, double now) except -1
    cpdef int look_again(self, Py_ssize_t host, double now) except -1
    cpdef int resolved(self, Py_ssize_t host, str address, double now) except -1
    cdef int _grow(self, Py_ssize_t host) except -1
    cdef str _resolve(self, Py_ssize_t host, double now)
    cpdef object _plan(self, Py_ssize_t host, double now)
    cpdef double _due(self, Py_ssize_t host) except? -1.0
    cpdef double _floor(self, Py_ssize_t host) except? -1.0
    cpdef int _look_ahead(self, Py_ssize_t host, double now) except -1
