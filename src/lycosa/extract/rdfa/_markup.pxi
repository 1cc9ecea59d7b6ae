# What bytes and names mean in markup, and how values are decoded and written as N-Triples.

ctypedef unsigned char byte

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

cdef struct Piece:
    const byte *start
    Py_ssize_t size

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

# What an element of HTML does.
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


cdef inline bytes bytes_of(Piece piece):
    return PyBytes_FromStringAndSize(<const char *> piece.start, piece.size)


cdef inline str text_of(Piece piece):
    return PyUnicode_DecodeUTF8(<const char *> piece.start, piece.size, NULL)


cdef inline Piece piece_of(bytes data) noexcept:
    cdef Piece piece
    piece.start = <const byte *> PyBytes_AS_STRING(data)
    piece.size = PyBytes_GET_SIZE(data)
    return piece


cdef inline Piece trimmed(Piece piece) noexcept nogil:
    while piece.size and CLASS[piece.start[0]] & SPACE:
        piece.start += 1
        piece.size -= 1
    while piece.size and CLASS[piece.start[piece.size - 1]] & SPACE:
        piece.size -= 1
    return piece


cdef inline bint has_scheme(Piece piece) noexcept nogil:
    cdef Py_ssize_t i = 1
    cdef byte first
    if piece.size == 0:
        return False
    first = piece.start[0] | 32
    if first < c"a" or first > c"z" or piece.start[0] > 127:
        return False
    while i < piece.size and CLASS[piece.start[i]] & SCHEME:
        i += 1
    return i < piece.size and piece.start[i] == c":"


cdef inline bint may_have_dots(Piece piece) noexcept nogil:
    """Tell whether `.` or `..` may be a segment of a path."""
    cdef const byte *p = piece.start
    cdef const byte *end = p + piece.size
    while True:
        p = <const byte *> memchr(p, c".", end - p)
        if p == NULL:
            return False
        p += 1
        if p == end or p[0] == c"/" or p[0] == c"?" or p[0] == c"#":
            return True


cdef bytes joined_iri(Piece before, Piece after):
    """Return an IRI of two parts as a term: in brackets, what is forbidden percent-encoded."""
    cdef Py_ssize_t i, extra = 0, size = before.size + after.size
    cdef bytes term
    cdef byte *out
    for i in range(before.size):
        extra += CLASS[before.start[i]] & FORBIDDEN != 0
    for i in range(after.size):
        extra += CLASS[after.start[i]] & FORBIDDEN != 0
    term = PyBytes_FromStringAndSize(NULL, size + 2 * extra + 2)
    out = <byte *> PyBytes_AS_STRING(term)
    out[0] = c"<"
    if not extra:
        memcpy(out + 1, before.start, before.size)
        memcpy(out + 1 + before.size, after.start, after.size)
    else:
        percent(percent(out + 1, before), after)
    out[size + 2 * extra + 1] = c">"
    return term


cdef byte *percent(byte *out, Piece piece) noexcept nogil:
    cdef Py_ssize_t i
    cdef const char *digits = b"0123456789ABCDEF"
    for i in range(piece.size):
        if CLASS[piece.start[i]] & FORBIDDEN:
            out[0] = c"%"
            out[1] = digits[piece.start[i] >> 4]
            out[2] = digits[piece.start[i] & 15]
            out += 3
        else:
            out[0] = piece.start[i]
            out += 1
    return out


cdef bytes literal_of(Piece value, bytes language, bytes datatype):
    """Return a literal as a term."""
    cdef Py_ssize_t i, extra = 0, size
    cdef bytes term
    cdef byte *out
    cdef byte letter
    cdef const char *digits = b"0123456789ABCDEF"
    for i in range(value.size):
        if CLASS[value.start[i]] & SPECIAL:
            letter = value.start[i]
            extra += 1 if letter in b'\n\r\t\x08\x0c"\\' else 5
    size = 2 + value.size + extra
    if datatype:
        size += 2 + PyBytes_GET_SIZE(datatype)
    elif language:
        size += 1 + PyBytes_GET_SIZE(language)
    term = PyBytes_FromStringAndSize(NULL, size)
    out = <byte *> PyBytes_AS_STRING(term)
    out[0] = c'"'
    out += 1
    if not extra:
        memcpy(out, value.start, value.size)
        out += value.size
    else:
        for i in range(value.size):
            letter = value.start[i]
            if not CLASS[letter] & SPECIAL:
                out[0] = letter
                out += 1
                continue
            out[0] = c"\\"
            if letter == c"\n":
                out[1] = c"n"
            elif letter == c"\r":
                out[1] = c"r"
            elif letter == c"\t":
                out[1] = c"t"
            elif letter == 8:
                out[1] = c"b"
            elif letter == 12:
                out[1] = c"f"
            elif letter == c'"' or letter == c"\\":
                out[1] = letter
            else:
                out[1] = c"u"
                out[2] = out[3] = c"0"
                out[4] = digits[letter >> 4]
                out[5] = digits[letter & 15]
                out += 4
            out += 2
    out[0] = c'"'
    out += 1
    if datatype:
        out[0] = out[1] = c"^"
        memcpy(out + 2, PyBytes_AS_STRING(datatype), PyBytes_GET_SIZE(datatype))
    elif language:
        out[0] = c"@"
        memcpy(out + 1, PyBytes_AS_STRING(language), PyBytes_GET_SIZE(language))
    return term


cdef Py_ssize_t decode(const byte *p, Py_ssize_t size, byte *out) noexcept nogil:
    """Decode the references that a serializer writes; returns -1 if there is another one.

    What is written is never longer than what is read.
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
