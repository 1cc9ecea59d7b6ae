# The rows of links that have not been flushed: columns of numbers and strings, as Arrow has them.
# Pages of a site link to the same URLs in the same ways, so nearly all strings repeat: they are
# kept once, and rows have their places. Written in full, they were two thirds of the bytes.

cdef struct Buffer:
    char *data
    Py_ssize_t size
    Py_ssize_t room


cdef int make_room(Buffer *buffer, Py_ssize_t more) except -1:
    cdef Py_ssize_t room = buffer.room
    cdef char *data
    if buffer.size + more <= room:
        return 0
    room = 2 * room if 2 * room > buffer.size + more else buffer.size + more + 4096
    data = <char *> realloc(buffer.data, room)
    if data == NULL:
        raise MemoryError
    buffer.data, buffer.room = data, room
    return 0


cdef inline char *room_for(Buffer *buffer, Py_ssize_t size) except NULL:
    """Return where the next bytes go; they count when `size` is raised."""
    make_room(buffer, size)
    return buffer.data + buffer.size


cdef inline int put(Buffer *buffer, const void *data, Py_ssize_t size) except -1:
    make_room(buffer, size)
    memcpy(buffer.data + buffer.size, data, size)
    buffer.size += size
    return 0


cdef inline bytes content_of(Buffer *buffer):
    return PyBytes_FromStringAndSize(buffer.data, buffer.size)


@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Strings:
    """A column of strings as Arrow has it: one behind the other, and where each ends."""

    cdef Buffer ends, content
    cdef Py_ssize_t count

    def __cinit__(self):
        cdef int32_t start = 0
        put(&self.ends, &start, sizeof(int32_t))

    def __dealloc__(self):
        free(self.ends.data)
        free(self.content.data)

    cdef int add(self, str text) except -1:
        cdef Py_ssize_t size
        cdef const char *data
        cdef bytes content
        cdef int32_t end
        try:
            data = PyUnicode_AsUTF8AndSize(text, &size)
        except UnicodeEncodeError:
            content = utf8(text)
            data, size = PyBytes_AS_STRING(content), PyBytes_GET_SIZE(content)
        if self.content.size + size > INT32_MAX:
            raise OverflowError("the links of one flush have more than 2 GB of text")
        put(&self.content, data, size)
        end = <int32_t> self.content.size
        put(&self.ends, &end, sizeof(int32_t))
        self.count += 1
        return 0

    cdef tuple take(self):
        return content_of(&self.ends), content_of(&self.content)


@cython.final
@cython.internal
@cython.auto_pickle(False)
cdef class Repeated:
    """A column of strings that repeat, as Arrow's dictionaries have it: each string once, and for
    each row the place of its string."""

    cdef Strings values
    cdef dict places
    cdef Buffer rows
    cdef str last
    cdef int32_t last_place

    def __cinit__(self):
        self.values, self.places = Strings(), {}

    def __dealloc__(self):
        free(self.rows.data)

    cdef int32_t place_of(self, str text) except -1:
        cdef str unicode_text
        if text is self.last:
            return self.last_place
        found = self.places.get(text)
        if found is None:
            try:
                text.encode()
                unicode_text = text
            except UnicodeEncodeError:
                unicode_text = utf8(text).decode()
            found = self.places.setdefault(unicode_text, <int32_t> (len(self.places)))
            if found == self.values.count:
                self.values.add(unicode_text)
        self.last, self.last_place = text, found
        return self.last_place

    cdef tuple take(self):
        return content_of(&self.rows), *self.values.take()


cdef enum:
    MOST_KINDS = 64

cdef uint64_t last_batch = 0


@cython.final
@cython.auto_pickle(False)
cdef class Rows:
    """The rows of links that have not been flushed, in columns."""

    cdef list names
    cdef uint64_t number
    cdef Py_ssize_t count
    cdef int32_t kind_places[MOST_KINDS]
    cdef Buffer sources, fetches, moments, targets, positions, times
    cdef Repeated pages, urls, kinds, reasons, rels
    cdef Strings texts

    def __cinit__(self, list names not None):
        global last_batch
        cdef Py_ssize_t kind
        last_batch += 1
        self.number, self.names = last_batch, names
        for kind in range(MOST_KINDS):
            self.kind_places[kind] = -1
        self.pages, self.urls = Repeated(), Repeated()
        self.kinds, self.reasons, self.rels = Repeated(), Repeated(), Repeated()
        self.texts = Strings()

    def __dealloc__(self):
        free(self.sources.data)
        free(self.fetches.data)
        free(self.moments.data)
        free(self.targets.data)
        free(self.positions.data)
        free(self.times.data)

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
        cdef list targets = as_list(links.targets), kinds = as_list(links.kinds)
        cdef list texts = as_list(links.texts), rels = as_list(links.rels)
        cdef list times = as_list(links.times)
        cdef list positions = as_list(links.positions), reasons = as_list(links.reasons)
        cdef Py_ssize_t i, count = len(targets)
        cdef bint has_positions = len(positions) > 0, has_reasons = len(reasons) > 0
        cdef Target target
        cdef int32_t page
        cdef int32_t *pages
        cdef int32_t *urls
        cdef int32_t *ways
        cdef int32_t *whys
        cdef int32_t *relations
        cdef int32_t *numbers
        cdef int32_t *how_often
        cdef uint64_t *ids
        cdef uint64_t *sources
        cdef uint64_t *fetches
        cdef int64_t *moments
        cdef Repeated small
        for column in (kinds, texts, rels, times):
            if len(<list> column) != count:
                raise ValueError("the columns of links differ in length")
        for column in (positions, reasons):
            if len(<list> column) and len(<list> column) != count:
                raise ValueError("the columns of links differ in length")
        if not count:
            return
        # Everything that can fail comes first, so that no row is half written.
        numbers = <int32_t *> room_for(&self.positions, 4 * count)
        how_often = <int32_t *> room_for(&self.times, 4 * count)
        urls = <int32_t *> room_for(&self.urls.rows, 4 * count)
        ways = <int32_t *> room_for(&self.kinds.rows, 4 * count)
        whys = <int32_t *> room_for(&self.reasons.rows, 4 * count)
        relations = <int32_t *> room_for(&self.rels.rows, 4 * count)
        ids = <uint64_t *> room_for(&self.targets, 8 * count)
        for i in range(count):
            target = <Target?> targets[i]
            ids[i] = target.url_id
            urls[i] = self.place_of_url(target)
            ways[i] = self.place_of_kind(kinds[i])
            whys[i] = self.reasons.place_of(<str?> reasons[i] if has_reasons else FOLLOWED)
            relations[i] = self.rels.place_of(<str?> rels[i])
            numbers[i] = 1 + (<int32_t> positions[i] if has_positions else <int32_t> i)
            how_often[i] = times[i]
            if type(texts[i]) is not str:
                raise TypeError("the text of a link is no string")
        page = self.pages.place_of(url)
        pages = <int32_t *> room_for(&self.pages.rows, 4 * count)
        sources = <uint64_t *> room_for(&self.sources, 8 * count)
        fetches = <uint64_t *> room_for(&self.fetches, 8 * count)
        moments = <int64_t *> room_for(&self.moments, 8 * count)
        for i in range(count):
            pages[i], sources[i], fetches[i], moments[i] = page, source, fetch, moment
            self.texts.add(<str> texts[i])
        for small in (self.pages, self.urls, self.kinds, self.reasons, self.rels):
            small.rows.size += 4 * count
        self.positions.size += 4 * count
        self.times.size += 4 * count
        self.targets.size += 8 * count
        self.sources.size += 8 * count
        self.fetches.size += 8 * count
        self.moments.size += 8 * count
        self.count += count

    def columns(self):
        """Return the columns as bytes.

        Of strings where each ends, and all of them; of those that repeat the place of each row's
        string before that.
        """
        return (
            content_of(&self.sources),
            self.pages.take(),
            content_of(&self.fetches),
            content_of(&self.moments),
            content_of(&self.targets),
            self.urls.take(),
            self.kinds.take(),
            self.reasons.take(),
            content_of(&self.positions),
            self.rels.take(),
            self.texts.take(),
            content_of(&self.times),
        )
