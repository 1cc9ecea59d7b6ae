# The arena and the nodes in it: blocks of a table's memory, and what stands in a leaf.
#
# A node is a record of 20 bytes and a block of the arena that is as large as it needs to be.
#
#   leaf     text of up to MOST_KEYS keys in order, front-coded: bytes shared with the key before,
#            bytes that follow, both as varints, then the bytes | free | the numbers, backwards
#            from the end; the highest bit of a number is its mark
#   inner    children, their weights, ends of separators (each u32 × count) | separators
#
# A separator is the shortest string that is greater than all keys to its left and not greater
# than any to its right; the first child has an empty one.

cdef enum:
    UNIT = 16           # bytes: blocks are counted in units
    CLASSES = 640       # free blocks of up to so many units are kept by size
    MOST_KEYS = 32      # of a leaf: more of them take less memory and more time
    MOST_CHILDREN = 64  # of an inner node
    FULL_BYTES = 4096   # text of a leaf that is split although it has fewer keys
    SITES = 128         # flag in Node.height: the tree of site names

cdef extern from *:
    """
    #define LYCOSA_NONE 0xFFFFFFFFu
    /* Eight bytes as a number that is ordered as they are. */
    static inline uint64_t lycosa_head(const uint8_t *p) {
        uint64_t w;
        memcpy(&w, p, 8);
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        w = __builtin_bswap64(w);
    #endif
        return w;
    }
    /* The same of fewer bytes, filled with zeros; more than `size` may be read. */
    static inline uint64_t lycosa_short_head(const uint8_t *p, uint32_t size) {
        uint64_t w = lycosa_head(p);
        return size >= 8 ? w : size ? w & (~(uint64_t)0 << (64 - 8 * size)) : 0;
    }
    /* How many of the first `most` bytes at p are those of a key from `from` on, eight at a time;
       of p more may be read, of the key no more than its `size` bytes. */
    static inline uint32_t lycosa_common(
        const uint8_t *p, const uint8_t *key, uint32_t size, uint32_t from, uint32_t most
    ) {
        uint32_t i = 0;
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        if (size >= 8) {
            for (; i < most; i += 8) {
                uint32_t at = from + i, left = size - at;
                uint64_t a, b;
                memcpy(&a, p + i, 8);
                if (left >= 8) {
                    memcpy(&b, key + at, 8);
                } else {
                    memcpy(&b, key + size - 8, 8);
                    b >>= 64 - 8 * left;
                }
                if (a != b) {
                    i += (uint32_t)__builtin_ctzll(a ^ b) >> 3;
                    break;
                }
            }
            return i < most ? i : most;
        }
    #endif
        while (i < most && p[i] == key[from + i])
            i++;
        return i;
    }
    #define LYCOSA_HIGH 0x80000000u
    #define LYCOSA_LOW 0x7FFFFFFFu
    """
    const uint32_t NONE "LYCOSA_NONE"
    const uint32_t MARK "LYCOSA_HIGH"     # in a leaf's numbers
    const uint32_t ROOT "LYCOSA_HIGH"     # in Node.parent: what follows is the owner
    const uint32_t SEALED "LYCOSA_HIGH"   # in a URL's place: what follows is a chunk
    const uint32_t LOW "LYCOSA_LOW"
    void prefetch "__builtin_prefetch"(const void *) noexcept nogil
    uint64_t head "lycosa_head"(const uint8_t *) noexcept nogil
    uint64_t short_head "lycosa_short_head"(const uint8_t *, uint32_t) noexcept nogil
    uint32_t common_bytes "lycosa_common"(
        const uint8_t *, const uint8_t *, uint32_t, uint32_t, uint32_t
    ) noexcept nogil

cdef struct Node:
    uint32_t block      # where its block begins, in units
    uint32_t parent     # an inner node, or ROOT and the owner
    uint32_t owner      # the site whose tree it belongs to; LOW for the tree of sites
    uint32_t used       # bytes of text or separators
    uint16_t size       # of its block, in units
    uint8_t count       # keys or children
    uint8_t height      # 0 for a leaf, and the flag SITES

cdef struct Spot:
    # Where a key stands in a leaf, or would stand.
    uint32_t node
    uint32_t index
    uint32_t at         # where the entry with this index begins
    uint32_t before     # bytes that the key shares with the entry before
    uint32_t behind     # bytes that the key shares with the entry with this index
    bint is_there


cdef inline uint32_t get_number(const uint8_t **p) noexcept nogil:
    """Read a varint and go behind it."""
    cdef uint32_t value = p[0][0]
    cdef int shift = 7
    p[0] += 1
    if value < 128:
        return value
    value &= 127
    while p[0][0] >= 128:
        value |= <uint32_t>(p[0][0] & 127) << shift
        shift += 7
        p[0] += 1
    value |= <uint32_t>p[0][0] << shift
    p[0] += 1
    return value


cdef inline uint8_t *put_number(uint8_t *p, uint32_t value) noexcept nogil:
    """Write a varint; returns what is behind it."""
    while value >= 128:
        p[0] = <uint8_t>(value | 128)
        value >>= 7
        p += 1
    p[0] = <uint8_t>value
    return p + 1


cdef inline uint32_t number_size(uint32_t value) noexcept nogil:
    return 1 if value < 128 else 2 if value < 16384 else 3


cdef inline int compare(const uint8_t *a, uint32_t m, const uint8_t *b, uint32_t n) noexcept nogil:
    """Return less than 0, 0 or more as a stands before b, is b, or stands behind b."""
    cdef int order = memcmp(a, b, m if m < n else n)
    return order if order else (<int>(m > n) - <int>(m < n))


cdef class Blocks:
    """Memory: one arena of units, and the nodes."""

    cdef Memory arena_memory
    cdef uint8_t *arena
    cdef uint32_t arena_used
    cdef uint32_t *free_blocks
    cdef size_t free_units
    cdef Memory node_memory
    cdef Node *nodes
    cdef uint32_t node_count
    cdef uint32_t free_node
    cdef uint32_t free_nodes
    cdef size_t key_count       # keys of all leaves
    cdef uint8_t *scratch
    cdef uint32_t scratch_size

    def __cinit__(self):
        self.free_blocks = <uint32_t *>malloc(CLASSES * sizeof(uint32_t))
        self.scratch = <uint8_t *>malloc(256)
        if not self.free_blocks or not self.scratch:
            raise MemoryError
        self.scratch_size = 256
        memset(self.free_blocks, 255, CLASSES * sizeof(uint32_t))
        self.free_node = NONE

    def __dealloc__(self):
        drop_room(&self.arena_memory)
        free(self.free_blocks)
        drop_room(&self.node_memory)
        free(self.scratch)

    # -- memory ---------------------------------------------------------------------------

    @cython.final
    cdef inline uint8_t *block(self, uint32_t node) noexcept:
        """Return a node's block; valid until the next allocation."""
        assert node < self.node_count
        assert self.nodes[node].block + self.nodes[node].size <= self.arena_used
        return self.arena + <size_t>self.nodes[node].block * UNIT

    @cython.final
    cdef inline uint32_t *numbers_end(self, uint32_t node) noexcept:
        """Return the end of a leaf's numbers: that of entry i is [-1 - i]."""
        return <uint32_t *>(self.block(node) + <size_t>self.nodes[node].size * UNIT)

    @cython.final
    cdef int allocate(self, uint32_t node, size_t size) except -1:
        """Give a node a new block of at least so many bytes; the old one is not freed."""
        cdef size_t step = 32 if size <= 1024 else 64
        cdef size_t units = (size + step - 1) // step * step // UNIT
        cdef uint32_t found
        if units > 0xFFFF:
            raise ValueError("a key is too long for the URL table")
        if units < CLASSES and self.free_blocks[units] != NONE:
            found = self.free_blocks[units]
            self.free_units -= units
            memcpy(&self.free_blocks[units], self.arena + <size_t>found * UNIT, sizeof(uint32_t))
        else:
            if self.arena_used + units >= 0xFFFFFFFF:
                raise MemoryError("the URL table of a partition has outgrown 64 GB")
            # `short_head` reads beyond.
            make_room(&self.arena_memory, (self.arena_used + units + 1) * UNIT)
            self.arena = <uint8_t *>self.arena_memory.data
            found = self.arena_used
            self.arena_used += <uint32_t>units
        self.nodes[node].block = found
        self.nodes[node].size = <uint16_t>units
        return 0

    @cython.final
    cdef void release(self, uint32_t block, uint32_t units) noexcept:
        """Keep a block for the next one of its size; a huge one is left alone."""
        if units < CLASSES:
            memcpy(self.arena + <size_t>block * UNIT, &self.free_blocks[units], sizeof(uint32_t))
            self.free_blocks[units] = block
            self.free_units += units
            # The first four bytes are the number of the next free block.
            poison(self.arena + <size_t>block * UNIT + sizeof(uint32_t), units * UNIT - sizeof(uint32_t))
        else:
            poison(self.arena + <size_t>block * UNIT, units * UNIT)

    @cython.final
    cdef uint32_t new_node(self, uint8_t height, uint32_t owner) except? 0xFFFFFFFF:
        """Return a node that has no block yet."""
        cdef uint32_t node = self.free_node
        if node != NONE:
            self.free_node = self.nodes[node].parent
            self.free_nodes -= 1
        else:
            make_room(&self.node_memory, (<size_t>self.node_count + 1) * sizeof(Node))
            self.nodes = <Node *>self.node_memory.data
            node = self.node_count
            self.node_count += 1
        memset(&self.nodes[node], 0, sizeof(Node))
        self.nodes[node].height = height
        self.nodes[node].owner = owner
        return node

    @cython.final
    cdef void drop_node(self, uint32_t node) noexcept:
        """Free a node and its block."""
        if not self.nodes[node].height & 127:
            self.key_count -= self.nodes[node].count
        self.free_nodes += 1
        self.release(self.nodes[node].block, self.nodes[node].size)
        self.nodes[node].parent = self.free_node
        self.nodes[node].owner = NONE
        self.nodes[node].size = 0
        self.free_node = node

    @cython.final
    cdef int reserve(self, size_t size) except -1:
        """Make the scratch buffer as large as this at least."""
        cdef void *moved
        if size > self.scratch_size:
            moved = realloc(self.scratch, size * 2)
            if not moved:
                raise MemoryError
            self.scratch = <uint8_t *>moved
            self.scratch_size = <uint32_t>(size * 2)
        return 0

    @cython.final
    cdef int join_blocks(self) except -1:
        """Move all blocks together and give back what is free."""
        cdef size_t units = 0, at = 0
        cdef uint32_t i
        cdef Memory memory
        for i in range(self.node_count):
            units += self.nodes[i].size
        memset(&memory, 0, sizeof(Memory))
        set_room(&memory, (units + 1) * UNIT)
        for i in range(self.node_count):
            if self.nodes[i].size:
                memcpy(<uint8_t *>memory.data + at * UNIT, self.block(i), <size_t>self.nodes[i].size * UNIT)
                self.nodes[i].block = <uint32_t>at
                at += self.nodes[i].size
            else:
                self.nodes[i].block = 0
        drop_room(&self.arena_memory)
        self.arena_memory = memory
        self.arena = <uint8_t *>memory.data
        self.arena_used = <uint32_t>units
        self.free_units = 0
        memset(self.free_blocks, 255, CLASSES * sizeof(uint32_t))
        return 0

    # -- leaves ---------------------------------------------------------------------------

    @cython.final
    cdef void scan(self, uint32_t node, const uint8_t *key, uint32_t size, Spot *spot) noexcept:
        """Find where a key stands in a leaf, or would stand.

        `before` is what the key shares with the entry at hand; an entry that shares more than
        that with the one before it differs from the key in the same place and is passed over.
        """
        cdef const uint8_t *text = self.block(node)
        cdef const uint8_t *p = text
        cdef const uint8_t *start
        cdef uint32_t count = self.nodes[node].count
        cdef uint32_t i, shared, length, common, least
        cdef uint32_t before = 0
        spot.node = node
        spot.is_there = False
        # Ask for what will be read, while what is read first is still on its way.
        prefetch(text + 64)
        prefetch(text + 128)
        prefetch(text + 192)
        prefetch(self.numbers_end(node) - 1)
        prefetch(self.numbers_end(node) - 17)
        for i in range(count):
            start = p
            shared = get_number(&p)
            length = get_number(&p)
            assert p + length <= text + self.nodes[node].used
            if shared > before:
                p += length
                continue
            common = 0
            if shared == before:
                least = length if length < size - before else size - before
                common = common_bytes(p, key, size, before, least)
                if before + common == size:
                    spot.is_there = common == length
                elif common == length or p[common] < key[before + common]:
                    before += common
                    p += length
                    continue
            spot.index = i
            spot.at = <uint32_t>(start - text)
            spot.before = before
            spot.behind = shared + common
            return
        spot.index = count
        spot.at = <uint32_t>(p - text)
        spot.before = before
        spot.behind = 0

    @cython.final
    cdef uint32_t read_key(self, uint32_t node, uint32_t index, uint32_t room) except? 0xFFFFFFFF:
        """Write the key of a leaf's entry into the scratch buffer behind `room` bytes.

        Returns its length; `room` bytes are left as they are.
        """
        cdef const uint8_t *p
        cdef const uint8_t *tails[MOST_KEYS + 1]
        cdef uint32_t begins[MOST_KEYS + 1]
        cdef uint32_t i, length = 0, size, wanted
        self.reserve(room + self.nodes[node].used)
        p = self.block(node)
        for i in range(index + 1):
            begins[i] = get_number(&p)
            length = get_number(&p)
            tails[i] = p
            p += length
        size = begins[index] + length
        assert size <= self.nodes[node].used
        memcpy(self.scratch + room + begins[index], tails[index], length)
        # Backwards: an entry gives what none of those behind it has.
        wanted = begins[index]
        while wanted:
            index -= 1
            if begins[index] < wanted:
                length = wanted - begins[index]
                memcpy(self.scratch + room + begins[index], tails[index], length)
                wanted = begins[index]
        return size

    @cython.final
    cdef uint32_t entry_of(self, uint32_t node, uint32_t number) noexcept:
        """Return the index of a number in a leaf."""
        cdef const uint32_t *end = self.numbers_end(node)
        cdef uint32_t i
        for i in range(self.nodes[node].count):
            if end[-1 - <int>i] & LOW == number:
                return i
        return NONE

    @cython.final
    cdef int put_entry(
        self, const Spot *spot, const uint8_t *key, uint32_t size, uint32_t number
    ) except -1:
        """Put a key where `scan` found that it would stand; the leaf may then be too full."""
        cdef uint32_t node = spot.node
        cdef uint32_t count = self.nodes[node].count
        cdef uint32_t used = self.nodes[node].used
        cdef uint32_t tail = size - spot.before
        cdef uint32_t entry = number_size(spot.before) + number_size(tail) + tail
        cdef uint32_t header = 0, skip = 0, shared = 0, length = 0, new_used
        cdef const uint8_t *q
        cdef uint8_t *text
        cdef uint8_t *p
        cdef uint32_t *end
        if spot.index < count:
            q = self.block(node) + spot.at
            shared = get_number(&q)
            length = get_number(&q)
            length -= spot.behind - shared
            skip = <uint32_t>(q - self.block(node)) - spot.at + spot.behind - shared
            header = number_size(spot.behind) + number_size(length)
        new_used = used + entry + header - skip
        if new_used + 4 * (count + 1) > <uint32_t>self.nodes[node].size * UNIT:
            self.resize_leaf(node, new_used + 4 * (count + 1))
        text = self.block(node)
        p = text + spot.at
        memmove(p + entry + header, p + skip, used - spot.at - skip)
        p = put_number(p, spot.before)
        p = put_number(p, tail)
        memcpy(p, key + spot.before, tail)
        p += tail
        if header:
            p = put_number(p, spot.behind)
            put_number(p, length)
        end = self.numbers_end(node)
        memmove(end - count - 1, end - count, (count - spot.index) * sizeof(uint32_t))
        end[-1 - <int>spot.index] = number
        self.nodes[node].used = new_used
        self.nodes[node].count = <uint8_t>(count + 1)
        return 0

    @cython.final
    cdef int resize_leaf(self, uint32_t node, size_t size) except -1:
        """Move a leaf into a block of at least so many bytes."""
        cdef uint32_t old = self.nodes[node].block
        cdef uint32_t units = self.nodes[node].size
        cdef uint32_t count = self.nodes[node].count
        cdef uint8_t *source
        self.allocate(node, size)
        if units:
            source = self.arena + <size_t>old * UNIT
            memcpy(self.block(node), source, self.nodes[node].used)
            memcpy(
                self.numbers_end(node) - count,
                source + <size_t>units * UNIT - count * sizeof(uint32_t),
                count * sizeof(uint32_t),
            )
            self.release(old, units)
        return 0
