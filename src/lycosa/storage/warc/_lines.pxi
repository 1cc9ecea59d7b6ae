# Dates, ids and lines of records, gathered as pieces of C strings: a part of `_records`.

cdef int64_t last_second = -1
cdef char last_date[20]


cdef int write_date(double moment, char *out) except -1:
    """Write a moment as it stands in a header, `DATE_BYTES` long."""
    global last_second
    cdef int64_t whole = <int64_t> rint(moment * 1_000_000)
    cdef int64_t second = whole // 1_000_000
    cdef char micros[16]
    if second != last_second:
        text = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S").encode()
        if len(text) != 19:
            raise ValueError(f"{moment} is no moment of the years 1000 to 9999")
        memcpy(last_date, PyBytes_AS_STRING(text), 19)
        last_second = second
    memcpy(out, last_date, 19)
    snprintf(micros, 16, b".%06ldZ", <long> (whole - second * 1_000_000))
    memcpy(out + 19, micros, 8)
    return 0


def date(double moment):
    """Return a moment as it stands in a header."""
    cdef char text[DATE_BYTES]
    write_date(moment, text)
    return text[:DATE_BYTES].decode("ascii")


@cython.final
cdef class Ids:
    """Record ids: a random beginning for each segment, and a number that counts up."""

    cdef char beginning[ID_BYTES]
    cdef uint64_t number

    def __init__(self):
        chance = os.urandom(10).hex()
        text = f"<urn:uuid:{chance[:8]}-{chance[8:12]}-4{chance[12:15]}-8{chance[15:18]}-".encode()
        memcpy(self.beginning, PyBytes_AS_STRING(text), 34)

    def next(self):
        """Return an id that no other record has."""
        cdef char text[ID_BYTES]
        self.write_next(text)
        return text[:ID_BYTES].decode("ascii")

    cdef void write_next(self, char *out) noexcept:
        cdef char number[16]
        self.number += 1
        memcpy(out, self.beginning, 34)
        snprintf(number, 16, b"%012lx>", <unsigned long> self.number)
        memcpy(out + 34, number, 13)


@cython.final
cdef class Lines:
    """The lines of a record, as pieces that others own."""

    cdef const char *pieces[MOST_PIECES]
    cdef Py_ssize_t sizes[MOST_PIECES]
    cdef int count
    cdef Py_ssize_t size
    cdef list kept

    cdef int add(self, const char *piece, Py_ssize_t size) except -1:
        if self.count == MOST_PIECES:
            raise AssertionError("a record has more lines than there is room for")
        self.pieces[self.count], self.sizes[self.count] = piece, size
        self.count += 1
        self.size += size
        return 0

    cdef int literal(self, const char *piece) except -1:
        return self.add(piece, strlen(piece))

    cdef int bytes(self, object piece) except -1:
        """Add bytes that the caller keeps."""
        return self.add(PyBytes_AS_STRING(piece), PyBytes_GET_SIZE(piece))

    cdef int text(self, str piece) except -1:
        """Add a string that the caller keeps; what is not Unicode becomes a mark."""
        cdef Py_ssize_t size
        cdef const char *data
        try:
            data = PyUnicode_AsUTF8AndSize(piece, &size)
        except UnicodeEncodeError:
            encoded = piece.encode("utf-8", "replace")
            if self.kept is None:
                self.kept = []
            self.kept.append(encoded)
            return self.bytes(encoded)
        return self.add(data, size)

    cdef char *write(self, char *out) noexcept:
        cdef int i
        for i in range(self.count):
            memcpy(out, self.pieces[i], self.sizes[i])
            out += self.sizes[i]
        return out


cdef object record(Lines lines, bytes head, bytes body):
    """Return a record of these lines as a gzip member; its block is the head and perhaps a body."""
    cdef char number[NUMBER]
    cdef Py_ssize_t length = PyBytes_GET_SIZE(head) + (0 if body is None else PyBytes_GET_SIZE(body))
    cdef int digits = snprintf(number, NUMBER, b"Content-Length: %zd\r\n\r\n", length)
    cdef Py_ssize_t size = 10 + lines.size + digits + length + 4
    cdef bytes content = PyBytes_FromStringAndSize(NULL, size)
    cdef char *out = PyBytes_AS_STRING(content)
    memcpy(out, b"WARC/1.1\r\n", 10)
    out = lines.write(out + 10)
    memcpy(out, number, digits)
    memcpy(out + digits, PyBytes_AS_STRING(head), PyBytes_GET_SIZE(head))
    out += digits + PyBytes_GET_SIZE(head)
    cdef Py_ssize_t last = PyBytes_GET_SIZE(head)
    if body is not None:
        last = PyBytes_GET_SIZE(body)
        memcpy(out, PyBytes_AS_STRING(body), last)
        out += last
    memcpy(out, b"\r\n\r\n", 4)
    return packed(content, size - 4 - last, body is not None)
