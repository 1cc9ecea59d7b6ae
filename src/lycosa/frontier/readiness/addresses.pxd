from lycosa.frontier.readiness.agenda cimport Agenda


cdef class Entrant:
    cpdef bint let_through(self, Py_ssize_t host, double now) except -1
    cpdef object comes_next(self, Py_ssize_t host, double now)
    cpdef bint has_answered(self, Py_ssize_t host) except -1


cdef class Slots:
    cpdef double take(self, str address, double pause_seconds) except? -1.0
    cpdef object let_go(self, str address, double pause_seconds, bint keeps=*)
    cpdef object let_others_in(self)


cdef class Gate:
    cdef Py_ssize_t number
    cdef int standing
    cdef bint is_crowding
    cdef bint is_taken
    cdef bint noted
    cdef double free_at
    cdef object queue

    cdef int put_last(self, Entrant entrant, Py_ssize_t host) except -1
    cdef int put_first(self, Entrant entrant, Py_ssize_t host) except -1
    cdef tuple take_first(self)


cdef class Addresses:
    cdef readonly set newcomers
    cdef object _connections, _machines_at, _crowd, _when_free
    cdef bint _is_admitting
    cdef dict _lively
    cdef Py_ssize_t _latest
    cdef Agenda _agenda
    cdef Slots _slots
    cdef double _ip_delay_seconds, _shut_until
    cdef dict _gates
    cdef list _by_number

    cpdef int enter(
        self, str address, Entrant entrant, Py_ssize_t host, double now, bint had_turn=*
    ) except -1
    cpdef int leave(self, str address, double now) except -1
    cpdef bint claim(self, str address, double now) except -1
    cpdef int queue_again(
        self, str address, Entrant entrant, Py_ssize_t host, double now
    ) except -1
    cpdef int asked(self, str address, double now, bint keeps=*) except -1
    cpdef int done(self, str address, double now) except -1
    cdef Gate _gate_of(self, str address)
    cdef Gate _new_gate(self, str address, int standing)
    cdef int _advance(self, Gate gate, double now) except -1
    cdef int _end_turn(self, Gate gate, double now) except -1
    cdef bint _take_place(self, Gate gate, double now) except -1
    cdef Py_ssize_t _places(self, double now) except -1
    cdef int _note_lively(self, Gate gate, double now) except -1
    cdef int _give_place_up(self, Gate gate, double now) except -1
