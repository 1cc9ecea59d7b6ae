# Small things that walks need: buffers, steps of a key, and the cursors of `round_robin`.

cdef struct Buffer:
    uint8_t *data
    uint32_t size
    uint32_t room


cdef int extend(Buffer *buffer, const void *data, uint32_t size) except -1:
    """Put bytes behind what a buffer holds; there is always room for one more."""
    cdef void *moved
    cdef size_t wanted
    if <size_t>buffer.size + size + 1 > buffer.room:
        wanted = (<size_t>buffer.size + size) * 2 + 64
        if wanted > 0xFFFFFFFF:
            raise MemoryError
        moved = realloc(buffer.data, wanted)
        if not moved:
            raise MemoryError
        buffer.data = <uint8_t *>moved
        buffer.room = <uint32_t>wanted
    memcpy(buffer.data + buffer.size, data, size)
    buffer.size += size
    return 0


cdef int fill(Buffer *buffer, const void *data, uint32_t size) except -1:
    """Let a buffer hold these bytes."""
    buffer.size = 0
    return extend(buffer, data, size)


cdef inline void push(Buffer *buffer, uint8_t byte) noexcept:
    """Add one byte behind what `fill` put there: 0 for "just after", 255 for "after all below"."""
    buffer.data[buffer.size] = byte
    buffer.size += 1


cdef inline bint begins(
    const uint8_t *key, uint32_t size, const uint8_t *prefix, uint32_t length
) noexcept:
    return size >= length and memcmp(key, prefix, length) == 0


cdef uint32_t next_of(const uint8_t *key, uint32_t start, uint32_t end, uint8_t byte) noexcept:
    """Return where a byte stands first, or `end`."""
    while start < end and key[start] != byte:
        start += 1
    return start


cdef uint32_t host_end(const uint8_t *key, uint32_t size) noexcept:
    """Return where the host's node ends: behind the colon."""
    return next_of(key, next_of(key, 0, size, c"]") if key[0] == c"[" else 0, size, c":") + 1


cdef uint32_t step_end(const uint8_t *key, uint32_t size, uint32_t start) noexcept:
    """`lycosa.frontier.urltable.segments.segment_end`, on bytes."""
    cdef uint32_t slash = next_of(key, 0, size, c"/"), end, mark
    if start <= slash:
        end = host_end(key, slash)
        if start >= end:
            return slash + 1
        if key[0] == c"[":
            return end
        start = next_of(key, start, end - 1, c".")
        return start + 1
    mark = next_of(key, slash, size, c"?")
    if mark < start:
        return size
    end = next_of(key, start, mark, c"/")
    if end < mark:
        return end + 1
    return mark + 1 if mark < size else size


cdef bint is_node(const uint8_t *key, uint32_t size) noexcept:
    """`lycosa.frontier.urltable.segments.is_node`, on the bytes of a whole key."""
    cdef uint32_t mark = next_of(key, 0, size, c"?")
    return mark == size - 1 if mark < size else key[size - 1] == c"/"


cdef uint64_t hash_of(const uint8_t *data, uint32_t size) noexcept:
    cdef uint64_t h = 0xCBF29CE484222325u
    cdef uint32_t i
    for i in range(size):
        h = (h ^ data[i]) * 0x100000001B3u
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u
    return (h ^ (h >> 32)) | 1


cdef class Cursors:
    """For every node that was come through: a URL below the child that was served last."""

    cdef uint64_t *hashes       # 0 where nothing stands
    cdef uint32_t *urls
    cdef uint32_t size
    cdef uint32_t used

    def __dealloc__(self):
        free(self.hashes)
        free(self.urls)

    @cython.final
    cdef uint32_t slot(self, uint64_t h) noexcept:
        cdef uint32_t i = <uint32_t>(h >> 20) & (self.size - 1)
        while self.hashes[i] and self.hashes[i] != h:
            i = (i + 1) & (self.size - 1)
        return i

    @cython.final
    cdef uint32_t served(self, uint64_t h) noexcept:
        cdef uint32_t i
        if not self.size:
            return NONE
        i = self.slot(h)
        return self.urls[i] if self.hashes[i] else NONE

    @cython.final
    cdef int serve(self, uint64_t h, uint32_t url) except -1:
        cdef uint32_t i
        if 4 * self.used >= 3 * self.size:
            self.grow()
        i = self.slot(h)
        if not self.hashes[i]:
            self.hashes[i] = h
            self.used += 1
        self.urls[i] = url
        return 0

    @cython.final
    cdef int grow(self) except -1:
        cdef uint32_t size = self.size, i, j
        cdef uint64_t *hashes = self.hashes
        cdef uint32_t *urls = self.urls
        self.size = max(64, size * 2)
        self.hashes = <uint64_t *>calloc(self.size, sizeof(uint64_t))
        self.urls = <uint32_t *>calloc(self.size, sizeof(uint32_t))
        if not self.hashes or not self.urls:
            raise MemoryError
        for i in range(size):
            if hashes[i]:
                j = self.slot(hashes[i])
                self.hashes[j] = hashes[i]
                self.urls[j] = urls[i]
        free(hashes)
        free(urls)
        return 0
