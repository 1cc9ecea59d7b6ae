"""The walk over a document's markup, compiled: tags as bytes, terms as Python's bytes.

Most elements of a page say nothing that RDFa hears: they cost a look at their attributes and a
place on the stack. What a word of `property`, `rel` or `typeof` stands for is looked up once for
as long as prefixes and vocabulary stay the same. What is rare is done as in `plain`, on text.

Always true:
  * the triples are those of `lycosa.extract.rdfa.plain.walk`, in the same order
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

from lycosa.extract.rdfa.hosts import PREFIXES, VOCABULARY
from lycosa.extract.rdfa.iris import (
    iri_term,
    is_absolute,
    language_tag,
    resolve,
    without_fragment,
)
from lycosa.extract.rdfa.literals import moment_type, xml_literal
from lycosa.extract.rdfa.names import FIRST as _FIRST
from lycosa.extract.rdfa.names import FIRST_LINE, IS_PREFIX, IS_TERM, RAW, SPACES, VOID, Full
from lycosa.extract.rdfa.names import HTML_LITERAL as _HTML_LITERAL
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

include "_markup.pxi"
include "_records.pxi"

cdef bytes TYPE = _TYPE.encode(), FIRST = _FIRST.encode(), REST = _REST.encode()
cdef bytes NIL = _NIL.encode(), ROLE = _ROLE.encode()
cdef bytes USES_VOCABULARY = _USES_VOCABULARY.encode()
cdef bytes XML_LITERAL = _XML_LITERAL.encode(), HTML_LITERAL = _HTML_LITERAL.encode()
cdef Py_ssize_t XML_COST = _XML_COST
cdef list NOTHING = []
cdef const char *COMMENT_END = "-->"
cdef const char *INSTRUCTION_END = "?>"


@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Walk:
    """One document."""

    cdef bytes markup, label
    cdef const byte *end
    cdef dict host_terms
    cdef str document
    cdef bint is_xml, is_page, is_html5, is_root
    # What is in scope.
    cdef bytes language
    cdef str vocabulary, base
    cdef dict prefixes, words, lines
    cdef bytes base_scheme, base_root, base_folder, base_path, base_query
    cdef bint has_dots
    # What is handed down; below a link that says nothing, `parent_object` is None until a child
    # asks what it refers to.
    cdef bytes parent_object
    cdef list incomplete
    cdef Lists lists
    cdef Piece link
    cdef Frame link_frame
    # Open elements; the frames of those that have one.
    cdef Open *stack
    cdef Py_ssize_t depth, stack_room
    cdef list frames
    cdef Py_ssize_t inert
    # Text since the first literal that is not complete, and the triples.
    cdef byte *text
    cdef Py_ssize_t text_size, text_room, literals
    cdef byte *out
    cdef Py_ssize_t out_size, out_room, room
    # The attributes of the tag at hand, their references not yet resolved.
    cdef Piece attributes[ATTRIBUTES]
    cdef unsigned int present
    cdef dict namespaces
    # Values with their references resolved, of the tag at hand.
    cdef list kept
    cdef dict nodes
    cdef Py_ssize_t node_count

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

    # Markup

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

    cdef const byte *skip(self, const byte *start) noexcept:
        """Pass over what begins with `<` and is no tag."""
        cdef const byte *end = self.end
        cdef const byte *p
        if end - start >= 4 and memcmp(start, b"<!--", 4) == 0:
            p = <const byte *> memmem(start + 4, end - start - 4, COMMENT_END, 3)
            return end if p == NULL else p + 3
        if self.is_xml and end - start >= 2 and start[1] == c"?":
            p = <const byte *> memmem(start + 2, end - start - 2, INSTRUCTION_END, 2)
            return end if p == NULL else p + 2
        p = <const byte *> memchr(start, c">", end - start)
        return end if p == NULL else p + 1

    cdef const byte *read_attributes(self, const byte *p) except NULL:
        """Read to behind the `>` of the tag, or to the end of the markup."""
        cdef const byte *end = self.end
        cdef const byte *name
        cdef const byte *stop
        cdef Py_ssize_t size
        cdef int attribute
        cdef Piece value
        self.present = 0
        if self.namespaces is not None:
            self.namespaces = None
        while True:
            while p < end and CLASS[p[0]] & SKIPPED:
                p += 1
            if p >= end:
                return end
            if p[0] == c">":
                return p + 1
            name = p
            p += 1
            while p < end and not CLASS[p[0]] & NAME_END:
                p += 1
            size = p - name
            value.start = p
            value.size = 0
            if p < end and p[0] == c"=":
                p += 1
                value.start = p
                stop = NULL
                if p < end and (p[0] == c'"' or p[0] == c"'"):
                    stop = <const byte *> memchr(p + 1, p[0], end - p - 1)
                if stop != NULL:
                    value.start = p + 1
                    value.size = stop - p - 1
                    p = stop + 1
                else:
                    while p < end and not (CLASS[p[0]] & SPACE or p[0] == c">"):
                        p += 1
                    value.size = p - value.start
            attribute = look_up(ATTRIBUTE_NAMES, name, size)
            if attribute >= 0:
                if not self.present >> attribute & 1:
                    self.present |= 1 << attribute
                    self.attributes[attribute] = value
            elif size >= 5 and memcmp(name, b"xmlns", 5) == 0 and (size == 5 or name[5] == c":"):
                self.present |= 1 << XMLNS
                if self.namespaces is None:
                    self.namespaces = {}
                stop = name + (5 if size == 5 else 6)
                self.namespaces.setdefault(
                    PyUnicode_DecodeUTF8(<const char *> stop, name + size - stop, NULL).lower(),
                    self.value_text(value),
                )

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

    cdef int say(self, const byte *p, Py_ssize_t size) except -1:
        cdef Py_ssize_t decoded
        cdef bytes text
        self.reserve_text(size)
        decoded = decode(p, size, self.text + self.text_size)
        if decoded >= 0:
            self.text_size += decoded
            return 0
        text = unescape(PyUnicode_DecodeUTF8(<const char *> p, size, NULL)).encode()
        return self.append_text(<const byte *> PyBytes_AS_STRING(text), len(text))

    cdef int append_text(self, const byte *p, Py_ssize_t size) except -1:
        self.reserve_text(size)
        memcpy(self.text + self.text_size, p, size)
        self.text_size += size
        return 0

    cdef int reserve_text(self, Py_ssize_t size) except -1:
        cdef Py_ssize_t room = self.text_room
        cdef byte *text
        if self.text_size + size <= room:
            return 0
        while self.text_size + size > room:
            room *= 2
        text = <byte *> realloc(self.text, room)
        if text == NULL:
            raise MemoryError
        self.text, self.text_room = text, room
        return 0

    # Values

    cdef inline bint has(self, int attribute) noexcept nogil:
        return self.present >> attribute & 1

    cdef Piece resolved(self, Piece value) except *:
        """Resolve the references of a value; it is valid until the tag has been taken."""
        cdef bytes data
        cdef Py_ssize_t size
        if value.size == 0 or memchr(value.start, c"&", value.size) == NULL:
            return value
        data = PyBytes_FromStringAndSize(NULL, value.size)
        size = decode(value.start, value.size, <byte *> PyBytes_AS_STRING(data))
        if size < 0:
            data = unescape(text_of(value)).encode()
            size = len(data)
        self.kept.append(data)
        value.start = <const byte *> PyBytes_AS_STRING(data)
        value.size = size
        return value

    cdef str value_text(self, Piece value):
        return text_of(self.resolved(value))

    cdef int set_base(self, str base) except -1:
        cdef str path
        parts = re.match(r"([A-Za-z][A-Za-z0-9+.-]*:)?(//[^/?#]*)?([^?#]*)(\?[^#]*)?", base, re.S)
        scheme, authority, path, query = (part or "" for part in parts.groups())
        folder = "/" if authority and not path else path[: path.rfind("/") + 1]
        self.base = base
        self.base_scheme = scheme.encode()
        self.base_root = (scheme + authority).encode()
        self.base_folder = (scheme + authority + folder).encode()
        self.base_path = (scheme + authority + path).encode()
        self.base_query = (scheme + authority + path + query).encode()
        self.has_dots = "./" in folder
        return 0

    cdef bytes reference(self, int attribute):
        """Return what an IRI stands for; None if there is none."""
        if not self.has(attribute):
            return None
        return self.reference_of(trimmed(self.resolved(self.attributes[attribute])))

    cdef bytes reference_of(self, Piece value):
        cdef Piece nothing
        nothing.start = value.start
        nothing.size = 0
        if has_scheme(value):
            return joined_iri(nothing, value)
        if value.size == 0 or value.start[0] == c"#":
            return joined_iri(piece_of(self.base_query), value)
        if value.start[0] == c"?":
            return joined_iri(piece_of(self.base_path), value)
        if value.size > 1 and value.start[0] == c"/" and value.start[1] == c"/":
            return joined_iri(piece_of(self.base_scheme), value)
        if may_have_dots(value) or (self.has_dots and value.start[0] != c"/"):
            return iri_term(resolve(self.base, text_of(value))).encode()
        if value.start[0] == c"/":
            return joined_iri(piece_of(self.base_root), value)
        return joined_iri(piece_of(self.base_folder), value)

    cdef bytes resource(self, int attribute):
        """Return what a CURIE, safe or not, or an IRI stands for; None if there is none."""
        cdef Piece value
        cdef bytes found
        if not self.has(attribute):
            return None
        value = trimmed(self.resolved(self.attributes[attribute]))
        if value.size and value.start[0] == c"[":
            if value.start[value.size - 1] != c"]":
                return None
            value.start += 1
            value.size = value.size - 2 if value.size > 1 else 0
            return self.curie(text_of(value))
        if value.size and memchr(value.start, c":", value.size) != NULL:
            found = self.curie(text_of(value))
            if found is not None:
                return found
        return self.reference_of(value)

    cdef bytes node(self):
        """Make a blank node."""
        self.node_count += 1
        return b"%b%d" % (self.label, self.node_count - 1)

    cdef bytes curie(self, str value):
        """Return what a CURIE stands for, or None if it is none."""
        cdef str prefix, colon, reference
        prefix, colon, reference = value.partition(":")
        if not colon:
            return None
        if prefix == "_":
            if reference not in self.nodes:
                self.nodes[reference] = self.node()
            return self.nodes[reference]
        if reference.startswith("//"):
            return None
        prefix = prefix.lower() or ":"
        iri = self.prefixes.get(prefix) or PREFIXES.get(prefix)
        return iri_term(resolve(self.document, iri + reference)).encode() if iri else None

    cdef bytes term(self, str value):
        """Return what a term, a CURIE or an absolute IRI stands for, or None."""
        cdef bytes found
        if IS_TERM(value):
            if self.vocabulary:
                return iri_term(self.vocabulary + value).encode()
            iri = self.host_terms.get(value) or self.host_terms.get(value.lower())
            return iri_term(iri).encode() if iri else None
        found = self.curie(value)
        if found is None and is_absolute(value):
            return iri_term(value).encode()
        return found

    cdef bytes usual(self, bytes value):
        """Return what a value stands for if it is one CURIE with an absolute prefix, else None."""
        cdef const char *data = PyBytes_AS_STRING(value)
        cdef Py_ssize_t i, size = PyBytes_GET_SIZE(value)
        cdef const char *colon = <const char *> memchr(data, c":", size)
        cdef Piece iri, reference
        if colon == NULL or colon == data or size > 200:
            return None
        if colon + 1 < data + size and colon[1] == c"/":
            return None
        for i in range(size):
            if CLASS[<byte> data[i]] & SPACE or data[i] == c"&" or <byte> data[i] > 127:
                return None
        prefix = PyUnicode_DecodeUTF8(data, colon - data, NULL).lower()
        found = self.prefixes.get(prefix) or PREFIXES.get(prefix)
        if found is None or prefix == "_":
            return None
        name = found.encode()
        iri = piece_of(name)
        if not has_scheme(iri):
            return None
        reference.start = <const byte *> colon + 1
        reference.size = data + size - colon - 1
        return joined_iri(iri, reference)

    cdef list terms(self, bytes value):
        """Return what the words of a value stand for, in the order in which they are."""
        cdef list found = self.lines.get(value)
        cdef bytes term
        if found is not None:
            return found
        term = self.usual(value)
        if term is not None:
            found = self.lines[value] = [term]
            return found
        found = []
        for word in split_words(unescape(value.decode()) if b"&" in value else value.decode()):
            if word in self.words:
                term = self.words[word]
            else:
                term = self.words[word] = self.term(word)
            if term is not None:
                found.append(term)
        self.lines[value] = found
        return found

    # Elements

    cdef int start_link(self) except -1:
        """Take an element that refers to something and says nothing."""
        cdef Frame frame = self.push()
        self.hand_down(frame)
        self.parent_object = self.lists = None
        self.link = self.attributes[HREF if self.has(HREF) else SRC]
        self.link_frame = frame
        return 0

    cdef int follow_link(self) except -1:
        """Find out what the link around an element refers to."""
        self.parent_object = self.reference_of(trimmed(self.resolved(self.link)))
        self.lists = self.link_frame.own_lists = Lists(self.parent_object)
        return 0

    cdef inline int hand_down(self, Frame frame) except -1:
        """Keep what was handed down to an element until it ends."""
        frame.has_context = True
        frame.parent_object, frame.incomplete = self.parent_object, self.incomplete
        frame.lists, frame.link, frame.link_frame = self.lists, self.link, self.link_frame
        return 0

    cdef int start(self, int kind, const byte *p) except -1:
        cdef Frame frame = None
        cdef bytes rel = None, rev = None, prop = None
        cdef bytes about, target, subject, owner = None, typed = None, current = None, term
        cdef bytes value = None
        cdef bint has_content, has_datatype = self.has(DATATYPE), is_moment = False, is_valued
        cdef bint is_typed = self.has(TYPEOF), is_linked, is_list = self.has(INLIST)
        cdef int content = CONTENT
        cdef list incomplete, predicates
        cdef Lists lists
        if self.present & SCOPED:
            frame = self.enter_scope()
        if self.has(ROLES):
            self.write_roles()
        if self.has(REL):
            rel = bytes_of(self.attributes[REL])
        if self.has(REV):
            rev = bytes_of(self.attributes[REV])
        has_content = self.has(CONTENT)
        if self.has(PROPERTY):
            prop = bytes_of(self.attributes[PROPERTY])
            if self.is_html5:
                if rel is not None:
                    rel = narrowed(rel)
                if rev is not None:
                    rev = narrowed(rev)
                if not has_content:
                    content = DATETIME if self.has(DATETIME) else DATETIME_CAMEL
                    has_content = self.has(content)
                    is_moment = not has_datatype and (has_content or kind == IS_TIME)
        is_valued = has_content or has_datatype or is_moment
        about = self.resource(ABOUT)
        target = self.resource(RESOURCE)
        if target is None:
            target = self.reference(HREF)
            if target is None:
                target = self.reference(SRC)
        is_linked = rel is not None or rev is not None
        if not (is_linked or prop is not None or is_typed) and about is None and target is None:
            self.kept.clear()
            return 0  # step 5: such an element is skipped
        if frame is None:
            frame = self.push()
        if self.parent_object is None:
            self.follow_link()

        subject = about
        if subject is None and kind == IS_SECTION and self.is_page and target is None:
            subject = self.parent_object
        if is_linked:  # step 6
            owner = subject
            if subject is None:
                subject = self.parent_object
            current = target
            if is_typed:
                if about is not None:
                    typed = about
                else:
                    if current is None:
                        current = self.node()
                    typed = current
            if current is not None and not is_list:
                owner = current
        elif prop is not None and not is_valued:  # step 5.1
            owner = subject
            if subject is None:
                subject = self.parent_object
            current = subject
            if is_typed:
                typed = about
                if typed is None:
                    typed = target
                if typed is None:
                    typed = self.node()
                current = typed
        else:  # step 5.2
            if subject is None:
                subject = target
            if subject is None and is_typed and not self.is_root:
                subject = self.node()
            owner = subject
            if subject is None:
                subject = self.parent_object
            current = subject
            if is_typed:
                typed = subject
        # step 7
        if is_typed:
            for term in self.terms(bytes_of(self.attributes[TYPEOF])):
                self.write(typed, TYPE, term)
        # step 8
        lists = self.lists
        if owner is not None:
            lists = frame.own_lists = Lists(owner)
        # steps 9 and 10
        incomplete = NOTHING
        if is_linked:
            incomplete = self.write_links(rel, rev, subject, current, lists)
        # step 11
        if prop is not None:
            predicates = self.terms(prop)
            if not is_linked and not is_valued:
                if target is not None:
                    value = target
                elif is_typed and not self.has(ABOUT):
                    value = typed
            if predicates:
                self.set_property(
                    frame, predicates, lists, subject, value, content if has_content else -1,
                    is_moment, p,
                )
        # step 12
        if self.incomplete:
            self.complete(subject)
        # step 13
        self.hand_down(frame)
        self.parent_object = self.node() if current is None else current
        self.incomplete, self.lists = incomplete, lists
        self.kept.clear()
        return 0

    cdef list write_links(self, bytes rel, bytes rev, bytes subject, bytes current, Lists lists):
        """Write what `rel` and `rev` say, or return what waits for a child (steps 9, 10)."""
        cdef list incomplete = NOTHING, items
        cdef bint is_list = self.has(INLIST)
        cdef bytes term
        if rel is not None:
            for term in self.terms(rel):
                if PyBytes_AS_STRING(term)[0] != c"<":
                    continue
                if is_list:
                    items = items_of(lists, term)
                    if current is not None:
                        items.append(current)
                        continue
                elif current is not None:
                    self.write(subject, term, current)
                    continue
                else:
                    items = None
                if incomplete is NOTHING:
                    incomplete = []
                incomplete.append(waiting_for(subject, term, False, items))
        if rev is not None:
            for term in self.terms(rev):
                if PyBytes_AS_STRING(term)[0] != c"<":
                    continue
                if current is not None:
                    self.write(current, term, subject)
                    continue
                if incomplete is NOTHING:
                    incomplete = []
                incomplete.append(waiting_for(subject, term, True, None))
        return incomplete

    cdef int complete(self, bytes subject) except -1:
        """Write what waited for an element (step 12)."""
        cdef Incomplete waiting
        for waiting in self.incomplete:
            if waiting.items is not None:
                waiting.items.append(subject)
            elif waiting.is_reverse:
                self.write(subject, waiting.predicate, waiting.subject)
            else:
                self.write(waiting.subject, waiting.predicate, subject)
        return 0

    cdef Frame push(self):
        cdef Frame frame = Frame.__new__(Frame)
        self.frames.append(frame)
        self.stack[self.depth - 1].is_heavy = True
        return frame

    cdef Frame enter_scope(self):
        """Take `vocab`, prefixes, languages and bases (steps 2 to 4)."""
        cdef Frame frame = self.push()
        cdef bint is_renamed = False
        cdef str value, name
        cdef list words
        cdef Py_ssize_t at
        frame.scope = (self.language, self.vocabulary, self.base, self.words, self.lines)
        if self.has(XML_BASE) and not self.is_page:
            value = self.value_text(self.attributes[XML_BASE]).strip(SPACES)
            self.set_base(without_fragment(resolve(self.base, value)))
            is_renamed = True
            if self.depth == 1:
                self.parent_object = iri_term(self.base).encode()
                self.incomplete = NOTHING
                self.lists = Lists(self.parent_object)
        if self.has(VOCAB):
            value = self.value_text(self.attributes[VOCAB]).strip(SPACES)
            self.vocabulary = resolve(self.base, value) if value else ""
            is_renamed = True
            if self.vocabulary:
                self.write(
                    iri_term(self.base).encode(), USES_VOCABULARY,
                    iri_term(self.vocabulary).encode(),
                )
        if self.has(XMLNS):
            for name, value in self.namespaces.items():
                self.map_prefix(frame, name, value)
            is_renamed = True
        if self.has(PREFIX):
            words = split_words(self.value_text(self.attributes[PREFIX]))
            for at in range(len(words) - 2, -1, -2):
                name = words[at]
                if name == ":":
                    self.map_prefix(frame, name, words[at + 1])
                elif name.endswith(":") and IS_PREFIX(name, 0, len(name) - 1):
                    self.map_prefix(frame, name[: len(name) - 1].lower(), words[at + 1])
            is_renamed = True
        if self.has(XML_LANG):
            self.language = language_tag(self.value_text(self.attributes[XML_LANG])).encode()
        elif self.has(LANG) and self.is_page:
            self.language = language_tag(self.value_text(self.attributes[LANG])).encode()
        if is_renamed:
            self.words, self.lines = {}, {}
        return frame

    cdef int map_prefix(self, Frame frame, str prefix, str iri) except -1:
        if prefix == "_":
            return 0
        if frame.prefixes is None:
            frame.prefixes = []
        frame.prefixes.append((prefix, self.prefixes.get(prefix)))
        self.prefixes[prefix] = iri.strip(SPACES)
        return 0

    cdef int set_property(
        self, Frame frame, list predicates, Lists lists, bytes subject, bytes value, int content,
        bint is_moment, const byte *p,
    ) except -1:
        cdef bytes datatype = None, predicate
        cdef bint is_list = self.has(INLIST), has_any = False
        cdef Piece piece
        cdef list words
        cdef Slot slot
        for predicate in predicates:
            has_any |= PyBytes_AS_STRING(predicate)[0] == c"<"
        if not has_any:
            return 0
        if self.has(DATATYPE):
            words = self.terms(first_word(bytes_of(self.attributes[DATATYPE])))
            if words and PyBytes_AS_STRING(words[0])[0] == c"<":
                datatype = words[0]
        if value is None and content >= 0:
            piece = self.resolved(self.attributes[content])
            if is_moment:
                datatype = moment_type(text_of(piece)).encode()
            value = literal_of(piece, self.language, datatype)
        for predicate in predicates:
            if PyBytes_AS_STRING(predicate)[0] != c"<":
                continue
            if is_list:
                if value is not None:
                    items_of(lists, predicate).append(value)
                    continue
                slot = Slot.__new__(Slot)
                slot.term = b""
                if frame.slots is None:
                    frame.slots = []
                frame.slots.append(slot)
                items_of(lists, predicate).append(slot)
            elif value is not None:
                self.write(subject, predicate, value)
        if value is None:
            frame.is_pending, frame.is_moment = True, is_moment
            frame.subject, frame.predicates, frame.datatype = subject, predicates, datatype
            frame.text_start, frame.markup_start = self.text_size, p
            self.literals += 1
        return 0

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

    # Output

    cdef int write(self, bytes subject, bytes predicate, bytes value) except -1:
        cdef Py_ssize_t first = PyBytes_GET_SIZE(subject), second = PyBytes_GET_SIZE(predicate)
        cdef Py_ssize_t third = PyBytes_GET_SIZE(value)
        cdef Py_ssize_t size = first + second + third + 5
        cdef byte *out
        self.room -= size
        if self.room < 0:
            raise Full
        if self.out_size + size > self.out_room:
            while self.out_size + size > self.out_room:
                self.out_room *= 2
            out = <byte *> realloc(self.out, self.out_room)
            if out == NULL:
                raise MemoryError
            self.out = out
        out = self.out + self.out_size
        memcpy(out, PyBytes_AS_STRING(subject), first)
        out += first
        out[0] = c" "
        memcpy(out + 1, PyBytes_AS_STRING(predicate), second)
        out += second + 1
        out[0] = c" "
        memcpy(out + 1, PyBytes_AS_STRING(value), third)
        out += third + 1
        memcpy(out, b" .\n", 3)
        self.out_size += size
        return 0

    cdef int write_roles(self) except -1:
        cdef list values = []
        cdef bytes found, subject
        cdef str name
        for word in split_words(self.value_text(self.attributes[ROLES])):
            if IS_TERM(word):
                values.append(iri_term(VOCABULARY + word).encode())
            else:
                found = self.term(word)
                if found is not None:
                    values.append(found)
        if not values:
            return 0
        name = self.value_text(self.attributes[ID]).strip(SPACES) if self.has(ID) else ""
        subject = iri_term(f"{self.base}#{name}").encode() if name else self.node()
        for found in values:
            self.write(subject, ROLE, found)
        return 0

    cdef int write_pending(self, Frame frame, const byte *p) except -1:
        cdef bytes datatype = frame.datatype, term, predicate
        cdef Piece value
        cdef Slot slot
        self.literals -= 1
        if datatype is not None and (datatype == XML_LITERAL or datatype == HTML_LITERAL):
            value.start = frame.markup_start
            value.size = p - frame.markup_start
            if value.size > self.room:
                raise Full
            if datatype == XML_LITERAL:
                self.room -= XML_COST * value.size
                text = xml_literal(text_of(value), self.prefixes, bool(self.is_xml)).encode()
                value = piece_of(text)
            term = literal_of(value, b"", datatype)
        else:
            value.start = self.text + frame.text_start
            value.size = self.text_size - frame.text_start
            if value.size > self.room:
                raise Full
            if frame.is_moment:
                datatype = moment_type(text_of(value)).encode()
            term = literal_of(value, self.language, datatype)
        if not self.literals:
            self.text_size = 0
        if frame.slots is not None:
            for slot in frame.slots:
                slot.term = term
            return 0
        for predicate in frame.predicates:
            if PyBytes_AS_STRING(predicate)[0] == c"<":
                self.write(frame.subject, predicate, term)
        return 0

    cdef int write_lists(self, Lists lists) except -1:
        cdef bytes predicate, rest, node
        cdef list items
        if lists.items is None:
            return 0
        for predicate, items in lists.items.items():
            rest = NIL
            for item in reversed(items):
                node = self.node()
                self.write(node, FIRST, (<Slot> item).term if type(item) is Slot else item)
                self.write(node, REST, rest)
                rest = node
            self.write(lists.origin, predicate, rest)
        return 0


def walk(
    bytes markup not None,
    object host not None,
    str document not None,
    str base not None,
    str label not None,
    Py_ssize_t room,
):
    """Return the triples of a document's markup, up to `room` bytes."""
    cdef Walk page = Walk(markup, host, document, base, label, room)
    try:
        page.read()
    except Full:
        pass
    return PyBytes_FromStringAndSize(<const char *> page.out, page.out_size)
