"""The compact URL table: trees of front-coded blocks in one arena.

`_memory.pxi` has arrays that grow, `_blocks.pxi` the arena and the leaves, `_index.pxi` finds a
key's leaf and `_places.pxi` a number's, `_trees.pxi` has the trees and their weights, `_walks.pxi`
the steps of a key and the cursors, `_runs.pxi` keys in order as bytes. Here they are joined to
what `lycosa.frontier.urltable.compact` makes a `UrlTable` of.

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

from os import urandom

include "_memory.pxi"
include "_blocks.pxi"
include "_index.pxi"
include "_places.pxi"
include "_trees.pxi"
include "_walks.pxi"
include "_runs.pxi"


cdef inline const uint8_t *utf8(str text, uint32_t *size) except NULL:
    """Return the bytes of a string, which belong to it."""
    cdef Py_ssize_t length
    cdef const char *data = PyUnicode_AsUTF8AndSize(text, &length)
    size[0] = <uint32_t>length
    return <const uint8_t *>data


cdef enum:
    TOGETHER = 16       # keys of which the lines of the index are asked for before the first is read

cdef struct Asked:
    # A key that is looked for: the bytes of its string, and what was made of them.
    const uint8_t *name
    const uint8_t *path     # NULL if it is not the key of a URL
    uint32_t name_size      # with the slash
    uint32_t path_size
    uint64_t hash


cdef class Table(Trees):
    """Everything that needs no file; sealed sites are left to the subclass."""

    cdef Buffer name            # with its slash, of the site looked at last
    cdef uint32_t name_site
    cdef Buffer target
    cdef Buffer node
    cdef uint32_t found_size    # of the key that a walk left in `scratch`
    cdef readonly uint32_t ready
    cdef Cursors cursors

    def __cinit__(self):
        self.name_site = NONE
        self.sites_root = self.new_tree(LOW, SITES)
        self.cursors = Cursors.__new__(Cursors)

    def __dealloc__(self):
        free(self.name.data)
        free(self.target.data)
        free(self.node.data)

    # -- what the subclass sees to ---------------------------------------------------------

    def unseal(self, uint32_t site):
        raise NotImplementedError

    def _find_sealed(self, uint32_t site, bytes path):
        raise NotImplementedError

    def _sealed_path(self, uint32_t number, uint32_t chunk):
        raise NotImplementedError

    def _site_of_chunk(self, uint32_t chunk):
        raise NotImplementedError

    # -- sites ----------------------------------------------------------------------------

    @cython.final
    cdef uint32_t site_for(self, const uint8_t *name, uint32_t size) except? 0xFFFFFFFF:
        """Return the site of a name with its slash, or NONE."""
        cdef Spot spot
        if self.name_site != NONE and self.name.size == size:
            if memcmp(self.name.data, name, size) == 0:
                return self.name_site
        if not self.seek_slot(LOW, hash_key(name, size, self.seed), name, size, &spot):
            return NONE
        fill(&self.name, name, size)
        self.name_site = self.numbers_end(spot.node)[-1 - <int>spot.index] & LOW
        return self.name_site

    @cython.final
    cdef int load_name(self, uint32_t site) except -1:
        """Let `name` be that of a site."""
        cdef uint32_t leaf, size
        if self.name_site != site:
            leaf = self.sites[site].leaf
            size = self.read_key(leaf, self.entry_of(leaf, site), 0)
            fill(&self.name, self.scratch, size)
            self.name_site = site
        return 0

    @cython.final
    cdef uint32_t new_site(self, const uint8_t *name, uint32_t size) except? 0xFFFFFFFF:
        cdef uint32_t site = self.site_number
        cdef uint64_t h = hash_key(name, size, self.seed)
        cdef Spot spot
        make_room(&self.site_memory, (<size_t>site + 1) * sizeof(Site))
        self.sites = <Site *>self.site_memory.data
        memset(&self.sites[site], 0, sizeof(Site))
        self.sites[site].root = self.new_tree(site, 0)
        self.sites[site].hash = <uint32_t>h
        self.scan(self.leaf_for(self.sites_root, name, size), name, size, &spot)
        self.insert(&spot, name, size, h, site)
        self.site_number += 1
        fill(&self.name, name, size)
        self.name_site = site
        return site

    @cython.final
    cdef uint32_t checked(self, object site) except? 0xFFFFFFFF:
        if not 0 <= site < self.site_number:
            raise IndexError(site)
        return site

    def site_count(self):
        return self.site_number

    def find_site(self, str name not None):
        cdef uint32_t size, site
        cdef const uint8_t *data = utf8(name, &size)
        fill(&self.target, data, size)
        push(&self.target, c"/")
        site = self.site_for(self.target.data, self.target.size)
        return None if site == NONE else site

    def site_name(self, site):
        self.load_name(self.checked(site))
        return PyUnicode_DecodeUTF8(<char *>self.name.data, self.name.size - 1, NULL)

    def site_urls(self, site):
        """Return how many URLs a site has."""
        return self.sites[self.checked(site)].count

    # -- numbers --------------------------------------------------------------------------

    @cython.final
    cdef inline int ask(self, str key, Asked *asked) except -1:
        """Look at a key, and ask for its line of the index."""
        cdef uint32_t size
        asked.name = utf8(key, &size)
        asked.path = <const uint8_t *>memchr(asked.name, c"/", size)
        if asked.path:
            asked.path += 1
            asked.name_size = <uint32_t>(asked.path - asked.name)
            asked.path_size = size - asked.name_size
            asked.hash = self.seed + <uint32_t>hash_key(asked.name, asked.name_size, self.seed)
            asked.hash = hash_key(asked.path, asked.path_size, asked.hash)
            self.prefetch_line(asked.hash)
        return 0

    @cython.final
    cdef list lookup_many(self, list keys, bint is_added):
        cdef Asked asked[TOGETHER]
        cdef Py_ssize_t count = len(keys), start, i
        cdef list numbers = []
        for start in range(0, count, TOGETHER):
            for i in range(start, min(count, start + TOGETHER)):
                self.ask(keys[i], &asked[i - start])
            for i in range(start, min(count, start + TOGETHER)):
                numbers.append(self.lookup(keys[i], &asked[i - start], is_added))
        return numbers

    @cython.final
    cdef int64_t lookup(self, str key, const Asked *asked, bint is_added) except -2:
        """Return the number of a key, or -1 when it is not known and not to be added."""
        cdef uint32_t site, number, path_size = asked.path_size
        cdef const uint8_t *path = asked.path
        cdef uint64_t h = asked.hash
        cdef Spot spot
        if not path:
            if is_added:
                raise ValueError(f"not the key of a URL: {key!r}")
            return -1
        site = self.site_for(asked.name, asked.name_size)
        if site == NONE:
            if not is_added:
                return -1
            site = self.new_site(asked.name, asked.name_size)
        if self.sites[site].root == NONE:
            found = self._find_sealed(site, PyBytes_FromStringAndSize(<char *>path, path_size))
            if found >= 0 or not is_added:
                return found
            self.unseal(site)
        if self.seek_slot(site, h, path, path_size, &spot):
            return self.numbers_end(spot.node)[-1 - <int>spot.index] & LOW
        if not is_added:
            return -1
        self.scan(self.leaf_for(self.sites[site].root, path, path_size), path, path_size, &spot)
        number = self.url_count
        self.make_places(number + 1)
        self.url_count += 1
        self.sites[site].count += 1
        self.insert(&spot, path, path_size, h, number)
        return number

    @cython.binding(False)
    @cython.always_allow_keywords(False)
    def add(self, str key not None):
        cdef Asked asked
        self.ask(key, &asked)
        return self.lookup(key, &asked, True)

    def add_many(self, keys):
        return self.lookup_many(list(keys), True)

    @cython.binding(False)
    @cython.always_allow_keywords(False)
    def find(self, str key not None):
        cdef Asked asked
        cdef int64_t number
        self.ask(key, &asked)
        number = self.lookup(key, &asked, False)
        return None if number < 0 else number

    def find_many(self, keys):
        return self.lookup_many(list(keys), False)

    @cython.final
    cdef int load_key(self, uint32_t number) except -1:
        """Let `scratch` be the key of a number."""
        cdef uint32_t place = self.place_of(number), size
        if place & SEALED:
            path, _ = self._sealed_path(number, place & LOW)
            self.load_name(self._site_of_chunk(place & LOW))
            size = PyBytes_GET_SIZE(path)
            self.reserve(self.name.size + size)
            memcpy(self.scratch + self.name.size, PyBytes_AS_STRING(path), size)
        else:
            self.load_name(self.nodes[place].owner)
            size = self.read_key(place, self.entry_of(place, number), self.name.size)
        memcpy(self.scratch, self.name.data, self.name.size)
        self.found_size = self.name.size + size
        return 0

    @cython.final
    cdef uint32_t known(self, object number) except? 0xFFFFFFFF:
        if not 0 <= number < self.url_count:
            raise IndexError(number)
        return number

    @cython.binding(False)
    @cython.always_allow_keywords(False)
    def key(self, number):
        self.load_key(self.known(number))
        return PyUnicode_DecodeUTF8(<char *>self.scratch, self.found_size, NULL)

    def __len__(self):
        return self.url_count

    # -- counts ---------------------------------------------------------------------------

    @cython.final
    cdef int set_mark(self, uint32_t number, bint is_marked) except -1:
        cdef uint32_t place = self.place_of(number), site
        cdef int32_t change = 1 if is_marked else -1
        cdef uint32_t *entry
        if place & SEALED:
            _, was_marked = self._sealed_path(number, place & LOW)
            if was_marked == is_marked:
                return 0
            self.unseal(self._site_of_chunk(place & LOW))
            place = self.place_of(number)
        entry = self.numbers_end(place) - 1 - <int>self.entry_of(place, number)
        if (entry[0] & MARK != 0) == is_marked:
            return 0
        entry[0] ^= MARK
        site = self.weigh(place, change)
        self.sites[site].marked += <uint32_t>change
        if self.sites[site].is_awake:
            self.change_ready(site, change)
        return 0

    @cython.final
    cdef void change_ready(self, uint32_t site, int32_t change) noexcept:
        """Count what has changed at a site in all that lies above it."""
        cdef uint32_t leaf = self.sites[site].leaf
        cdef uint32_t now = self.sites[site].marked if self.sites[site].is_awake else 0
        self.ready += <uint32_t>change
        self.weigh(leaf, change)
        if (now == 0) != (now == <uint32_t>change):
            self.numbers_end(leaf)[-1 - <int>self.entry_of(leaf, site)] ^= MARK

    def mark(self, number):
        self.set_mark(self.known(number), True)

    def unmark(self, number):
        self.set_mark(self.known(number), False)

    def is_marked(self, number):
        cdef uint32_t found = self.known(number)
        cdef uint32_t place = self.place_of(found)
        if place & SEALED:
            return self._sealed_path(found, place & LOW)[1]
        return self.numbers_end(place)[-1 - <int>self.entry_of(place, found)] & MARK != 0

    def marked(self, site):
        return self.sites[self.checked(site)].marked

    def clear(self, site):
        cdef uint32_t cleared = self.checked(site), node, i
        cdef uint32_t *end
        self.rest(site)
        if not self.sites[cleared].marked:
            return
        self.unseal(cleared)
        node = self.leaf_for(self.sites[cleared].root, b"", 0)
        while node != NONE:
            end = self.numbers_end(node)
            self.weigh(node, -<int32_t>self.weight_of(node))
            for i in range(self.nodes[node].count):
                end[-1 - <int>i] &= LOW
            node = self.beside(node, 1, True)
        self.sites[cleared].marked = 0

    def wake(self, site):
        cdef uint32_t woken = self.checked(site)
        if not self.sites[woken].is_awake:
            if self.sites[woken].root == NONE:
                self.unseal(woken)
            self.sites[woken].is_awake = True
            if self.sites[woken].marked:
                self.change_ready(woken, <int32_t>self.sites[woken].marked)

    def rest(self, site):
        cdef uint32_t rested = self.checked(site)
        if self.sites[rested].is_awake:
            self.sites[rested].is_awake = False
            if self.sites[rested].marked:
                self.change_ready(rested, -<int32_t>self.sites[rested].marked)

    def is_awake(self, site):
        return self.sites[self.checked(site)].is_awake

    def ready_below(self, str prefix not None):
        cdef uint32_t size, site, root
        cdef const uint8_t *data = utf8(prefix, &size)
        cdef const uint8_t *path = <const uint8_t *>memchr(data, c"/", size)
        root = self.sites_root
        if path:
            path += 1
            site = self.site_for(data, <uint32_t>(path - data))
            if site == NONE or not self.sites[site].is_awake:
                return 0
            root = self.sites[site].root
            size -= <uint32_t>(path - data)
            data = path
        fill(&self.target, data, size)
        push(&self.target, 255)
        return (
            self.weight_before(root, self.target.data, self.target.size)
            - self.weight_before(root, data, size)
        )

    # -- walks over what is ready ---------------------------------------------------------

    @cython.final
    cdef int64_t found(self, uint32_t site, const Spot *spot) except -2:
        """Leave the key of an entry in `scratch`; returns its number."""
        self.load_name(site)
        self.found_size = self.read_key(spot.node, spot.index, self.name.size) + self.name.size
        memcpy(self.scratch, self.name.data, self.name.size)
        return self.numbers_end(spot.node)[-1 - <int>spot.index] & LOW

    @cython.final
    cdef int64_t seek(self, const uint8_t *key, uint32_t size) except -2:
        """Return the first ready URL that does not stand before a key, or -1."""
        cdef Spot spot
        cdef uint32_t site, length = next_of(key, 0, size, c"/") + 1
        cdef Buffer after
        cdef bint is_found
        if length <= size:
            site = self.site_for(key, length)
            if site != NONE and self.sites[site].is_awake and self.sites[site].marked:
                if self.first_from(
                    self.sites[site].root, key + length, size - length, True, &spot
                ):
                    return self.found(site, &spot)
            memset(&after, 0, sizeof(Buffer))
            fill(&after, key, length)
            push(&after, 255)
            is_found = self.first_from(self.sites_root, after.data, after.size, True, &spot)
            free(after.data)
        else:
            is_found = self.first_from(self.sites_root, key, size, True, &spot)
        if not is_found:
            return -1
        site = self.numbers_end(spot.node)[-1 - <int>spot.index] & LOW
        self.first_from(self.sites[site].root, key, 0, True, &spot)
        return self.found(site, &spot)

    @cython.final
    cdef int64_t seek_back(self, const uint8_t *key, uint32_t size) except -2:
        """Return the last ready URL that stands before a key, or -1."""
        cdef Spot spot
        cdef uint32_t site, length = next_of(key, 0, size, c"/") + 1
        cdef uint8_t last = 255
        if length <= size:
            site = self.site_for(key, length)
            if site != NONE and self.sites[site].is_awake and self.sites[site].marked:
                if self.last_before(
                    self.sites[site].root, key + length, size - length, True, &spot
                ):
                    return self.found(site, &spot)
            size = length
        if not self.last_before(self.sites_root, key, size, True, &spot):
            return -1
        site = self.numbers_end(spot.node)[-1 - <int>spot.index] & LOW
        self.last_before(self.sites[site].root, &last, 1, True, &spot)
        return self.found(site, &spot)

    @cython.final
    cdef object below(self, int64_t number, const uint8_t *prefix, uint32_t size):
        """Return a number if its key, which a walk has left, begins with a prefix."""
        if number < 0 or not begins(self.scratch, self.found_size, prefix, size):
            return None
        return number

    def first_ready(self, str prefix not None = ""):
        cdef uint32_t size
        cdef const uint8_t *data = utf8(prefix, &size)
        return self.below(self.seek(data, size), data, size)

    def last_ready(self, str prefix not None = ""):
        cdef uint32_t size
        cdef const uint8_t *data = utf8(prefix, &size)
        fill(&self.target, data, size)
        push(&self.target, 255)
        return self.below(self.seek_back(self.target.data, self.target.size), data, size)

    def first_ready_leaf(self, str prefix not None = ""):
        cdef uint32_t size
        cdef const uint8_t *data = utf8(prefix, &size)
        cdef int64_t number = self.seek(data, size)
        if number < 0 or not begins(self.scratch, self.found_size, data, size):
            return None
        return self.leaf_of(number)

    @cython.final
    cdef int64_t leaf_of(self, int64_t number) except -2:
        """Return the left-most ready leaf at or below the ready URL whose key is in `scratch`."""
        cdef int64_t deeper
        while is_node(self.scratch, self.found_size):
            deeper = self.first_below()
            if deeper < 0:
                break
            number = deeper
        return number

    @cython.final
    cdef int64_t first_below(self) except -2:
        """Return the first ready URL below the key in `scratch`, or -1; that key is in `target`."""
        cdef int64_t deeper
        fill(&self.target, self.scratch, self.found_size)
        push(&self.target, 0)
        deeper = self.seek(self.target.data, self.target.size)
        self.target.size -= 1
        if deeper < 0 or not begins(
            self.scratch, self.found_size, self.target.data, self.target.size
        ):
            return -1
        return deeper

    def next_ready_leaf(self, number):
        cdef int64_t found
        self.load_key(self.known(number))
        fill(&self.target, self.scratch, self.found_size)
        push(&self.target, 0)
        found = self.seek(self.target.data, self.target.size)
        return None if found < 0 else self.leaf_of(found)

    def previous_ready_leaf(self, number):
        cdef int64_t found
        self.load_key(self.known(number))
        fill(&self.target, self.scratch, self.found_size)
        while True:
            found = self.seek_back(self.target.data, self.target.size)
            if found < 0:
                return None
            if not is_node(self.scratch, self.found_size) or self.first_below() < 0:
                return found

    def next_ready(self, number, str prefix not None = ""):
        cdef uint32_t size
        cdef const uint8_t *data = utf8(prefix, &size)
        self.load_key(self.known(number))
        if compare(self.scratch, self.found_size, data, size) < 0:
            return self.below(self.seek(data, size), data, size)
        fill(&self.target, self.scratch, self.found_size)
        push(&self.target, 0)
        return self.below(self.seek(self.target.data, self.target.size), data, size)

    def previous_ready(self, number, str prefix not None = ""):
        cdef uint32_t size
        cdef const uint8_t *data = utf8(prefix, &size)
        fill(&self.target, data, size)
        push(&self.target, 255)
        self.load_key(self.known(number))
        if compare(self.scratch, self.found_size, self.target.data, self.target.size) < 0:
            fill(&self.target, self.scratch, self.found_size)
        return self.below(self.seek_back(self.target.data, self.target.size), data, size)

    def next_ready_host(self, str after not None = ""):
        cdef uint32_t size
        cdef const uint8_t *data = utf8(after, &size)
        cdef Spot spot
        fill(&self.target, data, size)
        if size:
            push(&self.target, 255)
        if not self.first_from(
            self.sites_root, self.target.data, self.target.size, True, &spot
        ):
            return None
        self.load_name(self.numbers_end(spot.node)[-1 - <int>spot.index] & LOW)
        size = host_end(self.name.data, self.name.size)
        return PyUnicode_DecodeUTF8(<char *>self.name.data, size, NULL)

    def round_robin(self, str prefix not None = ""):
        cdef uint32_t size, served, end
        cdef const uint8_t *data = utf8(prefix, &size)
        cdef uint64_t h
        cdef int64_t number = -1, first
        fill(&self.node, data, size)
        while True:
            h = hash_of(self.node.data, self.node.size)
            served = self.cursors.served(h)
            # What was found one step above is the first ready URL here too: whose turn it is
            # where nobody was served yet, and again when all have been.
            first = number
            if served != NONE:
                number = -1
                self.load_key(served)
                if begins(self.scratch, self.found_size, self.node.data, self.node.size):
                    number = self.seek_behind_child()
                if number < 0 and first >= 0:
                    self.load_key(<uint32_t>first)
                    number = first
            if number < 0:
                number = self.seek(self.node.data, self.node.size)
                if self.below(number, self.node.data, self.node.size) is None:
                    return None
            self.cursors.serve(h, <uint32_t>number)
            if self.found_size == self.node.size:
                return number
            end = step_end(self.scratch, self.found_size, self.node.size)
            if end == self.found_size and not is_node(self.scratch, end):
                return number
            fill(&self.node, self.scratch, end)

    @cython.final
    cdef int64_t seek_behind_child(self) except -2:
        """Return what is ready below `node` behind the child that `scratch` lies below, or -1."""
        cdef uint32_t end = self.found_size
        cdef uint8_t behind = 0
        cdef int64_t number
        if end > self.node.size:
            end = step_end(self.scratch, end, self.node.size)
            if end < self.found_size or is_node(self.scratch, end):
                behind = 255
        fill(&self.target, self.scratch, end)
        push(&self.target, behind)
        number = self.seek(self.target.data, self.target.size)
        if number >= 0 and begins(
            self.scratch, self.found_size, self.node.data, self.node.size
        ):
            return number
        return -1

    # -- what walks over everything, sealing and snapshots are made of ---------------------

    def _site_from(self, bytes name not None):
        """Return the first site whose name with its slash does not stand before this, or -1."""
        cdef Spot spot
        cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(name)
        if not self.first_from(self.sites_root, data, PyBytes_GET_SIZE(name), False, &spot):
            return -1
        return self.numbers_end(spot.node)[-1 - <int>spot.index] & LOW

    def _entries(self, site, bytes path not None):
        """Return paths and numbers of one leaf of a site, from a path on; none at the end."""
        cdef Spot spot
        cdef const uint8_t *p
        cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(path)
        cdef uint32_t root = self.sites[self.checked(site)].root, i, shared, size
        cdef list entries = []
        if not self.first_from(root, data, PyBytes_GET_SIZE(path), False, &spot):
            return entries
        self.reserve(self.nodes[spot.node].used)
        p = self.block(spot.node)
        for i in range(self.nodes[spot.node].count):
            shared = get_number(&p)
            size = get_number(&p)
            memcpy(self.scratch + shared, p, size)
            p += size
            if i >= spot.index:
                entries.append((
                    PyBytes_FromStringAndSize(<char *>self.scratch, shared + size),
                    self.numbers_end(spot.node)[-1 - <int>i] & LOW,
                ))
        return entries

    def _runs(self, site, uint32_t most, uint32_t texts):
        """Return the keys of a site as chunks: (texts, numbers).

        There are so many texts in a chunk, (first path, text), of at least `most` keys each.
        """
        cdef uint32_t node = self.leaf_for(self.sites[self.checked(site)].root, b"", 0)
        cdef list runs = []
        cdef list frames = []
        cdef Run run = Run.__new__(Run)
        while node != NONE:
            run.take_leaf(self, node)
            node = self.beside(node, 1, False)
            if node == NONE or run.count >= most:
                frames.append(run.end_text())
                if node == NONE or len(frames) == texts:
                    runs.append((frames, run.end_numbers(True)))
                    frames = []
        return runs

    def _whole_run(self, site, sealed):
        """Return all keys of a site as one run (text, numbers), without marks.

        `sealed` are the texts of a site that is put away, with numbers and the first's index.
        """
        cdef Run run = Run.__new__(Run)
        cdef uint32_t root = self.sites[self.checked(site)].root
        cdef uint32_t node = NONE if root == NONE else self.leaf_for(root, b"", 0)
        while node != NONE:
            run.take_leaf(self, node)
            node = self.beside(node, 1, False)
        for text, numbers, begin in sealed:
            run.take_run(text, numbers, begin)
        return run.end_text()[1], run.end_numbers(False)

    def _put_away(self, site, chunks):
        """Forget the tree of a site; each of its URLs is in one of the chunks now.

        `chunks` are pairs of a chunk's number and how many URLs it holds, in key order.
        """
        cdef uint32_t sealed = self.checked(site), chunk, left = 0, i, following
        cdef uint32_t node = self.leaf_for(self.sites[sealed].root, b"", 0)
        cdef list rest = list(chunks)[::-1]
        while node != NONE:
            for i in range(self.nodes[node].count):
                if not left:
                    chunk, left = rest.pop()
                self.set_place(self.numbers_end(node)[-1 - <int>i] & LOW, SEALED | chunk)
                left -= 1
            node = self.beside(node, 1, False)
        self.drop_tree(self.sites[sealed].root)
        self.sites[sealed].root = NONE

    @cython.final
    cdef void drop_tree(self, uint32_t node) noexcept:
        cdef uint32_t i
        if self.nodes[node].height & 127:
            for i in range(self.nodes[node].count):
                self.drop_tree(self.children(node)[i])
        self.drop_node(node)

    def _bring_back(self, site, runs):
        """Make the tree of a site again from runs of its keys, and mark what is marked there."""
        cdef uint32_t opened = self.checked(site), i, number, leaf, begin
        cdef uint64_t h
        cdef Reader reader
        cdef Spot spot
        cdef bytes text, numbers
        if self.sites[opened].root == NONE:
            self.sites[opened].root = self.new_tree(opened, 0)
        for text, numbers, begin in runs:
            open_run(&reader, text)
            self.target.size = 0
            for i in range(reader.left):
                next_key(&reader, &self.target)
                number = get_packed(<const uint8_t *>PyBytes_AS_STRING(numbers), begin + i)
                leaf = self.leaf_for(self.sites[opened].root, self.target.data, self.target.size)
                self.scan(leaf, self.target.data, self.target.size, &spot)
                h = hash_key(self.target.data, self.target.size, self.base_of(opened))
                self.insert(&spot, self.target.data, self.target.size, h, number & LOW)
                if number & MARK:
                    leaf = self.place_of(number & LOW)
                    self.numbers_end(leaf)[-1 - <int>self.entry_of(leaf, number & LOW)] |= MARK
                    self.weigh(leaf, 1)

    def _restore(self, count, names, runs):
        """Fill an empty table: sites in the order of their numbers, and a run for each."""
        cdef uint32_t size
        cdef const uint8_t *data
        self.make_places(count)
        self.url_count = count
        for site, (name, run) in enumerate(zip(names, runs, strict=True)):
            data = utf8(name, &size)
            fill(&self.node, data, size)
            push(&self.node, c"/")
            self.new_site(self.node.data, self.node.size)
            self._bring_back(site, [(*run, 0)])
            self.sites[<uint32_t>site].count = get_u32(<const uint8_t *>PyBytes_AS_STRING(run[0]))

    def _is_put_away(self, site):
        return self.sites[self.checked(site)].root == NONE

    def _native_bytes(self):
        """Return what the arrays take."""
        return (
            self.arena_memory.size
            + self.node_memory.size
            + self.slot_memory.size
            + self.site_memory.size
            + self.place_memory.size
            + self.part_memory.size
            + self.packed_bytes
            + self.cursors.size * (sizeof(uint64_t) + sizeof(uint32_t))
            + CLASSES * sizeof(uint32_t)
            + self.scratch_size
            + self.name.room
            + self.target.room
            + self.node.room
        )

    def _free_bytes(self):
        """Return roughly what `_tighten` would give back."""
        cdef size_t slots = self.slot_bytes(self.key_count)
        return (
            self.free_units * UNIT
            + self.free_nodes * sizeof(Node)
            + self.opened_bytes
            + (self.slot_memory.size - slots if self.slot_memory.size > slots else 0)
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
        if self.key_count != self.site_number + self._live_urls():
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
        if self.nodes[node].owner != owner:
            raise AssertionError(f"node {node} has another owner")
        if not self.nodes[node].height & 127:
            self.hash_leaf(node, self.base_of(owner), hashes)
            for i in range(self.nodes[node].count):
                if not self.move_slot(hashes[i], node, node):
                    raise AssertionError(f"entry {i} of leaf {node} is not in the index")
                number = self.numbers_end(node)[-1 - <int>i]
                if self.nodes[node].height & SITES:
                    place = self.sites[number & LOW].leaf
                    if (number & MARK != 0) != bool(
                        self.sites[number & LOW].is_awake and self.sites[number & LOW].marked
                    ):
                        raise AssertionError(f"site {number & LOW} has a wrong mark")
                else:
                    place = self.place_of(number & LOW)
                if place != node:
                    raise AssertionError(f"number {number & LOW} is not where it should be")
            return self.weight_of(node)
        for i in range(self.nodes[node].count):
            child = self.children(node)[i]
            if self.nodes[child].parent != node:
                raise AssertionError(f"node {child} has another parent")
            if self._check_tree(child, owner) != self.weights(node)[i]:
                raise AssertionError(f"node {child} weighs something else")
        return self.weight_of(node)
