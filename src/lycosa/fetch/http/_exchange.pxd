"""The records of one request on its way, as other compiled modules see them (`_exchange.pyx`)."""

cdef enum:
    # The fields of `fetch.coding.heads.Head`.
    HEAD_SENT
    HEAD_STATUS
    HEAD_HEADERS
    HEAD_LENGTH
    HEAD_IS_LASTING
    HEAD_IS_CODED
    HEAD_BY_NAME


cdef class Outgoing:
    cdef readonly object request
    cdef readonly object origin
    cdef readonly str path
    cdef readonly tuple key
    cdef readonly object on_answer


cdef class Received:
    cdef public list lines
    cdef public object head
    cdef public bytes first
    cdef public bytearray rest
    cdef public bint is_cut
    cdef public bint was_asked
    cdef public object verdict
    cdef public str detail
    cdef public bint is_missed

    cpdef clear(self)
    cdef Py_ssize_t held(self) noexcept
    cpdef bint take(self, bytes data, Py_ssize_t limit) except -1
    cpdef bytes body(self)


cdef class Exchange:
    cdef public object _around
    cdef public object carrier
    cdef public bytes asked_end
    cdef public str request_target
    cdef public bytes _asked
    cdef public Received received
    cdef public tuple key
    cdef public Py_ssize_t limit
    cdef public double began
    cdef public double asked_at
    cdef public double window_began
    cdef public Py_ssize_t window_size
    cdef public bint is_paused
    cdef public Outgoing outgoing

    cdef int load(self, Outgoing outgoing) except -1
    cdef bint passes(self, str peer, bint is_proxy) except -1
    cdef bint asks_head(self) noexcept
    cdef bytes text(self)
    cdef object answer(self)
    cdef int unload(self) except -1
