"""Queues of URLs by rank and site, compiled; `queues` has the contract.

Everything is flat (`_ranked_lists.pxi`): a site has its URLs in lists by rank, and awake sites with
URLs are in a binary heap by the rank and the number of their first URL.

Always true:
  * a URL is in a list exactly while its link has its rank, and `NONE` otherwise;
  * a site has no empty bucket, and its buckets are sorted;
  * a site is in the heap exactly while it is awake and has URLs.

Cost: all but `drop` are O(log sites) and O(ranks of a site); 12 bytes for every number up to the
largest that was offered, 32 and its buckets (12 each) for every site, 16 more in the heap.
"""

include "_ranked_lists.pxi"

cdef struct Site:
    Buckets buckets
    uint32_t place      # in the heap, or NONE
    uint8_t is_awake


cdef class SiteQueues:
    """Queues as compiled code uses them (`readiness.sites`, `_page_steps`)."""

    cdef int wake_site(self, uint32_t site) except -1:
        """Let the URLs of a site be ready."""
        raise NotImplementedError

    cdef int rest_site(self, uint32_t site) except -1:
        """Let them be ready no longer."""
        raise NotImplementedError

    cdef Py_ssize_t count_of(self, uint32_t site) except -1:
        """Return how many URLs of a site are offered."""
        raise NotImplementedError

    cdef Py_ssize_t count_ready(self) except -1:
        """Return how many URLs can be chosen."""
        raise NotImplementedError

    cdef int64_t choose_first(self) except -2:
        """Take the first URL of all awake sites; -1 if there is none."""
        raise NotImplementedError

    cdef int offer_ranked(self, uint32_t page, uint32_t site, uint32_t rank) except -1:
        """Take in a URL at the end of what its site has of that rank."""
        raise NotImplementedError


cdef class Queues(SiteQueues):
    """The queues of a partition; the same in plain Python is in `tests/plain_queues.py`."""

    cdef readonly Py_ssize_t ready
    cdef Links links
    cdef Site* sites
    cdef size_t sites_room
    cdef Heap heap

    def __dealloc__(self):
        cdef size_t site
        for site in range(self.sites_room):
            free(self.sites[site].buckets.of)
        free(self.sites)
        free(self.links.of)
        free(self.heap.entries)

    def put(self, uint32_t page, uint32_t site, uint32_t rank):
        """Take in a URL at the end of what its site has of that rank."""
        self.offer_ranked(page, site, rank)

    cdef int offer_ranked(self, uint32_t page, uint32_t site, uint32_t rank) except -1:
        if page >= self.links.room:
            make_links(&self.links, page)
        if site >= self.sites_room:
            self.make_sites(site)
        if is_offered(&self.links, page):
            raise ValueError(f"URL {page} is offered already")
        append(self.links.of, page, &self.sites[site].buckets, rank)
        self.ready += self.sites[site].is_awake
        return self.settle(site)

    def improve(self, uint32_t page, uint32_t site, uint32_t rank):
        """Give a URL that is offered a smaller rank."""
        if not is_offered(&self.links, page):
            raise ValueError(f"URL {page} is not offered")
        if rank < self.links.of[page].rank:
            unlink(self.links.of, page, &self.sites[site].buckets)
            append(self.links.of, page, &self.sites[site].buckets, rank)
            self.settle(site)

    def withdraw(self, uint32_t page, uint32_t site):
        """Forget a URL that is offered."""
        if not is_offered(&self.links, page):
            raise ValueError(f"URL {page} is not offered")
        unlink(self.links.of, page, &self.sites[site].buckets)
        self.ready -= self.sites[site].is_awake
        self.settle(site)

    def drop(self, uint32_t site):
        """Forget all URLs of a site, and let it rest."""
        if site < self.sites_room:
            self.rest_site(site)
            forget(self.links.of, &self.sites[site].buckets)

    def wake(self, uint32_t site):
        """Let the URLs of a site be ready; harmless when it is awake."""
        self.wake_site(site)

    def rest(self, uint32_t site):
        """Let them be ready no longer; harmless when it rests."""
        self.rest_site(site)

    def waiting(self, uint32_t site):
        """Return how many URLs of a site are offered."""
        return self.count_of(site)

    cdef int wake_site(self, uint32_t site) except -1:
        if site >= self.sites_room:
            self.make_sites(site)
        if not self.sites[site].is_awake:
            self.sites[site].is_awake = 1
            self.ready += self.sites[site].buckets.count
            self.settle(site)
        return 0

    cdef int rest_site(self, uint32_t site) except -1:
        if site < self.sites_room and self.sites[site].is_awake:
            self.sites[site].is_awake = 0
            self.ready -= self.sites[site].buckets.count
            self.settle(site)
        return 0

    cdef Py_ssize_t count_of(self, uint32_t site) except -1:
        return self.sites[site].buckets.count if site < self.sites_room else 0

    def is_awake(self, uint32_t site):
        """Return whether a site's URLs are ready."""
        return site < self.sites_room and self.sites[site].is_awake != 0

    def choose(self):
        """Take the first URL of the smallest rank of all awake sites."""
        return self.take(self.heap.entries[0].owner) if self.heap.used else None

    cdef int64_t choose_first(self) except -2:
        return self.take(self.heap.entries[0].owner) if self.heap.used else -1

    cdef Py_ssize_t count_ready(self) except -1:
        return self.ready

    def choose_from(self, uint32_t site):
        """Take the first URL of one site, if it is awake."""
        if site < self.sites_room and self.sites[site].place != NONE:
            return self.take(site)
        return None

    cdef int64_t take(self, uint32_t site) except -1:
        cdef Buckets* here = &self.sites[site].buckets
        cdef uint32_t page = here.of[here.first].head
        unlink(self.links.of, page, here)
        self.ready -= 1
        self.settle(site)
        return page

    cdef int settle(self, uint32_t site) except -1:
        """Bring a site's place in the heap up to date."""
        cdef Site* here = &self.sites[site]
        cdef Bucket* bucket
        cdef Places places
        places.first = <char*> &self.sites[0].place
        places.step = sizeof(Site)
        if not here.is_awake or not here.buckets.count:
            leave_heap(&self.heap, places, site)
            return 0
        bucket = &here.buckets.of[here.buckets.first]
        return settle_in_heap(
            &self.heap, places, site, (<uint64_t> bucket.rank << 32) | bucket.head
        )

    cdef int make_sites(self, size_t site) except -1:
        cdef size_t room = max(site + 1, self.sites_room + self.sites_room // 4, 16), number
        self.sites = <Site*> enlarged(self.sites, room, sizeof(Site))
        for number in range(self.sites_room, room):
            memset(&self.sites[number], 0, sizeof(Site))
            self.sites[number].place = NONE
        self.sites_room = room
        return 0
