# Resolves names: IRIs by the base, CURIEs by prefixes, terms by the vocabulary.
#
# The words of a value are looked up once for as long as prefixes and vocabulary stay the same
# (`words`, `lines`). A long name is charged whenever it is made, and never kept there.

@cython.internal
@cython.auto_pickle(False)
cdef class Names(Output):
    """Prefixes, vocabulary, base and language in scope."""

    cdef str document
    cdef dict host_terms
    cdef bytes language
    cdef str vocabulary, base
    cdef dict prefixes, words, lines
    cdef bytes base_scheme, base_root, base_folder, base_path, base_query
    cdef bint has_dots
    # Blank nodes that have a name.
    cdef dict nodes

    @cython.final
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

    @cython.final
    cdef bytes reference(self, int attribute):
        """Return what an IRI stands for; None if there is none."""
        if not self.has(attribute):
            return None
        return self.reference_of(trimmed(self.resolved(self.attributes[attribute])))

    @cython.final
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

    @cython.final
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

    @cython.final
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
        return self.charged(iri_term(resolve(self.document, iri + reference))) if iri else None

    @cython.final
    cdef bytes charged(self, str term):
        cdef bytes name = term.encode()
        if PyBytes_GET_SIZE(name) > LONG_NAME:
            self.charge(PyBytes_GET_SIZE(name))
        return name

    @cython.final
    cdef bytes term(self, str value):
        """Return what a term, a CURIE or an absolute IRI stands for, or None."""
        cdef bytes found
        if IS_TERM(value):
            if self.vocabulary:
                return self.charged(iri_term(self.vocabulary + value))
            iri = self.host_terms.get(value) or self.host_terms.get(value.lower())
            return iri_term(iri).encode() if iri else None
        found = self.curie(value)
        if found is None and is_absolute(value):
            return iri_term(value).encode()
        return found

    @cython.final
    cdef bytes usual(self, bytes value):
        """Return what a value stands for if it is one CURIE with an absolute prefix, else None."""
        cdef const char *data = PyBytes_AS_STRING(value)
        cdef Py_ssize_t i, size = PyBytes_GET_SIZE(value)
        cdef const char *colon = <const char *> memchr(data, c":", size)
        cdef Piece iri, reference
        cdef bytes term
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
        term = joined_iri(iri, reference)
        # A long one is charged where it is made.
        return term if PyBytes_GET_SIZE(term) <= LONG_NAME else None

    @cython.final
    cdef list terms(self, bytes value):
        """Return what the words of a value stand for, in the order in which they are."""
        cdef list found = self.lines.get(value)
        cdef bytes term
        cdef bint is_long = False
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
                term = self.term(word)
                if term is not None and PyBytes_GET_SIZE(term) > LONG_NAME:
                    is_long = True
                else:
                    self.words[word] = term
            if term is not None:
                found.append(term)
        if not is_long:
            self.lines[value] = found
        return found

    @cython.final
    cdef int map_prefix(self, Frame frame, str prefix, str iri) except -1:
        if prefix == "_":
            return 0
        if frame.prefixes is None:
            frame.prefixes = []
        frame.prefixes.append((prefix, self.prefixes.get(prefix)))
        self.prefixes[prefix] = iri.strip(SPACES)
        return 0

    @cython.final
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
