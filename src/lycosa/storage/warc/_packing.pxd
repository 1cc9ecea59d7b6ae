"""The parts of `_packing` that other compiled modules use."""

cdef str digest_of(object first, object second)
cdef bytes packed(bytes content, Py_ssize_t start, bint has_body)
