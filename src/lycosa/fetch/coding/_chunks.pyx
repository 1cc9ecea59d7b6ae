"""Follows the chunks of a body, and takes them off (RFC 9112, 7.1), compiled; `chunks` has the
words.

Chunk extensions and trailers are skipped, a bare line feed ends a line, too, and nothing is asked
of what follows the last chunk's size. Anything else is malformed.

Always true (tests/unit/fetch/coding/test_chunks.py): what `tests/plain_chunks.py` says in plain
Python. Cost: linear in the bytes, however small the chunks are and however they are cut.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcpy

cdef enum:
    LONGEST_LINE = 16_384  # before a chunk
    MOST_DIGITS = 16
    # Meanings of the next line of a body.
    SIZE = 0
    END_OF_CHUNK = 1
    TRAILER = 2
    # In place of the bytes of a piece that belong to a body: it goes on.
    NOT_ENDED = -1


cdef inline int value_of(byte c) noexcept:
    """Return what a hexadecimal digit stands for; -1 if it is none."""
    if c"0" <= c <= c"9":
        return c - c"0"
    c |= 0x20
    return c - c"a" + 10 if c"a" <= c <= c"f" else -1


cdef inline const byte *without_blanks(const byte *p, const byte *end) noexcept:
    """Return where digits end that stand before blanks."""
    while end > p and ((end - 1)[0] == c" " or (end - 1)[0] == c"\t"):
        end -= 1
    return end


cdef bint read_size(const byte *p, const byte *end, uint64_t *size) noexcept:
    """Read the line before a chunk; returns whether it says a size."""
    cdef const byte *stop
    cdef int digit
    if end > p and (end - 1)[0] == c"\r":
        end -= 1
    stop = <const byte *> memchr(p, c";", end - p)
    end = without_blanks(p, end if stop == NULL else stop)
    if not 0 < end - p <= MOST_DIGITS:
        return False
    size[0] = 0
    while p < end:
        digit = value_of(p[0])
        if digit < 0:
            return False
        size[0] = size[0] << 4 | <uint64_t> digit
        p += 1
    return True


cdef bint may_be_size(const byte *p, const byte *end) noexcept:
    """Tell whether a line that has not ended may say a size."""
    cdef const byte *stop = <const byte *> memchr(p, c";", end - p)
    if stop != NULL:
        end = stop
    if end > p and (end - 1)[0] == c"\r":
        end -= 1
    end = without_blanks(p, end)
    if end - p > MOST_DIGITS:
        return False
    while p < end:
        if value_of(p[0]) < 0:
            return False
        p += 1
    return True


cdef class ChunkReader:
    """Follows the chunks of one body to their end, as it arrives."""

    def take(self, bytes data not None):
        """Take the next piece; returns how much of it belongs to the body if that ends here.

        A malformed size ends the body too, and then the chunks are broken: nothing that follows
        can be understood. `taken_off` says what is wrong when it takes the chunks off.
        """
        cdef Py_ssize_t end = self.follow(
            <const byte *> PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data)
        )
        return None if end == NOT_ENDED else end

    cdef Py_ssize_t follow(self, const byte *start, Py_ssize_t size) except -2:
        cdef const byte *p = start
        cdef const byte *end = start + size
        cdef const byte *stop
        cdef bytes line
        cdef bint goes_on
        while p < end:
            if self._left:
                if self._left >= <uint64_t> (end - p):
                    self._left -= end - p
                    break
                p += self._left
                self._left = 0
            stop = <const byte *> memchr(p, c"\n", end - p)
            if stop == NULL:
                line = PyBytes_FromStringAndSize(<const char *> p, end - p)
                self._line = self._line + line if self._line else line
                self.is_broken = PyBytes_GET_SIZE(self._line) > LONGEST_LINE
                return size if self.is_broken else NOT_ENDED
            if self._line:
                line = self._line + PyBytes_FromStringAndSize(<const char *> p, stop - p)
                self._line = b""
                p = <const byte *> PyBytes_AS_STRING(line)
                goes_on = self.read(p, p + PyBytes_GET_SIZE(line))
            else:
                goes_on = self.read(p, stop)
            p = stop + 1
            if not goes_on:
                self.is_broken = self._expects != TRAILER
                return size if self.is_broken else p - start
        return NOT_ENDED

    cdef bint read(self, const byte *p, const byte *end) noexcept:
        """Read one line between the chunks; False where the body has ended."""
        cdef bint is_blank = p == end or (end - p == 1 and p[0] == c"\r")
        if self._expects == TRAILER:
            return not is_blank
        if self._expects == END_OF_CHUNK:
            self._expects = SIZE
            return is_blank
        if not read_size(p, end, &self._left):
            self._left = 0
            return False
        self._expects = END_OF_CHUNK if self._left else TRAILER
        return True

    def __cinit__(self):
        self._line = b""


cdef int next_of(const byte **at, const byte *end, const byte **begin, Py_ssize_t *size) noexcept:
    """Find the chunk at a place and go behind it; returns how the body ends, `MORE` if it does not."""
    cdef const byte *p = at[0]
    cdef const byte *stop = <const byte *> memchr(p, c"\n", min(end - p, <Py_ssize_t> LONGEST_LINE))
    cdef uint64_t said
    size[0] = 0
    if stop == NULL:
        return BAD if end - p >= LONGEST_LINE or not may_be_size(p, end) else CUT
    if not read_size(p, stop, &said):
        return BAD
    if said == 0:
        return WHOLE
    begin[0] = p = stop + 1
    if said >= <uint64_t> (end - p):
        size[0] = end - p
        return CUT
    size[0] = <Py_ssize_t> said
    p += said
    if p[0] == c"\n":
        at[0] = p + 1
    elif p[0] != c"\r":
        return BAD
    elif p + 1 == end:
        at[0] = end
    elif p[1] == c"\n":
        at[0] = p + 2
    else:
        return BAD
    return MORE


cdef bytes unchunked(bytes sent, int *how):
    """Return the content of a chunked body, as far as it could be read, and how it ended."""
    cdef const byte *start = <const byte *> PyBytes_AS_STRING(sent)
    cdef const byte *end = start + PyBytes_GET_SIZE(sent)
    cdef const byte *begin = NULL
    cdef const byte *p = start
    cdef Py_ssize_t size, whole = 0
    cdef bytes content
    cdef char *to
    how[0] = MORE
    while how[0] == MORE:
        how[0] = next_of(&p, end, &begin, &size)
        whole += size
    content = PyBytes_FromStringAndSize(NULL, whole)
    to = PyBytes_AS_STRING(content)
    p = start
    while whole:
        next_of(&p, end, &begin, &size)
        memcpy(to, begin, size)
        to += size
        whole -= size
    return content


def taken_off(bytes sent not None):
    """Return the content of a chunked body, as far as it could be read, and how it ended."""
    cdef int how
    content = unchunked(sent, &how)
    return content, how
