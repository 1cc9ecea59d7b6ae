# Walks over what is ready, in the order of keys.
#
# A walk leaves the key that it found in `scratch`. Sites of which nothing is ready are passed over
# by the weights above them.

cdef class Ready(Keys):
    """Finds the next ready URL, in one order or another."""

    @cython.final
    cdef int64_t found(self, uint32_t site, const Spot *spot) except -2:
        """Leave the key of an entry in `scratch`; returns its number."""
        self.load_name(site)
        self.found_size = self.name.size + self.blocks.read_key(
            spot.node, spot.index, self.name.size
        )
        memcpy(self.blocks.scratch, self.name.data, self.name.size)
        return self.blocks.numbers_end(spot.node)[-1 - <int>spot.index] & LOW

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
        site = self.blocks.numbers_end(spot.node)[-1 - <int>spot.index] & LOW
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
        site = self.blocks.numbers_end(spot.node)[-1 - <int>spot.index] & LOW
        self.last_before(self.sites[site].root, &last, 1, True, &spot)
        return self.found(site, &spot)

    @cython.final
    cdef object below(self, int64_t number, const uint8_t *prefix, uint32_t size):
        """Return a number if its key, which a walk has left, begins with a prefix."""
        if number < 0 or not begins(self.blocks.scratch, self.found_size, prefix, size):
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
        if number < 0 or not begins(self.blocks.scratch, self.found_size, data, size):
            return None
        return self.leaf_of(number)

    @cython.final
    cdef int64_t leaf_of(self, int64_t number) except -2:
        """Return the left-most ready leaf at or below the ready URL whose key is in `scratch`."""
        cdef int64_t deeper
        while is_node(self.blocks.scratch, self.found_size):
            deeper = self.first_below()
            if deeper < 0:
                break
            number = deeper
        return number

    @cython.final
    cdef int64_t first_below(self) except -2:
        """Return the first ready URL below the key in `scratch`, or -1; that key is in `target`."""
        cdef int64_t deeper
        fill(&self.target, self.blocks.scratch, self.found_size)
        push(&self.target, 0)
        deeper = self.seek(self.target.data, self.target.size)
        self.target.size -= 1
        if deeper < 0 or not begins(
            self.blocks.scratch, self.found_size, self.target.data, self.target.size
        ):
            return -1
        return deeper

    def next_ready_leaf(self, number):
        cdef int64_t found
        self.load_key(self.known(number))
        fill(&self.target, self.blocks.scratch, self.found_size)
        push(&self.target, 0)
        found = self.seek(self.target.data, self.target.size)
        return None if found < 0 else self.leaf_of(found)

    def previous_ready_leaf(self, number):
        cdef int64_t found
        self.load_key(self.known(number))
        fill(&self.target, self.blocks.scratch, self.found_size)
        while True:
            found = self.seek_back(self.target.data, self.target.size)
            if found < 0:
                return None
            if not is_node(self.blocks.scratch, self.found_size) or self.first_below() < 0:
                return found

    def next_ready(self, number, str prefix not None = ""):
        cdef uint32_t size
        cdef const uint8_t *data = utf8(prefix, &size)
        self.load_key(self.known(number))
        if compare(self.blocks.scratch, self.found_size, data, size) < 0:
            return self.below(self.seek(data, size), data, size)
        fill(&self.target, self.blocks.scratch, self.found_size)
        push(&self.target, 0)
        return self.below(self.seek(self.target.data, self.target.size), data, size)

    def previous_ready(self, number, str prefix not None = ""):
        cdef uint32_t size
        cdef const uint8_t *data = utf8(prefix, &size)
        fill(&self.target, data, size)
        push(&self.target, 255)
        self.load_key(self.known(number))
        if compare(self.blocks.scratch, self.found_size, self.target.data, self.target.size) < 0:
            fill(&self.target, self.blocks.scratch, self.found_size)
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
        self.load_name(self.blocks.numbers_end(spot.node)[-1 - <int>spot.index] & LOW)
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
            # The first ready URL of the node above is the first one here, too. Its turn comes where
            # no child was served yet, and again when all have been.
            first = number
            if served != NONE:
                number = -1
                self.load_key(served)
                if begins(self.blocks.scratch, self.found_size, self.node.data, self.node.size):
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
            end = step_end(self.blocks.scratch, self.found_size, self.node.size)
            if end == self.found_size and not is_node(self.blocks.scratch, end):
                return number
            fill(&self.node, self.blocks.scratch, end)

    @cython.final
    cdef int64_t seek_behind_child(self) except -2:
        """Return what is ready below `node` behind the child that `scratch` lies below, or -1."""
        cdef uint32_t end = self.found_size
        cdef uint8_t behind = 0
        cdef int64_t number
        if end > self.node.size:
            end = step_end(self.blocks.scratch, end, self.node.size)
            if end < self.found_size or is_node(self.blocks.scratch, end):
                behind = 255
        fill(&self.target, self.blocks.scratch, end)
        push(&self.target, behind)
        number = self.seek(self.target.data, self.target.size)
        if number >= 0 and begins(
            self.blocks.scratch, self.found_size, self.node.data, self.node.size
        ):
            return number
        return -1
