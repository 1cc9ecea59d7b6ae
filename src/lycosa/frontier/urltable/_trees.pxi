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


cdef class Trees(Places):
    """All trees of a table."""

    cdef Memory site_memory
    cdef Site *sites
    cdef uint32_t site_number
    cdef uint32_t sites_root

    def __dealloc__(self):
        drop_room(&self.site_memory)

    # -- inner nodes ----------------------------------------------------------------------

    @cython.final
    cdef inline uint32_t *children(self, uint32_t node) noexcept:
        return <uint32_t *>self.block(node)

    @cython.final
    cdef inline uint32_t *weights(self, uint32_t node) noexcept:
        return self.children(node) + self.nodes[node].count

    @cython.final
    cdef inline uint32_t *ends(self, uint32_t node) noexcept:
        return self.children(node) + 2 * self.nodes[node].count

    @cython.final
    cdef inline uint32_t slot_of(self, uint32_t parent, uint32_t child) noexcept:
        cdef const uint32_t *children = self.children(parent)
        cdef uint32_t i = 0
        while children[i] != child:
            i += 1
            assert i < self.nodes[parent].count
        return i

    @cython.final
    cdef uint32_t slot_for(self, uint32_t node, const uint8_t *key, uint32_t size) noexcept:
        """Return the last child whose separator is not greater than the key.

        Eight bytes decide nearly always: separators are short.
        """
        cdef uint32_t low = 0, high = self.nodes[node].count, middle, start, length
        cdef const uint32_t *ends = self.ends(node)
        cdef const uint8_t *text = <const uint8_t *>(ends + high)
        cdef uint8_t first[8]
        cdef uint64_t wanted, found
        # The middle of each array is where the search begins.
        prefetch(ends + (high >> 1))
        prefetch(text + (self.nodes[node].used >> 1))
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
        while self.nodes[node].height & 127:
            node = self.children(node)[self.slot_for(node, key, size)]
        return node

    # -- taking keys in -------------------------------------------------------------------

    @cython.final
    cdef uint32_t new_tree(self, uint32_t owner, uint8_t flag) except? 0xFFFFFFFF:
        """Return the empty leaf that is the root of a new tree."""
        cdef uint32_t node = self.new_node(flag, owner)
        self.nodes[node].parent = ROOT | owner
        return node

    @cython.final
    cdef int insert(
        self, const Spot *spot, const uint8_t *key, uint32_t size, uint64_t h, uint32_t number
    ) except -1:
        """Take a key with a hash in where `scan` found that it would stand."""
        cdef uint32_t node = spot.node, count
        if self.is_index_full():
            self.rebuild_index()
        self.put_entry(spot, key, size, number)
        self.put_slot(h, node)
        self.key_count += 1
        self.place(node, number)
        count = self.nodes[node].count
        if count > MOST_KEYS or (count > 1 and self.nodes[node].used > FULL_BYTES):
            self.split_leaf(node, spot.index == count - 1 and self.is_last(node))
        return 0

    @cython.final
    cdef inline int place(self, uint32_t node, uint32_t number) except -1:
        """Note in which leaf a number stands."""
        if self.nodes[node].height & SITES:
            self.sites[number].leaf = node
        else:
            self.set_place(number, node)
        return 0

    # -- the index ------------------------------------------------------------------------

    @cython.final
    cdef inline uint64_t base_of(self, uint32_t owner) noexcept:
        """Return what the hashes of a tree's keys begin with."""
        return self.seed if owner == LOW else self.seed + self.sites[owner].hash

    @cython.final
    cdef int rebuild_index(self) except -1:
        """Make the slots anew from the leaves."""
        self.empty_slots()
        return self.fill_slots()

    @cython.final
    cdef int empty_slots(self) except -1:
        """Begin with empty slots; `fill_slots`, which must follow, has then all that it needs."""
        cdef uint32_t node, longest = 0
        for node in range(self.node_count):
            longest = max(longest, self.nodes[node].used)
        self.reserve(longest)
        return self.make_slots(self.key_count)

    @cython.final
    cdef int fill_slots(self) except -1:
        """Give each key its slot."""
        cdef uint64_t hashes[MOST_KEYS + 1]
        cdef uint32_t node, i
        for node in range(self.node_count):
            if node + AHEAD < self.node_count:
                self.prefetch_block(node + AHEAD)
            if self.nodes[node].size and not self.nodes[node].height & 127:
                self.hash_leaf(node, self.base_of(self.nodes[node].owner), hashes)
                for i in range(self.nodes[node].count):
                    self.put_slot(hashes[i], node)
        return 0

    # -- memory ---------------------------------------------------------------------------

    def _tighten(self):
        """Give back what sealing has freed."""
        self.empty_slots()
        try:
            self.join_nodes()
            self.join_blocks()
            self.tighten_places()
        finally:
            self.fill_slots()

    @cython.final
    cdef int join_nodes(self) except -1:
        """Give all nodes other numbers, without those that are free."""
        cdef uint32_t *new = <uint32_t *>malloc(self.node_count * sizeof(uint32_t))
        cdef uint32_t count = 0, i, j
        if not new:
            raise MemoryError
        for i in range(self.node_count):
            new[i] = count
            count += self.nodes[i].owner != NONE
        self.renumber_places(new)
        for i in range(self.site_number):
            self.sites[i].leaf = new[self.sites[i].leaf]
            if self.sites[i].root != NONE:
                self.sites[i].root = new[self.sites[i].root]
        self.sites_root = new[self.sites_root]
        for i in range(self.node_count):
            if self.nodes[i].owner != NONE:
                if not self.nodes[i].parent & ROOT:
                    self.nodes[i].parent = new[self.nodes[i].parent]
                if self.nodes[i].height & 127:
                    for j in range(self.nodes[i].count):
                        self.children(i)[j] = new[self.children(i)[j]]
                self.nodes[new[i]] = self.nodes[i]
        free(new)
        self.node_count = count
        self.free_node = NONE
        self.free_nodes = 0
        set_room(&self.node_memory, count * sizeof(Node))
        self.nodes = <Node *>self.node_memory.data
        return 0

    # -- splitting ------------------------------------------------------------------------

    @cython.final
    cdef bint is_last(self, uint32_t node) noexcept:
        """Return whether nothing of the tree stands behind a node."""
        cdef uint32_t parent = self.nodes[node].parent
        while not parent & ROOT:
            if self.children(parent)[self.nodes[parent].count - 1] != node:
                return False
            node = parent
            parent = self.nodes[node].parent
        return True

    @cython.final
    cdef int split_leaf(self, uint32_t node, bint at_end) except -1:
        """Make two of a leaf; keys that come in order leave full leaves behind."""
        cdef uint32_t count = self.nodes[node].count
        cdef uint32_t half = count - 1 if at_end else count >> 1
        cdef uint32_t moved = count - half
        cdef uint32_t size = self.read_key(node, half, 0)
        cdef uint32_t at = 0, rest, shared = 0, length, right, used, i
        cdef const uint8_t *text = self.block(node)
        cdef const uint8_t *p = text
        cdef uint8_t *q
        cdef const uint32_t *end
        cdef uint64_t hashes[MOST_KEYS + 1]
        for i in range(half + 1):
            at = <uint32_t>(p - text)
            shared = get_number(&p)
            length = get_number(&p)
            p += length
        rest = <uint32_t>(p - text)
        used = 1 + number_size(size) + size + self.nodes[node].used - rest
        right = self.new_node(self.nodes[node].height, self.nodes[node].owner)
        self.allocate(right, used + moved * sizeof(uint32_t))
        q = put_number(put_number(self.block(right), 0), size)
        memcpy(q, self.scratch, size)
        memcpy(q + size, self.block(node) + rest, self.nodes[node].used - rest)
        memcpy(
            self.numbers_end(right) - moved,
            self.numbers_end(node) - count,
            moved * sizeof(uint32_t),
        )
        self.nodes[right].used = used
        self.nodes[right].count = <uint8_t>moved
        self.nodes[node].used = at
        self.nodes[node].count = <uint8_t>half
        self.resize_leaf(node, at + half * sizeof(uint32_t))
        end = self.numbers_end(right)
        for i in range(moved):
            self.place(right, end[-1 - <int>i] & LOW)
        self.add_child(node, right, self.scratch, shared + 1)
        self.hash_leaf(right, self.base_of(self.nodes[right].owner), hashes)
        for i in range(moved):
            self.move_slot(hashes[i], node, right)
        return 0

    @cython.final
    cdef int add_child(
        self, uint32_t left, uint32_t right, const uint8_t *separator, uint32_t size
    ) except -1:
        """Put a node beside the one that it was split from."""
        cdef uint32_t parent = self.nodes[left].parent
        cdef uint32_t count, slot, used, old, units, i
        cdef uint32_t weight = self.weight_of(right)
        cdef const uint32_t *source
        cdef uint32_t *target
        cdef const uint8_t *text
        cdef uint8_t *new_text
        if parent & ROOT:
            return self.add_root(left, right, separator, size)
        count = self.nodes[parent].count
        used = self.nodes[parent].used
        slot = self.slot_of(parent, left) + 1
        old = self.nodes[parent].block
        units = self.nodes[parent].size
        self.allocate(parent, (count + 1) * 3 * sizeof(uint32_t) + used + size)
        source = <const uint32_t *>(self.arena + <size_t>old * UNIT)
        target = self.children(parent)
        for i in range(3):
            memcpy(target, source, slot * sizeof(uint32_t))
            memcpy(target + slot + 1, source + slot, (count - slot) * sizeof(uint32_t))
            target[slot] = right if i == 0 else weight if i == 1 else target[slot - 1] + size
            if i == 1:
                target[slot - 1] -= weight
            target += count + 1
            source += count
        text = <const uint8_t *>source
        new_text = <uint8_t *>target
        target -= count + 1
        for i in range(slot + 1, count + 1):
            target[i] += size
        memcpy(new_text, text, target[slot - 1])
        memcpy(new_text + target[slot - 1], separator, size)
        memcpy(new_text + target[slot], text + target[slot - 1], used - target[slot - 1])
        self.release(old, units)
        self.nodes[parent].count = <uint8_t>(count + 1)
        self.nodes[parent].used = used + size
        self.nodes[right].parent = parent
        if count + 1 > MOST_CHILDREN:
            self.split_inner(parent)
        return 0

    @cython.final
    cdef int add_root(
        self, uint32_t left, uint32_t right, const uint8_t *separator, uint32_t size
    ) except -1:
        cdef uint32_t top = self.new_node(self.nodes[left].height + 1, self.nodes[left].owner)
        cdef uint32_t owner = self.nodes[left].owner
        cdef uint32_t *target
        self.allocate(top, 6 * sizeof(uint32_t) + size)
        target = self.children(top)
        target[0] = left
        target[1] = right
        target[2] = self.weight_of(left)
        target[3] = self.weight_of(right)
        target[4] = 0
        target[5] = size
        memcpy(target + 6, separator, size)
        self.nodes[top].count = 2
        self.nodes[top].used = size
        self.nodes[top].parent = self.nodes[left].parent
        self.nodes[left].parent = self.nodes[right].parent = top
        if self.nodes[top].height & SITES:
            self.sites_root = top
        else:
            self.sites[owner].root = top
        return 0

    @cython.final
    cdef int split_inner(self, uint32_t node) except -1:
        """Make two of an inner node; the separator between them goes up."""
        cdef uint32_t count = self.nodes[node].count
        cdef uint32_t half = count >> 1
        cdef uint32_t moved = count - half
        cdef uint32_t right = self.new_node(self.nodes[node].height, self.nodes[node].owner)
        cdef uint32_t first = self.ends(node)[half - 1]
        cdef uint32_t last = self.ends(node)[half]
        cdef uint32_t used = self.nodes[node].used
        cdef uint32_t old = self.nodes[node].block
        cdef uint32_t units = self.nodes[node].size
        cdef const uint32_t *source
        cdef uint32_t *target
        cdef uint32_t i, j
        self.reserve(last - first)
        memcpy(self.scratch, <uint8_t *>(self.ends(node) + count) + first, last - first)
        self.allocate(right, moved * 3 * sizeof(uint32_t) + used - last)
        self.allocate(node, half * 3 * sizeof(uint32_t) + first)
        self.nodes[right].count = <uint8_t>moved
        self.nodes[right].used = used - last
        self.nodes[node].count = <uint8_t>half
        self.nodes[node].used = first
        source = <const uint32_t *>(self.arena + <size_t>old * UNIT)
        for i in range(3):
            memcpy(self.children(node) + i * half, source, half * sizeof(uint32_t))
            memcpy(self.children(right) + i * moved, source + half, moved * sizeof(uint32_t))
            source += count
        memcpy(self.ends(node) + half, source, first)
        memcpy(self.ends(right) + moved, <const uint8_t *>source + last, used - last)
        target = self.ends(right)
        for j in range(moved):
            target[j] -= last
        self.release(old, units)
        target = self.children(right)
        for j in range(moved):
            self.nodes[target[j]].parent = right
        return self.add_child(node, right, self.scratch, last - first)

    # -- weights --------------------------------------------------------------------------

    @cython.final
    cdef uint32_t entry_weight(self, uint32_t node, uint32_t number) noexcept:
        """Return the weight of a leaf's entry, given its number with its mark."""
        if not number & MARK:
            return 0
        return self.sites[number & LOW].marked if self.nodes[node].height & SITES else 1

    @cython.final
    cdef uint32_t weight_of(self, uint32_t node) noexcept:
        """Add up a node."""
        cdef uint32_t total = 0, i
        cdef const uint32_t *values
        if self.nodes[node].height & 127:
            values = self.weights(node)
            for i in range(self.nodes[node].count):
                total += values[i]
        else:
            values = self.numbers_end(node)
            for i in range(self.nodes[node].count):
                total += self.entry_weight(node, values[-1 - <int>i])
        return total

    @cython.final
    cdef uint32_t weigh(self, uint32_t node, int32_t change) noexcept:
        """Change the weight of a node in all that lie above it; returns the tree's owner."""
        cdef uint32_t parent = self.nodes[node].parent
        while not parent & ROOT:
            self.weights(parent)[self.slot_of(parent, node)] += <uint32_t>change
            node = parent
            parent = self.nodes[node].parent
        return parent & LOW

    @cython.final
    cdef uint64_t weight_before(self, uint32_t node, const uint8_t *key, uint32_t size) noexcept:
        """Return the weight of all that stands before a key in the tree of this root."""
        cdef uint64_t total = 0
        cdef uint32_t slot, i
        cdef Spot spot
        while self.nodes[node].height & 127:
            slot = self.slot_for(node, key, size)
            for i in range(slot):
                total += self.weights(node)[i]
            node = self.children(node)[slot]
        self.scan(node, key, size, &spot)
        for i in range(spot.index):
            total += self.entry_weight(node, self.numbers_end(node)[-1 - <int>i])
        return total

    # -- from key to key ------------------------------------------------------------------

    @cython.final
    cdef bint first_from(
        self, uint32_t root, const uint8_t *key, uint32_t size, bint ready, Spot *spot
    ) noexcept:
        """Find the first entry (with weight, if `ready`) that does not stand before a key."""
        cdef uint32_t node = self.leaf_for(root, key, size)
        self.scan(node, key, size, spot)
        while True:
            while spot.index < self.nodes[node].count:
                if not ready or self.numbers_end(node)[-1 - <int>spot.index] & MARK:
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
        self.scan(node, key, size, spot)
        while True:
            while spot.index:
                spot.index -= 1
                if not ready or self.numbers_end(node)[-1 - <int>spot.index] & MARK:
                    return True
            node = self.beside(node, -1, ready)
            if node == NONE:
                return False
            spot.node = node
            spot.index = self.nodes[node].count

    @cython.final
    cdef uint32_t beside(self, uint32_t node, int step, bint ready) noexcept:
        """Return the next leaf to the right (1) or left (-1), if `ready` one with weight."""
        cdef uint32_t parent
        cdef int slot
        while True:
            parent = self.nodes[node].parent
            if parent & ROOT:
                return NONE
            slot = <int>self.slot_of(parent, node) + step
            if self.heavy_slot(parent, &slot, step, ready):
                break
            node = parent
        node = self.children(parent)[slot]
        while self.nodes[node].height & 127:
            slot = 0 if step > 0 else <int>self.nodes[node].count - 1
            self.heavy_slot(node, &slot, step, ready)
            node = self.children(node)[slot]
        return node

    @cython.final
    cdef inline bint heavy_slot(self, uint32_t node, int *slot, int step, bint ready) noexcept:
        """Move on to a child with weight; returns whether there is one."""
        cdef int count = self.nodes[node].count
        cdef const uint32_t *weights = self.weights(node)
        while 0 <= slot[0] < count:
            if not ready or weights[slot[0]]:
                return True
            slot[0] += step
        return False
