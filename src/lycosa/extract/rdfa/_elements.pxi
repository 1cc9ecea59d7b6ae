# Reads the start of an element by the steps of RDFa Core 1.1, section 7.5.

@cython.internal
@cython.auto_pickle(False)
cdef class Elements(Literals):
    """Open elements, and what is handed down to the next."""

    cdef bint is_page, is_html5, is_root
    # Below a link that says nothing, `parent_object` is None until a child asks what it refers to.
    cdef bytes parent_object
    cdef list incomplete
    cdef Lists lists
    cdef Piece link
    cdef Frame link_frame
    # Open elements; the frames of those that have one.
    cdef Open *stack
    cdef Py_ssize_t depth, stack_room
    cdef list frames

    @cython.final
    cdef Frame push(self):
        cdef Frame frame = Frame.__new__(Frame)
        self.frames.append(frame)
        self.stack[self.depth - 1].is_heavy = True
        return frame

    @cython.final
    cdef inline int hand_down(self, Frame frame) except -1:
        """Keep what was handed down to an element until it ends."""
        frame.has_context = True
        frame.parent_object, frame.incomplete = self.parent_object, self.incomplete
        frame.lists, frame.link, frame.link_frame = self.lists, self.link, self.link_frame
        return 0

    @cython.final
    cdef int start_link(self) except -1:
        """Take an element that refers to something and says nothing."""
        cdef Frame frame = self.push()
        self.hand_down(frame)
        self.parent_object = self.lists = None
        self.link = self.attributes[HREF if self.has(HREF) else SRC]
        self.link_frame = frame
        return 0

    @cython.final
    cdef int follow_link(self) except -1:
        """Find out what the link around an element refers to."""
        self.parent_object = self.reference_of(trimmed(self.resolved(self.link)))
        self.lists = self.link_frame.own_lists = Lists(self.parent_object)
        return 0

    @cython.final
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

    @cython.final
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
                self.charge(PyBytes_GET_SIZE(term))
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
                self.charge(PyBytes_GET_SIZE(term))
                incomplete.append(waiting_for(subject, term, True, None))
        return incomplete

    @cython.final
    cdef int complete(self, bytes subject) except -1:
        """Write what waited for an element (step 12)."""
        cdef Incomplete waiting
        for waiting in self.incomplete:
            if waiting.items is not None:
                self.charge(ITEM_COST)
                waiting.items.append(subject)
            elif waiting.is_reverse:
                self.write(subject, waiting.predicate, waiting.subject)
            else:
                self.write(waiting.subject, waiting.predicate, subject)
        return 0

    @cython.final
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
            self.set_base(near_base(self.base, value))
            is_renamed = True
            if self.depth == 1:
                self.parent_object = iri_term(self.base).encode()
                self.incomplete = NOTHING
                self.lists = Lists(self.parent_object)
        if self.has(VOCAB):
            value = self.value_text(self.attributes[VOCAB]).strip(SPACES)
            self.vocabulary = whole_vocabulary(resolve(self.base, value)) if value else ""
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
