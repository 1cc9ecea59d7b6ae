"""Cells of Python's arrays, read and written by compiled code at the price of C.

Facts of a partition stay arrays of the standard library (`lycosa.frontier.facts.columns`): they
grow in place, and Python reads them, too. Compiled code keeps the array, never its memory, which
moves when the array grows.

Always true: a number beyond an array is an `IndexError`, as it is in Python.
"""

from cpython cimport array
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset


cdef extern from *:
    """
    #define LYCOSA_ROOM(values) (((arrayobject *) (values))->allocated)
    #define LYCOSA_SET_LENGTH(values, length) Py_SET_SIZE((PyObject *) (values), length)
    """
    Py_ssize_t LYCOSA_ROOM(array.array values) noexcept
    void LYCOSA_SET_LENGTH(array.array values, Py_ssize_t length) noexcept


cdef inline int _is_there(array.array values, size_t number) except -1:
    if number >= <size_t> len(values):
        raise IndexError(f"{number} of {len(values)}")
    return 0


cdef inline double real(array.array values, size_t number) except? -1.0:
    """Return an entry of an array of doubles."""
    _is_there(values, number)
    return values.data.as_doubles[number]


cdef inline int small(array.array values, size_t number) except -1:
    """Return an entry of an array of bytes."""
    _is_there(values, number)
    return values.data.as_uchars[number]


cdef inline int64_t half(array.array values, size_t number) except -1:
    """Return an entry of an array of 16 bits."""
    _is_there(values, number)
    return values.data.as_ushorts[number]


cdef inline int64_t whole(array.array values, size_t number) except -1:
    """Return an entry of an array of 32 bits."""
    _is_there(values, number)
    return values.data.as_uints[number]


cdef inline uint64_t large(array.array values, size_t number) except? 0xFFFFFFFFFFFFFFFF:
    """Return an entry of an array of 64 bits."""
    _is_there(values, number)
    return values.data.as_ulonglongs[number]


cdef inline int put_real(array.array values, size_t number, double value) except -1:
    """Write an entry of an array of doubles."""
    _is_there(values, number)
    values.data.as_doubles[number] = value
    return 0


cdef inline int put_small(array.array values, size_t number, uint8_t value) except -1:
    """Write an entry of an array of bytes."""
    _is_there(values, number)
    values.data.as_uchars[number] = value
    return 0


cdef inline int put_whole(array.array values, size_t number, uint32_t value) except -1:
    """Write an entry of an array of 32 bits."""
    _is_there(values, number)
    values.data.as_uints[number] = value
    return 0


cdef inline int put_large(array.array values, size_t number, uint64_t value) except -1:
    """Write an entry of an array of 64 bits."""
    _is_there(values, number)
    values.data.as_ulonglongs[number] = value
    return 0


cdef inline int grow(array.array values, Py_ssize_t count) except -1:
    """Add entries of any value at the end, which the caller writes.

    An array that is full grows as Python lets it grow, by a sixteenth.
    """
    cdef Py_ssize_t length = len(values)
    if length + count <= LYCOSA_ROOM(values):
        LYCOSA_SET_LENGTH(values, length + count)
    else:
        values.frombytes(bytes(count * values.itemsize))
    return 0


cdef inline int grow_by_zeros(array.array values, Py_ssize_t count) except -1:
    """Add entries of an array of bytes, all zeros."""
    grow(values, count)
    memset(values.data.as_uchars + len(values) - count, 0, count)
    return 0
