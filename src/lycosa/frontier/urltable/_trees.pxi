# Trees of keys: one of all site names, and for every site one of its paths.
#
# These are B+ trees whose leaves are the front-coded blocks of `_blocks.pxi`. An inner node
# knows the weight of each of its children: how many ready URLs lie below it (for the tree of
# sites), or how many marked ones (for the tree of a site). So what is ready can be counted
# and found by going down and up once, and waking a site changes the weights above it alone.

cdef struct Site:
    uint32_t root       # of the tree of its paths; NONE while it is sealed
    uint32_t leaf       # where its name stands in the tree of sites
    uint32_t count      # its URLs
    uint32_t marked     # those of them that are pending
    uint32_t hash       # of its name
    bint is_awake


cdef class Trees:
    """All trees of a table, and what they are made of."""

    cdef Blocks blocks
    cdef Index index
    cdef Places places
    cdef Memory site_memory
    cdef Site *sites
    cdef uint32_t site_number
    cdef uint32_t sites_root

    def __cinit__(self):
        self.blocks = Blocks.__new__(Blocks)
        self.index = Index.__new__(Index, self.blocks)
        self.places = Places.__new__(Places)

    def __dealloc__(self):
        drop_room(&self.site_memory)

    def _set_part(self, uint32_t bits):
        """Let parts of the places be of 2**bits numbers, in an empty table: for tests."""
        self.places.set_part(bits)

    # -- inner nodes ----------------------------------------------------------------------

    @cython.final
    cdef inline uint32_t *children(self, uint32_t node) noexcept:
        return <uint32_t *>self.blocks.block(node)

    @cython.final
    cdef inline uint32_t *weights(self, uint32_t node) noexcept:
        return self.children(node) + self.blocks.nodes[node].count

    @cython.final
    cdef inline uint32_t *ends(self, uint32_t node) noexcept:
        return self.children(node) + 2 * self.blocks.nodes[node].count

    @cython.final
    cdef inline uint32_t slot_of(self, uint32_t parent, uint32_t child) noexcept:
        cdef const uint32_t *children = self.children(parent)
        cdef uint32_t i = 0
        while children[i] != child:
            i += 1
            assert i < self.blocks.nodes[parent].count
        return i

    @cython.final
    cdef uint32_t slot_for(self, uint32_t node, const uint8_t *key, uint32_t size) noexcept:
        """Return the last child whose separator is not greater than the key.

        Eight bytes decide nearly always: separators are short.
        """
        cdef uint32_t low = 0, high = self.blocks.nodes[node].count, middle, start, length
        cdef const uint32_t *ends = self.ends(node)
        cdef const uint8_t *text = <const uint8_t *>(ends + high)
        cdef uint8_t first[8]
        cdef uint64_t wanted, found
        # The middle of each array is where the search begins.
        prefetch(ends + (high >> 1))
        prefetch(text + (self.blocks.nodes[node].used >> 1))
        prefetch(self.children(node) + (high >> 1))
        memset(first, 0, 8)
        memcpy(first, key, size if size < 8 else 8)
        wanted = head(first)
        while high - low > 1:
            middle = (low + high) >> 1
            start = ends[middle - 1]
            length = ends[middle] - start
            found = short_head(text + start, length)
            if found < wanted or (
                found == wanted and compare(text + start, length, key, size) <= 0
            ):
                low = middle
            else:
                high = middle
        return low

    @cython.final
    cdef uint32_t leaf_for(self, uint32_t node, const uint8_t *key, uint32_t size) noexcept:
        """Return the leaf in which a key stands or would stand."""
        while self.blocks.nodes[node].height & 127:
            node = self.children(node)[self.slot_for(node, key, size)]
        return node

    # -- taking keys in -------------------------------------------------------------------

    @cython.final
    cdef uint32_t new_tree(self, uint32_t owner, uint8_t flag) except? 0xFFFFFFFF:
        """Return the empty leaf that is the root of a new tree."""
        cdef uint32_t node = self.blocks.new_node(flag, owner)
        self.blocks.nodes[node].parent = ROOT | owner
        return node

    @cython.final
    cdef int insert(
        self, const Spot *spot, const uint8_t *key, uint32_t size, uint64_t h, uint32_t number
    ) except -1:
        """Take a key with a hash in where `scan` found that it would stand."""
        cdef uint32_t node = spot.node, count
        if self.index.is_index_full():
            self.rebuild_index()
        self.blocks.put_entry(spot, key, size, number)
        self.index.put_slot(h, node)
        self.blocks.key_count += 1
        self.place(node, number)
        count = self.blocks.nodes[node].count
        if count > MOST_KEYS or (count > 1 and self.blocks.nodes[node].used > FULL_BYTES):
            split_leaf(self, node, spot.index == count - 1 and is_last(self, node))
        return 0

    @cython.final
    cdef inline int place(self, uint32_t node, uint32_t number) except -1:
        """Note in which leaf a number stands."""
        if self.blocks.nodes[node].height & SITES:
            self.sites[number].leaf = node
        else:
            self.places.set_place(number, node)
        return 0

    # -- the index ------------------------------------------------------------------------

    @cython.final
    cdef inline uint64_t base_of(self, uint32_t owner) noexcept:
        """Return what the hashes of a tree's keys begin with."""
        return self.index.seed if owner == LOW else self.index.seed + self.sites[owner].hash

    @cython.final
    cdef int rebuild_index(self) except -1:
        """Make the slots again from the leaves."""
        self.empty_slots()
        return self.fill_slots()

    @cython.final
    cdef int empty_slots(self) except -1:
        """Begin with empty slots; `fill_slots`, which must follow, has then all that it needs."""
        cdef uint32_t node, longest = 0
        for node in range(self.blocks.node_count):
            longest = max(longest, self.blocks.nodes[node].used)
        self.blocks.reserve(longest)
        return self.index.make_slots(self.blocks.key_count)

    @cython.final
    cdef int fill_slots(self) except -1:
        """Give each key its slot."""
        cdef uint64_t hashes[MOST_KEYS + 1]
        cdef uint32_t node, i
        for node in range(self.blocks.node_count):
            if node + AHEAD < self.blocks.node_count:
                self.index.prefetch_block(node + AHEAD)
            if self.blocks.nodes[node].size and not self.blocks.nodes[node].height & 127:
                self.index.hash_leaf(node, self.base_of(self.blocks.nodes[node].owner), hashes)
                for i in range(self.blocks.nodes[node].count):
                    self.index.put_slot(hashes[i], node)
        return 0

    # -- memory ---------------------------------------------------------------------------

    def _tighten(self):
        """Give back what sealing has freed."""
        self.empty_slots()
        try:
            self.join_nodes()
            self.blocks.join_blocks()
            self.places.tighten_places()
        finally:
            self.fill_slots()

    @cython.final
    cdef int join_nodes(self) except -1:
        """Give all nodes other numbers, without those that are free."""
        cdef uint32_t *new = <uint32_t *>malloc(self.blocks.node_count * sizeof(uint32_t))
        cdef uint32_t count = 0, i, j
        if not new:
            raise MemoryError
        for i in range(self.blocks.node_count):
            new[i] = count
            count += self.blocks.nodes[i].owner != NONE
        self.places.renumber_places(new)
        for i in range(self.site_number):
            self.sites[i].leaf = new[self.sites[i].leaf]
            if self.sites[i].root != NONE:
                self.sites[i].root = new[self.sites[i].root]
        self.sites_root = new[self.sites_root]
        for i in range(self.blocks.node_count):
            if self.blocks.nodes[i].owner != NONE:
                if not self.blocks.nodes[i].parent & ROOT:
                    self.blocks.nodes[i].parent = new[self.blocks.nodes[i].parent]
                if self.blocks.nodes[i].height & 127:
                    for j in range(self.blocks.nodes[i].count):
                        self.children(i)[j] = new[self.children(i)[j]]
                self.blocks.nodes[new[i]] = self.blocks.nodes[i]
        free(new)
        self.blocks.node_count = count
        self.blocks.free_node = NONE
        self.blocks.free_nodes = 0
        set_room(&self.blocks.node_memory, count * sizeof(Node))
        self.blocks.nodes = <Node *>self.blocks.node_memory.data
        return 0

    # -- weights --------------------------------------------------------------------------

    @cython.final
    cdef uint32_t entry_weight(self, uint32_t node, uint32_t number) noexcept:
        """Return the weight of a leaf's entry, given its number with its mark."""
        if not number & MARK:
            return 0
        return self.sites[number & LOW].marked if self.blocks.nodes[node].height & SITES else 1

    @cython.final
    cdef uint32_t weight_of(self, uint32_t node) noexcept:
        """Add up a node."""
        cdef uint32_t total = 0, i
        cdef const uint32_t *values
        if self.blocks.nodes[node].height & 127:
            values = self.weights(node)
            for i in range(self.blocks.nodes[node].count):
                total += values[i]
        else:
            values = self.blocks.numbers_end(node)
            for i in range(self.blocks.nodes[node].count):
                total += self.entry_weight(node, values[-1 - <int>i])
        return total

    @cython.final
    cdef uint32_t weigh(self, uint32_t node, int32_t change) noexcept:
        """Change the weight of a node in all that lie above it; returns the tree's owner."""
        cdef uint32_t parent = self.blocks.nodes[node].parent
        while not parent & ROOT:
            self.weights(parent)[self.slot_of(parent, node)] += <uint32_t>change
            node = parent
            parent = self.blocks.nodes[node].parent
        return parent & LOW

    @cython.final
    cdef uint64_t weight_before(self, uint32_t node, const uint8_t *key, uint32_t size) noexcept:
        """Return the weight of all that stands before a key in the tree of this root."""
        cdef uint64_t total = 0
        cdef uint32_t slot, i
        cdef Spot spot
        while self.blocks.nodes[node].height & 127:
            slot = self.slot_for(node, key, size)
            for i in range(slot):
                total += self.weights(node)[i]
            node = self.children(node)[slot]
        self.blocks.scan(node, key, size, &spot)
        for i in range(spot.index):
            total += self.entry_weight(node, self.blocks.numbers_end(node)[-1 - <int>i])
        return total

    # -- from key to key ------------------------------------------------------------------

    @cython.final
    cdef bint first_from(
        self, uint32_t root, const uint8_t *key, uint32_t size, bint ready, Spot *spot
    ) noexcept:
        """Find the first entry (with weight, if `ready`) that does not stand before a key."""
        cdef uint32_t node = self.leaf_for(root, key, size)
        self.blocks.scan(node, key, size, spot)
        while True:
            while spot.index < self.blocks.nodes[node].count:
                if not ready or self.blocks.numbers_end(node)[-1 - <int>spot.index] & MARK:
                    return True
                spot.index += 1
            node = self.beside(node, 1, ready)
            if node == NONE:
                return False
            spot.node = node
            spot.index = 0

    @cython.final
    cdef bint last_before(
        self, uint32_t root, const uint8_t *key, uint32_t size, bint ready, Spot *spot
    ) noexcept:
        """Find the last entry (with weight, if `ready`) that stands before a key."""
        cdef uint32_t node = self.leaf_for(root, key, size)
        self.blocks.scan(node, key, size, spot)
        while True:
            while spot.index:
                spot.index -= 1
                if not ready or self.blocks.numbers_end(node)[-1 - <int>spot.index] & MARK:
                    return True
            node = self.beside(node, -1, ready)
            if node == NONE:
                return False
            spot.node = node
            spot.index = self.blocks.nodes[node].count

    @cython.final
    cdef uint32_t beside(self, uint32_t node, int step, bint ready) noexcept:
        """Return the next leaf to the right (1) or left (-1), if `ready` one with weight."""
        cdef uint32_t parent
        cdef int slot
        while True:
            parent = self.blocks.nodes[node].parent
            if parent & ROOT:
                return NONE
            slot = <int>self.slot_of(parent, node) + step
            if self.heavy_slot(parent, &slot, step, ready):
                break
            node = parent
        node = self.children(parent)[slot]
        while self.blocks.nodes[node].height & 127:
            slot = 0 if step > 0 else <int>self.blocks.nodes[node].count - 1
            self.heavy_slot(node, &slot, step, ready)
            node = self.children(node)[slot]
        return node

    @cython.final
    cdef inline bint heavy_slot(self, uint32_t node, int *slot, int step, bint ready) noexcept:
        """Move on to a child with weight; returns whether there is one."""
        cdef int count = self.blocks.nodes[node].count
        cdef const uint32_t *weights = self.weights(node)
        while 0 <= slot[0] < count:
            if not ready or weights[slot[0]]:
                return True
            slot[0] += step
        return False
