# Is a body in UTF-8? Asked before it is scanned, without making a string of it.

def is_plain(bytes body not None):
    """Tell whether a body is ASCII without NUL: in UTF-8 as it is, whatever it says it is in."""
    cdef const byte *p = <const byte *> PyBytes_AS_STRING(body)
    cdef Py_ssize_t i, size = PyBytes_GET_SIZE(body)
    cdef byte high = 0
    cdef byte has_nul = 0
    for i in range(size):
        high |= p[i]
        has_nul |= p[i] == 0
    return not (high & 0x80 or has_nul)


def is_utf8(bytes body not None):
    """Tell whether a body is UTF-8 (RFC 3629): Python would make a string of it to find out."""
    cdef const byte *p = <const byte *> PyBytes_AS_STRING(body)
    cdef const byte *end = p + PyBytes_GET_SIZE(body)
    cdef uint64_t word
    cdef byte low, high
    cdef int more
    while p < end:
        if end - p >= 8:
            memcpy(&word, p, 8)
            if not word & 0x8080808080808080u:
                p += 8
                continue
        if p[0] < 0x80:
            p += 1
            continue
        low, high = 0x80, 0xBF
        if p[0] < 0xC2 or p[0] > 0xF4:
            return False
        if p[0] < 0xE0:
            more = 1
        elif p[0] < 0xF0:
            more = 2
            if p[0] == 0xE0:
                low = 0xA0
            elif p[0] == 0xED:
                high = 0x9F  # surrogates
        else:
            more = 3
            if p[0] == 0xF0:
                low = 0x90
            elif p[0] == 0xF4:
                high = 0x8F
        if end - p <= more or p[1] < low or p[1] > high:
            return False
        if more > 1 and p[2] & 0xC0 != 0x80:
            return False
        if more > 2 and p[3] & 0xC0 != 0x80:
            return False
        p += 1 + more
    return True
