# A piece of markup: bytes that belong to somebody else. For the scanner and for the walk over RDFa.
#
# The module that includes this defines white space (`CLASS`, `SPACE`).

ctypedef unsigned char byte

cdef struct Piece:
    const byte *start
    Py_ssize_t size


cdef inline bytes bytes_of(Piece piece):
    return PyBytes_FromStringAndSize(<const char *> piece.start, piece.size)


cdef inline Piece trimmed(Piece piece) noexcept nogil:
    while piece.size and CLASS[piece.start[0]] & SPACE:
        piece.start += 1
        piece.size -= 1
    while piece.size and CLASS[piece.start[piece.size - 1]] & SPACE:
        piece.size -= 1
    return piece
