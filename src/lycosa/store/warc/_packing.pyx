"""Compresses and hashes the bytes of every record (compiled `lycosa.store.warc.pure_packing`).

Always true (tests/unit/store/test_packing.py): every function returns what its twin returns.

Cost: a copy of the content, besides the compression and the hash, which libraries do.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdio cimport snprintf
from libc.string cimport memcpy

from hashlib import sha1

from isal.isal_zlib import compress

cdef enum:
    LEVEL = 0
    GZIP = 31  # the `wbits` that ask for a gzip header and trailer
    NUMBER = 48  # no Content-Length line is longer

cdef const char *DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
cdef const char *BEGINNING = b"WARC/1.1\r\n"
cdef const char *ENDING = b"\r\n\r\n"
cdef object nothing = sha1(usedforsecurity=False)


def digest(*content):
    """Return the digest of bytes as it stands in a header."""
    state = nothing.copy()
    for piece in content:
        state.update(piece)
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
    return compress(content, LEVEL, GZIP)
