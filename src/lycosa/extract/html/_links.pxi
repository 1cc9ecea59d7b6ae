# The links of a page, each once: its reference, what it is called, and how often it stands there.
#
# A reference is looked up in a hash table of bytes before a string is made of it, because most
# links of a page are repeated.

cdef extern from *:
    """
    static inline uint64_t lycosa_fold(uint64_t a, uint64_t b) {
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    """
    uint64_t fold "lycosa_fold"(uint64_t a, uint64_t b) noexcept nogil


@cython.internal
@cython.auto_pickle(False)
cdef class Links:
    """The links found so far."""

    cdef bytes body
    cdef Said said
    cdef Tags tags
    # The kinds that are wanted, a bit each.
    cdef uint64_t wanted
    cdef bint is_truncated
    cdef Py_ssize_t most_links
    cdef FoundLink *links
    cdef Py_ssize_t count, room
    cdef int32_t *slots
    cdef uint64_t slot_mask
    # References that Python made.
    cdef list made
    # The link whose text is being read.
    cdef Py_ssize_t anchor, anchor_start
    # Before, in or after the element `html`.
    cdef int place

    @cython.final
    cdef Py_ssize_t add(self, Piece value, int kind, Piece rel, Piece alt) except -2:
        """Add a link; returns its place, or -1 if there is none."""
        if value.size == 0 or not (self.wanted >> kind) & 1:
            return -1
        return self.add_href(trimmed(resolved(&self.said, value)), kind, rel, alt)

    @cython.final
    cdef Py_ssize_t add_made(self, str href, int kind) except -2:
        """Add a link whose reference was made by Python."""
        cdef Piece piece, none
        cdef bytes data
        none.start = self.tags.end
        none.size = 0
        if not href or not (self.wanted >> kind) & 1:
            return -1
        data = href.encode("utf-8", "replace")
        piece.start = <const byte *> PyBytes_AS_STRING(data)
        piece.size = PyBytes_GET_SIZE(data)
        self.made.append(data)
        return self.add_href(piece, kind, none, none)

    @cython.final
    cdef Py_ssize_t add_href(self, Piece href, int kind, Piece rel, Piece alt) except -2:
        cdef uint64_t h, slot
        cdef FoundLink *link
        cdef Py_ssize_t index
        if href.size == 0 or (kind >= FIRST_REQUISITE and needs_no_request(href)):
            return -1
        href = without_fragment(href)
        h = hash_of(href, kind)
        slot = h & self.slot_mask
        while self.slots[slot]:
            link = &self.links[self.slots[slot] - 1]
            if (
                link.hash == h
                and link.kind == kind
                and link.href.size == href.size
                and memcmp(link.href.start, href.start, href.size) == 0
            ):
                link.times += 1
                link.places |= self.place
                if link.alt.size == 0:
                    link.alt = alt
                if link.rel.size:
                    self.weigh_rel(link, rel)
                return self.slots[slot] - 1
            slot = (slot + 1) & self.slot_mask
        if self.most_links and self.count >= self.most_links:
            self.is_truncated = True
            return -1
        index = self.count
        if index == self.room or 2 * index > <Py_ssize_t> self.slot_mask:
            self.grow()
            slot = h & self.slot_mask
            while self.slots[slot]:
                slot = (slot + 1) & self.slot_mask
        self.count += 1
        self.slots[slot] = self.count
        link = &self.links[index]
        link.href, link.rel, link.alt = href, rel, alt
        link.kind, link.hash, link.times, link.places = kind, h, 1, self.place
        link.text_start = link.text_end = 0
        return index

    @cython.final
    cdef int weigh_rel(self, FoundLink *link, Piece rel) except -1:
        """A link that is `nofollow` in one place and not in another is followed."""
        if rel.size == link.rel.size and memcmp(rel.start, link.rel.start, rel.size) == 0:
            return 0
        if (
            "nofollow" in value_text(&self.said, link.rel).lower()
            and "nofollow" not in value_text(&self.said, rel).lower()
        ):
            link.rel = rel
        return 0

    @cython.final
    cdef int grow(self) except -1:
        cdef Py_ssize_t i
        cdef uint64_t slot
        cdef FoundLink *links
        cdef int32_t *slots
        if self.count == self.room:
            links = <FoundLink *> realloc(self.links, 2 * self.room * sizeof(FoundLink))
            if links == NULL:
                raise MemoryError
            self.links = links
            self.room *= 2
        if 2 * self.count > <Py_ssize_t> self.slot_mask:
            slots = <int32_t *> calloc(2 * (self.slot_mask + 1), sizeof(int32_t))
            if slots == NULL:
                raise MemoryError
            free(self.slots)
            self.slots = slots
            self.slot_mask = 2 * self.slot_mask + 1
            for i in range(self.count):
                slot = self.links[i].hash & self.slot_mask
                while slots[slot]:
                    slot = (slot + 1) & self.slot_mask
                slots[slot] = i + 1
        return 0

    @cython.final
    cdef inline void end_anchor(self) noexcept nogil:
        cdef FoundLink *link
        if self.anchor >= 0:
            link = &self.links[self.anchor]
            if link.text_start == link.text_end:
                link.text_start = self.anchor_start
                link.text_end = self.said.text_end - self.said.text
            self.anchor = -1

    @cython.final
    cdef int add_image(self) except -1:
        cdef Piece none
        cdef FoundLink *link
        none.start = self.tags.end
        none.size = 0
        if self.anchor >= 0:
            link = &self.links[self.anchor]
            if link.alt.size == 0:
                link.alt = value_of(&self.tags, ALT)
        self.add(value_of(&self.tags, SRC), KIND_IMAGE, none, value_of(&self.tags, ALT))
        self.add_srcset(value_of(&self.tags, SRCSET))
        return 0

    @cython.final
    cdef int add_srcset(self, Piece value) except -1:
        if value.size and (self.wanted >> KIND_IMAGE) & 1:
            for url in srcset_urls(value_text(&self.said, value)):
                self.add_made(url, KIND_IMAGE)
        return 0

    @cython.final
    cdef int add_css(self, Piece css, bint is_attribute) except -1:
        if not (self.wanted >> KIND_IMAGE) & 1:
            return 0
        if is_attribute and memchr(css.start, c"&", css.size) != NULL:
            references = css_references(value_text(&self.said, css))
        elif may_refer(css):
            references = css_references(text_of(css))
        else:
            return 0
        for href, kind in references:
            self.add_made(href, kind)
        return 0

    @cython.final
    cdef int add_anywhere(self) except -1:
        """Add what the attributes refer to that mean the same in any element."""
        cdef int attribute
        cdef Piece none, value
        none.start = self.tags.end
        none.size = 0
        if value_of(&self.tags, STYLES).size:
            self.add_css(value_of(&self.tags, STYLES), True)
        if not self.tags.present >> FIRST_ANYWHERE:
            return 0
        for attribute in range(FIRST_ANYWHERE, FIRST_LIST):
            self.add(value_of(&self.tags, attribute), KINDS[attribute], none, none)
        for attribute in range(FIRST_LIST, FIRST_PAINT):
            self.add_list(value_of(&self.tags, attribute), KINDS[attribute])
        for attribute in range(FIRST_PAINT, ATTRIBUTES):
            value = value_of(&self.tags, attribute)
            if value.size:
                self.add_css(value, True)
        return 0

    @cython.final
    cdef int add_list(self, Piece value, int kind) except -1:
        """Add the URLs of a list with white space between them."""
        cdef Piece url, none
        none.start = self.tags.end
        none.size = 0
        if value.size == 0 or not (self.wanted >> kind) & 1:
            return 0
        value = trimmed(resolved(&self.said, value))
        while value.size:
            url.start = value.start
            while value.size and not CLASS[value.start[0]] & SPACE:
                value.start += 1
                value.size -= 1
            url.size = value.start - url.start
            self.add_href(url, kind, none, none)
            value = trimmed(value)
        return 0

    @cython.final
    cdef int add_mentions(self, list hrefs) except -1:
        for href in hrefs:
            self.add_made(href, KIND_MENTION)
        return 0

    @cython.final
    cdef int add_found(self, object facts) except -1:
        """Add the links of a document within this one."""
        cdef Py_ssize_t index
        cdef Piece piece, rel, text
        cdef str base = facts.base or ""
        columns = (facts.hrefs, facts.kinds, facts.texts, facts.rels, facts.times)
        for href, kind, said, relations, times in zip(*columns):
            data = [(joined(base, href)).encode("utf-8", "replace"), relations.encode(), said.encode()]
            self.made += data
            piece, rel, text = piece_of(data[0]), piece_of(data[1]), piece_of(data[2])
            if (self.wanted >> <int> kind) & 1:
                index = self.add_href(piece, kind, rel, text)
                if index >= 0:
                    self.links[index].times += times - 1
        return 0

    @cython.final
    cdef int read_link(self) except -1:
        cdef int kind
        cdef Piece none, rel = value_of(&self.tags, REL)
        none.start = self.tags.end
        none.size = 0
        if value_of(&self.tags, HREF).size:
            kind = kind_of_relation(value_text(&self.said, rel), text_of(value_of(&self.tags, AS)))
            self.add(value_of(&self.tags, HREF), kind, rel, none)
        self.add_srcset(value_of(&self.tags, IMAGESRCSET))
        return 0

    @cython.final
    cdef str relation_of(self, Piece rel):
        """Return what `values.relation` does; most values are written as it would write them."""
        cdef str text = value_text(&self.said, rel)
        cdef Py_ssize_t i
        for i in range(rel.size):
            if not (c"a" <= rel.start[i] <= c"z" or rel.start[i] == c"-"):
                return relation(text)
        return text

    @cython.final
    cdef str link_text(self, FoundLink *link):
        cdef byte line[4 * LONGEST_TEXT + 8]
        cdef Piece piece
        cdef Py_ssize_t i
        if link.text_end == link.text_start:
            if link.alt.size == 0:
                return ""
            return value_line(&self.said, link.alt, LONGEST_TEXT)
        piece.start = self.said.text + link.text_start
        piece.size = link.text_end - link.text_start
        if piece.start[0] == c" " or piece.start[0] == c"\n":
            piece.start += 1
            piece.size -= 1
        piece = cut(piece, LONGEST_TEXT)
        for i in range(piece.size):
            line[i] = c" " if piece.start[i] == c"\n" else piece.start[i]
        piece.start = line
        return text_of(piece)


cdef inline bint needs_no_request(Piece href) noexcept nogil:
    """Return whether a reference is data or a part of the page itself, which needs no request."""
    return href.start[0] == c"#" or (href.size >= 5 and is_same(href.start, b"data:", 5))


cdef inline Piece piece_of(bytes data):
    """Return the bytes of an object, which has to outlive the piece."""
    cdef Piece piece
    piece.start = <const byte *> PyBytes_AS_STRING(data)
    piece.size = PyBytes_GET_SIZE(data)
    return piece


cdef inline uint64_t hash_of(Piece piece, int kind) noexcept nogil:
    """Hash under a secret of this process, so that no page can make its links collide."""
    cdef uint64_t word, h = SEED ^ (<uint64_t> piece.size << 8) ^ <uint64_t> kind
    cdef const byte *p = piece.start
    cdef Py_ssize_t left = piece.size
    while left >= 8:
        memcpy(&word, p, 8)
        h = fold(h ^ word, SECRET)
        p += 8
        left -= 8
    word = 0
    memcpy(&word, p, left)
    return fold(h ^ word, SECRET)
