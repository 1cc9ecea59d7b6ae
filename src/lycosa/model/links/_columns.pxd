"""Parts of `_columns` for other compiled modules: targets, and a page's links parted in one call."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t


@cython.final
cdef class Target:
    cdef readonly str key
    cdef readonly str url
    cdef readonly uint64_t url_id
    cdef readonly str refusal
    cdef readonly bint has_parameters
    cdef public int64_t partition
    cdef public int64_t page
    cdef uint64_t turn      # in which page it was met last
    cdef int32_t entry      # the last entry of that page that leads to it
    cdef int32_t place      # of its URL among those of the rows with this number
    cdef uint64_t rows
    cdef uint64_t listed    # the page of whose list it was found to be part last (`_pagination`)
    cdef char numbers       # whether it has a number that may be one of pages, once that is known


cdef Target target_of(str key, str url, uint64_t url_id, str refusal)
cdef tuple sift(
    list targets, object raw, list kinds, str excused, uint64_t by, object uncounted
)
