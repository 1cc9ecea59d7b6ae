"""The walk over a document's markup, compiled: tags as bytes, terms as Python's bytes.

Most elements of a page say nothing that RDFa hears: they cost a look at their attributes and a
place on the stack. A word of `property`, `rel` or `typeof` is looked up once for as long as
prefixes and vocabulary stay the same. Rare things are done as in `plain_walk`, on text.

Read the files in this order; each needs only those before it:

    _markup.pxi     what bytes and names mean
    _terms.pxi      writes IRIs and literals
    _records.pxi    what is kept of open elements
    _tags.pxi       `Tags`: the attributes of the tag at hand
    _output.pxi     `Output`: takes triples
    _names.pxi      `Names`: what names stand for
    _literals.pxi   `Literals`: what text will be
    _elements.pxi   `Elements`: what an element says
    _walk.pyx       `Walk`: tags are opened and closed

From `Tags` to `Walk` these are one object in six slices, not six objects: an element's meaning
reads the attributes, the names in force and the open elements at once. The cost of making them
objects of their own, as in the URL table and the scanner, was not measured.

The scanner reads tags too, but as strangers write them; here a serializer did (`trees`). To read
them by the scanner's rules would give other triples than `plain_walk` where no serializer has been,
and cost 1 to 4 % for the white space around `=` alone. So the two share pieces
(`html/_pieces.pxi`), and each has a way of its own through a tag.

Always true:
  * the triples are those of `tests.plain_walk.walk.walk`, in the same order
    (tests/unit/extract/rdfa/test_twin.py);
  * every byte is looked at a bounded number of times for each byte of output, nothing recurses;
  * memory: the markup, its text once, `room` bytes of output, and the open elements.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

import re
from html import unescape

from lycosa.extract.structured.budget import LONG_NAME as _LONG_NAME
from lycosa.extract.structured.budget import Full
from lycosa.extract.rdfa.hosts import PREFIXES, VOCABULARY, whole_vocabulary
from lycosa.extract.rdfa.iris import (
    iri_term,
    is_absolute,
    language_tag,
    near_base,
    resolve,
)
from lycosa.extract.rdfa.literals import moment_type, scope_cost, xml_literal
from lycosa.extract.rdfa.names import FIRST as _FIRST
from lycosa.extract.rdfa.names import FIRST_LINE, IS_PREFIX, IS_TERM, RAW, SPACES, VOID
from lycosa.extract.rdfa.names import HTML_LITERAL as _HTML_LITERAL
from lycosa.extract.rdfa.names import ITEM_COST as _ITEM_COST
from lycosa.extract.rdfa.names import NIL as _NIL
from lycosa.extract.rdfa.names import REST as _REST
from lycosa.extract.rdfa.names import ROLE as _ROLE
from lycosa.extract.rdfa.names import TYPE as _TYPE
from lycosa.extract.rdfa.names import USES_VOCABULARY as _USES_VOCABULARY
from lycosa.extract.rdfa.names import XML_COST as _XML_COST
from lycosa.extract.rdfa.names import XML_LITERAL as _XML_LITERAL
from lycosa.extract.rdfa.names import split_words, without_terms

cdef extern from "string.h":
    void *memmem(const void *, size_t, const void *, size_t) noexcept nogil

cdef bytes TYPE = _TYPE.encode(), FIRST = _FIRST.encode(), REST = _REST.encode()
cdef bytes NIL = _NIL.encode(), ROLE = _ROLE.encode()
cdef bytes USES_VOCABULARY = _USES_VOCABULARY.encode()
cdef bytes XML_LITERAL = _XML_LITERAL.encode(), HTML_LITERAL = _HTML_LITERAL.encode()
cdef Py_ssize_t XML_COST = _XML_COST, ITEM_COST = _ITEM_COST, LONG_NAME = _LONG_NAME
cdef list NOTHING = []
cdef const char *COMMENT_END = "-->"
cdef const char *INSTRUCTION_END = "?>"

include "../html/_pieces.pxi"
include "_markup.pxi"
include "_terms.pxi"
include "_records.pxi"
include "_tags.pxi"
include "_output.pxi"
include "_names.pxi"
include "_literals.pxi"
include "_elements.pxi"


@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Walk(Elements):
    """One document."""

    # How many templates are open: what is in them is not there.
    cdef Py_ssize_t inert

    def __cinit__(
        self, bytes markup, object host, str document, str base, str label, Py_ssize_t room
    ):
        self.markup = markup
        self.end = <const byte *> PyBytes_AS_STRING(markup) + len(markup)
        self.host_terms = host.terms
        self.is_xml, self.is_page, self.is_html5 = host.is_xml, host.is_page, host.is_html5
        self.document = document
        self.label = b"_:" + label.encode()
        self.room = room
        self.is_root = True
        self.language, self.vocabulary = b"", ""
        self.prefixes, self.words, self.lines, self.nodes = {}, {}, {}, {}
        self.frames, self.kept = [], []
        self.incomplete = NOTHING
        self.stack_room = 64
        self.stack = <Open *> malloc(self.stack_room * sizeof(Open))
        self.text_room = self.out_room = 4096
        self.text = <byte *> malloc(self.text_room)
        self.out = <byte *> malloc(self.out_room)
        if self.stack == NULL or self.text == NULL or self.out == NULL:
            raise MemoryError
        self.set_base(base)
        self.parent_object = iri_term(base).encode()
        self.lists = Lists(self.parent_object)

    def __dealloc__(self):
        free(self.stack)
        free(self.text)
        free(self.out)

    cdef int read(self) except -1:
        cdef const byte *p = <const byte *> PyBytes_AS_STRING(self.markup)
        cdef const byte *end = self.end
        cdef const byte *start
        cdef const byte *name
        cdef bint is_closing
        cdef Py_ssize_t size
        while p < end:
            start = <const byte *> memchr(p, c"<", end - p)
            if start == NULL:
                start = end
            if self.literals and start > p and not self.inert:
                self.say(p, start - p)
            if start == end:
                break
            p = start + 1
            is_closing = p < end and p[0] == c"/"
            name = p + is_closing
            if name >= end or not CLASS[name[0]] & NAME_START:
                p = self.skip(start)
                continue
            p = name + 1
            while p < end and not CLASS[p[0]] & TAG_END:
                p += 1
            size = p - name
            p = self.read_attributes(p)
            if is_closing:
                self.close(name, size, start)
            else:
                p = self.open(name, size, p)
        while self.depth:
            self.close(self.stack[self.depth - 1].name, self.stack[self.depth - 1].size, end)
        self.write_lists(self.lists)
        return 0

    cdef const byte *open(self, const byte *name, Py_ssize_t size, const byte *p) except NULL:
        """Take a start tag that ends before p; returns where the markup goes on."""
        cdef int kind = look_up(ELEMENT_NAMES, name, size)
        cdef Open *element
        cdef Open *stack
        cdef const byte *stop
        cdef bytes closing
        cdef bint is_whole = p > name + 1 and (p - 1)[0] == c">" and (p - 2)[0] == c"/"
        cdef unsigned int told = self.present & (SPOKEN | SCOPED)
        if kind < 0:
            kind = 0
        if self.depth == self.stack_room:
            stack = <Open *> realloc(self.stack, 2 * self.stack_room * sizeof(Open))
            if stack == NULL:
                raise MemoryError
            self.stack = stack
            self.stack_room *= 2
        element = &self.stack[self.depth]
        element.name, element.size, element.is_heavy = name, size, False
        self.depth += 1
        if not self.is_xml and (self.inert or kind == IS_TEMPLATE):
            self.inert += kind == IS_TEMPLATE
        else:
            if not self.is_xml and kind == IS_FIRST_LINE and p < self.end and p[0] == c"\n":
                p += 1
            if told & ~REFERRING or (told and (self.is_xml or self.incomplete)):
                self.start(kind, p)
            elif told and kind != IS_VOID and kind != IS_RAW:
                self.start_link()
            self.is_root = False
        if is_whole if self.is_xml else kind == IS_VOID:
            self.close(name, size, p)
        elif not self.is_xml and kind == IS_RAW:
            closing = b"</" + PyBytes_FromStringAndSize(<const char *> name, size)
            stop = <const byte *> memmem(
                p, self.end - p, PyBytes_AS_STRING(closing), PyBytes_GET_SIZE(closing)
            )
            if stop == NULL:
                stop = self.end
            if self.literals:
                self.append_text(p, stop - p)
            p = stop
        return p

    cdef int close(self, const byte *name, Py_ssize_t size, const byte *p) except -1:
        """Take an end tag that begins at p."""
        cdef Open *element
        cdef Frame frame
        if self.depth == 0:
            return 0
        element = &self.stack[self.depth - 1]
        if element.size != size or memcmp(element.name, name, size) != 0:
            return 0
        self.depth -= 1
        if self.inert and size == 8 and memcmp(name, b"template", 8) == 0:
            self.inert -= 1
            return 0
        if not element.is_heavy:
            return 0
        frame = self.frames.pop()
        if frame.is_pending:
            self.write_pending(frame, p)
        if frame.own_lists is not None:
            self.write_lists(frame.own_lists)
        if frame.has_context:
            self.parent_object, self.incomplete = frame.parent_object, frame.incomplete
            self.lists, self.link, self.link_frame = frame.lists, frame.link, frame.link_frame
        if frame.prefixes is not None:
            for prefix, iri in reversed(frame.prefixes):
                if iri is None:
                    del self.prefixes[prefix]
                else:
                    self.prefixes[prefix] = iri
        if frame.scope is not None:
            base = frame.scope[2]
            self.language, self.vocabulary, _, self.words, self.lines = frame.scope
            if base != self.base:
                self.set_base(base)
        return 0


def walk(
    bytes markup not None,
    object host not None,
    str document not None,
    str base not None,
    str label not None,
    Py_ssize_t room,
):
    """Return the triples of a document's markup, up to `room` bytes, and whether there are more."""
    cdef Walk page = Walk(markup, host, document, base, label, room)
    cdef bint is_cut = False
    try:
        page.read()
    except Full:
        is_cut = True
    return PyBytes_FromStringAndSize(<const char *> page.out, page.out_size), is_cut
