# Where each number is: the leaf in which it stands, or SEALED and the chunk.
#
# The places of 4,096 consecutive numbers are a part. A part lies open in one large array, four
# bytes a number, or is packed: its different places once, and for each number which of them,
# in as many bits as that takes. Numbers of sealed sites share few chunks, so that a part of them
# takes less than a byte a number. `tighten` packs the parts that it at least halves; a part is
# opened again when one of its places changes.

cdef enum:
    PART_BITS = 12      # 4,096 numbers
    PACKED_HEADER = 8   # how many different places, and the bits of each number

cdef struct Part:
    uint8_t *packed     # NULL while it is open
    uint32_t slab       # where it lies in `places` while it is open, counted in parts
    uint32_t size       # of `packed`, in bytes


cdef inline uint32_t packed_place(const uint8_t *packed, uint32_t index) noexcept nogil:
    cdef const uint32_t *values = <const uint32_t *>(packed + PACKED_HEADER)
    cdef uint32_t width = (<const uint32_t *>packed)[1]
    cdef size_t bit = <size_t>index * width
    cdef uint64_t word
    memcpy(&word, <const uint8_t *>(values + (<const uint32_t *>packed)[0]) + (bit >> 3), 8)
    return values[word >> (bit & 7) & ((<uint64_t>1 << width) - 1)]


cdef class Places:
    """The places of all numbers."""

    cdef uint32_t url_count
    cdef uint32_t part_bits
    cdef Memory part_memory
    cdef Part *parts
    cdef uint32_t part_count
    cdef Memory place_memory
    cdef uint32_t *places
    cdef uint32_t slab_count
    cdef size_t packed_bytes
    cdef size_t opened_bytes    # what packing those again that were packed would save

    def __cinit__(self):
        self.part_bits = PART_BITS

    def __dealloc__(self):
        cdef uint32_t i
        for i in range(self.part_count):
            free(self.parts[i].packed)
        drop_room(&self.part_memory)
        drop_room(&self.place_memory)

    @cython.final
    cdef int set_part(self, uint32_t bits) except -1:
        """Let parts be of 2**bits numbers, in an empty table: for tests."""
        if self.part_count:
            raise ValueError("the table is not empty")
        self.part_bits = bits
        return 0

    @cython.final
    cdef int make_places(self, size_t count) except -1:
        """Let there be places for so many numbers."""
        cdef size_t last
        cdef Part *part
        if count > LOW:
            raise MemoryError("a partition holds at most 2**31 - 1 URLs")
        while <size_t>self.part_count << self.part_bits < count:
            make_room(&self.part_memory, (<size_t>self.part_count + 1) * sizeof(Part))
            self.parts = <Part *>self.part_memory.data
            part = &self.parts[self.part_count]
            memset(part, 0, sizeof(Part))
            self.open_slab(part, 1)
            self.part_count += 1
            if <size_t>self.part_count << self.part_bits < count:
                self.make_slab(part, <size_t>1 << self.part_bits)
        if count:
            last = (count - 1) & ((<size_t>1 << self.part_bits) - 1)
            self.make_slab(&self.parts[(count - 1) >> self.part_bits], last + 1)
        return 0

    @cython.final
    cdef int make_slab(self, const Part *part, size_t count) except -1:
        """Let the first so many places of an open part have room."""
        if part.packed == NULL:
            make_room(
                &self.place_memory,
                ((<size_t>part.slab << self.part_bits) + count) * sizeof(uint32_t),
            )
            self.places = <uint32_t *>self.place_memory.data
        return 0

    @cython.final
    cdef int open_slab(self, Part *part, size_t count) except -1:
        """Give a part a slab with room for its first so many places."""
        part.slab = self.slab_count
        self.make_slab(part, count)
        self.slab_count += 1
        return 0

    @cython.final
    cdef inline uint32_t place_of(self, uint32_t number) noexcept:
        cdef const Part *part = &self.parts[number >> self.part_bits]
        cdef uint32_t index = number & ((<uint32_t>1 << self.part_bits) - 1)
        assert number < self.url_count
        if part.packed:
            return packed_place(part.packed, index)
        return self.places[(<size_t>part.slab << self.part_bits) + index]

    @cython.final
    cdef inline int set_place(self, uint32_t number, uint32_t place) except -1:
        cdef Part *part = &self.parts[number >> self.part_bits]
        cdef uint32_t index = number & ((<uint32_t>1 << self.part_bits) - 1)
        if part.packed:
            if packed_place(part.packed, index) == place:
                return 0
            self.open_part(part)
        self.places[(<size_t>part.slab << self.part_bits) + index] = place
        return 0

    @cython.final
    cdef int open_part(self, Part *part) except -1:
        """Let the places of a packed part lie open again."""
        cdef uint32_t i, count = <uint32_t>1 << self.part_bits
        cdef uint8_t *packed = part.packed
        cdef uint32_t *places
        part.packed = NULL
        try:
            self.open_slab(part, count)
        except MemoryError:
            part.packed = packed
            raise
        places = self.places + (<size_t>part.slab << self.part_bits)
        for i in range(count):
            places[i] = packed_place(packed, i)
        free(packed)
        self.packed_bytes -= part.size
        self.opened_bytes += count * sizeof(uint32_t) - part.size
        return 0

    @cython.final
    cdef int pack_part(self, Part *part, uint32_t *table, uint32_t *values) except -1:
        """Pack an open part if that at least halves it.

        `table` has room for twice as many numbers as a part has, `values` for as many.
        """
        cdef uint32_t count = <uint32_t>1 << self.part_bits, different = 0, width = 0, i, at
        cdef uint32_t mask = 2 * count - 1
        cdef const uint32_t *places = self.places + (<size_t>part.slab << self.part_bits)
        cdef size_t size, bit = 0
        cdef uint64_t word
        cdef uint8_t *p
        memset(table, 255, 2 * count * sizeof(uint32_t))
        for i in range(count):
            at = self.find_value(table, mask, values, places[i])
            if table[at] == NONE:
                if 2 * different >= count:
                    return 0
                table[at] = different
                values[different] = places[i]
                different += 1
        while different - 1 >> width:
            width += 1
        size = PACKED_HEADER + different * sizeof(uint32_t) + (<size_t>count * width + 7) // 8 + 8
        if 2 * size > count * sizeof(uint32_t):
            return 0
        part.packed = <uint8_t *>calloc(1, size)
        if not part.packed:
            raise MemoryError
        (<uint32_t *>part.packed)[0] = different
        (<uint32_t *>part.packed)[1] = width
        memcpy(part.packed + PACKED_HEADER, values, different * sizeof(uint32_t))
        p = part.packed + PACKED_HEADER + different * sizeof(uint32_t)
        for i in range(count):
            memcpy(&word, p + (bit >> 3), 8)
            at = self.find_value(table, mask, values, places[i])
            word |= <uint64_t>table[at] << (bit & 7)
            memcpy(p + (bit >> 3), &word, 8)
            bit += width
        part.size = <uint32_t>size
        self.packed_bytes += size
        return 0

    @cython.final
    cdef inline uint32_t find_value(
        self, const uint32_t *table, uint32_t mask, const uint32_t *values, uint32_t value
    ) noexcept:
        """Return where in a hash table of indexes a value stands or would stand."""
        cdef uint32_t at = (value * <uint32_t>0x9E3779B1u) >> 7 & mask
        while table[at] != NONE and values[table[at]] != value:
            at = (at + 1) & mask
        return at

    @cython.final
    cdef void renumber_places(self, const uint32_t *new) noexcept:
        """Let all leaves have other numbers."""
        cdef uint32_t number, i
        cdef uint32_t *places
        cdef Part *part
        for i in range(self.part_count):
            part = &self.parts[i]
            if part.packed:
                places = <uint32_t *>(part.packed + PACKED_HEADER)
                number = (<uint32_t *>part.packed)[0]
            else:
                places = self.places + (<size_t>part.slab << self.part_bits)
                number = <uint32_t>self.open_size(i)
            while number:
                number -= 1
                if not places[number] & SEALED:
                    places[number] = new[places[number]]

    @cython.final
    cdef int tighten_places(self) except -1:
        """Pack what is worth it, and move what is left open together."""
        cdef uint32_t full = self.url_count >> self.part_bits, i
        cdef size_t count = <size_t>1 << self.part_bits
        cdef uint32_t *room = <uint32_t *>malloc(3 * count * sizeof(uint32_t))
        if not room:
            raise MemoryError
        try:
            for i in range(full):
                if self.parts[i].packed == NULL:
                    self.pack_part(&self.parts[i], room, room + 2 * count)
        finally:
            free(room)
        self.opened_bytes = 0
        return self.join_slabs()

    @cython.final
    cdef int join_slabs(self) except -1:
        """Move the slabs of open parts to the beginning, in their order."""
        cdef uint32_t slabs = self.slab_count, i, new = 0
        cdef size_t count = <size_t>1 << self.part_bits
        cdef uint32_t *parts = <uint32_t *>malloc((<size_t>slabs + 1) * sizeof(uint32_t))
        if not parts:
            raise MemoryError
        memset(parts, 255, <size_t>slabs * sizeof(uint32_t))
        for i in range(self.part_count):
            if self.parts[i].packed == NULL:
                parts[self.parts[i].slab] = i
        for i in range(slabs):
            if parts[i] != NONE:
                if i != new:
                    memmove(
                        self.places + new * count,
                        self.places + i * count,
                        self.open_size(parts[i]) * sizeof(uint32_t),
                    )
                self.parts[parts[i]].slab = new
                new += 1
        free(parts)
        self.slab_count = new
        set_room(&self.place_memory, max(<size_t>1, self.open_end()) * sizeof(uint32_t))
        self.places = <uint32_t *>self.place_memory.data
        return 0

    @cython.final
    cdef size_t open_size(self, uint32_t part) noexcept:
        """Return how many places of a part are in use."""
        return min(
            <size_t>1 << self.part_bits, self.url_count - (<size_t>part << self.part_bits)
        )

    @cython.final
    cdef size_t open_end(self) noexcept:
        """Return how many places the array must hold."""
        cdef size_t end = 0
        cdef uint32_t i
        for i in range(self.part_count):
            if self.parts[i].packed == NULL:
                end = max(
                    end, (<size_t>self.parts[i].slab << self.part_bits) + self.open_size(i)
                )
        return end
