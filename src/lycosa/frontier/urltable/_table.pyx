"""The compact URL table: trees of front-coded blocks in one arena.

Read the files in this order; each needs only those before it. The first four are parts that
know nothing of a table:

    _memory.pxi    arrays that grow
    _blocks.pxi    `Blocks`: the arena, the nodes, and leaves of front-coded keys
    _index.pxi     `Index`: from the hash of a key to its leaf
    _places.pxi    `Places`: from a number to its leaf
    _trees.pxi     `Trees` has one of each: trees of keys, and the weights of their nodes
    _splits.pxi    functions over `Trees`: what is too full becomes two
    _walks.pxi     the steps of a key, and the cursors of round robin
    _runs.pxi      keys in order, as bytes
    _keys.pxi      `Keys`: sites and URLs, marks and wakefulness
    _ready.pxi     `Ready`: walks over what is ready
    _sealing.pxi   `Sealing`: puts sites away and brings them back

`Keys`, `Ready`, `Sealing` and `Table` are one object in four slices, because its methods are those
of one protocol (`contract.UrlTable`) and share its buffers. The parts were levels of the same
object once. As objects of their own they cost an `add` 1.185 instead of 1.165 µs, a `find` 0.682
instead of 0.670, and a key by its number as much as before (medians of nine runs in turns):
half a microsecond a page.

`lycosa.frontier.urltable.compact` makes a `UrlTable` of it.

A key stands in two trees: its site in the tree of site names (with the slash that ends
them, so that none is the beginning of another), and its path in the tree of the site. The one
counts ready URLs, the other marked ones. It is found by its hash, without going down the trees,
and is put by going down. A number's leaf is kept in an array, and a node knows its parent, so
that from a number one gets to its key and to its counts.

Always true (tests/unit/frontier/urltable/test_twin.py, where `check` looks at every node):
  * all answers are those of `PlainUrlTable`;
  * a node's weight, as its parent has it, is the sum of the weights below it;
  * the mark of a site's entry is set if and only if it has ready URLs.

Cost, per URL: its bytes that the key before it has not, 2 for their lengths, 4 for its number,
4 for its leaf, 5 to 8 for the index, and about 3 for nodes, separators and what blocks have free.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

from lycosa._support.poison cimport poison

from os import urandom

include "_memory.pxi"
include "_blocks.pxi"
include "_index.pxi"
include "_places.pxi"
include "_trees.pxi"
include "_splits.pxi"
include "_walks.pxi"
include "_runs.pxi"
include "_keys.pxi"
include "_ready.pxi"
include "_sealing.pxi"


cdef class Table(Sealing):
    """Everything that needs no file; sealed sites are left to the subclass."""

    # -- memory ---------------------------------------------------------------------------

    def _native_bytes(self):
        """Return what the arrays take."""
        return (
            self.blocks.arena_memory.size
            + self.blocks.node_memory.size
            + self.index.slot_memory.size
            + self.site_memory.size
            + self.places.place_memory.size
            + self.places.part_memory.size
            + self.places.packed_bytes
            + self.cursors.size * (sizeof(uint64_t) + sizeof(uint32_t))
            + CLASSES * sizeof(uint32_t)
            + self.blocks.scratch_size
            + self.name.room
            + self.target.room
            + self.node.room
        )

    def _free_bytes(self):
        """Return roughly what `_tighten` would give back."""
        cdef size_t slots = self.index.slot_bytes(self.blocks.key_count)
        return (
            self.blocks.free_units * UNIT
            + self.blocks.free_nodes * sizeof(Node)
            + self.places.opened_bytes
            + (self.index.slot_memory.size - slots if self.index.slot_memory.size > slots else 0)
        )

    # -- for tests ------------------------------------------------------------------------

    def check(self):
        """Look at every node; raises AssertionError at what must not be."""
        cdef uint32_t site, total = 0
        self._check_tree(self.sites_root, LOW)
        for site in range(self.site_number):
            if self.sites[site].is_awake:
                total += self.sites[site].marked
            if self.sites[site].root != NONE:
                if self._check_tree(self.sites[site].root, site) != self.sites[site].marked:
                    raise AssertionError(f"site {site} miscounts what is marked")
        if self.blocks.key_count != self.site_number + self._live_urls():
            raise AssertionError("the table miscounts its keys")
        if total != self.ready or self.weight_of(self.sites_root) != total:
            raise AssertionError("the table miscounts what is ready")

    def _live_urls(self):
        return sum(
            self.sites[site].count
            for site in range(self.site_number)
            if self.sites[site].root != NONE
        )

    @cython.final
    cdef int64_t _check_tree(self, uint32_t node, uint32_t owner) except -1:
        """Return the weight of a tree after adding it up from its leaves."""
        cdef uint32_t i, child, number
        cdef uint64_t hashes[MOST_KEYS + 1]
        if self.blocks.nodes[node].owner != owner:
            raise AssertionError(f"node {node} has another owner")
        if not self.blocks.nodes[node].height & 127:
            self.index.hash_leaf(node, self.base_of(owner), hashes)
            for i in range(self.blocks.nodes[node].count):
                if not self.index.move_slot(hashes[i], node, node):
                    raise AssertionError(f"entry {i} of leaf {node} is not in the index")
                number = self.blocks.numbers_end(node)[-1 - <int>i]
                if self.blocks.nodes[node].height & SITES:
                    place = self.sites[number & LOW].leaf
                    if (number & MARK != 0) != bool(
                        self.sites[number & LOW].is_awake and self.sites[number & LOW].marked
                    ):
                        raise AssertionError(f"site {number & LOW} has a wrong mark")
                else:
                    place = self.places.place_of(number & LOW)
                if place != node:
                    raise AssertionError(f"number {number & LOW} is not where it should be")
            return self.weight_of(node)
        for i in range(self.blocks.nodes[node].count):
            child = self.children(node)[i]
            if self.blocks.nodes[child].parent != node:
                raise AssertionError(f"node {child} has another parent")
            if self._check_tree(child, owner) != self.weights(node)[i]:
                raise AssertionError(f"node {child} weighs something else")
        return self.weight_of(node)
