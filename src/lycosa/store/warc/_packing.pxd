"""What other compiled modules use of `_packing`."""

cdef str digest_of(object first, object second)
cdef bytes packed(bytes content, Py_ssize_t start, bint has_body)
