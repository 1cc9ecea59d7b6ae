"""Compresses and hashes the bytes of every record; `tests.plain_packing` does the same.

Always true (tests/unit/storage/warc/test_packing.py): every function returns what its twin returns.

Cost: a copy of the content, besides the compression and the hash, which libraries do.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdio cimport snprintf
from libc.string cimport memcmp, memcpy, memset

from hashlib import sha1

from isal.isal_zlib import compress

from lycosa.storage.warc.stored_blocks import mixed_member, stored_member

cdef enum:
    LEVEL = 0
    GZIP = 31  # the `wbits` that ask for a gzip header and trailer
    RAW = -15  # those that ask for neither
    NUMBER = 48  # no Content-Length line is longer
    PIECE = 8192  # bytes of a block that are judged by themselves
    PLACES = 4  # of a piece, at each of which ...
    AT_PLACE = 32  # ... so many bytes are counted
    COLLISIONS = 264  # random bytes give 192, with a deviation of 11
    TRIAL = 512
    GROWTH = 64  # by which a block may grow
    SMALL = 2048

cdef const char *DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
cdef const char *BEGINNING = b"WARC/1.1\r\n"
cdef const char *ENDING = b"\r\n\r\n"
cdef object nothing = sha1(usedforsecurity=False)


def digest(*content):
    """Return the digest of bytes as it stands in a header."""
    return digest_of(b"".join(content) if len(content) != 1 else content[0], None)


cdef str digest_of(object first, object second):
    """Return the digest of one or two pieces one after the other, as it stands in a header."""
    state = nothing.copy()
    state.update(first)
    if second is not None:
        state.update(second)
    cdef bytes hashed = state.digest()
    cdef const unsigned char *h = <const unsigned char *> PyBytes_AS_STRING(hashed)
    cdef char text[37]
    cdef int i, k, bit
    memcpy(text, b"sha1:", 5)
    for i in range(4):
        # Five bytes are eight digits.
        for k in range(8):
            bit = 5 * k
            text[5 + 8 * i + k] = DIGITS[
                ((h[bit >> 3] << 8 | (h[(bit >> 3) + 1] if bit < 35 else 0))
                 >> (11 - (bit & 7))) & 31
            ]
        h += 5
    return text[:37].decode("ascii")


cdef bint _is_named(const unsigned char *block):
    """Tell whether a block begins as formats do that are compressed (`tests.plain_packing.PACKED`)."""
    cdef unsigned char first = block[0]
    if first == 0x89:
        return memcmp(block, b"\x89PNG", 4) == 0
    if first == 0xFF:
        return memcmp(block, b"\xff\xd8\xff", 3) == 0
    if first == 0x1F:
        return memcmp(block, b"\x1f\x8b\x08", 3) == 0
    if first == c"G":
        return memcmp(block, b"GIF8", 4) == 0
    if first == c"R":
        return memcmp(block, b"RIFF", 4) == 0 and memcmp(block + 8, b"WEBP", 4) == 0
    if first == c"w":
        return memcmp(block, b"wOF2", 4) == 0 or memcmp(block, b"wOFF", 4) == 0
    if first == c"P":
        return memcmp(block, b"PK\x03\x04", 4) == 0
    return False


cdef bint _is_flat(const unsigned char *piece, Py_ssize_t size):
    """Tell whether the bytes of a piece are about equally frequent, as if they were random."""
    cdef unsigned short counts[256]
    cdef Py_ssize_t place, at, i
    cdef unsigned int collisions = 0
    cdef unsigned char ones = 0
    # Most blocks are text: their middle shows it.
    for i in range(size // 2, size // 2 + AT_PLACE):
        ones |= piece[i]
    if ones < 0x80:
        return False
    memset(counts, 0, sizeof(counts))
    for place in range(PLACES):
        at = place * (size - AT_PLACE) // (PLACES - 1)
        for i in range(AT_PLACE):
            counts[piece[at + i]] += 1
    for i in range(256):
        collisions += counts[i] * counts[i]
    return collisions < COLLISIONS


cdef bint _shrinks(const unsigned char *piece, Py_ssize_t size):
    """Tell whether a piece can be deflated though it looks compressed: bytes repeat in order."""
    if size < 2 * TRIAL:
        return False
    middle = PyBytes_FromStringAndSize(<const char *> piece + (size - TRIAL) // 2, TRIAL)
    return len(compress(middle, LEVEL, RAW)) < TRIAL


cdef list _packed_runs(const unsigned char *content, Py_ssize_t start, Py_ssize_t end):
    """Return beginning and end of the runs of a block that are compressed already; None for none."""
    cdef Py_ssize_t at = start, stop, size, begun = -1
    cdef list found = None
    while end - at >= PLACES * AT_PLACE:
        # The rest behind the last whole piece belongs to that piece.
        stop = at + PIECE if end - at >= 2 * PIECE else end
        size = stop - at
        if (
            _is_flat(content + at, size) or (at == start and _is_named(content + at))
        ) and (begun >= 0 or not _shrinks(content + at, size)):
            if begun < 0:
                begun = at
        elif begun >= 0:
            found = (found or []) + [(begun, at)]
            begun = -1
        at = stop
    return found if begun < 0 else (found or []) + [(begun, end)]


def pack(str headers not None, *blocks):
    """Return a record as a gzip member; the headers are lines that end in CR LF."""
    cdef Py_ssize_t length = 0, size
    cdef const char *lines = PyUnicode_AsUTF8AndSize(headers, &size)
    cdef char number[NUMBER]
    cdef bytes block, content
    cdef char *to
    for block in blocks:
        length += PyBytes_GET_SIZE(block)
    cdef int digits = snprintf(number, NUMBER, b"Content-Length: %zd\r\n\r\n", length)
    content = PyBytes_FromStringAndSize(NULL, 10 + size + digits + length + 4)
    to = PyBytes_AS_STRING(content)
    memcpy(to, BEGINNING, 10)
    memcpy(to + 10, lines, size)
    to += 10 + size
    memcpy(to, number, digits)
    to += digits
    for block in blocks:
        memcpy(to, PyBytes_AS_STRING(block), PyBytes_GET_SIZE(block))
        to += PyBytes_GET_SIZE(block)
    memcpy(to, ENDING, 4)
    cdef Py_ssize_t size_of_last = PyBytes_GET_SIZE(block) if blocks else 0
    return packed(content, PyBytes_GET_SIZE(content) - 4 - size_of_last, len(blocks) > 1)


cdef bytes packed(bytes content, Py_ssize_t start, bint has_body):
    """Return a whole record as a gzip member; its last block begins at `start`."""
    cdef Py_ssize_t whole = PyBytes_GET_SIZE(content), end = whole - 4
    cdef bytes member
    cdef list runs = _packed_runs(<const unsigned char *> PyBytes_AS_STRING(content), start, end)
    if runs is None:
        member = compress(content, LEVEL, GZIP)
        # Headers shrink by an eighth at most. A longer record has a body that grew; the block of a
        # record that has no body is a few lines of text.
        if not has_body or PyBytes_GET_SIZE(member) <= end + GROWTH - start // 8:
            return member
        runs = [(start, end)]
    return mixed_member(content, start, runs) if whole >= SMALL else stored_member(content)
