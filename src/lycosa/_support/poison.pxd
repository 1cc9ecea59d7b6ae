"""Bytes that no code may read again, overwritten where the build looks for such a read.

A block of the URL table or a socket's buffer is used again and again, so a pointer kept too long would read the
next page's bytes, which look sound. The build of `LYCOSA_SANITIZE=1` fills such memory when it is released: a
late read then gives 0xDD, which the tests see. In every other build the call is empty, and costs nothing.
"""


cdef extern from *:
    """
    #ifndef LYCOSA_POISON
    #ifdef LYCOSA_SANITIZED
    #include <string.h>
    #define LYCOSA_POISON(start, size) memset((start), 0xDD, (size))
    #else
    #define LYCOSA_POISON(start, size) ((void)0)
    #endif
    #endif
    """
    void poison "LYCOSA_POISON"(void *start, size_t size) noexcept nogil
