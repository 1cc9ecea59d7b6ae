"""How much larger than its markup a tree can become, by the open formatting elements.

The HTML standard opens formatting elements again (`b`, `font` …) wherever a later block has closed
them: 500 that are left open and 8,000 paragraphs make four million elements of 37 kB. It also
copies some when they end around blocks. `growth` predicts that before any tree is built, without
following the standard: it counts which formatting elements may be open, and takes each of them as
opened again at every tag that can close one.

The prediction is an upper bound whatever the markup holds:
  * start tags count even where there may be none (comments, scripts, values of attributes), and an
    end tag closes nothing, because it may be in one of these; but an element is closed whose end
    tag is the first tag in it;
  * of equal start tags three are open at most, by the standard, and of `a` one;
  * the length of a tag is that of its attributes too, which are copied with it.

Cost: linear in the bytes. Not here: the decision what is too much (`trees`).

One pass, a look at each `<` and at the name behind it. Only formatting elements with attributes
cost more: they are kept in a dictionary. Always true: it returns what
`tests.plain_growth.growth` returns (tests/unit/extract/html/test_growth.py).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memchr, memset

ctypedef unsigned char byte

ELEMENT_BYTES = 200
"""Memory of an element without attributes."""
COPIES = 32
"""Elements that one end tag of a formatting element can make (standard, adoption agency: 8 x 4)."""
LOOKED_AHEAD = 1024
"""How far a tag is read beyond a `<` in it; one that is longer counts as long as the document."""

cdef Py_ssize_t ELEMENT = ELEMENT_BYTES, COPIED = COPIES, AHEAD = LOOKED_AHEAD
cdef enum:
    # Formatting elements by name, so that those without attributes can be counted.
    B, I, S, U, EM, TT, BIG, CODE, FONT, SMALL, STRIKE, STRONG, NOBR, ANCHOR, EXEMPT, OTHER


cdef inline bint is_letter(byte c) noexcept nogil:
    return c"a" <= (c | 32) <= c"z"


cdef inline bint is_space(byte c) noexcept nogil:
    return c == c" " or 9 <= c <= 10 or 12 <= c <= 13


cdef inline bint is_name(const byte *name, const char *wanted, int size) noexcept nogil:
    cdef int i
    for i in range(size):
        if (name[i] | 32) != <byte> wanted[i]:
            return False
    return True


cdef inline int kind_of(const byte *name, Py_ssize_t size) noexcept nogil:
    cdef byte first = name[0] | 32
    if size == 1:
        if first == c"a":
            return ANCHOR
        return B if first == c"b" else I if first == c"i" else S if first == c"s" else (
            U if first == c"u" else OTHER
        )
    if size == 2:
        if is_name(name, "br", 2):
            return EXEMPT
        return EM if is_name(name, "em", 2) else TT if is_name(name, "tt", 2) else OTHER
    if size == 3:
        if is_name(name, "img", 3):
            return EXEMPT
        return BIG if is_name(name, "big", 3) else OTHER
    if size == 4:
        if is_name(name, "span", 4):
            return EXEMPT
        return CODE if is_name(name, "code", 4) else FONT if is_name(name, "font", 4) else (
            NOBR if is_name(name, "nobr", 4) else OTHER
        )
    if size == 5:
        return SMALL if is_name(name, "small", 5) else OTHER
    if size == 6:
        return STRONG if is_name(name, "strong", 6) else (
            STRIKE if is_name(name, "strike", 6) else OTHER
        )
    return OTHER


cdef const byte *tag_end(const byte *p, const byte *end) noexcept nogil:
    """Return the end of a tag from the end of its name; NULL if it has none, or is too long."""
    cdef const byte *bracket = <const byte *> memchr(p, c"<", end - p)
    cdef byte quote
    if bracket != NULL and end - bracket > AHEAD + 1:
        end = bracket + AHEAD + 1
    while p < end:
        if p[0] == c">":
            return p + 1
        if is_space(p[0]) or p[0] == c"/":
            p += 1
            continue
        # The name of an attribute, of which `=` can be the first character.
        p += 1
        while p < end and not (is_space(p[0]) or p[0] == c"/" or p[0] == c">" or p[0] == c"="):
            p += 1
        while p < end and is_space(p[0]):
            p += 1
        if p >= end or p[0] != c"=":
            continue
        p += 1
        while p < end and is_space(p[0]):
            p += 1
        if p >= end:
            return NULL
        if p[0] == c'"' or p[0] == c"'":
            quote = p[0]
            p = <const byte *> memchr(p + 1, quote, end - p - 1)
            if p == NULL:
                return NULL
            p += 1
        else:
            while p < end and not (is_space(p[0]) or p[0] == c">"):
                p += 1
    return NULL


cdef bint is_closed_at_once(
    const byte *p, const byte *end, const byte *name, Py_ssize_t size
) noexcept nogil:
    """Return whether the end tag of an element is the first tag in it; p is where it begins."""
    cdef Py_ssize_t i
    p = <const byte *> memchr(p, c"<", end - p)
    if p == NULL or end - p < size + 3 or p[1] != c"/":
        return False
    for i in range(size):
        if (p[i + 2] | 32) != (name[i] | 32):
            return False
    return is_space(p[size + 2]) or p[size + 2] == c"/" or p[size + 2] == c">"


def growth(bytes body not None, Py_ssize_t step, Py_ssize_t most):
    """Return how many start tags there are, and where each `step` bytes of growth are reached."""
    cdef const byte *base = <const byte *> PyBytes_AS_STRING(body)
    cdef const byte *end = base + len(body)
    cdef const byte *p = base
    cdef const byte *start
    cdef const byte *name
    cdef const byte *stop
    cdef Py_ssize_t elements = 0, active = 0, active_bytes = 0, longest = 0, longest_anchor = 0
    cdef Py_ssize_t total = 0, next_step = step, size
    cdef int plain[16]
    cdef int kind, count
    cdef bint is_closing
    cdef dict known = {}
    cdef list cuts = []
    cdef bytes text
    memset(plain, 0, sizeof(plain))
    while p < end:
        start = <const byte *> memchr(p, c"<", end - p)
        if start == NULL:
            break
        p = start + 1
        is_closing = p < end and p[0] == c"/"
        name = p + is_closing
        if name >= end or not is_letter(name[0]):
            continue
        p = name + 1
        while p < end and not (is_space(p[0]) or p[0] == c"/" or p[0] == c">"):
            if p[0] == c"<":
                # Within a name it is part of it; where it is none, the next tag begins here.
                break
            p += 1
        kind = kind_of(name, p - name) if p < end and p[0] != c"<" else OTHER
        if is_closing:
            total += active * ELEMENT + active_bytes
            if kind <= ANCHOR:
                total += COPIED * longest
        else:
            elements += 1
            stop = tag_end(p, end) if kind <= ANCHOR else NULL
            if kind <= ANCHOR and (
                stop == NULL or not is_closed_at_once(stop, end, name, p - name)
            ):
                size = (end if stop == NULL else stop) - start
                if size > longest:
                    longest = size
                if kind == ANCHOR:
                    # Another `a` closes the one before: there is never more than one.
                    if longest_anchor == 0:
                        active += 1
                    if size > longest_anchor:
                        active_bytes += size - longest_anchor
                        longest_anchor = size
                elif p[0] == c">":
                    if plain[kind] < 3:
                        plain[kind] += 1
                        active += 1
                        active_bytes += size
                else:
                    count = 0
                    if stop != NULL:
                        text = PyBytes_FromStringAndSize(<const char *> start, size)
                        count = known.get(text, 0)
                        known[text] = count + 1
                    if count < 3:
                        active += 1
                        active_bytes += size
            if kind >= NOBR and kind != EXEMPT:
                total += active * ELEMENT + active_bytes
        while total >= next_step:
            cuts.append(start - base)
            next_step += step
            if <Py_ssize_t> len(cuts) > most:
                return elements, cuts
    return elements, cuts
