# How terms are written as N-Triples: IRIs in brackets, literals in quotes.

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
