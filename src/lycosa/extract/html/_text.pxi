# The two buffers of a page: visible text, and values of attributes whose references are resolved.
#
# White space is collapsed as text is met: `gap` says what is to be put before the next character.

cdef str text_of(Piece piece):
    return PyUnicode_DecodeUTF8(<const char *> piece.start, piece.size, b"replace")


cdef str text_between(const byte *start, const byte *end):
    return PyUnicode_DecodeUTF8(<const char *> start, end - start, b"replace")


cdef inline Piece cut(Piece piece, Py_ssize_t longest) noexcept nogil:
    """Cut to so many characters, and what space is then at the end."""
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t characters = 0
    if piece.size > longest:
        while i < piece.size:
            characters += (piece.start[i] & 0xC0) != 0x80
            if characters > longest:
                break
            i += 1
        piece.size = i
        while piece.size and piece.start[piece.size - 1] in b" \n":
            piece.size -= 1
    return piece


cdef struct Said:
    # Visible text, and what is to be put before its next character.
    byte *text
    byte *text_end
    int gap
    # Values of attributes whose references are resolved.
    byte *values
    byte *values_end
    # Of the page.
    Py_ssize_t size


cdef extern from *:
    """
    #define LYCOSA_EACH(byte) (0x0101010101010101u * (byte))
    #define LYCOSA_LOW(w, than) (((w) - LYCOSA_EACH(than)) & ~(w))
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define lycosa_in_order(w) __builtin_bswap64(w)
    #else
    #define lycosa_in_order(w) (w)
    #endif
    /* How many of eight bytes stand before the first that is `<`, `&`, 0xC2 or less than a space. */
    static inline int lycosa_before_other(uint64_t w) {
        uint64_t a = w ^ LYCOSA_EACH(0x3C), b = w ^ LYCOSA_EACH(0x26), c = w ^ LYCOSA_EACH(0xC2);
        uint64_t found = LYCOSA_LOW(w, 0x20) | LYCOSA_LOW(a, 1) | LYCOSA_LOW(b, 1) | LYCOSA_LOW(c, 1);
        found &= LYCOSA_EACH(0x80);
        return found ? __builtin_ctzll(found) >> 3 : 8;
    }
    /* The highest bit of each byte that is a space, if none is less; perhaps of a `!` behind one, too. */
    static inline uint64_t lycosa_spaces(uint64_t w) {
        return LYCOSA_LOW(w, 0x21) & LYCOSA_EACH(0x80);
    }
    """
    uint64_t in_order "lycosa_in_order"(uint64_t) noexcept nogil
    int before_other "lycosa_before_other"(uint64_t) noexcept nogil
    uint64_t spaces_in "lycosa_spaces"(uint64_t) noexcept nogil


cdef inline int shown_as_it_is(const byte *p, const byte *end, byte *out, byte *is_space) noexcept nogil:
    """Copy text in which no space follows another, at most eight bytes; returns how many.

    `out` has room for eight. `is_space` tells whether a space is the last of what was copied before.
    """
    cdef uint64_t w, spaces
    cdef int size
    if end - p < 8:
        return 0
    memcpy(&w, p, 8)
    memcpy(out, &w, 8)
    w = in_order(w)
    size = before_other(w)
    if size == 0:
        return 0
    spaces = spaces_in(w) << (64 - 8 * size) >> (64 - 8 * size)
    if spaces & (spaces << 8 | <uint64_t> is_space[0] << 7):
        return 0
    is_space[0] = spaces >> (8 * size - 1)
    return size


cdef const byte *say(Said *said, const byte *p, const byte *end, Run run) noexcept nogil:
    """Append text, its white space collapsed; returns where the run ends."""
    cdef const byte *after
    cdef byte decoded[16]
    cdef int size, i
    cdef byte *start = said.text
    cdef byte *out = said.text_end
    cdef int gap = said.gap
    cdef byte kind, is_space
    while p < end:
        kind = CLASS[p[0]]
        if kind & SPACE:
            if gap == NO_GAP:
                gap = WORD_GAP
            p += 1
            continue
        if not kind & SPECIAL:
            if gap:
                if out != start:
                    out[0] = c"\n" if gap == LINE_GAP else c" "
                    out += 1
                gap = NO_GAP
            # Without a branch for white space, which comes where no processor expects it:
            # a space is written always, and written over if another was before it.
            is_space = 0
            while True:
                size = shown_as_it_is(p, end, out, &is_space)
                while size:  # nearly all text
                    p, out = p + size, out + size
                    size = shown_as_it_is(p, end, out, &is_space)
                if p == end:
                    break
                kind = CLASS[p[0]]
                if kind & SPECIAL:
                    break
                out[0] = SHOWN[p[0]]
                out += 1 - (is_space & kind)
                is_space = kind & SPACE
                p += 1
            if is_space:
                out -= 1
                gap = WORD_GAP
            continue
        if p[0] == c"<" and run == UNTIL_TAG:
            break
        size = 1
        decoded[0] = p[0]
        after = NULL
        if p[0] == c"&":
            if run != LITERAL:
                after = read_reference(p, end, False, decoded, &size)
        elif p[0] == 0xC2 and p + 1 < end:
            decoded[1] = p[1]
            size = 2
            after = p + 2
        p = p + 1 if after == NULL else after
        if (size == 1 and CLASS[decoded[0]] & SPACE) or (
            size == 2 and decoded[0] == 0xC2 and decoded[1] == 0xA0
        ):
            if gap == NO_GAP:
                gap = WORD_GAP
            continue
        if gap:
            if out != start:
                out[0] = c"\n" if gap == LINE_GAP else c" "
                out += 1
            gap = NO_GAP
        for i in range(size):
            out[i] = decoded[i]
        out += size
    said.gap = gap
    said.text_end = out
    return p


cdef int reserve_values(Said *said) except -1:
    cdef Py_ssize_t size = said.size
    if said.values == NULL:
        said.values = <byte *> malloc(size + size // 4 + 64)
        if said.values == NULL:
            raise MemoryError
        said.values_end = said.values
    return 0


cdef Piece resolved(Said *said, Piece piece) except *:
    """Resolve the references of an attribute's value."""
    cdef const byte *p = piece.start
    cdef const byte *end = p + piece.size
    cdef const byte *after
    cdef byte *out
    cdef byte decoded[16]
    cdef int size
    if piece.size == 0 or memchr(p, c"&", piece.size) == NULL:
        return piece
    reserve_values(said)
    out = said.values_end
    piece.start = out
    while p < end:
        if p[0] == c"&":
            after = read_reference(p, end, True, decoded, &size)
            if after != NULL:
                memcpy(out, decoded, size)
                out += size
                p = after
                continue
        out[0] = p[0]
        out += 1
        p += 1
    piece.size = out - piece.start
    said.values_end = out
    return piece


cdef str value_text(Said *said, Piece piece):
    """Return an attribute's value as text; nothing refers to the bytes afterwards."""
    cdef Py_ssize_t used = said.values_end - said.values
    cdef str text = text_of(resolved(said, piece))
    said.values_end = said.values + used
    return text


cdef str value_line(Said *said, Piece piece, Py_ssize_t longest):
    """Return an attribute's value as one line.

    It is put behind the visible text for a moment, where there is room for all that is
    not text, and so for this.
    """
    cdef Py_ssize_t used = said.values_end - said.values
    cdef byte *text = said.text
    cdef byte *text_end = said.text_end
    cdef int gap = said.gap
    cdef Piece result = resolved(said, piece)
    said.text = text_end
    said.gap = NO_GAP
    say(said, result.start, result.start + result.size, LITERAL)
    result.start = text_end
    result.size = said.text_end - text_end
    said.text, said.text_end, said.gap = text, text_end, gap
    said.values_end = said.values + used
    return text_of(cut(result, longest))


cdef str line_of(Said *said, Piece piece):
    """Return raw text as one line: its references resolved, cut to a title's length."""
    cdef Piece result
    cdef byte *text = said.text
    cdef byte *text_end = said.text_end
    cdef int gap = said.gap
    reserve_values(said)
    said.text = said.text_end = said.values_end
    said.gap = NO_GAP
    say(said, piece.start, piece.start + piece.size, WITHOUT_TAGS)
    result.start = said.text
    result.size = said.text_end - said.text
    said.text, said.text_end, said.gap = text, text_end, gap
    return text_of(cut(result, LONGEST_TITLE))
