"""The functions of the parser of heads that other compiled modules call."""

ctypedef const unsigned char byte

cdef byte *head_end(byte *start, byte *end) noexcept
cdef object read(bytes sent)
