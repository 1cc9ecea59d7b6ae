"""Parts of `_ada` for other compiled modules: keys of references without a list between."""

cdef class Page:
    cdef str base
    cdef bytes href
    cdef const char *data
    cdef bint valid
    cdef Py_ssize_t origin, folder, path, query
    cdef str whole_key      # None if the base has no canonical form
    cdef bytes site         # what stands before the path in the keys of this origin
    cdef bytes folder_key

    cdef void learn_key(self, str key) except *
    cdef Py_ssize_t kept(self, const char *href, Py_ssize_t size) noexcept
    cdef str key(self, str href)
    cdef str plain_key(self, const char *href, Py_ssize_t size, bint is_rooted)


cdef str url_of_key(str key)
