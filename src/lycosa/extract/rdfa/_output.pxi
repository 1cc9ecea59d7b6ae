# The triples, as they are written, and the blank nodes in them.

@cython.internal
@cython.auto_pickle(False)
cdef class Output(Tags):
    """The triples written so far, and the room for more."""

    cdef bytes label
    cdef Py_ssize_t node_count
    cdef byte *out
    cdef Py_ssize_t out_size, out_room, room

    @cython.final
    cdef inline int charge(self, Py_ssize_t size) except -1:
        """Take from the room that there is for output."""
        self.room -= size
        if self.room < 0:
            raise Full
        return 0

    @cython.final
    cdef bytes node(self):
        """Make a blank node."""
        self.node_count += 1
        return b"%b%d" % (self.label, self.node_count - 1)

    @cython.final
    cdef int write(self, bytes subject, bytes predicate, bytes value) except -1:
        cdef Py_ssize_t first = PyBytes_GET_SIZE(subject), second = PyBytes_GET_SIZE(predicate)
        cdef Py_ssize_t third = PyBytes_GET_SIZE(value)
        cdef Py_ssize_t size = first + second + third + 5
        cdef byte *out
        self.charge(size)
        if self.out_size + size > self.out_room:
            while self.out_size + size > self.out_room:
                self.out_room *= 2
            out = <byte *> realloc(self.out, self.out_room)
            if out == NULL:
                raise MemoryError
            self.out = out
        out = self.out + self.out_size
        memcpy(out, PyBytes_AS_STRING(subject), first)
        out += first
        out[0] = c" "
        memcpy(out + 1, PyBytes_AS_STRING(predicate), second)
        out += second + 1
        out[0] = c" "
        memcpy(out + 1, PyBytes_AS_STRING(value), third)
        out += third + 1
        memcpy(out, b" .\n", 3)
        self.out_size += size
        return 0

    @cython.final
    cdef int write_lists(self, Lists lists) except -1:
        cdef bytes predicate, rest, node
        cdef list items
        if lists.items is None:
            return 0
        for predicate, items in lists.items.items():
            rest = NIL
            for item in reversed(items):
                node = self.node()
                self.write(node, FIRST, (<Slot> item).term if type(item) is Slot else item)
                self.write(node, REST, rest)
                rest = node
            self.write(lists.origin, predicate, rest)
        return 0
