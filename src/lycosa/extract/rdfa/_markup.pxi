# Meanings of bytes and names in markup; decoding of the references of a serializer.

cdef enum:
    SPACE = 1
    SKIPPED = 2  # stands between attributes
    NAME_END = 4  # ends the name of an attribute
    TAG_END = 8  # ends the name of a tag
    NAME_START = 16
    FORBIDDEN = 32  # no IRI may have it
    SPECIAL = 64  # a literal has it only escaped
    SCHEME = 128

cdef enum:
    ABOUT, CONTENT, DATATYPE, DATETIME, DATETIME_CAMEL, HREF, ID, INLIST, LANG, PREFIX, PROPERTY
    REL, RESOURCE, REV, ROLES, SRC, TYPEOF, VOCAB, XML_BASE, XML_LANG, XMLNS, ATTRIBUTES

cdef enum:
    # Attributes that make an element one that RDFa speaks of; those that change what is in scope.
    SPOKEN = (
        1 << ABOUT | 1 << HREF | 1 << PROPERTY | 1 << REL | 1 << RESOURCE | 1 << REV
        | 1 << ROLES | 1 << SRC | 1 << TYPEOF
    )
    REFERRING = 1 << HREF | 1 << SRC
    SCOPED = (
        1 << LANG | 1 << PREFIX | 1 << VOCAB | 1 << XML_BASE | 1 << XML_LANG | 1 << XMLNS
    )

cdef struct Open:
    const byte *name
    Py_ssize_t size
    bint is_heavy

cdef byte CLASS[256]
cdef dict _ATTRIBUTES = {
    b"about": ABOUT, b"content": CONTENT, b"datatype": DATATYPE, b"datetime": DATETIME,
    b"dateTime": DATETIME_CAMEL, b"href": HREF, b"id": ID, b"inlist": INLIST, b"lang": LANG,
    b"prefix": PREFIX, b"property": PROPERTY, b"rel": REL, b"resource": RESOURCE, b"rev": REV,
    b"role": ROLES, b"src": SRC, b"typeof": TYPEOF, b"vocab": VOCAB, b"xml:base": XML_BASE,
    b"xml:lang": XML_LANG,
}

cdef enum:
    NAME_SLOTS = 1024

cdef struct Name:
    char text[16]
    int size
    int value

cdef Name ATTRIBUTE_NAMES[NAME_SLOTS]
cdef Name ELEMENT_NAMES[NAME_SLOTS]

# Properties of an element of HTML.
cdef enum:
    IS_VOID = 1
    IS_RAW = 2
    IS_FIRST_LINE = 4
    IS_TEMPLATE = 8
    IS_SECTION = 16  # `head` and `body`
    IS_TIME = 32


cdef inline int slot_of(const byte *name, Py_ssize_t size) noexcept nogil:
    # Tells our own names apart well; a page gains nothing by names that meet in a slot.
    return (name[0] * 31 + name[size - 1] * 7 + name[size >> 1] * 3 + size * 101) & (NAME_SLOTS - 1)


cdef inline int look_up(const Name *table, const byte *name, Py_ssize_t size) noexcept nogil:
    cdef int slot
    if size > 15:
        return -1
    slot = slot_of(name, size)
    while table[slot].size:
        if table[slot].size == size and memcmp(table[slot].text, name, size) == 0:
            return table[slot].value
        slot = (slot + 1) & (NAME_SLOTS - 1)
    return -1


cdef int put(Name *table, bytes name, int value) except -1:
    cdef int slot = slot_of(<const byte *> PyBytes_AS_STRING(name), len(name))
    while table[slot].size:
        slot = (slot + 1) & (NAME_SLOTS - 1)
    memcpy(table[slot].text, PyBytes_AS_STRING(name), len(name))
    table[slot].size = len(name)
    table[slot].value = value
    return 0


def _fill():
    cdef int i
    for i in range(256):
        if i in b" \t\n\r\f":
            CLASS[i] |= SPACE | SKIPPED | NAME_END | TAG_END
        if i == ord("/"):
            CLASS[i] |= SKIPPED | NAME_END | TAG_END
        if i == ord(">"):
            CLASS[i] |= NAME_END | TAG_END
        if i == ord("="):
            CLASS[i] |= NAME_END
        if i >= 128 or chr(i).isalpha() or i in b"_:":
            CLASS[i] |= NAME_START
        if i <= 32 or i in b'<>"{}|\\^`\x7f':
            CLASS[i] |= FORBIDDEN
        if i < 32 or i in b'"\\\x7f':
            CLASS[i] |= SPECIAL
        if i < 128 and (chr(i).isalnum() or i in b"+.-"):
            CLASS[i] |= SCHEME
    memset(ATTRIBUTE_NAMES, 0, sizeof(ATTRIBUTE_NAMES))
    memset(ELEMENT_NAMES, 0, sizeof(ELEMENT_NAMES))
    for name, value in _ATTRIBUTES.items():
        put(ATTRIBUTE_NAMES, name, value)
    for text in VOID:
        put(ELEMENT_NAMES, text.encode(), IS_VOID)
    for text in RAW:
        put(ELEMENT_NAMES, text.encode(), IS_RAW)
    for text in FIRST_LINE:
        put(ELEMENT_NAMES, text.encode(), IS_FIRST_LINE)
    put(ELEMENT_NAMES, b"template", IS_TEMPLATE)
    put(ELEMENT_NAMES, b"head", IS_SECTION)
    put(ELEMENT_NAMES, b"body", IS_SECTION)
    put(ELEMENT_NAMES, b"time", IS_TIME)


_fill()


cdef inline str text_of(Piece piece):
    return PyUnicode_DecodeUTF8(<const char *> piece.start, piece.size, NULL)


cdef inline Piece piece_of(bytes data) noexcept:
    cdef Piece piece
    piece.start = <const byte *> PyBytes_AS_STRING(data)
    piece.size = PyBytes_GET_SIZE(data)
    return piece


cdef Py_ssize_t decode(const byte *p, Py_ssize_t size, byte *out) noexcept nogil:
    """Decode the references that a serializer writes; returns -1 if there is another one.

    The result is never longer than its source.
    """
    cdef const byte *end = p + size
    cdef const byte *mark
    cdef byte *start = out
    cdef int number
    while p < end:
        mark = <const byte *> memchr(p, c"&", end - p)
        if mark == NULL:
            mark = end
        memcpy(out, p, mark - p)
        out += mark - p
        p = mark
        if p == end:
            break
        if end - p >= 5 and memcmp(p, b"&amp;", 5) == 0:
            out[0] = c"&"
            p += 5
        elif end - p >= 4 and memcmp(p, b"&lt;", 4) == 0:
            out[0] = c"<"
            p += 4
        elif end - p >= 4 and memcmp(p, b"&gt;", 4) == 0:
            out[0] = c">"
            p += 4
        elif end - p >= 6 and memcmp(p, b"&quot;", 6) == 0:
            out[0] = c'"'
            p += 6
        elif end - p >= 6 and memcmp(p, b"&nbsp;", 6) == 0:
            out[0] = 0xC2
            out[1] = 0xA0
            out += 1
            p += 6
        elif end - p >= 4 and p[1] == c"#":
            # The white space that XML writes so, in two digits or one.
            mark = p + 2
            number = 0
            while mark < end and mark - p < 4 and c"0" <= mark[0] <= c"9":
                number = 10 * number + mark[0] - c"0"
                mark += 1
            if mark >= end or mark[0] != c";" or (number != 9 and number != 10 and number != 13):
                return -1
            out[0] = number
            p = mark + 1
        else:
            return -1
        out += 1
    return out - start
