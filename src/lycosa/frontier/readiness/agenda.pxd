cdef class Agenda:
    cdef list _entries
    cdef object _order
    cdef double _horizon
    cdef object _later, _far, _actions
    cdef Py_ssize_t _boxed

    cpdef object note(self, double moment, object action, object subject)
    cpdef object run(self, double now)
    cpdef object next_moment(self)
    cdef int _look_ahead(self, double now) except -1
