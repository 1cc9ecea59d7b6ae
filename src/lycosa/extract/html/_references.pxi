# Character references (HTML standard, 13.2.5.72), as `lycosa.extract.html.references` resolves them.

cdef inline int put_character(byte *out, int value) noexcept nogil:
    if value < 0x80:
        out[0] = value
        return 1
    if value < 0x800:
        out[0] = 0xC0 | (value >> 6)
        out[1] = 0x80 | (value & 0x3F)
        return 2
    if value < 0x10000:
        out[0] = 0xE0 | (value >> 12)
        out[1] = 0x80 | ((value >> 6) & 0x3F)
        out[2] = 0x80 | (value & 0x3F)
        return 3
    out[0] = 0xF0 | (value >> 18)
    out[1] = 0x80 | ((value >> 12) & 0x3F)
    out[2] = 0x80 | ((value >> 6) & 0x3F)
    out[3] = 0x80 | (value & 0x3F)
    return 4


cdef const byte *read_number(const byte *p, const byte *end, byte *out, int *size) noexcept nogil:
    """Read what follows `&#`; returns where it ends, or NULL if it is not a number."""
    cdef int value = 0
    cdef int base = 10
    cdef byte kind = DIGIT
    cdef const byte *start
    if p < end and LOWER[p[0]] == c"x":
        base, kind = 16, HEX
        p += 1
    start = p
    while p < end and CLASS[p[0]] & kind:
        if value < 0x110000:
            value = value * base + (p[0] - 48 if CLASS[p[0]] & DIGIT else LOWER[p[0]] - 87)
        p += 1
    if p == start:
        return NULL
    if p < end and p[0] == c";":
        p += 1
    if 0x80 <= value < 0xA0:
        value = WINDOWS[value - 0x80]
    elif value == 0 or value > 0x10FFFF or 0xD800 <= value < 0xE000:
        value = 0xFFFD
    size[0] = put_character(out, value)
    return p


cdef const byte *read_reference(
    const byte *p, const byte *end, bint is_attribute, byte *out, int *size
) noexcept nogil:
    """Resolve the reference that begins with the `&` at p; NULL if it is none."""
    cdef const byte *name
    cdef const byte *stop
    cdef const Entity *entity = NULL
    cdef Py_ssize_t length
    name = p + 1
    if name >= end:
        return NULL
    if name[0] == c"#":
        return read_number(name + 1, end, out, size)
    if not CLASS[name[0]] & LETTER:
        return NULL
    stop = name + 1
    while stop < end and CLASS[stop[0]] & (LETTER | DIGIT) and stop - name <= LONGEST_ENTITY:
        stop += 1
    length = stop - name
    if stop < end and stop[0] == c";":
        entity = find_entity(name, length + 1)
        length += 1
    if entity == NULL and is_attribute:
        if stop < end and (stop[0] == c"=" or stop[0] == c";"):
            return NULL
        entity = find_entity(name, length)
    if entity == NULL and not is_attribute:
        length = min(stop - name, <Py_ssize_t> LONGEST_BARE)
        while length >= 2:
            entity = find_entity(name, length)
            if entity != NULL:
                break
            length -= 1
    if entity == NULL:
        return NULL
    memcpy(out, entity.value, entity.value_size)
    size[0] = entity.value_size
    return name + entity.name_size
