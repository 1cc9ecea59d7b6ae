# Keys and numbers: a site by its name, a URL by its key or number, and what is ready.

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


cdef class Keys(Trees):
    """Sites and their URLs, and how many of them are ready."""

    cdef Buffer name            # with its slash, of the site looked at last
    cdef uint32_t name_site
    cdef Buffer target
    cdef Buffer node
    cdef uint32_t found_size    # of the key that a walk left in `scratch`
    cdef readonly uint32_t ready
    cdef Cursors cursors        # of `round_robin`
    cdef str last_key           # that was asked for, because a page asks for its own several times
    cdef uint32_t last_number

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
        if not self.index.seek_slot(LOW, hash_key(name, size, self.index.seed), name, size, &spot):
            return NONE
        fill(&self.name, name, size)
        self.name_site = self.blocks.numbers_end(spot.node)[-1 - <int>spot.index] & LOW
        return self.name_site

    @cython.final
    cdef int load_name(self, uint32_t site) except -1:
        """Let `name` be that of a site."""
        cdef uint32_t leaf, size
        if self.name_site != site:
            leaf = self.sites[site].leaf
            size = self.blocks.read_key(leaf, self.blocks.entry_of(leaf, site), 0)
            fill(&self.name, self.blocks.scratch, size)
            self.name_site = site
        return 0

    @cython.final
    cdef uint32_t new_site(self, const uint8_t *name, uint32_t size) except? 0xFFFFFFFF:
        cdef uint32_t site = self.site_number
        cdef uint64_t h = hash_key(name, size, self.index.seed)
        cdef Spot spot
        make_room(&self.site_memory, (<size_t>site + 1) * sizeof(Site))
        self.sites = <Site *>self.site_memory.data
        memset(&self.sites[site], 0, sizeof(Site))
        self.sites[site].root = self.new_tree(site, 0)
        self.sites[site].hash = <uint32_t>h
        self.blocks.scan(self.leaf_for(self.sites_root, name, size), name, size, &spot)
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
            asked.hash = self.index.seed + <uint32_t>hash_key(
                asked.name, asked.name_size, self.index.seed
            )
            asked.hash = hash_key(asked.path, asked.path_size, asked.hash)
            self.index.prefetch_line(asked.hash)
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
        if self.index.seek_slot(site, h, path, path_size, &spot):
            return self.blocks.numbers_end(spot.node)[-1 - <int>spot.index] & LOW
        if not is_added:
            return -1
        self.blocks.scan(
            self.leaf_for(self.sites[site].root, path, path_size), path, path_size, &spot
        )
        number = self.places.url_count
        self.places.make_places(number + 1)
        self.places.url_count += 1
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
        cdef uint32_t place = self.places.place_of(number), size
        if place & SEALED:
            path, _ = self._sealed_path(number, place & LOW)
            self.load_name(self._site_of_chunk(place & LOW))
            size = PyBytes_GET_SIZE(path)
            self.blocks.reserve(self.name.size + size)
            memcpy(self.blocks.scratch + self.name.size, PyBytes_AS_STRING(path), size)
        else:
            self.load_name(self.blocks.nodes[place].owner)
            size = self.blocks.read_key(place, self.blocks.entry_of(place, number), self.name.size)
        memcpy(self.blocks.scratch, self.name.data, self.name.size)
        self.found_size = self.name.size + size
        return 0

    @cython.final
    cdef uint32_t known(self, object number) except? 0xFFFFFFFF:
        if not 0 <= number < self.places.url_count:
            raise IndexError(number)
        return number

    @cython.binding(False)
    @cython.always_allow_keywords(False)
    def key(self, number):
        cdef uint32_t known = self.known(number)
        if self.last_key is None or known != self.last_number:
            self.load_key(known)
            self.last_key = PyUnicode_DecodeUTF8(
                <char *>self.blocks.scratch, self.found_size, NULL
            )
            self.last_number = known
        return self.last_key

    def __len__(self):
        return self.places.url_count

    # -- counts ---------------------------------------------------------------------------

    @cython.final
    cdef int set_mark(self, uint32_t number, bint is_marked) except -1:
        cdef uint32_t place = self.places.place_of(number), site
        cdef int32_t change = 1 if is_marked else -1
        cdef uint32_t *entry
        if place & SEALED:
            _, was_marked = self._sealed_path(number, place & LOW)
            if was_marked == is_marked:
                return 0
            self.unseal(self._site_of_chunk(place & LOW))
            place = self.places.place_of(number)
        entry = self.blocks.numbers_end(place) - 1 - <int>self.blocks.entry_of(place, number)
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
            self.blocks.numbers_end(leaf)[-1 - <int>self.blocks.entry_of(leaf, site)] ^= MARK

    def mark(self, number):
        self.set_mark(self.known(number), True)

    def unmark(self, number):
        self.set_mark(self.known(number), False)

    def is_marked(self, number):
        cdef uint32_t found = self.known(number)
        cdef uint32_t place = self.places.place_of(found)
        cdef int entry
        if place & SEALED:
            return self._sealed_path(found, place & LOW)[1]
        entry = <int>self.blocks.entry_of(place, found)
        return self.blocks.numbers_end(place)[-1 - entry] & MARK != 0

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
            end = self.blocks.numbers_end(node)
            self.weigh(node, -<int32_t>self.weight_of(node))
            for i in range(self.blocks.nodes[node].count):
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
