"""Parts of `_pagination` for other compiled modules."""


cdef list kinds_with_pagination(list targets, object raw, object table, object page)
