# Literals: those that an attribute has, and those that the text of an element will be.

@cython.internal
@cython.auto_pickle(False)
cdef class Literals(Names):
    """Text since the first literal that is not complete."""

    cdef byte *text
    cdef Py_ssize_t text_size, text_room, literals

    @cython.final
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

    @cython.final
    cdef int append_text(self, const byte *p, Py_ssize_t size) except -1:
        self.reserve_text(size)
        memcpy(self.text + self.text_size, p, size)
        self.text_size += size
        return 0

    @cython.final
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

    @cython.final
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

    @cython.final
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
                content = text_of(value)
                self.charge(XML_COST * value.size + <Py_ssize_t> scope_cost(content, self.prefixes))
                text = xml_literal(content, self.prefixes, bool(self.is_xml)).encode()
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
