# The two buffers of a page: visible text, and values of attributes whose references are resolved.
#
# White space is collapsed as text is met: `gap` says what is to be put before the next character.

cdef str text_of(Piece piece):
    return PyUnicode_DecodeUTF8(<const char *> piece.start, piece.size, b"replace")


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


@cython.internal
@cython.auto_pickle(False)
cdef class Text:
    """What was said on a page so far."""

    cdef bytes body
    cdef const byte *end
    # Visible text, and what is to be put before its next character.
    cdef byte *text
    cdef byte *text_end
    cdef int gap
    # Values of attributes whose references are resolved.
    cdef byte *values
    cdef byte *values_end

    @cython.final
    cdef const byte *say(self, const byte *p, const byte *end, Run run) noexcept nogil:
        """Append text, its white space collapsed; returns where the run ends."""
        cdef const byte *after
        cdef byte decoded[16]
        cdef int size, i
        cdef byte *start = self.text
        cdef byte *out = self.text_end
        cdef int gap = self.gap
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
                    out[0] = SHOWN[p[0]]
                    out += 1 - (is_space & kind)
                    is_space = kind & SPACE
                    p += 1
                    if p == end:
                        break
                    kind = CLASS[p[0]]
                    if kind & SPECIAL:
                        break
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
        self.gap = gap
        self.text_end = out
        return p

    @cython.final
    cdef int reserve_values(self) except -1:
        cdef Py_ssize_t size = len(self.body)
        if self.values == NULL:
            self.values = <byte *> malloc(size + size // 4 + 64)
            if self.values == NULL:
                raise MemoryError
            self.values_end = self.values
        return 0

    @cython.final
    cdef Piece resolved(self, Piece piece) except *:
        """Resolve the references of an attribute's value."""
        cdef const byte *p = piece.start
        cdef const byte *end = p + piece.size
        cdef const byte *after
        cdef byte *out
        cdef byte decoded[16]
        cdef int size
        if piece.size == 0 or memchr(p, c"&", piece.size) == NULL:
            return piece
        self.reserve_values()
        out = self.values_end
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
        self.values_end = out
        return piece

    @cython.final
    cdef str value_text(self, Piece piece):
        """Return an attribute's value as text; nothing refers to the bytes afterwards."""
        cdef Py_ssize_t used = self.values_end - self.values
        cdef str text = text_of(self.resolved(piece))
        self.values_end = self.values + used
        return text

    @cython.final
    cdef str value_line(self, Piece piece, Py_ssize_t longest):
        """Return an attribute's value as one line.

        It is put behind the visible text for a moment, where there is room for all that is
        not text, and so for this.
        """
        cdef Py_ssize_t used = self.values_end - self.values
        cdef byte *text = self.text
        cdef byte *text_end = self.text_end
        cdef int gap = self.gap
        cdef Piece result = self.resolved(piece)
        self.text = text_end
        self.gap = NO_GAP
        self.say(result.start, result.start + result.size, LITERAL)
        result.start = text_end
        result.size = self.text_end - text_end
        self.text, self.text_end, self.gap = text, text_end, gap
        self.values_end = self.values + used
        return text_of(cut(result, longest))

    @cython.final
    cdef str line(self, Piece piece):
        """Return raw text as one line: its references resolved, cut to a title's length."""
        cdef Piece result
        cdef byte *text = self.text
        cdef byte *text_end = self.text_end
        cdef int gap = self.gap
        self.reserve_values()
        self.text = self.text_end = self.values_end
        self.gap = NO_GAP
        self.say(piece.start, piece.start + piece.size, WITHOUT_TAGS)
        result.start = self.text
        result.size = self.text_end - self.text
        self.text, self.text_end, self.gap = text, text_end, gap
        return text_of(cut(result, LONGEST_TITLE))
