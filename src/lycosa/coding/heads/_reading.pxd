"""What other compiled modules call of the parser of heads."""

ctypedef const unsigned char byte

cdef byte *head_end(byte *start, byte *end) noexcept
cdef object read(bytes sent)
