# How trees grow: a leaf or an inner node that is too full becomes two.
#
# These are functions over `Trees`, not methods of one more class. A split reads the node that it
# divides, writes two blocks, and puts the new node beside the old one in the parent, which may have
# to be split in turn; above the root a new one is put.

cdef bint is_last(Trees trees, uint32_t node) noexcept:
    """Return whether nothing of the tree stands behind a node."""
    cdef Blocks blocks = trees.blocks
    cdef uint32_t parent = blocks.nodes[node].parent
    while not parent & ROOT:
        if trees.children(parent)[blocks.nodes[parent].count - 1] != node:
            return False
        node = parent
        parent = blocks.nodes[node].parent
    return True


cdef int split_leaf(Trees trees, uint32_t node, bint at_end) except -1:
    """Make two of a leaf; keys that come in order leave full leaves behind."""
    cdef Blocks blocks = trees.blocks
    cdef uint32_t count = blocks.nodes[node].count
    cdef uint32_t half = count - 1 if at_end else count >> 1
    cdef uint32_t moved = count - half
    cdef uint32_t size = blocks.read_key(node, half, 0)
    cdef uint32_t at = 0, rest, shared = 0, length, right, used, i
    cdef const uint8_t *text = blocks.block(node)
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
    used = 1 + number_size(size) + size + blocks.nodes[node].used - rest
    right = blocks.new_node(blocks.nodes[node].height, blocks.nodes[node].owner)
    blocks.allocate(right, used + moved * sizeof(uint32_t))
    q = put_number(put_number(blocks.block(right), 0), size)
    memcpy(q, blocks.scratch, size)
    memcpy(q + size, blocks.block(node) + rest, blocks.nodes[node].used - rest)
    memcpy(
        blocks.numbers_end(right) - moved,
        blocks.numbers_end(node) - count,
        moved * sizeof(uint32_t),
    )
    blocks.nodes[right].used = used
    blocks.nodes[right].count = <uint8_t>moved
    blocks.nodes[node].used = at
    blocks.nodes[node].count = <uint8_t>half
    blocks.resize_leaf(node, at + half * sizeof(uint32_t))
    end = blocks.numbers_end(right)
    for i in range(moved):
        trees.place(right, end[-1 - <int>i] & LOW)
    add_child(trees, node, right, blocks.scratch, shared + 1)
    trees.index.hash_leaf(right, trees.base_of(blocks.nodes[right].owner), hashes)
    for i in range(moved):
        trees.index.move_slot(hashes[i], node, right)
    return 0


cdef int add_child(
    Trees trees, uint32_t left, uint32_t right, const uint8_t *separator, uint32_t size
) except -1:
    """Put a node beside the one that it was split from."""
    cdef Blocks blocks = trees.blocks
    cdef uint32_t parent = blocks.nodes[left].parent
    cdef uint32_t count, slot, used, old, units, i
    cdef uint32_t weight = trees.weight_of(right)
    cdef const uint32_t *source
    cdef uint32_t *target
    cdef const uint8_t *text
    cdef uint8_t *new_text
    if parent & ROOT:
        return add_root(trees, left, right, separator, size)
    count = blocks.nodes[parent].count
    used = blocks.nodes[parent].used
    slot = trees.slot_of(parent, left) + 1
    old = blocks.nodes[parent].block
    units = blocks.nodes[parent].size
    blocks.allocate(parent, (count + 1) * 3 * sizeof(uint32_t) + used + size)
    source = <const uint32_t *>(blocks.arena + <size_t>old * UNIT)
    target = trees.children(parent)
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
    blocks.release(old, units)
    blocks.nodes[parent].count = <uint8_t>(count + 1)
    blocks.nodes[parent].used = used + size
    blocks.nodes[right].parent = parent
    if count + 1 > MOST_CHILDREN:
        split_inner(trees, parent)
    return 0


cdef int add_root(
    Trees trees, uint32_t left, uint32_t right, const uint8_t *separator, uint32_t size
) except -1:
    cdef Blocks blocks = trees.blocks
    cdef uint32_t top = blocks.new_node(blocks.nodes[left].height + 1, blocks.nodes[left].owner)
    cdef uint32_t owner = blocks.nodes[left].owner
    cdef uint32_t *target
    blocks.allocate(top, 6 * sizeof(uint32_t) + size)
    target = trees.children(top)
    target[0] = left
    target[1] = right
    target[2] = trees.weight_of(left)
    target[3] = trees.weight_of(right)
    target[4] = 0
    target[5] = size
    memcpy(target + 6, separator, size)
    blocks.nodes[top].count = 2
    blocks.nodes[top].used = size
    blocks.nodes[top].parent = blocks.nodes[left].parent
    blocks.nodes[left].parent = blocks.nodes[right].parent = top
    if blocks.nodes[top].height & SITES:
        trees.sites_root = top
    else:
        trees.sites[owner].root = top
    return 0


cdef int split_inner(Trees trees, uint32_t node) except -1:
    """Make two of an inner node; the separator between them goes up."""
    cdef Blocks blocks = trees.blocks
    cdef uint32_t count = blocks.nodes[node].count
    cdef uint32_t half = count >> 1
    cdef uint32_t moved = count - half
    cdef uint32_t right = blocks.new_node(blocks.nodes[node].height, blocks.nodes[node].owner)
    cdef uint32_t first = trees.ends(node)[half - 1]
    cdef uint32_t last = trees.ends(node)[half]
    cdef uint32_t used = blocks.nodes[node].used
    cdef uint32_t old = blocks.nodes[node].block
    cdef uint32_t units = blocks.nodes[node].size
    cdef const uint32_t *source
    cdef uint32_t *target
    cdef uint32_t i, j
    blocks.reserve(last - first)
    memcpy(blocks.scratch, <uint8_t *>(trees.ends(node) + count) + first, last - first)
    blocks.allocate(right, moved * 3 * sizeof(uint32_t) + used - last)
    blocks.allocate(node, half * 3 * sizeof(uint32_t) + first)
    blocks.nodes[right].count = <uint8_t>moved
    blocks.nodes[right].used = used - last
    blocks.nodes[node].count = <uint8_t>half
    blocks.nodes[node].used = first
    source = <const uint32_t *>(blocks.arena + <size_t>old * UNIT)
    for i in range(3):
        memcpy(trees.children(node) + i * half, source, half * sizeof(uint32_t))
        memcpy(trees.children(right) + i * moved, source + half, moved * sizeof(uint32_t))
        source += count
    memcpy(trees.ends(node) + half, source, first)
    memcpy(trees.ends(right) + moved, <const uint8_t *>source + last, used - last)
    target = trees.ends(right)
    for j in range(moved):
        target[j] -= last
    blocks.release(old, units)
    target = trees.children(right)
    for j in range(moved):
        blocks.nodes[target[j]].parent = right
    return add_child(trees, node, right, blocks.scratch, last - first)
