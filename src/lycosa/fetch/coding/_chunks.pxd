"""Chunks, as other compiled modules see them (`_chunks.pyx`)."""

from libc.stdint cimport uint64_t

ctypedef unsigned char byte

cdef enum:
    # How a chunked body ended, in the order of `chunks.Framing`; or not yet.
    WHOLE
    CUT
    BAD
    MORE


cdef class ChunkReader:
    cdef readonly bint is_broken
    cdef int _expects
    cdef uint64_t _left
    cdef bytes _line

    cdef Py_ssize_t follow(self, const byte *start, Py_ssize_t size) except -2
    cdef bint read(self, const byte *p, const byte *end) noexcept


cdef bytes unchunked(bytes sent, int *how)
