# Records of elements that are open.

@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Slot:
    """The place of a literal in a list."""

    cdef bytes term


@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Lists:
    """The lists of one subject, by predicate."""

    cdef bytes origin
    cdef dict items

    def __cinit__(self, bytes origin):
        self.origin = origin


@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Incomplete:
    """A triple that waits for a child to be its object, or subject; or a list for an item."""

    cdef bytes subject, predicate
    cdef bint is_reverse
    cdef list items


@cython.final
@cython.internal
@cython.auto_pickle(False)
@cython.freelist(64)
cdef class Frame:
    """Steps to do, and to undo, when an element ends."""

    # The context that the element was given, if it gives its children another one.
    cdef bint has_context
    cdef bytes parent_object
    cdef list incomplete
    cdef Lists lists
    cdef Piece link
    cdef Frame link_frame
    cdef Lists own_lists
    cdef tuple scope
    cdef list prefixes
    # The literal that the element's text will be.
    cdef bint is_pending, is_moment
    cdef bytes subject, datatype
    cdef list predicates, slots
    cdef Py_ssize_t text_start
    cdef const byte *markup_start


cdef inline list items_of(Lists lists, bytes predicate):
    cdef list items
    if lists.items is None:
        lists.items = {}
    items = lists.items.get(predicate)
    if items is None:
        items = lists.items[predicate] = []
    return items


cdef inline Incomplete waiting_for(bytes subject, bytes predicate, bint is_reverse, list items):
    cdef Incomplete waiting = Incomplete.__new__(Incomplete)
    waiting.subject, waiting.predicate = subject, predicate
    waiting.is_reverse, waiting.items = is_reverse, items
    return waiting


cdef bint is_one_word(bytes value) noexcept:
    cdef const char *data = PyBytes_AS_STRING(value)
    cdef Py_ssize_t i
    for i in range(PyBytes_GET_SIZE(value)):
        if CLASS[<byte> data[i]] & SPACE or data[i] == c"&":
            return False
    return PyBytes_GET_SIZE(value) > 0


cdef bytes narrowed(bytes value):
    """Drop terms from a `rel` beside a `property`."""
    cdef str kept = without_terms(unescape(value.decode()))
    return None if kept is None else kept.replace("&", "&amp;").encode()


cdef bytes first_word(bytes value):
    cdef list words
    if is_one_word(value):
        return value
    words = split_words(unescape(value.decode()))
    return words[0].replace("&", "&amp;").encode() if words else b""
