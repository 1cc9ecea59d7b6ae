"""The scanner: one pass over the bytes of a page, without a tree.

Text is collapsed into one buffer as it is met and decoded once, at the end. Attributes are
read of every tag, for only so is it known which `>` ends it, but kept only of those that may
link. A reference is looked up in a hash table of bytes before a string is made of it, because
most links of a page are repeated.

Read the files in this order:

    _tables.pxi       what bytes and names mean
    _references.pxi   resolves `&amp;`
    _text.pxi         `Said`: the buffers of text and of values, with the functions that fill them
    _tags.pxi         `Tags`: where the tag at hand ends, and its attributes
    _links.pxi        `Links`: the links found so far; has a `Said` and a `Tags`
    _scan.pyx         `Page`: what each element means for links and facts
    _utf8.pxi         is asked before there is anything to scan

`Said` and `Tags` are structs that lie within a page, not objects, and were levels of one class
before: 123.4 µs a page of 30 kB instead of 124.6 (medians of nine runs in turns).

Always true:
  * the facts are those of `tests.plain_scan.gather` (tests/unit/extract/test_scan_twin.py);
  * every byte is looked at a bounded number of times, and nothing recurses;
  * memory: two buffers of 5/4 of the page and about 100 bytes a link. Text in a buffer is never
    longer than that, because no reference is shorter than 5/6 of its meaning.

Not here: character sets (lycosa.extract.text.charset), values with a syntax of their own
(lycosa.extract.html.values), which are rare enough for Python.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

import os

from lycosa.extract.facts import LONGEST_PAGE as _LONGEST_PAGE
from lycosa.extract.facts import LONGEST_TEXT as _LONGEST_TEXT
from lycosa.extract.facts import LONGEST_TITLE as _LONGEST_TITLE
from lycosa.extract.facts import Facts
from lycosa.extract.html.names import (
    ANYWHERE,
    BLOCKS,
    CELLS,
    FALLBACKS,
    LISTS,
    OBJECTS,
    PAINTS,
    RAW,
    RDFA,
    RELATIONS,
    SOURCES,
)
from lycosa.extract.html.names import DEEPEST_NESTING as _DEEPEST_NESTING
from lycosa.extract.html.objects import joined, object_references, parameter_reference
from lycosa.extract.html.values import (
    css_references,
    is_json_ld,
    kind_of_relation,
    outside_html,
    primary_language,
    refresh_target,
    relation,
    srcset_urls,
    stylesheet_target,
    wishes,
)
from lycosa.model.records import REQUISITE_KINDS, LinkKind

include "_pieces.pxi"
include "_tables.pxi"
include "_text.pxi"
include "_references.pxi"
include "_tags.pxi"
include "_links.pxi"
include "_utf8.pxi"


# Functions that look for mentions; loaded with the first page of a job that wants them.
cdef object mentioned_in_tag = None
cdef object mentioned_in_script = None
cdef object mentioned_in_declaration = None


cdef int load_mentions() except -1:
    global mentioned_in_tag, mentioned_in_script, mentioned_in_declaration
    if mentioned_in_tag is None:
        from lycosa.extract.html import mentioned_text, mentions

        mentioned_in_declaration = mentioned_text.mentioned_in_declaration
        mentioned_in_script = mentions.mentioned_in_script
        mentioned_in_tag = mentions.mentioned_in_tag
    return 0


@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Page(Links):
    """The facts of one page, as they are gathered tag by tag."""

    cdef bytes agent
    # How many documents this one stands within, and whether the open form posts.
    cdef int depth
    cdef bint is_posting
    cdef str base, title, description, language, header_language
    cdef int wishes
    # Signs of structured data on any tag.
    cdef int all_signs
    cdef bint has_json_ld
    cdef bint has_meta
    cdef bint has_html

    def __cinit__(
        self,
        bytes body,
        bint is_xml,
        Py_ssize_t most_links,
        uint64_t wanted,
        str agent,
        int depth,
    ):
        cdef Py_ssize_t size = len(body)
        self.body = body
        self.said.size = size
        self.tags.end = <const byte *> PyBytes_AS_STRING(body) + size
        self.agent = agent.lower().encode("utf-8", "replace") or b"robots"
        self.tags.is_xml, self.wanted = is_xml, wanted
        self.most_links, self.depth = most_links, depth
        if (wanted >> KIND_MENTION) & 1:
            load_mentions()
        self.anchor = -1
        self.place = BEFORE_HTML
        self.made = []
        self.description = self.language = self.header_language = ""
        self.said.text = <byte *> malloc(size + size // 4 + 64)
        self.room = 64
        self.links = <FoundLink *> malloc(self.room * sizeof(FoundLink))
        self.slot_mask = 255
        self.slots = <int32_t *> calloc(self.slot_mask + 1, sizeof(int32_t))
        if self.said.text == NULL or self.links == NULL or self.slots == NULL:
            raise MemoryError
        self.said.text_end = self.said.text

    def __dealloc__(self):
        free(self.said.text)
        free(self.said.values)
        free(self.links)
        free(self.slots)

    cdef int read(self) except -1:
        cdef const byte *p = <const byte *> PyBytes_AS_STRING(self.body)
        cdef const byte *end = self.tags.end
        cdef const byte *q
        cdef const byte *name
        cdef const Tag *tag
        cdef bint is_closing
        cdef uint64_t low, high
        cdef bint is_wide = (self.wanted >> KIND_MENTION) & 1
        # Attributes that any element may have never name a page: they matter if requisites are
        # wanted.
        cdef int kept = KEEP_ANYWHERE if self.wanted >> FIRST_REQUISITE else KEEP_NONE
        while p < end:
            q = p
            if p[0] != c"<":
                if not self.tags.templates and not self.tags.is_in_noscript:
                    q = say(&self.said, p, end, UNTIL_TAG)
                else:
                    q = <const byte *> memchr(p, c"<", end - p)
                if q == NULL or q == end:
                    break
            name = q + 1
            is_closing = name < end and name[0] == c"/"
            name += is_closing
            if name >= end or not CLASS[name[0]] & LETTER:
                p = read_declaration(&self.said, &self.tags, q)
                if p - q > 8 and (q[1] == c"!" or q[1] == c"?"):
                    self.see_declaration(q, p)
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
                    self.said.gap = LINE_GAP
                elif tag.flags & IS_CELL and self.said.gap == NO_GAP:
                    self.said.gap = WORD_GAP
            if is_closing:
                p = read_attributes(&self.tags, p, KEEP_NONE)
                if p == NULL:
                    break
                if tag.element == A:
                    self.end_anchor()
                elif tag.element == FORM:
                    self.is_posting = False
                elif tag.element == HTML:
                    self.place = AFTER_HTML
                elif tag.element == NOSCRIPT:
                    self.tags.is_in_noscript = False
                elif tag.element == TEMPLATE and self.tags.templates:
                    self.tags.templates -= 1
                continue
            p = read_attributes(&self.tags, p, KEEP_ALL if tag.element != OTHER else kept)
            if p == NULL:
                break
            self.all_signs |= self.tags.signs
            if is_wide:
                self.add_mentions(mentioned_in_tag(text_between(q, p)))
            if tag.element != OTHER or tag.flags & IS_RAW or self.tags.present:
                p = self.open(tag, p)
        self.end_anchor()
        return 0

    cdef const byte *open(self, const Tag *tag, const byte *p) except NULL:
        """Take a start tag that ends before p; returns where the page goes on."""
        cdef Piece content
        cdef Piece none
        cdef bint is_whole = self.tags.is_xml and (p - 2)[0] == c"/"
        cdef int element = tag.element
        content.start = none.start = p
        content.size = none.size = 0
        if tag.flags & IS_RAW and not is_whole:
            content.size = end_of_raw(p, self.tags.end, tag) - p
        if self.tags.present >> STYLES and self.wanted >> FIRST_REQUISITE:
            self.add_anywhere()
        if element == A:
            self.end_anchor()
            self.anchor = self.add(href_of(&self.tags), KIND_ANCHOR, value_of(&self.tags, REL), none)
            self.anchor_start = self.said.text_end - self.said.text
        elif element == LINK:
            self.read_link()
        elif element == META:
            self.read_meta()
        elif element == IMG:
            self.add_image()
        elif element == SOURCED:
            self.add_sources(tag)
        elif element == IFRAME:
            self.add_sources(tag)
            if value_of(&self.tags, SRCDOC).size:
                self.add_nested(bytes_of(resolved(&self.said, value_of(&self.tags, SRCDOC))), False)
        elif element == AREA:
            self.add(href_of(&self.tags), KIND_ANCHOR, value_of(&self.tags, REL), value_of(&self.tags, ALT))
        elif element == BASE:
            if self.base is None and has_value(&self.tags, HREF):
                self.base = text_of(trimmed(resolved(&self.said, value_of(&self.tags, HREF))))
        elif element == FORM:
            self.is_posting = is_posted(value_of(&self.tags, METHOD))
            self.add(value_of(&self.tags, ACTION), KIND_POST if self.is_posting else KIND_FORM, none, none)
        elif element == BUTTON:
            self.add_form_action()
        elif element == HTML:
            if self.place == BEFORE_HTML:
                self.place, self.has_html = IN_HTML, True
            if not self.language:
                self.language = primary_language(
                    value_text(&self.said, value_of(&self.tags, LANG if value_of(&self.tags, LANG).size else XML_LANG))
                )
            self.add(value_of(&self.tags, MANIFEST), KIND_MANIFEST, none, none)
        elif element == TITLE:
            if self.title is None:
                self.title = line_of(&self.said, content)
        elif element == SCRIPT:
            self.add_sources(tag)
            if not self.has_json_ld and value_of(&self.tags, TYPE).size >= 19:
                self.has_json_ld = is_json_ld(text_of(value_of(&self.tags, TYPE)))
            if (self.wanted >> KIND_MENTION) & 1:
                self.add_mentions(mentioned_in_script(text_of(content)))
        elif element == STYLE:
            self.add_css(content, False)
        elif element == SOURCE:
            self.add_sources(tag)
            self.add_srcset(value_of(&self.tags, SRCSET))
        elif element == IMAGE:
            self.add(href_of(&self.tags), KIND_IMAGE, none, none)
            self.add_image()
        elif element == INPUT:
            if is_word(value_of(&self.tags, TYPE), b"image", 5):
                self.add_image()
            self.add_form_action()
        elif element == OBJECT:
            self.add_objects()
        elif element == PARAM:
            self.add_made(
                parameter_reference(
                    value_text(&self.said, value_of(&self.tags, NAME)),
                    value_text(&self.said, value_of(&self.tags, VALUE)),
                    value_text(&self.said, value_of(&self.tags, VALUETYPE)),
                ),
                KIND_OBJECT,
            )
        elif element == FALLBACK:
            self.add_nested(bytes_of(content), self.tags.is_xml)
        elif element == NOSCRIPT:
            if not is_whole:
                self.tags.is_in_noscript = True
        elif element == TEMPLATE:
            if not is_whole:
                self.tags.templates += 1
        return content.start + content.size

    cdef int add_sources(self, const Tag *tag) except -1:
        """Add what the element's own attributes refer to (`names.SOURCES`)."""
        cdef int i
        cdef Piece none, value
        none.start = self.tags.end
        none.size = 0
        for i in range(tag.sources):
            if tag.attributes[i] == HREF:
                value = href_of(&self.tags)
            else:
                value = value_of(&self.tags, tag.attributes[i])
            self.add(value, tag.kinds[i], value_of(&self.tags, REL), none)
        return 0

    cdef int add_form_action(self) except -1:
        """Add where a button sends its form."""
        cdef Piece none, method = value_of(&self.tags, FORMMETHOD)
        cdef bint is_posting = self.is_posting or has_value(&self.tags, FORM_NAMED)
        none.start = self.tags.end
        none.size = 0
        if method.size:
            is_posting = is_posted(method)
        self.add(value_of(&self.tags, FORMACTION), KIND_POST if is_posting else KIND_FORM, none, none)
        return 0

    cdef int add_objects(self) except -1:
        cdef dict values = {}
        cdef int place
        for place, name in enumerate(OBJECTS):
            values[name] = value_text(&self.said, value_of(&self.tags, FIRST_OF_OBJECT + place))
        for href, kind in object_references(values):
            self.add_made(href, kind)
        return 0

    cdef int add_nested(self, bytes markup, bint is_xml) except -1:
        """Add the links of a document within this one; nothing else of it counts."""
        cdef Page page
        if self.depth < DEEPEST_NESTING and len(markup):
            page = Page(
                markup, is_xml, self.most_links, self.wanted, self.agent.decode(), self.depth + 1
            )
            page.read()
            self.add_found(page.facts())
        return 0

    cdef int see_declaration(self, const byte *start, const byte *end) except -1:
        """Read the markup in a conditional comment, and the style sheet of an XML document."""
        cdef const byte *p
        cdef Piece markup
        if (self.wanted >> KIND_MENTION) & 1:
            self.add_mentions(mentioned_in_declaration(text_between(start, end)))
        if end - start > 7 and is_same(start, b"<!--[if", 7):
            p = start + 7
            while True:
                p = <const byte *> memchr(p, c"]", end - p)
                if p == NULL or p + 1 >= end:
                    return 0
                if p[1] == c">":
                    break
                p += 1
            markup.start, markup.size = p + 2, end - p - 2
            self.add_nested(bytes_of(markup), self.tags.is_xml)
        elif self.tags.is_xml and end - start > 16 and memcmp(start, b"<?xml-stylesheet", 16) == 0:
            self.add_made(stylesheet_target(text_between(start, end)), KIND_STYLE)
        return 0

    cdef int read_meta(self) except -1:
        cdef Piece content = value_of(&self.tags, CONTENT)
        cdef Piece name = value_of(&self.tags, NAME)
        cdef Piece header = value_of(&self.tags, HTTP_EQUIV)
        if content.size == 0:
            return 0
        if not self.has_meta:
            self.has_meta = has_mark(name)
        if is_word(name, b"robots", 6) or is_word(name, self.agent, PyBytes_GET_SIZE(self.agent)):
            self.wishes |= wishes(value_text(&self.said, content))
        elif is_word(name, b"description", 11):
            if not self.description:
                self.description = value_line(&self.said, content, LONGEST_TITLE)
        elif is_word(header, b"refresh", 7):
            self.add_made(refresh_target(value_text(&self.said, content)), KIND_REFRESH)
        elif is_word(header, b"content-language", 16) and not self.header_language:
            self.header_language = primary_language(value_text(&self.said, content))
        return 0

    cdef object facts(self):
        cdef list hrefs = [], kinds = [], texts = [], rels = [], times = []
        cdef Py_ssize_t i
        cdef FoundLink *link
        cdef Piece text
        # Without a start tag everything before the end tag is in the element (HTML, 13.1.2.4).
        cdef int inside = IN_HTML if self.has_html else IN_HTML | BEFORE_HTML
        for i in range(self.count):
            link = &self.links[i]
            hrefs.append(text_of(link.href))
            kinds.append(link.kind)
            times.append(link.times)
            rels.append(self.relation_of(link.rel) if link.rel.size else "")
            if not link.places & inside and not self.depth:
                rels[i] = outside_html(rels[i])
            texts.append(self.link_text(link))
        text.start = self.said.text
        text.size = self.said.text_end - self.said.text
        return Facts(
            self.base or None, hrefs, kinds, texts, rels, times, self.title or "",
            self.description, bytes_of(cut(text, LONGEST_PAGE)),
            self.language or self.header_language, "",
            bool(self.wishes & 1), bool(self.wishes & 2), bool(self.is_truncated),
            bool(self.all_signs & HAS_RDFA), bool(self.all_signs & HAS_MICRODATA),
            bool(self.has_json_ld), bool(self.has_meta),
            is_noarchive=bool(self.wishes & 4),
        )


def gather(
    bytes body not None,
    *,
    bint is_xml,
    Py_ssize_t most_links,
    uint64_t wanted,
    str agent not None,
):
    """Return the facts of a page in UTF-8, with links of the kinds that have a bit in `wanted`."""
    cdef Page page = Page(body, is_xml, most_links, wanted, agent, 0)
    page.read()
    return page.facts()
