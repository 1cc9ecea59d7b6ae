# Bytes that grow, as columns of Arrow need them: numbers, bits, and strings one behind the other.

cdef extern from "Python.h":
    bint PyUnicode_Check(object text) noexcept
    bint PyUnicode_IS_COMPACT_ASCII(object text) noexcept
    void *PyUnicode_DATA(object text) noexcept
    Py_ssize_t PyUnicode_GET_LENGTH(object text) noexcept


cdef struct Buffer:
    char *data
    Py_ssize_t size
    Py_ssize_t room


cdef enum:
    FIRST_ROOM = 512  # bytes: the numbers of a commit's pages


cdef int grow(Buffer *buffer, Py_ssize_t more) except -1:
    cdef Py_ssize_t room = 2 * buffer.room + FIRST_ROOM
    cdef char *data
    if room < buffer.size + more:
        room = buffer.size + more
    data = <char *> realloc(buffer.data, room)
    if data == NULL:
        raise MemoryError
    buffer.data, buffer.room = data, room
    return 0


cdef inline char *room_for(Buffer *buffer, Py_ssize_t more) except NULL:
    """Return where the next bytes go; they count when `size` is raised."""
    if buffer.size + more > buffer.room or buffer.data == NULL:
        grow(buffer, more)
    return buffer.data + buffer.size


cdef inline int put(Buffer *buffer, const void *data, Py_ssize_t size) except -1:
    memcpy(room_for(buffer, size), data, size)
    buffer.size += size
    return 0


cdef inline int put_bit(Buffer *bits, Py_ssize_t at, bint value) except -1:
    """Write the bit behind the last one; `at` is its number."""
    cdef char *byte
    if at & 7 == 0:
        byte = room_for(bits, 1)
        byte[0] = 0
        bits.size += 1
    if value:
        bits.data[at >> 3] |= <char> (1 << (at & 7))
    return 0


cdef inline void cut_bits(Buffer *bits, Py_ssize_t count) noexcept:
    """Drop all bits but the first ones."""
    if bits.size > (count + 7) >> 3:
        bits.size = (count + 7) >> 3
    if count & 7 and bits.size:
        bits.data[bits.size - 1] &= <char> ((1 << (count & 7)) - 1)


cdef int put_text(Buffer *ends, Buffer *content, object text) except -1:
    """Put a string behind the others; what is not Unicode (a lone surrogate) becomes a mark."""
    cdef bytes encoded
    if PyUnicode_IS_COMPACT_ASCII(text):
        return put_string(ends, content, <char *> PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text))
    # The string itself would keep its UTF-8 if it were asked for it, as long as it lives.
    encoded = (<str> text).encode("utf-8", "replace")
    return put_string(ends, content, PyBytes_AS_STRING(encoded), PyBytes_GET_SIZE(encoded))


cdef inline int put_string(
    Buffer *ends, Buffer *content, const char *data, Py_ssize_t size
) except -1:
    """Put UTF-8 behind the other strings, and where it ends; before the first one stands a zero."""
    cdef int32_t *end
    cdef Py_ssize_t first = ends.size == 0
    if content.size + size > INT32_MAX:
        raise OverflowError("the rows of one flush have more than 2 GB of text in a column")
    end = <int32_t *> room_for(ends, 4 + 4 * first)
    put(content, data, size)
    if first:
        end[0] = 0
    end[first] = <int32_t> content.size
    ends.size += 4 + 4 * first
    return 0
