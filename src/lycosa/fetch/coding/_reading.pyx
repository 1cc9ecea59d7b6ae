"""The compiled parser of response heads; `lycosa.fetch.coding.heads` describes what it does.

Always true (tests/unit/fetch/coding/test_twin.py): every function returns what its twin in
`lycosa.fetch.coding.pure_reading` returns, or raises what that raises.

Cost: about 100 ns a line; every byte is looked at a bounded number of times. Most lines of a head
repeat those of the head before, so the meaning of a line is cached in one of 128 slots: at most
128 lines of 64 and 256 bytes are remembered.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeLatin1
from libc.stdint cimport int64_t
from libc.string cimport memchr, memcmp

from lycosa.fetch.coding.head import CHUNKED as _CHUNKED
from lycosa.fetch.coding.head import UNTIL_CLOSE as _UNTIL_CLOSE
from lycosa.fetch.coding.head import BadHead, Head

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    void *PyUnicode_DATA(object text)

cdef enum:
    SLOTS = 128
    LONGEST_NAME = 64
    LONGEST_VALUE = 256
    LONGEST_LENGTH = 18

cdef enum:
    NONE
    CONTENT_LENGTH
    TRANSFER_ENCODING
    CONNECTION
    CONTENT_ENCODING

cdef dict ENDS = {
    "content-length": CONTENT_LENGTH,
    "transfer-encoding": TRANSFER_ENCODING,
    "connection": CONNECTION,
    "content-encoding": CONTENT_ENCODING,
}
cdef int64_t CHUNKED = _CHUNKED
cdef int64_t UNTIL_CLOSE = _UNTIL_CLOSE
cdef object new_tuple = tuple.__new__

cdef list slot_headers = [("", "")] * SLOTS
cdef list slot_names = [""] * SLOTS
"""The names in lower case."""
cdef unsigned char slot_ends[SLOTS]

cdef bint IS_SPACE[256]
"""Bytes that may stand around a name and a value (`pure_reading.BLANKS`)."""
cdef bint IS_TOKEN[256]
"""Bytes of which the name of a header is made (RFC 9110, 5.6.2)."""


cdef int make_tables() except -1:
    cdef int code
    for code in range(256):
        text = chr(code)
        IS_SPACE[code] = text in " \t\r"
        IS_TOKEN[code] = code < 128 and (text.isalnum() or text in "!#$%&'*+-.^_`|~")
    return 0


make_tables()


cdef inline byte *find(byte *p, byte *end, int code) noexcept:
    """Return where a byte stands first, or `end`."""
    cdef byte *found = <byte *> memchr(p, code, end - p) if p < end else NULL
    return found if found != NULL else end


cdef inline bint is_digit(byte *p, byte *end) noexcept:
    return p < end and c"0" <= p[0] <= c"9"


cdef inline bint is_text(object text, byte *p, Py_ssize_t size) noexcept:
    """Tell whether these are the bytes of a string that was made of Latin-1."""
    return PyUnicode_GET_LENGTH(text) == size and memcmp(PyUnicode_DATA(text), p, size) == 0


cdef inline void strip(byte **p, byte **end) noexcept:
    while p[0] < end[0] and IS_SPACE[p[0][0]]:
        p[0] += 1
    while p[0] < end[0] and IS_SPACE[(end[0] - 1)[0]]:
        end[0] -= 1


cdef inline str text_of(byte *p, byte *end):
    return PyUnicode_DecodeLatin1(<const char *> p, end - p, NULL)


def cut_head(data):
    """Return the first head in `data`, with its empty line, and what follows.

    None where there is none yet, or where what came cannot be an answer.
    """
    cdef Py_buffer view
    cdef byte *start
    cdef byte *end
    cdef byte *p
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        start = <byte *> view.buf
        end = start + view.len
        p = head_end(start, end)
        if p == NULL:
            return None
        return (
            PyBytes_FromStringAndSize(<const char *> start, p - start),
            PyBytes_FromStringAndSize(<const char *> p, end - p),
        )
    finally:
        PyBuffer_Release(&view)


cdef byte *head_end(byte *start, byte *end) noexcept:
    """Return what follows the empty line of the first head; NULL where `cut_head` says None."""
    cdef byte *p
    if end - start < 5 or memcmp(start, b"HTTP/", 5) != 0:
        return NULL
    p = find(start, end, c"\n")
    while p < end:
        p += 1
        if p < end and p[0] == c"\r":
            p += 1
        if p < end and p[0] == c"\n":
            return p + 1
        p = find(p, end, c"\n")
    return NULL


def read_head(bytes sent not None):
    """Take a head apart, from its status line to its empty line; raises `BadHead`."""
    return read(sent)


cdef object read(bytes sent):
    """Return a `Head`; raises `BadHead`."""
    cdef byte *start = <byte *> PyBytes_AS_STRING(sent)
    cdef byte *end = start + PyBytes_GET_SIZE(sent)
    cdef byte *line
    cdef byte *stop = find(start, end, c"\n")
    cdef byte *last = end
    cdef byte *colon
    cdef bint is_newest = False
    cdef int status = read_status(start, stop, &is_newest)
    cdef Told told = Told()
    if status < 0 or find(start, end, 0) < end:
        return read_rare(sent)
    if stop < end:
        last -= 1
        while last[0] != c"\n":
            last -= 1
    while True:
        line = stop + 1
        if line < end and (line[0] == c" " or line[0] == c"\t"):
            return read_rare(sent)
        if stop >= last:
            break
        stop = find(line, end, c"\n")
        if stop < last:  # what the last line feed ends is the empty line
            colon = find(line, stop, c":")
            if colon == stop:
                return read_rare(sent)
            told.take(line, colon, stop)
    return told.head(sent, status, is_newest)


cdef object read_rare(bytes sent):
    """Read what is rare, or raise `BadHead`."""
    from lycosa.fetch.coding import pure_reading  # most crawls have no use for it

    return pure_reading.read_head(sent)


cdef int read_status(byte *p, byte *end, bint *is_newest) noexcept:
    """Return the status of a status line, and whether it is of HTTP/1.1; -1 for any other line."""
    cdef int status
    if end - p < 10 or memcmp(p, b"HTTP/", 5) != 0:
        return -1
    is_newest[0] = memcmp(p + 5, b"1.1", 3) == 0
    p += 5
    if not is_digit(p, end):
        return -1
    p += 1
    if p < end and p[0] == c"." and is_digit(p + 1, end):
        p += 2
    if p == end or (p[0] != c" " and p[0] != c"\t"):
        return -1
    while p < end and (p[0] == c" " or p[0] == c"\t"):
        p += 1
    if not (is_digit(p, end) and is_digit(p + 1, end) and is_digit(p + 2, end)):
        return -1
    if is_digit(p + 3, end):
        return -1
    return 100 * (p[0] - c"0") + 10 * (p[1] - c"0") + (p[2] - c"0")


@cython.final
cdef class Told:
    """Facts that the lines of one head have given so far."""

    cdef list headers
    cdef dict by_name
    cdef list lengths
    cdef list transfers
    cdef list wishes
    cdef bint is_coded

    def __cinit__(self):
        self.headers = []
        self.by_name = {}

    cdef int take(self, byte *line, byte *colon, byte *stop) except -1:
        """Take a line."""
        cdef byte *value = colon + 1
        cdef Py_ssize_t slot = 0
        cdef tuple header
        cdef str name
        cdef int end
        strip(&line, &colon)
        strip(&value, &stop)
        if line < colon:
            slot = (line[0] * 7 + (colon - 1)[0] * 3 + (colon - line)) & (SLOTS - 1)
        header = <tuple> slot_headers[slot]
        if is_text(header[0], line, colon - line):
            name, end = <str> slot_names[slot], slot_ends[slot]
            if not is_text(header[1], value, stop - value):
                header = (header[0], text_of(value, stop))
                if stop - value <= LONGEST_VALUE:
                    slot_headers[slot] = header
        else:
            header = (text_of(line, colon), text_of(value, stop))
            name = (<str> header[0]).lower()
            end = ENDS.get(name, NONE)
            if colon - line <= LONGEST_NAME and stop - value <= LONGEST_VALUE:
                slot_headers[slot], slot_names[slot], slot_ends[slot] = header, name, end
        self.headers.append(header)
        self.by_name.setdefault(name, header[1])
        if end != NONE:
            self.note(end, <str> header[1])
        return 0

    cdef int note(self, int end, str value) except -1:
        """Note a header that has to do with the end of its answer."""
        if end == CONTENT_LENGTH:
            if self.lengths is None:
                self.lengths = []
            self.lengths.append(value)
        elif end == CONNECTION:
            if self.wishes is None:
                self.wishes = []
            self.wishes.append(value)
        elif end == TRANSFER_ENCODING:
            if self.transfers is None:
                self.transfers = []
            self.transfers.append(value)
            self.is_coded = True
        else:
            self.is_coded = True
        return 0

    cdef object head(self, bytes sent, int status, bint is_newest):
        """Return it all; raises `BadHead`."""
        cdef int64_t length = UNTIL_CLOSE
        cdef bint is_lasting
        cdef bint is_last
        if self.transfers is not None:
            if ",".join(self.transfers).rpartition(",")[2].strip(" \t\r").lower() == "chunked":
                length = CHUNKED
        elif self.lengths is not None:
            length = read_length(self.lengths)
        # With 101 another protocol begins; what a 205 has promised may still come.
        is_last = status == 101 or (status == 205 and length != 0)
        if status < 200 or status == 204 or status == 205 or status == 304:
            length = 0
        is_lasting = not is_last and length != UNTIL_CLOSE and self.lasts(is_newest)
        return new_tuple(
            Head,
            (
                sent, status, tuple(self.headers), length, bool(is_lasting), bool(self.is_coded),
                self.by_name,
            ),
        )

    cdef bint lasts(self, bint is_newest) except -1:
        """Tell whether a connection lasts beyond this answer."""
        cdef str wish
        if self.transfers is not None and (self.lengths is not None or not is_newest):
            return False  # the server is confused about lengths
        if self.wishes is None:
            return is_newest
        wish = <str> self.wishes[0]
        if len(self.wishes) == 1:  # what most servers say; the rest is rare
            if wish == "keep-alive" or wish == "Keep-Alive":
                return True
            if wish == "close":
                return False
        from lycosa.fetch.coding import pure_reading

        return pure_reading.wishes_last(self.wishes, is_newest)


cdef int64_t read_length(list values) except -1:
    """Return the length that all these say; raises `BadHead`."""
    cdef str one = <str> values[0]
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(one)
    cdef byte *p = <byte *> PyUnicode_DATA(one)
    cdef byte *end = p + size
    cdef int64_t length = 0
    if len(values) == 1 and 0 < size <= LONGEST_LENGTH:
        while is_digit(p, end):
            length = 10 * length + (p[0] - c"0")
            p += 1
        if p == end:
            return length
    from lycosa.fetch.coding import pure_reading

    return pure_reading.length_of(values)


def is_plain(bytes head not None):
    """Tell whether all readers agree where a head ends, and so what its payload is."""
    cdef byte *p = <byte *> PyBytes_AS_STRING(head)
    cdef byte *end = p + PyBytes_GET_SIZE(head)
    if end - p < 14 or memcmp(p, b"HTTP/1.", 7) != 0 or not (p[7] == c"0" or p[7] == c"1"):
        return False
    if p[8] != c" " or not (is_digit(p + 9, end) and is_digit(p + 10, end) and is_digit(p + 11, end)):
        return False
    p = line_end(p + 12, end)
    while p != NULL:
        if end - p == 2 and p[0] == c"\r" and p[1] == c"\n":
            return True
        if p == end or not IS_TOKEN[p[0]]:
            return False
        while p < end and IS_TOKEN[p[0]]:
            p += 1
        if p == end or p[0] != c":":
            return False
        p = line_end(p, end)
    return False


cdef inline byte *line_end(byte *p, byte *end) noexcept:
    """Return what follows a line, or NULL if it does not end as it should."""
    while p < end and p[0] != c"\r" and p[0] != c"\n":
        p += 1
    return p + 2 if end - p >= 2 and p[0] == c"\r" and p[1] == c"\n" else NULL
