"""Queues of URLs by rank and site, compiled; `queues` has the contract.

Everything is flat. An offered URL stands in a list, doubly linked through two arrays by its
number, so that it can be taken out anywhere. A site has one such list for every rank that it has
URLs of (a *bucket*), the smallest rank first. Awake sites with URLs are in a binary heap by the
rank and the number of their first URL; each knows its index there.

Always true:
  * a URL is in a list exactly while `rank_of` has its rank, and `NONE` otherwise;
  * a site has no empty bucket, and its buckets are sorted;
  * a site is in the heap exactly while it is awake and has URLs.

Cost: all but `drop` are O(log sites) and O(ranks of a site); 12 bytes for every number up to the
largest that was offered, 40 and its buckets (12 each) for every site.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memmove

cdef enum:
    NONE = 0xFFFFFFFF

cdef struct Link:
    uint32_t next
    uint32_t previous
    uint32_t rank

cdef struct Bucket:
    uint32_t rank
    uint32_t head
    uint32_t tail

cdef struct Site:
    Bucket* buckets
    uint32_t first      # buckets before this one have been used up
    uint32_t end
    uint32_t room
    uint32_t count
    uint32_t place      # in the heap, or NONE
    uint8_t is_awake

cdef struct Entry:
    uint64_t key        # rank, then number, of the site's first URL
    uint32_t site


cdef void* enlarged(void* memory, size_t count, size_t size) except NULL:
    cdef void* larger = realloc(memory, count * size)
    if larger == NULL:
        raise MemoryError
    return larger


cdef class Queues:
    """Implements `lycosa.frontier.schedulers.queues.RankedQueues`."""

    cdef readonly Py_ssize_t ready
    cdef Link* links
    cdef size_t links_room
    cdef Site* sites
    cdef size_t sites_room
    cdef Entry* heap
    cdef size_t heap_used, heap_room

    def __dealloc__(self):
        cdef size_t site
        for site in range(self.sites_room):
            free(self.sites[site].buckets)
        free(self.sites)
        free(self.links)
        free(self.heap)

    def put(self, uint32_t page, uint32_t site, uint32_t rank):
        """Take in a URL at the end of what its site has of that rank."""
        if page >= self.links_room:
            self.make_links(page)
        if site >= self.sites_room:
            self.make_sites(site)
        if self.links[page].rank != NONE:
            raise ValueError(f"URL {page} is offered already")
        self.append(page, &self.sites[site], rank)
        self.sites[site].count += 1
        self.ready += self.sites[site].is_awake
        self.settle(site)

    def improve(self, uint32_t page, uint32_t site, uint32_t rank):
        """Give a URL that is offered a smaller rank."""
        if page >= self.links_room or self.links[page].rank == NONE:
            raise ValueError(f"URL {page} is not offered")
        if rank < self.links[page].rank:
            self.unlink(page, &self.sites[site])
            self.append(page, &self.sites[site], rank)
            self.settle(site)

    def drop(self, uint32_t site):
        """Forget all URLs of a site, and let it rest."""
        cdef Site* here
        cdef uint32_t number, page
        if site >= self.sites_room:
            return
        self.rest(site)
        here = &self.sites[site]
        for number in range(here.first, here.end):
            page = here.buckets[number].head
            while page != NONE:
                self.links[page].rank = NONE
                page = self.links[page].next
        here.first = here.end = here.count = 0

    def wake(self, uint32_t site):
        """Let the URLs of a site be ready; harmless when it is awake."""
        if site >= self.sites_room:
            self.make_sites(site)
        if not self.sites[site].is_awake:
            self.sites[site].is_awake = 1
            self.ready += self.sites[site].count
            self.settle(site)

    def rest(self, uint32_t site):
        """Let them be ready no longer; harmless when it rests."""
        if site < self.sites_room and self.sites[site].is_awake:
            self.sites[site].is_awake = 0
            self.ready -= self.sites[site].count
            self.settle(site)

    def is_awake(self, uint32_t site):
        """Return whether a site's URLs are ready."""
        return site < self.sites_room and self.sites[site].is_awake != 0

    def waiting(self, uint32_t site):
        """Return how many URLs of a site are offered."""
        return self.sites[site].count if site < self.sites_room else 0

    def choose(self):
        """Take the first URL of the smallest rank of all awake sites."""
        return self.take(self.heap[0].site) if self.heap_used else None

    def choose_from(self, uint32_t site):
        """Take the first URL of one site, if it is awake."""
        if site >= self.sites_room or not self.sites[site].is_awake or not self.sites[site].count:
            return None
        return self.take(site)

    cdef int64_t take(self, uint32_t site) except -1:
        cdef Site* here = &self.sites[site]
        cdef uint32_t page = here.buckets[here.first].head
        self.unlink(page, here)
        here.count -= 1
        self.ready -= 1
        self.settle(site)
        return page

    # -- lists ----------------------------------------------------------------------------

    cdef int append(self, uint32_t page, Site* here, uint32_t rank) except -1:
        """Put a URL at the end of the bucket of its rank, which is made."""
        cdef uint32_t at = here.end
        cdef Link* link = &self.links[page]
        while at > here.first and here.buckets[at - 1].rank > rank:
            at -= 1
        link.rank = rank
        link.next = NONE
        if at > here.first and here.buckets[at - 1].rank == rank:
            link.previous = here.buckets[at - 1].tail
            self.links[link.previous].next = page
            here.buckets[at - 1].tail = page
            return 0
        at = <uint32_t> self.make_bucket(here, at)
        here.buckets[at].rank = rank
        here.buckets[at].head = here.buckets[at].tail = page
        link.previous = NONE
        return 0

    cdef int64_t make_bucket(self, Site* here, uint32_t at) except -1:
        """Make room for a bucket before `at`; returns where it is."""
        cdef uint32_t room
        if at == here.first and here.first > 0:
            here.first -= 1
            return here.first
        if here.end == here.room and here.first > here.room // 2:
            memmove(
                here.buckets, &here.buckets[here.first], (here.end - here.first) * sizeof(Bucket)
            )
            at -= here.first
            here.end -= here.first
            here.first = 0
        elif here.end == here.room:
            room = here.room * 2 if here.room else 2
            here.buckets = <Bucket*> enlarged(here.buckets, room, sizeof(Bucket))
            here.room = room
        memmove(&here.buckets[at + 1], &here.buckets[at], (here.end - at) * sizeof(Bucket))
        here.end += 1
        return at

    cdef void unlink(self, uint32_t page, Site* here) noexcept:
        """Take a URL out of its list, and the bucket out of its site if that was its last."""
        cdef Link* link = &self.links[page]
        cdef uint32_t at = here.first
        while here.buckets[at].rank != link.rank:
            at += 1
        if link.previous == NONE:
            here.buckets[at].head = link.next
        else:
            self.links[link.previous].next = link.next
        if link.next == NONE:
            here.buckets[at].tail = link.previous
        else:
            self.links[link.next].previous = link.previous
        link.rank = NONE
        if here.buckets[at].head != NONE:
            return
        if at == here.first:
            here.first += 1
        else:
            here.end -= 1
            memmove(&here.buckets[at], &here.buckets[at + 1], (here.end - at) * sizeof(Bucket))
        if here.first == here.end:
            here.first = here.end = 0

    # -- the heap -------------------------------------------------------------------------

    cdef int settle(self, uint32_t site) except -1:
        """Bring a site's place in the heap up to date."""
        cdef Site* here = &self.sites[site]
        cdef Entry entry
        cdef uint32_t place = here.place
        cdef Bucket* bucket
        if not here.is_awake or not here.count:
            if place != NONE:
                here.place = NONE
                self.heap_used -= 1
                if place < self.heap_used:
                    self.sift(place, self.heap[self.heap_used])
            return 0
        bucket = &here.buckets[here.first]
        entry.key = (<uint64_t> bucket.rank << 32) | bucket.head
        entry.site = site
        if place == NONE:
            if self.heap_used == self.heap_room:
                self.make_heap()
            place = self.heap_used
            self.heap_used += 1
        elif self.heap[place].key == entry.key:
            return 0
        self.sift(place, entry)
        return 0

    cdef void sift(self, size_t place, Entry entry) noexcept:
        """Put an entry where it belongs, starting from a place that is free."""
        cdef size_t other
        while place > 0:
            other = (place - 1) // 2
            if self.heap[other].key <= entry.key:
                break
            self.set(place, self.heap[other])
            place = other
        while True:
            other = 2 * place + 1
            if other >= self.heap_used:
                break
            if other + 1 < self.heap_used and self.heap[other + 1].key < self.heap[other].key:
                other += 1
            if self.heap[other].key >= entry.key:
                break
            self.set(place, self.heap[other])
            place = other
        self.set(place, entry)

    cdef inline void set(self, size_t place, Entry entry) noexcept:
        self.heap[place] = entry
        self.sites[entry.site].place = <uint32_t> place

    # -- memory ---------------------------------------------------------------------------

    cdef int make_links(self, size_t page) except -1:
        cdef size_t room = max(page + 1, self.links_room + self.links_room // 4, 64), number
        self.links = <Link*> enlarged(self.links, room, sizeof(Link))
        for number in range(self.links_room, room):
            self.links[number].rank = NONE
        self.links_room = room
        return 0

    cdef int make_sites(self, size_t site) except -1:
        cdef size_t room = max(site + 1, self.sites_room + self.sites_room // 4, 16), number
        self.sites = <Site*> enlarged(self.sites, room, sizeof(Site))
        for number in range(self.sites_room, room):
            self.sites[number].buckets = NULL
            self.sites[number].first = self.sites[number].end = self.sites[number].room = 0
            self.sites[number].count = 0
            self.sites[number].place = NONE
            self.sites[number].is_awake = 0
        self.sites_room = room
        return 0

    cdef int make_heap(self) except -1:
        cdef size_t room = max(self.heap_room * 2, 64)
        self.heap = <Entry*> enlarged(self.heap, room, sizeof(Entry))
        self.heap_room = room
        return 0
