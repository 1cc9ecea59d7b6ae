# The index: from the hash of a key to the leaf in which the key stands.
#
# A find that goes down a tree waits for memory at every level. Here it waits once: lines of
# sixteen slots, each with some bits of a hash and the number of a leaf. A line that is full
# goes on in the next one. A slot only proposes: the leaf is of the right tree and holds the key,
# or the search goes on. So slots may be out of date, and nothing is taken out when a site is
# sealed; the next rebuilding, from the leaves, leaves them behind.
#
# Always true (`check`): every key of every tree has a slot with its leaf on its way. So a key
# that the index does not find is in no tree.

cdef enum:
    LINE = 16           # slots of a line: 64 bytes
    AHEAD = 4           # so many nodes before its turn a leaf is asked for

cdef extern from *:
    """
    static inline uint64_t lycosa_fold(uint64_t a, uint64_t b) {
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    static inline uint64_t lycosa_word(const uint8_t *p) {
        uint64_t w;
        memcpy(&w, p, 8);
        return w;
    }
    static inline uint64_t lycosa_half(const uint8_t *p) {
        uint32_t w;
        memcpy(&w, p, 4);
        return w;
    }
    /* Sixteen bytes a step; whoever does not know the base cannot make keys that collide. */
    static inline uint64_t lycosa_hash(const uint8_t *p, uint32_t size, uint64_t base) {
        uint64_t a = 0, b = 0, h = base ^ size;
        while (size > 16) {
            h = lycosa_fold(lycosa_word(p) ^ base, lycosa_word(p + 8) ^ h);
            p += 16;
            size -= 16;
        }
        if (size >= 8) {
            a = lycosa_word(p);
            b = lycosa_word(p + size - 8);
        } else if (size >= 4) {
            a = lycosa_half(p);
            b = lycosa_half(p + size - 4);
        } else if (size) {
            a = (uint64_t)p[0] << 16 | (uint64_t)p[size >> 1] << 8 | p[size - 1];
        }
        h = lycosa_fold(a ^ base, b ^ h);
        return lycosa_fold(h ^ base, 0x9E3779B97F4A7C15u);
    }
    static inline size_t lycosa_share(uint64_t h, size_t count) {
        return (size_t)((unsigned __int128)h * count >> 64);
    }
    """
    uint64_t hash_key "lycosa_hash"(const uint8_t *, uint32_t, uint64_t) noexcept nogil
    size_t share "lycosa_share"(uint64_t, size_t) noexcept nogil


cdef class Index:
    """Slots for the keys of all leaves."""

    cdef Blocks blocks
    cdef uint64_t seed
    cdef Memory slot_memory
    cdef uint32_t *slots        # at the beginning of a line
    cdef size_t lines
    cdef size_t slots_used      # those that are out of date among them
    cdef uint32_t leaf_mask     # the bits of a slot that are a leaf; the others are of a hash
    cdef uint32_t leaf_bits

    def __cinit__(self, Blocks blocks not None):
        self.blocks = blocks
        self.seed = int.from_bytes(urandom(8), "little")
        self.make_slots(1)

    def __dealloc__(self):
        drop_room(&self.slot_memory)

    @cython.final
    cdef size_t slot_bytes(self, size_t keys) noexcept:
        """Return the bytes of so many slots that these keys fill half of them."""
        return room_for((keys // LINE * 2 + 3) * LINE * sizeof(uint32_t))

    @cython.final
    cdef int make_slots(self, size_t keys) except -1:
        """Begin with empty slots for as many keys."""
        cdef size_t lines
        cdef Memory memory
        cdef uint32_t bits = 8
        memset(&memory, 0, sizeof(Memory))
        set_room(&memory, self.slot_bytes(keys))
        # One less: the first line begins where a line of the cache does.
        lines = memory.size // (LINE * sizeof(uint32_t)) - 1
        while <size_t>1 << bits < 2 * <size_t>self.blocks.node_count + 256:
            bits += 1
        drop_room(&self.slot_memory)
        self.slot_memory = memory
        self.slots = <uint32_t *>((<size_t>memory.data + 63) & ~<size_t>63)
        memset(self.slots, 255, lines * LINE * sizeof(uint32_t))
        self.lines = lines
        self.slots_used = 0
        self.leaf_bits = bits
        self.leaf_mask = (<uint32_t>1 << bits) - 1
        return 0

    @cython.final
    cdef inline bint is_index_full(self) noexcept:
        """Return whether one more key needs more slots, or its new nodes more bits."""
        return (
            self.slots_used + 1 > self.lines * LINE * 17 // 20
            or <size_t>self.blocks.node_count + 64 > self.leaf_mask
        )

    @cython.final
    cdef inline void prefetch_line(self, uint64_t h) noexcept:
        prefetch(self.slots + share(h, self.lines) * LINE)

    @cython.final
    cdef inline void prefetch_block(self, uint32_t node) noexcept:
        cdef const uint8_t *text = self.blocks.arena + <size_t>self.blocks.nodes[node].block * UNIT
        cdef uint32_t i
        for i in range(8):
            prefetch(text + 64 * i)

    @cython.final
    cdef bint seek_slot(
        self, uint32_t owner, uint64_t h, const uint8_t *key, uint32_t size, Spot *spot
    ) noexcept:
        """Find a key in the tree of an owner by the leaves that its hash proposes."""
        cdef size_t line = share(h, self.lines)
        cdef uint32_t wanted = <uint32_t>h << self.leaf_bits
        cdef uint32_t mask = self.leaf_mask, slot, leaf, i
        while True:
            for i in range(LINE):
                slot = self.slots[line * LINE + i]
                if slot ^ wanted > mask:
                    continue
                if slot == NONE:
                    break
                leaf = slot & mask
                if (
                    self.blocks.nodes[leaf].owner == owner
                    and not self.blocks.nodes[leaf].height & 127
                ):
                    self.blocks.scan(leaf, key, size, spot)
                    if spot.is_there:
                        return True
            if self.slots[line * LINE + LINE - 1] == NONE:
                return False
            line = line + 1 if line + 1 < self.lines else 0

    @cython.final
    cdef void put_slot(self, uint64_t h, uint32_t leaf) noexcept:
        cdef size_t line = share(h, self.lines)
        cdef uint32_t i
        while True:
            for i in range(LINE):
                if self.slots[line * LINE + i] == NONE:
                    self.slots[line * LINE + i] = <uint32_t>h << self.leaf_bits | leaf
                    self.slots_used += 1
                    return
            line = line + 1 if line + 1 < self.lines else 0

    @cython.final
    cdef bint move_slot(self, uint64_t h, uint32_t old, uint32_t new) noexcept:
        """Let the slot of a key whose leaf was split say the new leaf; returns if it has one.

        Of two keys with the same bits in the same leaf either slot will do: as no slot is ever
        emptied, each of them is on the way of both.
        """
        cdef size_t line = share(h, self.lines)
        cdef uint32_t wanted = <uint32_t>h << self.leaf_bits | old
        cdef uint32_t i
        while True:
            for i in range(LINE):
                if self.slots[line * LINE + i] == wanted:
                    self.slots[line * LINE + i] = <uint32_t>h << self.leaf_bits | new
                    return True
            if self.slots[line * LINE + LINE - 1] == NONE:
                return False
            line = line + 1 if line + 1 < self.lines else 0

    @cython.final
    cdef int hash_leaf(self, uint32_t node, uint64_t base, uint64_t *hashes) except -1:
        """Hash the keys of a leaf, and ask for the lines that the hashes lead to."""
        cdef const uint8_t *p
        cdef uint32_t i, shared, length
        self.blocks.reserve(self.blocks.nodes[node].used)
        p = self.blocks.block(node)
        for i in range(self.blocks.nodes[node].count):
            shared = get_number(&p)
            length = get_number(&p)
            memcpy(self.blocks.scratch + shared, p, length)
            p += length
            hashes[i] = hash_key(self.blocks.scratch, shared + length, base)
            self.prefetch_line(hashes[i])
        return 0
