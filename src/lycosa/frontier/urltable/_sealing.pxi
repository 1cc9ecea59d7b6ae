# Parts of walks over everything, of sealing and of snapshots: entries, runs, and trees that go and
# come back. The files are those of `lycosa.frontier.urltable.compact`.

cdef class Sealing(Ready):
    """Sites as runs of keys, and the other way round."""

    def _site_from(self, bytes name not None):
        """Return the first site whose name with its slash does not stand before this, or -1."""
        cdef Spot spot
        cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(name)
        if not self.first_from(self.sites_root, data, PyBytes_GET_SIZE(name), False, &spot):
            return -1
        return self.blocks.numbers_end(spot.node)[-1 - <int>spot.index] & LOW

    def _entries(self, site, bytes path not None):
        """Return paths and numbers of one leaf of a site, from a path on; none at the end."""
        cdef Spot spot
        cdef const uint8_t *p
        cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(path)
        cdef uint32_t root = self.sites[self.checked(site)].root, i, shared, size
        cdef list entries = []
        if not self.first_from(root, data, PyBytes_GET_SIZE(path), False, &spot):
            return entries
        self.blocks.reserve(self.blocks.nodes[spot.node].used)
        p = self.blocks.block(spot.node)
        for i in range(self.blocks.nodes[spot.node].count):
            shared = get_number(&p)
            size = get_number(&p)
            memcpy(self.blocks.scratch + shared, p, size)
            p += size
            if i >= spot.index:
                entries.append((
                    PyBytes_FromStringAndSize(<char *>self.blocks.scratch, shared + size),
                    self.blocks.numbers_end(spot.node)[-1 - <int>i] & LOW,
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
            run.take_leaf(self.blocks, node)
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
            run.take_leaf(self.blocks, node)
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
            for i in range(self.blocks.nodes[node].count):
                if not left:
                    chunk, left = rest.pop()
                self.places.set_place(
                    self.blocks.numbers_end(node)[-1 - <int>i] & LOW, SEALED | chunk
                )
                left -= 1
            node = self.beside(node, 1, False)
        self.drop_tree(self.sites[sealed].root)
        self.sites[sealed].root = NONE

    @cython.final
    cdef void drop_tree(self, uint32_t node) noexcept:
        cdef uint32_t i
        if self.blocks.nodes[node].height & 127:
            for i in range(self.blocks.nodes[node].count):
                self.drop_tree(self.children(node)[i])
        self.blocks.drop_node(node)

    def _bring_back(self, site, runs):
        """Make the tree of a site again from runs of its keys, and mark what is marked there."""
        cdef uint32_t opened = self.checked(site), i, number, leaf, begin
        cdef int entry
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
                self.blocks.scan(leaf, self.target.data, self.target.size, &spot)
                h = hash_key(self.target.data, self.target.size, self.base_of(opened))
                self.insert(&spot, self.target.data, self.target.size, h, number & LOW)
                if number & MARK:
                    leaf = self.places.place_of(number & LOW)
                    entry = <int>self.blocks.entry_of(leaf, number & LOW)
                    self.blocks.numbers_end(leaf)[-1 - entry] |= MARK
                    self.weigh(leaf, 1)

    def _restore(self, count, names, runs):
        """Fill an empty table: sites in the order of their numbers, and a run for each."""
        cdef uint32_t size
        cdef const uint8_t *data
        self.places.make_places(count)
        self.places.url_count = count
        for site, (name, run) in enumerate(zip(names, runs, strict=True)):
            data = utf8(name, &size)
            fill(&self.node, data, size)
            push(&self.node, c"/")
            self.new_site(self.node.data, self.node.size)
            self._bring_back(site, [(*run, 0)])
            self.sites[<uint32_t>site].count = get_u32(<const uint8_t *>PyBytes_AS_STRING(run[0]))

    def _is_put_away(self, site):
        return self.sites[self.checked(site)].root == NONE
