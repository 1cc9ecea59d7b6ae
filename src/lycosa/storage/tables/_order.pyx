"""Rows in the order of their keys, and rows whose fetches are known, without Arrow's functions.

Every crawl seals its pages in the order of their keys. Arrow does that by functions of a library
whose first use takes 16 ms of a start and 8 MB, and a crawl without plugins needs no other function
of it.

Always true (tests/unit/storage/tables/test_order.py): the order is that of Arrow's `sort_indices`,
and the columns are those that its `take` returns.

Cost: some 2 ns for each byte of the rows that are put in order.
Not here: other types than tables of a crawl have; plugins' columns are left to Arrow.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uintptr_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

cdef struct Key:
    const char *text  # NULL if there is none
    int32_t size
    int32_t row


cdef class Column:
    """A column as Arrow has it, in one piece: where its bytes are."""

    cdef Py_ssize_t length, first
    cdef list buffers  # kept, because what follows points into them
    cdef const unsigned char *valid  # NULL if all values are there
    cdef const char *data
    cdef const int32_t *ends  # of strings

    def __init__(self, object values):
        """Take an array of Arrow."""
        self.length, self.first, self.buffers = len(values), values.offset, values.buffers()
        self.valid = <const unsigned char *> address(self.buffers[0])
        self.ends = <const int32_t *> address(self.buffers[1])  # or numbers
        self.data = <const char *> address(self.buffers[len(self.buffers) - 1])

    def order(self):
        """Return the numbers of the rows in the order of this column of strings, as 32-bit numbers."""
        cdef Key *keys = <Key *> malloc(max(self.length, 1) * sizeof(Key))
        cdef bytes found = PyBytes_FromStringAndSize(NULL, 4 * self.length)
        cdef int32_t *rows = <int32_t *> PyBytes_AS_STRING(found)
        cdef Py_ssize_t n, at
        if keys == NULL:
            raise MemoryError
        for n in range(self.length):
            at = self.first + n
            keys[n].text, keys[n].size, keys[n].row = NULL, 0, <int32_t> n
            if is_set(self.valid, at):
                keys[n].text = self.data + self.ends[at]
                keys[n].size = self.ends[at + 1] - self.ends[at]
        qsort(keys, self.length, sizeof(Key), compared)
        for n in range(self.length):
            rows[n] = keys[n].row
        free(keys)
        return found

    def validity(self, bytes order):
        """Return the bits that say which values are there, in another order."""
        return bits(self.valid, self.first, order)

    def bools(self, bytes order):
        """Return values that are bits in another order."""
        return bits(<const unsigned char *> self.data, self.first, order)

    def numbers(self, bytes order, Py_ssize_t width):
        """Return values of so many bytes each in another order."""
        cdef const int32_t *rows = <const int32_t *> PyBytes_AS_STRING(order)
        cdef Py_ssize_t n, count = len(order) // 4
        cdef bytes found = PyBytes_FromStringAndSize(NULL, width * count)
        cdef char *values = PyBytes_AS_STRING(found)
        for n in range(count):
            memcpy(values + n * width, self.data + (self.first + rows[n]) * width, width)
        return found

    def strings(self, bytes order):
        """Return the ends of strings in another order, and the strings."""
        cdef const int32_t *rows = <const int32_t *> PyBytes_AS_STRING(order)
        cdef Py_ssize_t n, at, count = len(order) // 4
        cdef bytes told = PyBytes_FromStringAndSize(NULL, 4 * (count + 1)), found
        cdef int32_t *ends = <int32_t *> PyBytes_AS_STRING(told)
        cdef int64_t size = 0
        cdef char *values
        ends[0] = 0
        for n in range(count):
            at = self.first + rows[n]
            if is_set(self.valid, at):
                size += self.ends[at + 1] - self.ends[at]
            if size > INT32_MAX:
                raise OverflowError("the rows of one table have more than 2 GB of text in a column")
            ends[n + 1] = <int32_t> size
        found = PyBytes_FromStringAndSize(NULL, size)
        values = PyBytes_AS_STRING(found)
        for n in range(count):
            at = self.first + rows[n]
            if ends[n + 1] > ends[n]:
                memcpy(values + ends[n], self.data + self.ends[at], ends[n + 1] - ends[n])
        return told, found

    def is_among(self, frozenset known):
        """Return whether all values are there, and each of these 64-bit numbers is known."""
        cdef const int64_t *values = <const int64_t *> self.data + self.first
        cdef Py_ssize_t n
        for n in range(self.length):
            if not is_set(self.valid, self.first + n):
                return False
            # rows of one fetch follow each other
            if (n == 0 or values[n] != values[n - 1]) and values[n] not in known:
                return False
        return True


cdef uintptr_t address(object buffer) except? 0:
    return 0 if buffer is None else buffer.address


# A column without a value may have no buffers but this one.
cdef inline bint is_set(const unsigned char *valid, Py_ssize_t at) noexcept nogil:
    return valid == NULL or valid[at >> 3] >> (at & 7) & 1


cdef bytes bits(const unsigned char *data, Py_ssize_t first, bytes order):
    cdef const int32_t *rows = <const int32_t *> PyBytes_AS_STRING(order)
    cdef Py_ssize_t n, count = len(order) // 4
    cdef bytes found = PyBytes_FromStringAndSize(NULL, (count + 7) >> 3)
    cdef unsigned char *values = <unsigned char *> PyBytes_AS_STRING(found)
    memset(values, 0, (count + 7) >> 3)
    for n in range(count):
        if is_set(data, first + rows[n]):
            values[n >> 3] |= <unsigned char> (1 << (n & 7))
    return found


cdef int compared(const void *one, const void *other) noexcept nogil:
    """Compare as Arrow does: by bytes, rows without a key last, equal ones as they came."""
    cdef const Key *a = <const Key *> one
    cdef const Key *b = <const Key *> other
    cdef int way
    if a.text == NULL or b.text == NULL:
        way = (a.text == NULL) - (b.text == NULL)
    else:
        way = memcmp(a.text, b.text, min(a.size, b.size))
        if way == 0:
            way = (a.size > b.size) - (a.size < b.size)
    return way if way else (a.row > b.row) - (a.row < b.row)
