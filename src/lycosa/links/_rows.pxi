# The rows of links that have not been flushed: columns of numbers and strings, as Arrow has them.

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
        return 0

    cdef tuple take(self):
        return content_of(&self.ends), content_of(&self.content)


@cython.final
@cython.auto_pickle(False)
cdef class Rows:
    """The rows of links that have not been flushed, in columns."""

    cdef list names
    cdef Py_ssize_t count
    cdef Buffer sources, fetches, moments, targets, positions, times
    cdef Strings pages, urls, kinds, reasons, rels, texts

    def __cinit__(self, list names not None):
        self.names = names
        self.pages, self.urls = Strings(), Strings()
        self.kinds, self.reasons = Strings(), Strings()
        self.rels, self.texts = Strings(), Strings()

    def __dealloc__(self):
        free(self.sources.data)
        free(self.fetches.data)
        free(self.moments.data)
        free(self.targets.data)
        free(self.positions.data)
        free(self.times.data)

    def __len__(self):
        return self.count

    def add(self, uint64_t source, str url not None, uint64_t fetch, int64_t moment, links not None):
        """Take the links of one fetch."""
        cdef list targets = as_list(links.targets), kinds = as_list(links.kinds)
        cdef list texts = as_list(links.texts), rels = as_list(links.rels)
        cdef list times = as_list(links.times)
        cdef list positions = as_list(links.positions), reasons = as_list(links.reasons)
        cdef Py_ssize_t i, count = len(targets)
        cdef Target target
        cdef int32_t number, position
        for column in (kinds, texts, rels, times):
            if len(<list> column) != count:
                raise ValueError("the columns of links differ in length")
        for column in (positions, reasons):
            if len(<list> column) and len(<list> column) != count:
                raise ValueError("the columns of links differ in length")
        for i in range(count):
            target = <Target?> targets[i]
            number = times[i]
            position = positions[i] if len(positions) else <int32_t> i
            position += 1
            put(&self.sources, &source, 8)
            self.pages.add(url)
            put(&self.fetches, &fetch, 8)
            put(&self.moments, &moment, 8)
            put(&self.targets, &target.url_id, 8)
            self.urls.add(target.url)
            self.kinds.add(<str?> self.names[kinds[i]])
            self.reasons.add(<str?> reasons[i] if len(reasons) else FOLLOWED)
            put(&self.positions, &position, 4)
            self.rels.add(<str?> rels[i])
            self.texts.add(<str?> texts[i])
            put(&self.times, &number, 4)
            self.count += 1

    def columns(self):
        """Return the columns as bytes; of strings where each ends, and all of them."""
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
