"""Looks up and enters places of payloads in the pages of an index file (`payload_index`).

    page    256 slots of 16 bytes, the used ones first
    slot    tag (8 bytes, never 0), offset (4), segment (4), in the byte order of the machine

A tag belongs to the page `tag * pages >> 64`; a slot that has no room there is in one of the next
three pages. The file has a header of one page, and three pages more than tags belong to.

Always true (tests/unit/store/warc/test_payload_index.py): a table of Python gives the same answers.

Cost: one `pread` of a page; the memory of a page, and of `WINDOW` ones while an index grows.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memmove, memset

cdef extern from "<unistd.h>" nogil:
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

PAGE_BYTES = PAGE
PAGE_SLOTS = SLOTS


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


def find(int descriptor, uint64_t pages, uint64_t tag):
    """Return segment and offset under a tag, or None."""
    cdef Slot page[SLOTS]
    cdef uint64_t number = page_of(tag, pages)
    cdef int i, step
    for step in range(STEPS):
        i = _read(descriptor, number + step, page, tag)
        if i < SLOTS:
            return (page[i].segment, page[i].offset) if page[i].tag else None
    return None


def add(int descriptor, uint64_t pages, uint64_t tag, uint32_t segment, uint32_t offset):
    """Enter a place, instead of the one that the tag had; return 1 if it takes a new slot."""
    cdef Slot page[SLOTS]
    cdef Slot slot
    cdef uint64_t number = page_of(tag, pages)
    cdef int i, step
    slot.tag, slot.offset, slot.segment = tag, offset, segment
    for step in range(STEPS):
        i = _read(descriptor, number + step, page, tag)
        if i < SLOTS:
            _write(descriptor, &slot, sizeof(Slot), (number + step + 1) * PAGE + i * sizeof(Slot))
            return int(page[i].tag == 0)
    return 0  # all these pages are full: the payload will be stored again


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
