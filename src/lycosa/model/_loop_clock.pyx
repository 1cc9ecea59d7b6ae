"""The present moment of a crawl, compiled, because every page asks several times."""


cdef class LoopClock:
    """A loop's time, carried to the wall clock by an offset; `lycosa.model.clock.RealClock` has the
rest.
"""

    cdef public object _time
    cdef public double _offset

    cpdef double now(self) except? -1.0:
        """Return the present moment."""
        return <double> self._time() + self._offset
