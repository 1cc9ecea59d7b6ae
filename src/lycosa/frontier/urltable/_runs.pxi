# Runs: keys in order as bytes, for sealed chunks and for snapshots.
#
# A run is two byte strings. The text: count, sizes of the first two streams (u32, little end
# first), then three streams: bytes shared with the key before (varints), bytes that follow
# (varints), and those bytes. The numbers: least (u32), width in bits (u8), then each as its
# difference to the least, and with it its mark unless the width says BARE, packed.

cdef enum:
    TEXT_HEADER = 12
    NUMBERS_HEADER = 5
    BARE = 128          # in the width: nothing is marked, and the numbers have no bit for it

cdef struct Reader:
    # One key after the other of a run's text.
    const uint8_t *shared
    const uint8_t *lengths
    const uint8_t *tails
    const uint8_t *end
    uint32_t left


cdef inline void put_u32(uint8_t *p, uint32_t value) noexcept:
    cdef int i
    for i in range(4):
        p[i] = <uint8_t>(value >> (8 * i))


cdef inline uint32_t get_u32(const uint8_t *p) noexcept:
    return p[0] | <uint32_t>p[1] << 8 | <uint32_t>p[2] << 16 | <uint32_t>p[3] << 24


cdef int open_run(Reader *reader, bytes text) except -1:
    cdef const uint8_t *p = <const uint8_t *>PyBytes_AS_STRING(text)
    cdef size_t size = PyBytes_GET_SIZE(text)
    if size < TEXT_HEADER or TEXT_HEADER + <size_t>get_u32(p + 4) + get_u32(p + 8) > size:
        raise ValueError("a damaged run of keys")
    reader.left = get_u32(p)
    reader.shared = p + TEXT_HEADER
    reader.lengths = reader.shared + get_u32(p + 4)
    reader.tails = reader.lengths + get_u32(p + 8)
    reader.end = p + size
    return 0


cdef int next_key(Reader *reader, Buffer *key) except -1:
    """Read the next key into a buffer that holds the one before."""
    cdef uint32_t shared = get_number(&reader.shared)
    cdef uint32_t length = get_number(&reader.lengths)
    if shared > key.size or length > <size_t>(reader.end - reader.tails):
        raise ValueError("a damaged run of keys")
    key.size = shared
    extend(key, reader.tails, length)
    reader.tails += length
    reader.left -= 1
    return 0


cdef bytes pack_numbers(const uint32_t *numbers, uint32_t count):
    """Pack numbers whose highest bit is a mark."""
    cdef uint32_t least = LOW, most = 0, marks = 0, i, width = 0, mark_bits
    cdef uint64_t value
    cdef size_t bit = 0
    cdef bytes packed
    cdef uint8_t *p
    for i in range(count):
        least = min(least, numbers[i] & LOW)
        most = max(most, numbers[i] & LOW)
        marks |= numbers[i] & MARK
    if not count:
        least = 0
    mark_bits = 1 if marks else 0
    while most - least >> width:
        width += 1
    width += mark_bits
    packed = PyBytes_FromStringAndSize(NULL, NUMBERS_HEADER + (<size_t>count * width + 7) // 8 + 8)
    p = <uint8_t *>PyBytes_AS_STRING(packed)
    memset(p, 0, PyBytes_GET_SIZE(packed))
    put_u32(p, least)
    p[4] = <uint8_t>(width if marks else width | BARE)
    p += NUMBERS_HEADER
    for i in range(count):
        value = (numbers[i] & LOW) - least
        if marks:
            value = value << 1 | numbers[i] >> 31
        value <<= bit & 7
        put_bits(p + (bit >> 3), value)
        bit += width
    return packed


cdef inline void put_bits(uint8_t *p, uint64_t value) noexcept:
    cdef int i
    for i in range(6):
        p[i] |= <uint8_t>(value >> (8 * i))


cdef uint32_t get_packed(const uint8_t *p, uint32_t index) noexcept:
    """Return a packed number with its mark."""
    cdef uint32_t width = p[4] & (BARE - 1)
    cdef size_t bit = <size_t>index * width
    cdef uint64_t value = 0
    cdef const uint8_t *q = p + NUMBERS_HEADER + (bit >> 3)
    cdef int i
    for i in range(8):
        value |= <uint64_t>q[i] << (8 * i)
    value = value >> (bit & 7) & ((<uint64_t>1 << width) - 1)
    if p[4] & BARE:
        return get_u32(p) + <uint32_t>value
    return (get_u32(p) + <uint32_t>(value >> 1)) | <uint32_t>(value & 1) << 31


def run_count(bytes text):
    """Return how many keys a text has."""
    cdef Reader reader
    open_run(&reader, text)
    return reader.left


def run_tails(bytes text):
    """Return where the last stream of a text begins."""
    cdef Reader reader
    open_run(&reader, text)
    return reader.tails - <const uint8_t *>PyBytes_AS_STRING(text)


def run_number(bytes numbers, uint32_t index):
    """Return a number without its mark."""
    return get_packed(<const uint8_t *>PyBytes_AS_STRING(numbers), index) & LOW


def run_index(bytes numbers, uint32_t count, uint32_t number):
    """Return which of so many numbers this is, and whether it is marked."""
    cdef uint32_t i, found
    for i in range(count):
        found = get_packed(<const uint8_t *>PyBytes_AS_STRING(numbers), i)
        if found & LOW == number:
            return i, found & MARK != 0
    raise KeyError(number)


def run_entries(bytes text, bytes numbers, uint32_t begin):
    """Return the paths of a text and their numbers, which begin with this one."""
    cdef Reader reader
    cdef Buffer key
    cdef list entries = []
    cdef uint32_t i
    memset(&key, 0, sizeof(Buffer))
    open_run(&reader, text)
    try:
        for i in range(reader.left):
            next_key(&reader, &key)
            entries.append((
                PyBytes_FromStringAndSize(<char *>key.data, key.size),
                get_packed(<const uint8_t *>PyBytes_AS_STRING(numbers), begin + i) & LOW,
            ))
    finally:
        free(key.data)
    return entries


def run_find(bytes text, bytes path):
    """Return which key of a text a path is, or -1."""
    cdef Reader reader
    cdef Buffer key
    cdef uint32_t i
    cdef int order
    memset(&key, 0, sizeof(Buffer))
    open_run(&reader, text)
    try:
        for i in range(reader.left):
            next_key(&reader, &key)
            order = compare(
                key.data, key.size, <const uint8_t *>PyBytes_AS_STRING(path), PyBytes_GET_SIZE(path)
            )
            if order == 0:
                return i
            if order > 0:
                break
    finally:
        free(key.data)
    return -1


def run_path(bytes text, uint32_t index):
    """Return a path of a text."""
    cdef Reader reader
    cdef Buffer key
    cdef uint32_t i
    memset(&key, 0, sizeof(Buffer))
    open_run(&reader, text)
    if index >= reader.left:
        raise IndexError(index)
    try:
        for i in range(index + 1):
            next_key(&reader, &key)
        return PyBytes_FromStringAndSize(<char *>key.data, key.size)
    finally:
        free(key.data)


cdef class Run:
    """A run in the making."""

    cdef Buffer shared, lengths, tails, last, first, values
    cdef uint32_t count

    def __dealloc__(self):
        free(self.shared.data)
        free(self.lengths.data)
        free(self.tails.data)
        free(self.last.data)
        free(self.first.data)
        free(self.values.data)

    @cython.final
    cdef int take(
        self, const uint8_t *key, uint32_t size, uint32_t common, uint32_t number
    ) except -1:
        """Add a key that shares at least `common` bytes with the one before."""
        cdef uint8_t header[8]
        while (
            common < size and common < self.last.size and self.last.data[common] == key[common]
        ):
            common += 1
        extend(&self.shared, header, <uint32_t>(put_number(header, common) - header))
        extend(&self.lengths, header, <uint32_t>(put_number(header, size - common) - header))
        extend(&self.tails, key + common, size - common)
        if not self.count:
            fill(&self.first, key, size)
        self.last.size = common
        extend(&self.last, key + common, size - common)
        extend(&self.values, &number, sizeof(uint32_t))
        self.count += 1
        return 0

    @cython.final
    cdef int take_leaf(self, Blocks blocks, uint32_t node) except -1:
        """Add the keys of a leaf."""
        cdef const uint8_t *p
        cdef uint32_t i, shared, size
        blocks.reserve(blocks.nodes[node].used)
        p = blocks.block(node)
        for i in range(blocks.nodes[node].count):
            shared = get_number(&p)
            size = get_number(&p)
            memcpy(blocks.scratch + shared, p, size)
            p += size
            self.take(
                blocks.scratch, shared + size, shared, blocks.numbers_end(node)[-1 - <int>i]
            )
        return 0

    @cython.final
    cdef int take_run(self, bytes text, bytes numbers, uint32_t begin) except -1:
        """Add the keys of another run, whose numbers begin with this one."""
        cdef Reader reader
        cdef Buffer key
        cdef uint32_t i
        memset(&key, 0, sizeof(Buffer))
        open_run(&reader, text)
        try:
            for i in range(reader.left):
                next_key(&reader, &key)
                self.take(
                    key.data,
                    key.size,
                    0,
                    get_packed(<const uint8_t *>PyBytes_AS_STRING(numbers), begin + i),
                )
        finally:
            free(key.data)
        return 0

    @cython.final
    cdef tuple end_text(self):
        """Return first path and text, and begin the next text; the numbers go on."""
        cdef uint8_t header[TEXT_HEADER]
        put_u32(header, self.count)
        put_u32(header + 4, self.shared.size)
        put_u32(header + 8, self.lengths.size)
        text = (
            (<char *>header)[:TEXT_HEADER]
            + PyBytes_FromStringAndSize(<char *>self.shared.data, self.shared.size)
            + PyBytes_FromStringAndSize(<char *>self.lengths.data, self.lengths.size)
            + PyBytes_FromStringAndSize(<char *>self.tails.data, self.tails.size)
        )
        first = PyBytes_FromStringAndSize(<char *>self.first.data, self.first.size)
        self.shared.size = self.lengths.size = self.tails.size = 0
        self.last.size = self.count = 0
        return first, text

    @cython.final
    cdef bytes end_numbers(self, bint has_marks):
        """Return the numbers, and begin the next ones."""
        cdef uint32_t *values = <uint32_t *>self.values.data
        cdef uint32_t count = self.values.size // sizeof(uint32_t), i
        if not has_marks:
            for i in range(count):
                values[i] &= LOW
        self.values.size = 0
        return pack_numbers(values, count)
