cdef class Alarm:
    cdef object _clock, _callback, _timer, _ringing
    cdef double _moment

    cpdef int set_before(self, double moment) except -1


cdef class PartitionTurns:
    cdef readonly object _partitions
    cdef readonly dict _with_work

    cpdef object next(self)
