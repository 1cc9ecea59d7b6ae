# Tags as they stand on the web: where each ends, and what attributes it has.
#
# Names are read without regard to case, there may be white space around `=`, a value may lack a
# quote and a comment may end in `--!>` (HTML standard, 13.2.5). The walk over a page's RDFa reads
# tags too, but those that a serializer wrote (`rdfa/_tags.pxi`).

cdef struct Tags:
    # The end of the page.
    const byte *end
    bint is_xml
    # How many templates, and whether a noscript, the tag at hand stands in.
    Py_ssize_t templates
    bint is_in_noscript
    Piece attributes[ATTRIBUTES]
    uint64_t present
    # No such quote stands behind here.
    bint no_double, no_single
    # Signs of structured data on the tag at hand.
    int signs


cdef const byte *read_declaration(Said *said, Tags *tags, const byte *start) noexcept nogil:
    """Read markup that begins with `<` and is not a tag; returns where the page goes on."""
    cdef const byte *end = tags.end
    cdef const byte *p = start + 1
    cdef const byte *q
    cdef bint is_seen = not tags.templates and not tags.is_in_noscript
    if end - p >= 3 and memcmp(p, b"!--", 3) == 0:
        return end_of_comment(p + 3, end)
    if tags.is_xml and end - p >= 8 and memcmp(p, b"![CDATA[", 8) == 0:
        p += 8
        q = end_of_section(p, end)
        if is_seen:
            say(said, p, q, LITERAL)
        return q + 3 if end - q > 3 else end
    if p < end and (p[0] == c"!" or p[0] == c"?" or (p[0] == c"/" and p + 1 < end)):
        q = <const byte *> memchr(p, c">", end - p)
        return end if q == NULL else q + 1
    if is_seen:
        say(said, start, p, LITERAL)
    return p


cdef const byte *read_attributes(Tags *tags, const byte *p, int kept) noexcept nogil:
    """Read to behind the `>` of the tag; returns NULL if the page ends before it."""
    cdef const byte *end = tags.end
    cdef const byte *name
    cdef const byte *value
    cdef const byte *stop
    cdef Py_ssize_t name_size, size
    cdef int attribute, sign
    tags.present = 0
    tags.signs = 0
    while True:
        while p < end and CLASS[p[0]] & SKIPPED:
            p += 1
        if p >= end:
            return NULL
        if p[0] == c">":
            return p + 1
        name = p
        p += 1
        while p < end and not CLASS[p[0]] & NAME_END:
            p += 1
        name_size = p - name
        while p < end and CLASS[p[0]] & SPACE:
            p += 1
        size = 0
        value = p
        if p < end and p[0] == c"=":
            p += 1
            while p < end and CLASS[p[0]] & SPACE:
                p += 1
            if p >= end:
                return NULL
            value = p
            stop = NULL
            if p[0] == c'"' or p[0] == c"'":
                value += 1
                stop = closing_quote(tags, p)
            if stop != NULL:
                p = stop + 1
            else:
                stop = value
                while stop < end and not (CLASS[stop[0]] & SPACE or stop[0] == c">"):
                    stop += 1
                p = stop
            size = stop - value
        if name_size < 16 and (SIGNS[name[0]] >> name_size) & 1:
            sign = sign_of_name(name, name_size)
            if sign > HAS_MICRODATA and not tags.signs & sign:
                if has_rdfa_relation(value, size):
                    sign |= HAS_RDFA
            tags.signs |= sign
        if kept:
            attribute = attribute_of_name(name, name_size, kept)
            if attribute != UNKNOWN and not (tags.present >> attribute) & 1:
                tags.present |= <uint64_t> 1 << attribute
                tags.attributes[attribute].start = value
                tags.attributes[attribute].size = size


cdef inline const byte *closing_quote(Tags *tags, const byte *quote) noexcept nogil:
    """Find the quote that closes; when there is none any more, that is remembered."""
    cdef const byte *found
    cdef bint is_double = quote[0] == c'"'
    if tags.no_double if is_double else tags.no_single:
        return NULL
    found = <const byte *> memchr(quote + 1, quote[0], tags.end - quote - 1)
    if found == NULL:
        if is_double:
            tags.no_double = True
        else:
            tags.no_single = True
    return found


cdef inline bint has_value(Tags *tags, int attribute) noexcept nogil:
    return (tags.present >> attribute) & 1


cdef inline Piece value_of(Tags *tags, int attribute) noexcept nogil:
    cdef Piece nothing
    if (tags.present >> attribute) & 1:
        return tags.attributes[attribute]
    nothing.start = tags.end
    nothing.size = 0
    return nothing


cdef inline Piece href_of(Tags *tags) noexcept nogil:
    cdef Piece piece = value_of(tags, HREF)
    return piece if piece.size else value_of(tags, XLINK_HREF)


cdef inline const Tag *find_tag(uint64_t low, uint64_t high, Py_ssize_t size) noexcept nogil:
    cdef uint64_t slot = slot_of_name(low, high)
    while TAGS[slot].size:
        if TAGS[slot].low == low and TAGS[slot].high == high and TAGS[slot].size == size:
            return &TAGS[slot]
        slot = (slot + 1) % TAG_SLOTS
    return &NO_TAG


cdef const byte *end_of_comment(const byte *start, const byte *end) noexcept nogil:
    cdef const byte *q = start
    if q < end and q[0] == c">":
        return q + 1
    if end - q >= 2 and q[0] == c"-" and q[1] == c">":
        return q + 2
    while True:
        q = <const byte *> memchr(q, c">", end - q)
        if q == NULL:
            return end
        if q - start >= 2 and (q - 1)[0] == c"-" and (q - 2)[0] == c"-":
            return q + 1
        if q - start >= 3 and (q - 1)[0] == c"!" and (q - 2)[0] == c"-" and (q - 3)[0] == c"-":
            return q + 1
        q += 1


cdef const byte *end_of_section(const byte *start, const byte *end) noexcept nogil:
    cdef const byte *q = start
    while True:
        q = <const byte *> memchr(q, c">", end - q)
        if q == NULL:
            return end
        if q - start >= 2 and (q - 1)[0] == c"]" and (q - 2)[0] == c"]":
            return q - 2
        q += 1


cdef const byte *end_of_raw(const byte *p, const byte *end, const Tag *tag) noexcept nogil:
    cdef Py_ssize_t size = tag.size
    while True:
        p = <const byte *> memchr(p, c"<", end - p)
        if p == NULL:
            return end
        if end - p > size + 2 and p[1] == c"/" and is_same(p + 2, tag.name, size):
            if CLASS[p[size + 2]] & SKIPPED or p[size + 2] == c">":
                return p
        p += 1
