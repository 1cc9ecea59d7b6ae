# Tags as `trees` writes them: where each ends, and what attributes it has.
#
# A serializer wrote them: names are compared as they are, a value follows its `=` at once and its
# quote is closed. Any other markup is read to its end too, as `plain_walk` reads it.

@cython.internal
@cython.auto_pickle(False)
cdef class Tags:
    """The tag at hand."""

    cdef bytes markup
    cdef const byte *end
    cdef bint is_xml
    # Its attributes, their references not yet resolved.
    cdef Piece attributes[ATTRIBUTES]
    cdef unsigned int present
    cdef dict namespaces
    # Values with their references resolved.
    cdef list kept

    @cython.final
    cdef const byte *skip(self, const byte *start) noexcept:
        """Pass over markup that begins with `<` and is not a tag."""
        cdef const byte *end = self.end
        cdef const byte *p
        if end - start >= 4 and memcmp(start, b"<!--", 4) == 0:
            p = <const byte *> memmem(start + 4, end - start - 4, COMMENT_END, 3)
            return end if p == NULL else p + 3
        if self.is_xml and end - start >= 2 and start[1] == c"?":
            p = <const byte *> memmem(start + 2, end - start - 2, INSTRUCTION_END, 2)
            return end if p == NULL else p + 2
        p = <const byte *> memchr(start, c">", end - start)
        return end if p == NULL else p + 1

    @cython.final
    cdef const byte *read_attributes(self, const byte *p) except NULL:
        """Read to behind the `>` of the tag, or to the end of the markup."""
        cdef const byte *end = self.end
        cdef const byte *name
        cdef const byte *stop
        cdef Py_ssize_t size
        cdef int attribute
        cdef Piece value
        self.present = 0
        if self.namespaces is not None:
            self.namespaces = None
        while True:
            while p < end and CLASS[p[0]] & SKIPPED:
                p += 1
            if p >= end:
                return end
            if p[0] == c">":
                return p + 1
            name = p
            p += 1
            while p < end and not CLASS[p[0]] & NAME_END:
                p += 1
            size = p - name
            value.start = p
            value.size = 0
            if p < end and p[0] == c"=":
                p += 1
                value.start = p
                stop = NULL
                if p < end and (p[0] == c'"' or p[0] == c"'"):
                    stop = <const byte *> memchr(p + 1, p[0], end - p - 1)
                if stop != NULL:
                    value.start = p + 1
                    value.size = stop - p - 1
                    p = stop + 1
                else:
                    while p < end and not (CLASS[p[0]] & SPACE or p[0] == c">"):
                        p += 1
                    value.size = p - value.start
            attribute = look_up(ATTRIBUTE_NAMES, name, size)
            if attribute >= 0:
                if not self.present >> attribute & 1:
                    self.present |= 1 << attribute
                    self.attributes[attribute] = value
            elif size >= 5 and memcmp(name, b"xmlns", 5) == 0 and (size == 5 or name[5] == c":"):
                self.present |= 1 << XMLNS
                if self.namespaces is None:
                    self.namespaces = {}
                stop = name + (5 if size == 5 else 6)
                self.namespaces.setdefault(
                    PyUnicode_DecodeUTF8(<const char *> stop, name + size - stop, NULL).lower(),
                    self.value_text(value),
                )

    @cython.final
    cdef inline bint has(self, int attribute) noexcept nogil:
        return self.present >> attribute & 1

    @cython.final
    cdef Piece resolved(self, Piece value) except *:
        """Resolve the references of a value; it is valid until the tag has been taken."""
        cdef bytes data
        cdef Py_ssize_t size
        if value.size == 0 or memchr(value.start, c"&", value.size) == NULL:
            return value
        data = PyBytes_FromStringAndSize(NULL, value.size)
        size = decode(value.start, value.size, <byte *> PyBytes_AS_STRING(data))
        if size < 0:
            data = unescape(text_of(value)).encode()
            size = len(data)
        self.kept.append(data)
        value.start = <const byte *> PyBytes_AS_STRING(data)
        value.size = size
        return value

    @cython.final
    cdef str value_text(self, Piece value):
        return text_of(self.resolved(value))
