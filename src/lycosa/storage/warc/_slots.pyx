"""Looks up and enters places of payloads in the pages of an index file (`payload_index`).

    page    256 slots of 16 bytes, the used ones first
    slot    tag (8 bytes, never 0), offset (4), segment (4), in the byte order of the machine

A tag belongs to the page `tag * pages >> 64`; a slot that has no room there is in one of the next
three pages. The file has a header of one page, and three pages more than tags belong to.

A table remembers which tags a page lacks: a Bloom filter of 2,048 bits for each page, made when the
page is read. A payload that is not in the index costs a system call only where the filter does not
know its page, or takes it for another one (1.6 % of them, where pages are 88 % full).

Always true (tests/unit/storage/warc/test_payload_index.py): a table of Python gives the same
answers.

Cost: a look reads one page, or none. Entries in the order of their tags read and write each page
once. Memory: 256 bytes a page, 4 MB at most (3.6 million payloads; looks at pages beyond these read
them), and `WINDOW` pages while an index grows.
"""

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, qsort
from libc.string cimport memmove, memset

cdef extern from "<unistd.h>" nogil:
    int close(int descriptor)
    ssize_t pread(int descriptor, void *to, size_t size, long offset)
    ssize_t pwrite(int descriptor, const void *content, size_t size, long offset)

cdef extern from *:
    """
    static inline unsigned long long page_of(unsigned long long tag, unsigned long long pages) {
        return (unsigned long long) (((unsigned __int128) tag * pages) >> 64);
    }
    """
    uint64_t page_of(uint64_t tag, uint64_t pages) nogil

cdef struct Slot:
    uint64_t tag
    uint32_t offset
    uint32_t segment

cdef enum:
    SLOTS = 256
    PAGE = 4096
    STEPS = 4  # pages in which a tag can be
    WINDOW = 64  # pages that are filled together while an index grows
    MARGIN = 12  # of these pages, the last ones, which may still get slots
    SHIFT = WINDOW - MARGIN
    FILTER = 32  # words of a page's filter
    FILTERED = 16_384  # pages that have a filter

cdef uint64_t LARGEST = (1 << 32) - 1

PAGE_BYTES = PAGE
PAGE_SLOTS = SLOTS
LARGEST_OFFSET = LARGEST


cdef int _read(int descriptor, uint64_t number, Slot *page, uint64_t tag) except -1 nogil:
    """Read a page; what the file does not have is empty.

    Returns the place of the tag, or that of the first slot that is not used.
    """
    cdef ssize_t found = pread(descriptor, page, PAGE, <long> ((number + 1) * PAGE))
    cdef int used = 0
    if found < 0:
        with gil:
            raise OSError("an index of payloads cannot be read")
    if found < PAGE:
        memset(<char *> page + found, 0, PAGE - found)
    while used < SLOTS and page[used].tag and page[used].tag != tag:
        used += 1
    return used


def packed(dict places):
    """Return slots of places by their tags, in the order of the tags.

    An offset beyond 4 GiB has no room in a slot: such a place is left out.
    """
    cdef bytearray found = bytearray(len(places) * sizeof(Slot))
    cdef Slot *slots = <Slot *> <char *> found
    cdef size_t count = 0
    cdef uint64_t tag, offset
    for tag, place in places.items():
        offset = place[1]
        if tag and offset <= LARGEST:
            slots[count].tag, slots[count].offset, slots[count].segment = tag, offset, place[0]
            count += 1
    qsort(slots, count, sizeof(Slot), _by_tag)
    return found[: count * sizeof(Slot)]


cdef int _by_tag(const void *one, const void *other) noexcept nogil:
    cdef uint64_t first = (<const Slot *> one).tag, second = (<const Slot *> other).tag
    return (first > second) - (first < second)


cdef class Table:
    """The pages of an open file, and what this process knows of them. It closes the file.

    All methods hold the interpreter's lock from end to end, so a look and an entry of two threads
    never mix: a filter that is made from an old page would hide the entry.
    """

    cdef readonly int descriptor
    cdef readonly uint64_t pages
    cdef public uint64_t count
    """The number of slots in use, as the header said last."""
    cdef uint64_t _filtered
    cdef uint64_t *_filters
    cdef uint16_t *_known
    """One more than the slots of a page that its filter has; 0 if there is no filter."""

    def __cinit__(self, int descriptor, uint64_t pages, uint64_t count):
        self.descriptor, self.pages, self.count = descriptor, pages, count
        self._filtered = min(pages, <uint64_t> FILTERED)
        self._filters = <uint64_t *> calloc(self._filtered + 1, FILTER * sizeof(uint64_t))
        self._known = <uint16_t *> calloc(self._filtered + 1, sizeof(uint16_t))
        if self._filters == NULL or self._known == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self._filters)
        free(self._known)
        close(self.descriptor)

    def find(self, uint64_t tag):
        """Return segment and offset under a tag, or None."""
        cdef Slot page[SLOTS]
        cdef uint64_t number = page_of(tag, self.pages)
        cdef int i, step
        if not self.pages or self._lacks(number, tag):
            return None
        for step in range(STEPS):
            i = _read(self.descriptor, number + step, page, tag)
            if i < SLOTS and page[i].tag:
                return page[i].segment, page[i].offset
            if i < SLOTS:
                self._learn(number + step, page, i)
                return None
        return None

    def enter(self, const unsigned char[::1] packed):
        """Enter slots in the order of their tags; return how many new ones they take.

        The place of a tag that is there already is replaced. Other processes must neither enter
        meanwhile, nor have entered something since the last call without a `forget` after it.
        """
        cdef Slot page[SLOTS]
        cdef const Slot *slot = <const Slot *> &packed[0]
        cdef const Slot *end = slot + len(packed) // sizeof(Slot)
        cdef uint64_t at, number = 0
        cdef int used = -1, added = 0, first = SLOTS, last = -1, i
        while slot < end:
            at = page_of(slot.tag, self.pages)
            if used < 0 or at != number:
                self._write_slots(number, page, first, last)
                number, first, last = at, SLOTS, -1
                used = _read(self.descriptor, number, page, 0)
                self._learn(number, page, used)
            i = used if self._lacks(number, slot.tag) else 0
            while i < used and page[i].tag != slot.tag:
                i += 1
            if i == SLOTS:
                added += self._enter_behind(number, slot)
            else:
                page[i] = slot[0]
                first, last = min(first, i), max(last, i)
                if i == used:
                    used, added = used + 1, added + 1
                    self._note(number, slot.tag, used)
            slot += 1
        self._write_slots(number, page, first, last)
        return added

    def forget(self):
        """Forget what pages lack: another process has entered something."""
        memset(self._known, 0, self._filtered * sizeof(uint16_t))

    cdef int _enter_behind(self, uint64_t number, const Slot *slot) except -1:
        """Enter a slot behind its page, which is full; return 1 if it takes a new slot."""
        cdef Slot page[SLOTS]
        cdef int i
        cdef uint64_t at
        for at in range(number + 1, number + STEPS):
            i = _read(self.descriptor, at, page, slot.tag)
            if i < SLOTS:
                _write(self.descriptor, slot, sizeof(Slot), (at + 1) * PAGE + i * sizeof(Slot))
                if at < self._filtered:
                    self._known[at] = 0  # it may be full now
                return page[i].tag == 0
        return 0  # all these pages are full: the payload will be stored again

    cdef int _write_slots(self, uint64_t number, const Slot *page, int first, int last) except -1:
        if first <= last:
            _write(
                self.descriptor,
                page + first,
                (last + 1 - first) * sizeof(Slot),
                (number + 1) * PAGE + first * sizeof(Slot),
            )
        return 0

    cdef bint _lacks(self, uint64_t number, uint64_t tag) noexcept:
        cdef const uint64_t *words = self._filters + number * FILTER
        cdef int shift
        if number >= self._filtered or not self._known[number]:
            return False
        for shift in range(0, 44, 11):
            if not words[tag >> shift + 6 & 31] >> (tag >> shift & 63) & 1:
                return True
        return False

    cdef void _learn(self, uint64_t number, const Slot *page, int used) noexcept:
        """Make the filter of a page, unless it has one.

        A process that was killed while it entered leaves slots that no count in the header tells.
        """
        cdef int i
        if number >= self._filtered or self._known[number] == used + 1:
            return
        memset(self._filters + number * FILTER, 0, FILTER * sizeof(uint64_t))
        self._known[number] = 1
        for i in range(used):
            self._note(number, page[i].tag, used)

    cdef void _note(self, uint64_t number, uint64_t tag, int used) noexcept:
        """Put a tag into the filter of a page; a full page has none, as others have its tags."""
        cdef uint64_t *words = self._filters + number * FILTER
        cdef int shift
        if number >= self._filtered:
            return
        for shift in range(0, 44, 11):
            words[tag >> shift + 6 & 31] |= <uint64_t> 1 << (tag >> shift & 63)
        self._known[number] = 0 if used == SLOTS else used + 1


cdef int _write(
    int descriptor, const void *content, size_t size, uint64_t offset
) except -1 nogil:
    if pwrite(descriptor, content, size, <long> offset) != <ssize_t> size:
        with gil:
            raise OSError("an index of payloads cannot be written")
    return 0


def spread(int source, uint64_t pages, int target, uint64_t more):
    """Copy all slots to a file of more pages; return how many there are. Others may run meanwhile.

    Tags are in the order of their pages, in both files. So the new pages are filled one after the
    other, a few at a time.
    """
    cdef Slot *window = <Slot *> calloc(WINDOW * SLOTS, sizeof(Slot))
    cdef uint64_t copied
    if window == NULL:
        raise MemoryError
    try:
        with nogil:
            copied = _spread(source, pages, target, more, window)
        return copied
    finally:
        free(window)


cdef uint64_t _spread(
    int source, uint64_t pages, int target, uint64_t more, Slot *window
) except? 0 nogil:
    cdef Slot page[SLOTS]
    cdef int counts[WINDOW]
    cdef uint64_t number, at, first = 0, copied = 0
    cdef int used, i
    memset(counts, 0, sizeof(counts))
    for number in range(pages + STEPS - 1):
        used = _read(source, number, page, 0)
        for i in range(used):
            at = page_of(page[i].tag, more)
            while at + STEPS > first + WINDOW:
                _write(target, window, SHIFT * PAGE, (first + 1) * PAGE)
                memmove(window, window + SHIFT * SLOTS, MARGIN * PAGE)
                memset(window + MARGIN * SLOTS, 0, SHIFT * PAGE)
                memmove(counts, counts + SHIFT, MARGIN * sizeof(int))
                memset(counts + MARGIN, 0, SHIFT * sizeof(int))
                first += SHIFT
            if at >= first:  # a damaged file may have slots in any order
                copied += _put(window, counts, at - first, &page[i])
    number = min(<uint64_t> WINDOW, more + STEPS - 1 - first)
    _write(target, window, number * PAGE, (first + 1) * PAGE)
    return copied


cdef int _put(Slot *window, int *counts, uint64_t at, const Slot *slot) noexcept nogil:
    """Put a slot into a page of the window, or one behind it; return 1 if there was room."""
    cdef uint64_t number
    for number in range(at, at + STEPS):
        if counts[number] < SLOTS:
            window[number * SLOTS + counts[number]] = slot[0]
            counts[number] += 1
            return 1
    return 0
