"""The scanner: one pass over the bytes of a page, without a tree.

Text is collapsed into one buffer as it is met and decoded once, at the end. Attributes are
read of every tag, for only so is it known which `>` ends it, but kept only of those that may
link. A reference is looked up in a hash table of bytes before a string is made of it, because
most links of a page are repeated. `_tables.pxi` says what bytes and names mean,
`_references.pxi` resolves `&amp;`.

Always true:
  * the facts are those of `lycosa.extract.plain.gather` (tests/unit/extract/test_twin.py);
  * every byte is looked at a bounded number of times, and nothing recurses;
  * memory: two buffers of 5/4 of the page and about 100 bytes a link. What is written to a buffer
    is never longer than that, for no reference is shorter than 5/6 of what it stands for.

Not here: character sets (lycosa.extract.charset), values with a syntax of their own
(lycosa.extract.values), which are rare enough for Python.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

import os
from html.entities import html5

from lycosa.extract.facts import LONGEST_PAGE as _LONGEST_PAGE
from lycosa.extract.facts import LONGEST_TEXT as _LONGEST_TEXT
from lycosa.extract.facts import LONGEST_TITLE as _LONGEST_TITLE
from lycosa.extract.facts import Facts
from lycosa.extract.names import BLOCKS, CELLS, RAW, RDFA, RELATIONS, SOURCES
from lycosa.extract.values import (
    css_references,
    is_json_ld,
    kind_of_relation,
    primary_language,
    refresh_target,
    relation,
    srcset_urls,
    wishes,
)
from lycosa.records import LinkKind

cdef extern from *:
    """
    static inline uint64_t lycosa_fold(uint64_t a, uint64_t b) {
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    """
    uint64_t fold "lycosa_fold"(uint64_t a, uint64_t b) noexcept nogil


include "_tables.pxi"
include "_references.pxi"


cdef str text_of(Piece piece):
    return PyUnicode_DecodeUTF8(<const char *> piece.start, piece.size, b"replace")


cdef bytes bytes_of(Piece piece):
    return PyBytes_FromStringAndSize(<const char *> piece.start, piece.size)


cdef inline Piece cut(Piece piece, Py_ssize_t longest) noexcept nogil:
    """Cut to so many characters, and what space is then at the end."""
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t characters = 0
    if piece.size > longest:
        while i < piece.size:
            characters += (piece.start[i] & 0xC0) != 0x80
            if characters > longest:
                break
            i += 1
        piece.size = i
        while piece.size and piece.start[piece.size - 1] in b" \n":
            piece.size -= 1
    return piece


@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Page:
    """The facts of one page, as they are gathered tag by tag."""

    cdef bytes body, agent
    cdef const byte *end
    cdef bint is_xml, wants_requisites, is_truncated
    cdef Py_ssize_t most_links
    # Visible text, and what is to be put before its next character.
    cdef byte *text
    cdef byte *text_end
    cdef int gap
    cdef Py_ssize_t templates
    cdef bint is_in_noscript
    # Values of attributes whose references are resolved; and those that Python made.
    cdef byte *values
    cdef byte *values_end
    cdef list made
    cdef FoundLink *links
    cdef Py_ssize_t count, room
    cdef int32_t *slots
    cdef uint64_t slot_mask
    cdef Py_ssize_t anchor, anchor_start
    # Attributes of the tag at hand.
    cdef Piece attributes[ATTRIBUTES]
    cdef uint64_t present
    cdef bint no_double, no_single
    cdef str base, title, description, language, header_language
    cdef int wishes
    # What the tag at hand, and what any tag, tells of structured data.
    cdef int signs, all_signs
    cdef bint has_json_ld
    cdef bint has_meta

    def __cinit__(
        self, bytes body, bint is_xml, Py_ssize_t most_links, bint wants_requisites, str agent
    ):
        cdef Py_ssize_t size = len(body)
        self.body = body
        self.end = <const byte *> PyBytes_AS_STRING(body) + size
        self.agent = agent.lower().encode("utf-8", "replace") or b"robots"
        self.is_xml, self.wants_requisites = is_xml, wants_requisites
        self.most_links = most_links
        self.anchor = -1
        self.made = []
        self.description = self.language = self.header_language = ""
        self.text = <byte *> malloc(size + size // 4 + 64)
        self.room = 64
        self.links = <FoundLink *> malloc(self.room * sizeof(FoundLink))
        self.slot_mask = 255
        self.slots = <int32_t *> calloc(self.slot_mask + 1, sizeof(int32_t))
        if self.text == NULL or self.links == NULL or self.slots == NULL:
            raise MemoryError
        self.text_end = self.text

    def __dealloc__(self):
        free(self.text)
        free(self.values)
        free(self.links)
        free(self.slots)

    cdef int read(self) except -1:
        cdef const byte *p = <const byte *> PyBytes_AS_STRING(self.body)
        cdef const byte *end = self.end
        cdef const byte *q
        cdef const byte *name
        cdef const Tag *tag
        cdef bint is_closing
        cdef uint64_t low, high
        while p < end:
            q = p
            if p[0] != c"<":
                if not self.templates and not self.is_in_noscript:
                    q = self.say(p, end, UNTIL_TAG)
                else:
                    q = <const byte *> memchr(p, c"<", end - p)
                if q == NULL or q == end:
                    break
            name = q + 1
            is_closing = name < end and name[0] == c"/"
            name += is_closing
            if name >= end or not CLASS[name[0]] & LETTER:
                p = self.read_declaration(q)
                continue
            p = name
            low = high = 0
            while p < end and not CLASS[p[0]] & TAG_END:
                if p - name < 8:
                    low |= <uint64_t> LOWER[p[0]] << (8 * (p - name))
                elif p - name < 16:
                    high |= <uint64_t> LOWER[p[0]] << (8 * (p - name - 8))
                p += 1
            tag = find_tag(low, high, p - name)
            if tag.flags:
                if tag.flags & IS_BLOCK:
                    self.gap = LINE_GAP
                elif tag.flags & IS_CELL and self.gap == NO_GAP:
                    self.gap = WORD_GAP
            if is_closing:
                p = self.read_attributes(p, False)
                if p == NULL:
                    break
                if tag.element == A:
                    self.end_anchor()
                elif tag.element == NOSCRIPT:
                    self.is_in_noscript = False
                elif tag.element == TEMPLATE and self.templates:
                    self.templates -= 1
                continue
            p = self.read_attributes(p, tag.element != OTHER or self.wants_requisites)
            if p == NULL:
                break
            self.all_signs |= self.signs
            if tag.element != OTHER or tag.flags & IS_RAW or self.wants_requisites:
                p = self.open(tag, p)
        self.end_anchor()
        return 0

    cdef const byte *say(self, const byte *p, const byte *end, Run run) noexcept nogil:
        """Append text, its white space collapsed; returns where the run ends."""
        cdef const byte *after
        cdef byte decoded[16]
        cdef int size, i
        cdef byte *start = self.text
        cdef byte *out = self.text_end
        cdef int gap = self.gap
        cdef byte kind, is_space
        while p < end:
            kind = CLASS[p[0]]
            if kind & SPACE:
                if gap == NO_GAP:
                    gap = WORD_GAP
                p += 1
                continue
            if not kind & SPECIAL:
                if gap:
                    if out != start:
                        out[0] = c"\n" if gap == LINE_GAP else c" "
                        out += 1
                    gap = NO_GAP
                # Without a branch for white space, which comes where no processor expects it:
                # a space is written always, and written over if another was before it.
                is_space = 0
                while True:
                    out[0] = SHOWN[p[0]]
                    out += 1 - (is_space & kind)
                    is_space = kind & SPACE
                    p += 1
                    if p == end:
                        break
                    kind = CLASS[p[0]]
                    if kind & SPECIAL:
                        break
                if is_space:
                    out -= 1
                    gap = WORD_GAP
                continue
            if p[0] == c"<" and run == UNTIL_TAG:
                break
            size = 1
            decoded[0] = p[0]
            after = NULL
            if p[0] == c"&":
                if run != LITERAL:
                    after = read_reference(p, end, False, decoded, &size)
            elif p[0] == 0xC2 and p + 1 < end:
                decoded[1] = p[1]
                size = 2
                after = p + 2
            p = p + 1 if after == NULL else after
            if (size == 1 and CLASS[decoded[0]] & SPACE) or (
                size == 2 and decoded[0] == 0xC2 and decoded[1] == 0xA0
            ):
                if gap == NO_GAP:
                    gap = WORD_GAP
                continue
            if gap:
                if out != start:
                    out[0] = c"\n" if gap == LINE_GAP else c" "
                    out += 1
                gap = NO_GAP
            for i in range(size):
                out[i] = decoded[i]
            out += size
        self.gap = gap
        self.text_end = out
        return p

    cdef const byte *read_declaration(self, const byte *start) noexcept nogil:
        """Read what begins with `<` and is no tag; returns where the page goes on."""
        cdef const byte *end = self.end
        cdef const byte *p = start + 1
        cdef const byte *q
        cdef bint is_seen = not self.templates and not self.is_in_noscript
        if end - p >= 3 and memcmp(p, b"!--", 3) == 0:
            return end_of_comment(p + 3, end)
        if self.is_xml and end - p >= 8 and memcmp(p, b"![CDATA[", 8) == 0:
            p += 8
            q = end_of_section(p, end)
            if is_seen:
                self.say(p, q, LITERAL)
            return q + 3 if end - q > 3 else end
        if p < end and (p[0] == c"!" or p[0] == c"?" or (p[0] == c"/" and p + 1 < end)):
            q = <const byte *> memchr(p, c">", end - p)
            return end if q == NULL else q + 1
        if is_seen:
            self.say(start, p, LITERAL)
        return p

    cdef const byte *read_attributes(self, const byte *p, bint is_wanted) noexcept nogil:
        """Read to behind the `>` of the tag; returns NULL if the page ends before it."""
        cdef const byte *end = self.end
        cdef const byte *name
        cdef const byte *value
        cdef const byte *stop
        cdef Py_ssize_t name_size, size
        cdef int attribute, sign
        self.present = 0
        self.signs = 0
        while True:
            while p < end and CLASS[p[0]] & SKIPPED:
                p += 1
            if p >= end:
                return NULL
            if p[0] == c">":
                return p + 1
            name = p
            p += 1
            while p < end and not CLASS[p[0]] & NAME_END:
                p += 1
            name_size = p - name
            while p < end and CLASS[p[0]] & SPACE:
                p += 1
            size = 0
            value = p
            if p < end and p[0] == c"=":
                p += 1
                while p < end and CLASS[p[0]] & SPACE:
                    p += 1
                if p >= end:
                    return NULL
                value = p
                stop = NULL
                if p[0] == c'"' or p[0] == c"'":
                    value += 1
                    stop = self.closing_quote(p)
                if stop != NULL:
                    p = stop + 1
                else:
                    stop = value
                    while stop < end and not (CLASS[stop[0]] & SPACE or stop[0] == c">"):
                        stop += 1
                    p = stop
                size = stop - value
            if name_size < 16 and (SIGNS[name[0]] >> name_size) & 1:
                sign = sign_of_name(name, name_size)
                if sign > HAS_MICRODATA and not self.signs & sign:
                    if has_rdfa_relation(value, size):
                        sign |= HAS_RDFA
                self.signs |= sign
            if is_wanted:
                attribute = attribute_of_name(name, name_size)
                if attribute != UNKNOWN and not (self.present >> attribute) & 1:
                    self.present |= <uint64_t> 1 << attribute
                    self.attributes[attribute].start = value
                    self.attributes[attribute].size = size

    cdef inline const byte *closing_quote(self, const byte *quote) noexcept nogil:
        """Find the quote that closes; when there is none any more, that is remembered."""
        cdef const byte *found
        cdef bint is_double = quote[0] == c'"'
        if self.no_double if is_double else self.no_single:
            return NULL
        found = <const byte *> memchr(quote + 1, quote[0], self.end - quote - 1)
        if found == NULL:
            if is_double:
                self.no_double = True
            else:
                self.no_single = True
        return found

    cdef inline bint has(self, int attribute) noexcept nogil:
        return (self.present >> attribute) & 1

    cdef inline Piece get(self, int attribute) noexcept nogil:
        cdef Piece nothing
        if (self.present >> attribute) & 1:
            return self.attributes[attribute]
        nothing.start = self.end
        nothing.size = 0
        return nothing

    cdef const byte *open(self, const Tag *tag, const byte *p) except NULL:
        """Take a start tag that ends before p; returns where the page goes on."""
        cdef Piece content
        cdef Piece none
        cdef bint is_whole = self.is_xml and (p - 2)[0] == c"/"
        cdef int i, element = tag.element
        content.start = none.start = p
        content.size = none.size = 0
        if tag.flags & IS_RAW and not is_whole:
            content.size = end_of_raw(p, self.end, tag) - p
        if self.wants_requisites and self.get(STYLES).size:
            self.add_css(self.value_text(self.get(STYLES)))
        if element == A:
            self.end_anchor()
            self.anchor = self.add(self.href(), KIND_ANCHOR, self.get(REL), none)
            self.anchor_start = self.text_end - self.text
        elif element == LINK:
            self.read_link()
        elif element == META:
            self.read_meta()
        elif element == IMG:
            self.add_image()
        elif element == SOURCED:
            for i in range(tag.sources):
                self.add(self.get(tag.attributes[i]), tag.kinds[i], self.get(REL), none)
        elif element == AREA:
            self.add(self.get(HREF), KIND_ANCHOR, self.get(REL), self.get(ALT))
        elif element == BASE:
            if self.base is None and self.has(HREF):
                self.base = text_of(trimmed(self.resolved(self.get(HREF))))
        elif element == FORM:
            content = self.get(METHOD)
            if not is_word(content, b"post", 4) and not is_word(content, b"dialog", 6):
                self.add(self.get(ACTION), KIND_FORM, none, none)
            content.size = 0
            content.start = p
        elif element == HTML:
            if not self.language:
                self.language = primary_language(
                    self.value_text(self.get(LANG if self.get(LANG).size else XML_LANG))
                )
        elif element == TITLE:
            if self.title is None:
                self.title = self.line(content)
        elif element == SCRIPT:
            self.add(self.get(SRC), tag.kinds[0], self.get(REL), none)
            if not self.has_json_ld and self.get(TYPE).size >= 19:
                self.has_json_ld = is_json_ld(text_of(self.get(TYPE)))
        elif element == STYLE:
            if self.wants_requisites:
                self.add_css(text_of(content))
        elif element == SOURCE:
            self.add(self.get(SRC), tag.kinds[0], self.get(REL), none)
            self.add_srcset()
        elif element == IMAGE:
            self.add(self.href(), KIND_IMAGE, none, none)
            self.add_image()
        elif element == INPUT:
            if is_word(self.get(TYPE), b"image", 5):
                self.add_image()
        elif element == NOSCRIPT:
            if not is_whole:
                self.is_in_noscript = True
        elif element == TEMPLATE:
            if not is_whole:
                self.templates += 1
        return content.start + content.size

    cdef inline Piece href(self) noexcept nogil:
        cdef Piece piece = self.get(HREF)
        return piece if piece.size else self.get(XLINK_HREF)

    cdef int reserve_values(self) except -1:
        cdef Py_ssize_t size = len(self.body)
        if self.values == NULL:
            self.values = <byte *> malloc(size + size // 4 + 64)
            if self.values == NULL:
                raise MemoryError
            self.values_end = self.values
        return 0

    cdef Piece resolved(self, Piece piece) except *:
        """Resolve the references of an attribute's value."""
        cdef const byte *p = piece.start
        cdef const byte *end = p + piece.size
        cdef const byte *after
        cdef byte *out
        cdef byte decoded[16]
        cdef int size
        if piece.size == 0 or memchr(p, c"&", piece.size) == NULL:
            return piece
        self.reserve_values()
        out = self.values_end
        piece.start = out
        while p < end:
            if p[0] == c"&":
                after = read_reference(p, end, True, decoded, &size)
                if after != NULL:
                    memcpy(out, decoded, size)
                    out += size
                    p = after
                    continue
            out[0] = p[0]
            out += 1
            p += 1
        piece.size = out - piece.start
        self.values_end = out
        return piece

    cdef str value_text(self, Piece piece):
        """Return an attribute's value as text; nothing refers to the bytes afterwards."""
        cdef Py_ssize_t used = self.values_end - self.values
        cdef str text = text_of(self.resolved(piece))
        self.values_end = self.values + used
        return text

    cdef str value_line(self, Piece piece, Py_ssize_t longest):
        """Return an attribute's value as one line.

        It is put behind the visible text for a moment, where there is room for all that is
        not text, and so for this.
        """
        cdef Py_ssize_t used = self.values_end - self.values
        cdef byte *text = self.text
        cdef byte *text_end = self.text_end
        cdef int gap = self.gap
        cdef Piece result = self.resolved(piece)
        self.text = text_end
        self.gap = NO_GAP
        self.say(result.start, result.start + result.size, LITERAL)
        result.start = text_end
        result.size = self.text_end - text_end
        self.text, self.text_end, self.gap = text, text_end, gap
        self.values_end = self.values + used
        return text_of(cut(result, longest))

    cdef str line(self, Piece piece):
        """Return raw text as one line: its references resolved, cut to a title's length."""
        cdef Piece result
        cdef byte *text = self.text
        cdef byte *text_end = self.text_end
        cdef int gap = self.gap
        self.reserve_values()
        self.text = self.text_end = self.values_end
        self.gap = NO_GAP
        self.say(piece.start, piece.start + piece.size, WITHOUT_TAGS)
        result.start = self.text
        result.size = self.text_end - self.text
        self.text, self.text_end, self.gap = text, text_end, gap
        return text_of(cut(result, LONGEST_TITLE))

    cdef Py_ssize_t add(self, Piece value, int kind, Piece rel, Piece alt) except -2:
        """Add a link; returns its place, or -1 if there is none."""
        if value.size == 0 or (kind >= FIRST_REQUISITE and not self.wants_requisites):
            return -1
        return self.add_href(trimmed(self.resolved(value)), kind, rel, alt)

    cdef Py_ssize_t add_made(self, str href, int kind) except -2:
        """Add a link whose reference was made by Python."""
        cdef Piece piece, none
        cdef bytes data
        none.start = self.end
        none.size = 0
        if not href or (kind >= FIRST_REQUISITE and not self.wants_requisites):
            return -1
        data = href.encode("utf-8", "replace")
        piece.start = <const byte *> PyBytes_AS_STRING(data)
        piece.size = PyBytes_GET_SIZE(data)
        self.made.append(data)
        return self.add_href(piece, kind, none, none)

    cdef Py_ssize_t add_href(self, Piece href, int kind, Piece rel, Piece alt) except -2:
        cdef uint64_t h, slot
        cdef FoundLink *link
        cdef Py_ssize_t index
        if href.size == 0:
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
                if link.alt.size == 0:
                    link.alt = alt
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
        link.kind, link.hash, link.times = kind, h, 1
        link.text_start = link.text_end = 0
        return index

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

    cdef inline void end_anchor(self) noexcept nogil:
        cdef FoundLink *link
        if self.anchor >= 0:
            link = &self.links[self.anchor]
            if link.text_start == link.text_end:
                link.text_start = self.anchor_start
                link.text_end = self.text_end - self.text
            self.anchor = -1

    cdef int add_image(self) except -1:
        cdef Piece none
        cdef FoundLink *link
        none.start = self.end
        none.size = 0
        if self.anchor >= 0:
            link = &self.links[self.anchor]
            if link.alt.size == 0:
                link.alt = self.get(ALT)
        self.add(self.get(SRC), KIND_IMAGE, none, self.get(ALT))
        self.add_srcset()
        return 0

    cdef int add_srcset(self) except -1:
        if self.wants_requisites and self.get(SRCSET).size:
            for url in srcset_urls(self.value_text(self.get(SRCSET))):
                self.add_made(url, KIND_IMAGE)
        return 0

    cdef int add_css(self, str css) except -1:
        for href, kind in css_references(css):
            self.add_made(href, kind)
        return 0

    cdef int read_link(self) except -1:
        cdef int kind
        cdef Piece none
        none.start = self.end
        none.size = 0
        if self.get(REL).size and self.get(HREF).size:
            kind = kind_of_relation(self.value_text(self.get(REL)), text_of(self.get(AS)))
            if kind:
                self.add(self.get(HREF), kind, self.get(REL), none)
        return 0

    cdef int read_meta(self) except -1:
        cdef Piece content = self.get(CONTENT)
        cdef Piece name = self.get(NAME)
        cdef Piece header = self.get(HTTP_EQUIV)
        if content.size == 0:
            return 0
        if not self.has_meta:
            self.has_meta = has_mark(name)
        if is_word(name, b"robots", 6) or is_word(name, self.agent, PyBytes_GET_SIZE(self.agent)):
            self.wishes |= wishes(self.value_text(content))
        elif is_word(name, b"description", 11):
            if not self.description:
                self.description = self.value_line(content, LONGEST_TITLE)
        elif is_word(header, b"refresh", 7):
            self.add_made(refresh_target(self.value_text(content)), KIND_REFRESH)
        elif is_word(header, b"content-language", 16) and not self.header_language:
            self.header_language = primary_language(self.value_text(content))
        return 0

    cdef object facts(self):
        cdef list hrefs = [], kinds = [], texts = [], rels = [], times = []
        cdef Py_ssize_t i
        cdef FoundLink *link
        cdef Piece text
        for i in range(self.count):
            link = &self.links[i]
            hrefs.append(text_of(link.href))
            kinds.append(link.kind)
            times.append(link.times)
            rels.append(relation(self.value_text(link.rel)) if link.rel.size else "")
            texts.append(self.link_text(link))
        text.start = self.text
        text.size = self.text_end - self.text
        return Facts(
            self.base or None, hrefs, kinds, texts, rels, times, self.title or "",
            self.description, bytes_of(cut(text, LONGEST_PAGE)), self.language or self.header_language, "",
            bool(self.wishes & 1), bool(self.wishes & 2), bool(self.is_truncated),
            bool(self.all_signs & HAS_RDFA), bool(self.all_signs & HAS_MICRODATA), bool(self.has_json_ld),
            bool(self.has_meta),
        )

    cdef str link_text(self, FoundLink *link):
        cdef byte line[4 * LONGEST_TEXT + 8]
        cdef Piece piece
        cdef Py_ssize_t i
        if link.text_end == link.text_start:
            if link.alt.size == 0:
                return ""
            return self.value_line(link.alt, LONGEST_TEXT)
        piece.start = self.text + link.text_start
        piece.size = link.text_end - link.text_start
        if piece.start[0] == c" " or piece.start[0] == c"\n":
            piece.start += 1
            piece.size -= 1
        piece = cut(piece, LONGEST_TEXT)
        for i in range(piece.size):
            line[i] = c" " if piece.start[i] == c"\n" else piece.start[i]
        piece.start = line
        return text_of(piece)


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


cdef inline const Tag *find_tag(uint64_t low, uint64_t high, Py_ssize_t size) noexcept nogil:
    cdef uint64_t slot = slot_of_name(low, high)
    while TAGS[slot].size:
        if TAGS[slot].low == low and TAGS[slot].high == high and TAGS[slot].size == size:
            return &TAGS[slot]
        slot = (slot + 1) % TAG_SLOTS
    return &NO_TAG


cdef const byte *end_of_comment(const byte *start, const byte *end) noexcept nogil:
    cdef const byte *q = start
    if q < end and q[0] == c">":
        return q + 1
    if end - q >= 2 and q[0] == c"-" and q[1] == c">":
        return q + 2
    while True:
        q = <const byte *> memchr(q, c">", end - q)
        if q == NULL:
            return end
        if q - start >= 2 and (q - 1)[0] == c"-" and (q - 2)[0] == c"-":
            return q + 1
        if q - start >= 3 and (q - 1)[0] == c"!" and (q - 2)[0] == c"-" and (q - 3)[0] == c"-":
            return q + 1
        q += 1


cdef const byte *end_of_section(const byte *start, const byte *end) noexcept nogil:
    cdef const byte *q = start
    while True:
        q = <const byte *> memchr(q, c">", end - q)
        if q == NULL:
            return end
        if q - start >= 2 and (q - 1)[0] == c"]" and (q - 2)[0] == c"]":
            return q - 2
        q += 1


cdef const byte *end_of_raw(const byte *p, const byte *end, const Tag *tag) noexcept nogil:
    cdef Py_ssize_t size = tag.size
    while True:
        p = <const byte *> memchr(p, c"<", end - p)
        if p == NULL:
            return end
        if end - p > size + 2 and p[1] == c"/" and is_same(p + 2, tag.name, size):
            if CLASS[p[size + 2]] & SKIPPED or p[size + 2] == c">":
                return p
        p += 1


def gather(
    bytes body not None,
    *,
    bint is_xml,
    Py_ssize_t most_links,
    bint wants_requisites,
    str agent not None,
):
    """Return the facts of a page in UTF-8."""
    cdef Page page = Page(body, is_xml, most_links, wants_requisites, agent)
    page.read()
    return page.facts()


def is_plain(bytes body not None):
    """Tell whether a body is ASCII without NUL: in UTF-8 as it is, whatever it says it is in."""
    cdef const byte *p = <const byte *> PyBytes_AS_STRING(body)
    cdef Py_ssize_t i, size = PyBytes_GET_SIZE(body)
    cdef byte high = 0
    cdef byte has_nul = 0
    for i in range(size):
        high |= p[i]
        has_nul |= p[i] == 0
    return not (high & 0x80 or has_nul)


def is_utf8(bytes body not None):
    """Tell whether a body is UTF-8 (RFC 3629): Python would make a string of it to find out."""
    cdef const byte *p = <const byte *> PyBytes_AS_STRING(body)
    cdef const byte *end = p + PyBytes_GET_SIZE(body)
    cdef uint64_t word
    cdef byte low, high
    cdef int more
    while p < end:
        if end - p >= 8:
            memcpy(&word, p, 8)
            if not word & 0x8080808080808080u:
                p += 8
                continue
        if p[0] < 0x80:
            p += 1
            continue
        low, high = 0x80, 0xBF
        if p[0] < 0xC2 or p[0] > 0xF4:
            return False
        if p[0] < 0xE0:
            more = 1
        elif p[0] < 0xF0:
            more = 2
            if p[0] == 0xE0:
                low = 0xA0
            elif p[0] == 0xED:
                high = 0x9F  # surrogates
        else:
            more = 3
            if p[0] == 0xF0:
                low = 0x90
            elif p[0] == 0xF4:
                high = 0x8F
        if end - p <= more or p[1] < low or p[1] > high:
            return False
        if more > 1 and p[2] & 0xC0 != 0x80:
            return False
        if more > 2 and p[3] & 0xC0 != 0x80:
            return False
        p += 1 + more
    return True
