from libc.stdint cimport int64_t, uint32_t


cdef class SiteQueues:
    cdef int wake_site(self, uint32_t site) except -1
    cdef int rest_site(self, uint32_t site) except -1
    cdef Py_ssize_t count_of(self, uint32_t site) except -1
    cdef Py_ssize_t count_ready(self) except -1
    cdef int64_t choose_first(self) except -2
    cdef int offer_ranked(self, uint32_t page, uint32_t site, uint32_t rank) except -1
