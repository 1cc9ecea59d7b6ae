# URLs in lists by rank, and owners of such lists in a heap by their first URL.
#
# An offered URL stands in a doubly linked list, so that it can be taken out anywhere. An owner has
# one such list for every rank that it has URLs of (a bucket), the smallest rank first. Each owner
# knows its place in its heap.

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memmove, memset

cdef enum:
    NONE = 0xFFFFFFFF

cdef struct Link:
    uint32_t next
    uint32_t previous
    uint32_t rank       # NONE while the URL is in no list

cdef struct Links:
    Link* of            # by the number of the URL
    size_t room

cdef struct Bucket:
    uint32_t rank
    uint32_t head
    uint32_t tail

cdef struct Buckets:
    Bucket* of
    uint32_t first      # those before this one have been used up
    uint32_t end
    uint32_t room
    uint32_t count      # URLs

cdef struct Entry:
    uint64_t key        # rank, then number, of the owner's first URL
    uint32_t owner

cdef struct Heap:
    Entry* entries
    size_t used
    size_t room

cdef struct Places:
    char* first         # where the first owner keeps its place in the heap, NONE while it has none
    size_t step         # bytes from one owner to the next


cdef void* enlarged(void* memory, size_t count, size_t size) except NULL:
    cdef void* larger = realloc(memory, count * size)
    if larger == NULL:
        raise MemoryError
    return larger


cdef int make_links(Links* links, size_t page) except -1:
    """Make room for a URL."""
    cdef size_t room = max(page + 1, links.room + links.room // 4, 64), number
    links.of = <Link*> enlarged(links.of, room, sizeof(Link))
    for number in range(links.room, room):
        links.of[number].rank = NONE
    links.room = room
    return 0


cdef inline bint is_offered(Links* links, uint32_t page) noexcept:
    return page < links.room and links.of[page].rank != NONE


cdef int append(Link* links, uint32_t page, Buckets* here, uint32_t rank) except -1:
    """Put a URL at the end of the bucket of its rank, which is made."""
    cdef uint32_t at = here.end
    cdef Link* link = &links[page]
    while at > here.first and here.of[at - 1].rank > rank:
        at -= 1
    if at > here.first and here.of[at - 1].rank == rank:
        link.previous = here.of[at - 1].tail
        links[link.previous].next = page
        here.of[at - 1].tail = page
    else:
        at = <uint32_t> make_bucket(here, at)
        here.of[at].rank = rank
        here.of[at].head = here.of[at].tail = page
        link.previous = NONE
    link.rank = rank
    link.next = NONE
    here.count += 1
    return 0


cdef int64_t make_bucket(Buckets* here, uint32_t at) except -1:
    """Make room for a bucket before `at`; returns where it is."""
    cdef uint32_t room
    if at == here.first and here.first > 0:
        here.first -= 1
        return here.first
    if here.end == here.room and here.first > here.room // 2:
        memmove(here.of, &here.of[here.first], (here.end - here.first) * sizeof(Bucket))
        at -= here.first
        here.end -= here.first
        here.first = 0
    elif here.end == here.room:
        room = here.room * 2 if here.room else 2
        here.of = <Bucket*> enlarged(here.of, room, sizeof(Bucket))
        here.room = room
    memmove(&here.of[at + 1], &here.of[at], (here.end - at) * sizeof(Bucket))
    here.end += 1
    return at


cdef void unlink(Link* links, uint32_t page, Buckets* here) noexcept:
    """Take a URL out of its list, and its bucket away if that was the last one."""
    cdef Link* link = &links[page]
    cdef uint32_t at = here.first
    while here.of[at].rank != link.rank:
        at += 1
    if link.previous == NONE:
        here.of[at].head = link.next
    else:
        links[link.previous].next = link.next
    if link.next == NONE:
        here.of[at].tail = link.previous
    else:
        links[link.next].previous = link.previous
    link.rank = NONE
    here.count -= 1
    if here.of[at].head != NONE:
        return
    if at == here.first:
        here.first += 1
    else:
        here.end -= 1
        memmove(&here.of[at], &here.of[at + 1], (here.end - at) * sizeof(Bucket))
    if here.first == here.end:
        here.first = here.end = 0


cdef void forget(Link* links, Buckets* here) noexcept:
    """Take all URLs out of their lists."""
    cdef uint32_t number, page
    for number in range(here.first, here.end):
        page = here.of[number].head
        while page != NONE:
            links[page].rank = NONE
            page = links[page].next
    here.first = here.end = here.count = 0


cdef inline uint32_t* place_of(Places places, uint32_t owner) noexcept:
    return <uint32_t*> (places.first + owner * places.step)


cdef void leave_heap(Heap* heap, Places places, uint32_t owner) noexcept:
    """Take an owner out of the heap; harmless if it is not in it."""
    cdef uint32_t place = place_of(places, owner)[0]
    if place == NONE:
        return
    place_of(places, owner)[0] = NONE
    heap.used -= 1
    if place < heap.used:
        sift(heap, places, place, heap.entries[heap.used])


cdef int settle_in_heap(Heap* heap, Places places, uint32_t owner, uint64_t key) except -1:
    """Put an owner into the heap where its key belongs."""
    cdef Entry entry
    cdef uint32_t place = place_of(places, owner)[0]
    cdef size_t room
    entry.key = key
    entry.owner = owner
    if place == NONE:
        if heap.used == heap.room:
            room = max(heap.room * 2, 16)
            heap.entries = <Entry*> enlarged(heap.entries, room, sizeof(Entry))
            heap.room = room
        place = <uint32_t> heap.used
        heap.used += 1
    elif heap.entries[place].key == key:
        return 0
    sift(heap, places, place, entry)
    return 0


cdef void sift(Heap* heap, Places places, size_t place, Entry entry) noexcept:
    """Put an entry where it belongs, starting from a place that is free."""
    cdef size_t other
    while place > 0:
        other = (place - 1) // 2
        if heap.entries[other].key <= entry.key:
            break
        set_entry(heap, places, place, heap.entries[other])
        place = other
    while True:
        other = 2 * place + 1
        if other >= heap.used:
            break
        if other + 1 < heap.used and heap.entries[other + 1].key < heap.entries[other].key:
            other += 1
        if heap.entries[other].key >= entry.key:
            break
        set_entry(heap, places, place, heap.entries[other])
        place = other
    set_entry(heap, places, place, entry)


cdef inline void set_entry(Heap* heap, Places places, size_t place, Entry entry) noexcept:
    heap.entries[place] = entry
    place_of(places, entry.owner)[0] = <uint32_t> place
