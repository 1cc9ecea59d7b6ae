"""Fields of Python's records, read by compiled code at the price of a field of C.

Records stay `msgspec` structs and classes with `__slots__`, because Python reads those twice as fast as
it reads extension types (decision 114). Compiled code learns once where a field lies and reads or fills it
there, as the interpreter's own specialised instructions do: 3 ns instead of 22.

Always true: a field is read only from a record of the type whose offset was asked for. The reader
makes sure of that with `is_a`, once for each record that comes from outside its module.
"""

from cpython.object cimport PyObject, Py_TYPE

cdef extern from *:
    """
    #define LYCOSA_FIELD(record, offset) (*(PyObject **)((char *)(record) + (offset)))
    #define LYCOSA_PUT(record, offset, value) \\
        do { \\
            PyObject **lycosa_place = &LYCOSA_FIELD(record, offset), *lycosa_old = *lycosa_place; \\
            Py_INCREF(value); \\
            *lycosa_place = (value); \\
            Py_XDECREF(lycosa_old); \\
        } while (0)
    """
    PyObject *LYCOSA_FIELD(PyObject *record, Py_ssize_t offset) noexcept nogil
    void LYCOSA_PUT(PyObject *record, Py_ssize_t offset, PyObject *value) noexcept
    ctypedef struct PyMemberDef:
        Py_ssize_t offset
    ctypedef struct PyMemberDescrObject:
        PyMemberDef *d_member


cdef inline Py_ssize_t offset_of(object kind, str name) except -1:
    """Return where a field of a struct, or of a class with slots, lies in its instances."""
    descriptor = getattr(kind, name)
    if type(descriptor).__name__ != "member_descriptor":
        raise TypeError(f"{kind.__name__}.{name} is not a field at a fixed place")
    return (<PyMemberDescrObject *> <PyObject *> descriptor).d_member.offset


cdef inline object field(object record, Py_ssize_t offset):
    """Return a field; one that was never set is a fault of the caller."""
    return <object> LYCOSA_FIELD(<PyObject *> record, offset)


cdef inline void put_field(object record, Py_ssize_t offset, object value) noexcept:
    """Fill a field; only of a record that its type lets change, and that holds more than values.

    The garbage collector must know the record already: it is not told of it here.
    """
    LYCOSA_PUT(<PyObject *> record, offset, <PyObject *> value)


cdef inline bint is_a(object record, object kind) noexcept:
    """Tell whether a record is of exactly this type."""
    return <PyObject *> Py_TYPE(record) is <PyObject *> kind
