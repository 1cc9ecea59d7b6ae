# The rows of links that have not been flushed: columns of numbers and strings, as Arrow has them.
# Pages of a site link to the same URLs in the same ways, so nearly all strings repeat: they are
# kept once, and rows have their places. Written in full, they were two thirds of the bytes.

cdef Py_ssize_t _TARGETS = offset_of(Links, "targets"), _KINDS = offset_of(Links, "kinds")
cdef Py_ssize_t _TEXTS = offset_of(Links, "texts"), _RELS = offset_of(Links, "rels")
cdef Py_ssize_t _TIMES = offset_of(Links, "times"), _POSITIONS = offset_of(Links, "positions")
cdef Py_ssize_t _REASONS = offset_of(Links, "reasons")


@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Repeated:
    """A column of strings that repeat, as Arrow's dictionaries have it: each string once, and for
    each row the place of its string."""

    cdef Buffer rows, ends, content
    cdef dict places
    cdef str last
    cdef int32_t last_place

    def __cinit__(self):
        self.places = {}

    def __dealloc__(self):
        free(self.rows.data)
        free(self.ends.data)
        free(self.content.data)

    cdef inline int32_t place_of(self, str text) except -1:
        if text is self.last:
            return self.last_place
        return self.look_up(text)

    cdef int32_t look_up(self, str text) except -1:
        cdef PyObject *found = PyDict_GetItemWithError(self.places, text)
        cdef str known
        if found == NULL:
            # Two strings that are not Unicode may be the same one with marks in it.
            known = text if text.isascii() else text.encode("utf-8", "replace").decode()
            place = self.places.get(known)
            if place is None:
                place = len(self.places)
                put_text(&self.ends, &self.content, known)
                self.places[known] = place
            self.last, self.last_place = text, place
        else:
            self.last, self.last_place = text, <object> found
        return self.last_place

    cdef bytes dictionary(self, int64_t number):
        """Return the strings as a message."""
        cdef Batch batch
        batch.rows, batch.columns, batch.parts = len(self.places), 0, 0
        add_column(&batch, 0)
        add_part(&batch, NULL)
        add_part(&batch, &self.ends)
        add_part(&batch, &self.content)
        return message_of(&batch, _DICTIONARY_START if number else _FIRST_DICTIONARY_START, number)


cdef enum:
    MOST_KINDS = 64

cdef uint64_t last_batch = 0


@cython.final
@cython.auto_pickle(False)
cdef class LinkRows:
    """The rows of links that have not been flushed, in columns."""

    cdef list names
    cdef uint64_t number
    cdef Py_ssize_t count
    cdef int32_t kind_places[MOST_KINDS]
    cdef Buffer sources, fetches, moments, targets, positions, times, ends, texts
    cdef Repeated pages, urls, kinds, reasons, rels

    def __cinit__(self, list names not None):
        global last_batch
        cdef Py_ssize_t kind
        last_batch += 1
        self.number, self.names = last_batch, names
        for kind in range(MOST_KINDS):
            self.kind_places[kind] = -1
        self.pages, self.urls = Repeated(), Repeated()
        self.kinds, self.reasons, self.rels = Repeated(), Repeated(), Repeated()

    def __dealloc__(self):
        free(self.sources.data)
        free(self.fetches.data)
        free(self.moments.data)
        free(self.targets.data)
        free(self.positions.data)
        free(self.times.data)
        free(self.ends.data)
        free(self.texts.data)

    def __len__(self):
        return self.count

    cdef inline int32_t place_of_kind(self, int64_t kind) except -1:
        if not 0 <= kind < MOST_KINDS:
            return self.kinds.place_of(<str?> self.names[kind])
        if self.kind_places[kind] < 0:
            self.kind_places[kind] = self.kinds.place_of(<str?> self.names[kind])
        return self.kind_places[kind]

    cdef inline int32_t place_of_url(self, Target target) except -1:
        """Return the place of a target's URL; a target remembers it for these rows."""
        if target.rows != self.number:
            target.place = self.urls.place_of(target.url)
            target.rows = self.number
        return target.place

    def add(self, uint64_t source, str url not None, uint64_t fetch, int64_t moment, links not None):
        """Take the links of one fetch."""
        self.add_links(source, url, fetch, moment, links)

    cdef int add_links(
        self, uint64_t source, str url, uint64_t fetch, int64_t moment, object links
    ) except -1:
        cdef Py_ssize_t count
        if not is_a(links, Links):
            raise TypeError("the links of a page are no `Links`")
        count = len(<list?> field(links, _TARGETS))
        if not count:
            return 0
        # Everything that can fail comes first, so that no row is half written.
        self.put_targets(links, count)
        self.put_ways(links, count)
        self.put_fetch(source, self.pages.place_of(url), fetch, moment, count)
        self.put_texts(<list?> field(links, _TEXTS), count)
        self.end_rows(count)
        return 0

    cdef int put_targets(self, object links, Py_ssize_t count) except -1:
        """Write what the links lead to, and how often, from which places; it counts later."""
        cdef list targets = field(links, _TARGETS)
        cdef list times = same_length(field(links, _TIMES), count)
        cdef list positions = same_length(field(links, _POSITIONS), count, True)
        cdef uint64_t *ids = <uint64_t *> room_for(&self.targets, 8 * count)
        cdef int32_t *urls = <int32_t *> room_for(&self.urls.rows, 4 * count)
        cdef int32_t *numbers = <int32_t *> room_for(&self.positions, 4 * count)
        cdef int32_t *how_often = <int32_t *> room_for(&self.times, 4 * count)
        cdef bint has_positions = len(positions) > 0
        cdef Target target
        cdef Py_ssize_t i
        for i in range(count):
            target = <Target?> targets[i]
            ids[i] = target.url_id
            urls[i] = self.place_of_url(target)
            numbers[i] = 1 + (<int32_t> positions[i] if has_positions else <int32_t> i)
            how_often[i] = times[i]
        return 0

    cdef int put_ways(self, object links, Py_ssize_t count) except -1:
        """Write by which kinds of link, and why they are not followed; it counts later."""
        cdef list kinds = same_length(field(links, _KINDS), count)
        cdef list rels = same_length(field(links, _RELS), count)
        cdef list reasons = same_length(field(links, _REASONS), count, True)
        cdef int32_t *ways = <int32_t *> room_for(&self.kinds.rows, 4 * count)
        cdef int32_t *whys = <int32_t *> room_for(&self.reasons.rows, 4 * count)
        cdef int32_t *relations = <int32_t *> room_for(&self.rels.rows, 4 * count)
        cdef bint has_reasons = len(reasons) > 0
        cdef Py_ssize_t i
        for i in range(count):
            ways[i] = self.place_of_kind(kinds[i])
            whys[i] = self.reasons.place_of(<str?> reasons[i] if has_reasons else FOLLOWED)
            relations[i] = self.rels.place_of(<str?> rels[i])
        return 0

    cdef int put_fetch(
        self, uint64_t source, int32_t page, uint64_t fetch, int64_t moment, Py_ssize_t count
    ) except -1:
        """Write of which fetch the links are; it counts later."""
        cdef int32_t *pages
        cdef uint64_t *sources
        cdef uint64_t *fetches
        cdef int64_t *moments
        cdef Py_ssize_t i
        pages = <int32_t *> room_for(&self.pages.rows, 4 * count)
        sources = <uint64_t *> room_for(&self.sources, 8 * count)
        fetches = <uint64_t *> room_for(&self.fetches, 8 * count)
        moments = <int64_t *> room_for(&self.moments, 8 * count)
        for i in range(count):
            pages[i], sources[i], fetches[i], moments[i] = page, source, fetch, moment
        return 0

    cdef int put_texts(self, list texts, Py_ssize_t count) except -1:
        """Write the texts of the links, all of them or none."""
        cdef Py_ssize_t i, ends = self.ends.size, content = self.texts.size
        same_length(texts, count)
        try:
            for i in range(count):
                put_text(&self.ends, &self.texts, <str?> texts[i])
        except BaseException:
            self.ends.size, self.texts.size = ends, content
            raise
        return 0

    cdef void end_rows(self, Py_ssize_t count) noexcept:
        """Let all that was written count."""
        self.pages.rows.size += 4 * count
        self.urls.rows.size += 4 * count
        self.kinds.rows.size += 4 * count
        self.reasons.rows.size += 4 * count
        self.rels.rows.size += 4 * count
        self.positions.size += 4 * count
        self.times.size += 4 * count
        self.targets.size += 8 * count
        self.sources.size += 8 * count
        self.fetches.size += 8 * count
        self.moments.size += 8 * count
        self.count += count

    def messages(self):
        """Return the dictionaries and the rows as messages; there is at least one row."""
        cdef Batch batch
        batch.rows, batch.columns, batch.parts = self.count, 0, 0
        add_numbers(&batch, &self.sources)
        add_numbers(&batch, &self.pages.rows)
        add_numbers(&batch, &self.fetches)
        add_numbers(&batch, &self.moments)
        add_numbers(&batch, &self.targets)
        add_numbers(&batch, &self.urls.rows)
        add_numbers(&batch, &self.kinds.rows)
        add_numbers(&batch, &self.reasons.rows)
        add_numbers(&batch, &self.positions)
        add_numbers(&batch, &self.rels.rows)
        add_numbers(&batch, &self.ends)
        add_part(&batch, &self.texts)
        add_numbers(&batch, &self.times)
        return [
            self.pages.dictionary(0),
            self.urls.dictionary(1),
            self.kinds.dictionary(2),
            self.reasons.dictionary(3),
            self.rels.dictionary(4),
            message_of(&batch, _BATCH_START),
        ]


cdef inline void add_numbers(Batch *batch, Buffer *values) noexcept:
    """Add a column of which no value is missing."""
    add_column(batch, 0)
    add_part(batch, NULL)
    add_part(batch, values)


cdef inline list same_length(object column, Py_ssize_t count, bint may_be_empty=False):
    cdef list values = <list?> column
    if len(values) != count and not (may_be_empty and not values):
        raise ValueError("the columns of links differ in length")
    return values
