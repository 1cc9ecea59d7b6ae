"""Queues of URLs by topic, position and site, compiled; `topic_queues` has the contract.

As in `_queues` everything is flat. An offered URL stands in a doubly linked list. A site has a
*lane* for every topic that it has, or had, URLs of; a lane has one list for every position
(a *bucket*), the best position first. Each topic has a binary heap of the lanes of awake sites, by
the position and the number of their first URL; a lane knows its index there.

Always true:
  * a URL is in a list exactly while `rank` has its topic and position, and `NONE` otherwise;
  * a lane has no empty bucket, and its buckets are sorted;
  * a lane is in the heap of its topic exactly while its site is awake and it has URLs.

Cost: all but `drop` are O(log sites) and O(positions of a lane + topics of a site); 12 bytes for
every number up to the largest that was offered, 12 for every site, 48 and its buckets (12 each)
for every pair of a site and a topic.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memmove, memset

cdef enum:
    NONE = 0xFFFFFFFF
    MOST_TOPICS = 256

cdef struct Link:
    uint32_t next
    uint32_t previous
    uint32_t rank       # topic << 8 | position

cdef struct Bucket:
    uint32_t position
    uint32_t head
    uint32_t tail

cdef struct Lane:
    Bucket* buckets
    uint32_t first      # buckets before this one have been used up
    uint32_t end
    uint32_t room
    uint32_t count
    uint32_t place      # in the heap of its topic, or NONE
    uint32_t site
    uint32_t next       # the next lane of the site, or NONE
    uint8_t topic

cdef struct Site:
    uint32_t lane       # its first one, or NONE
    uint32_t count
    uint8_t is_awake

cdef struct Entry:
    uint64_t key        # position, then number, of the lane's first URL
    uint32_t lane

cdef struct Heap:
    Entry* entries
    size_t used
    size_t room
    Py_ssize_t ready    # URLs of awake sites
    Py_ssize_t waiting  # URLs of all sites


cdef void* enlarged(void* memory, size_t count, size_t size) except NULL:
    cdef void* larger = realloc(memory, count * size)
    if larger == NULL:
        raise MemoryError
    return larger


cdef class TopicQueues:
    """Implements `lycosa.frontier.schedulers.topic_queues.QueuesOfTopics`."""

    cdef readonly Py_ssize_t ready
    cdef Link* links
    cdef size_t links_room
    cdef Site* sites
    cdef size_t sites_room
    cdef Lane* lanes
    cdef size_t lanes_used, lanes_room
    cdef Heap heaps[MOST_TOPICS]
    cdef int topics     # one more than the largest that was offered

    def __cinit__(self):
        memset(self.heaps, 0, sizeof(self.heaps))

    def __dealloc__(self):
        cdef size_t number
        for number in range(self.lanes_used):
            free(self.lanes[number].buckets)
        for number in range(MOST_TOPICS):
            free(self.heaps[number].entries)
        free(self.lanes)
        free(self.sites)
        free(self.links)

    def put(self, uint32_t page, uint32_t site, uint8_t topic, uint8_t position):
        """Take in a URL at the end of what its site has of that topic and position."""
        if page >= self.links_room:
            self.make_links(page)
        if site >= self.sites_room:
            self.make_sites(site)
        if self.links[page].rank != NONE:
            raise ValueError(f"URL {page} is offered already")
        self.enter(page, site, topic, position)

    def move(self, uint32_t page, uint32_t site, uint8_t topic, uint8_t position):
        """Give a URL that is offered another topic or position."""
        cdef uint32_t rank = <uint32_t> topic << 8 | position
        if page >= self.links_room or self.links[page].rank == NONE:
            raise ValueError(f"URL {page} is not offered")
        if self.links[page].rank != rank:
            self.leave(page, self.lane_of(site, <uint8_t> (self.links[page].rank >> 8)))
            self.enter(page, site, topic, position)

    def withdraw(self, uint32_t page, uint32_t site):
        """Forget a URL that is offered."""
        if page >= self.links_room or self.links[page].rank == NONE:
            raise ValueError(f"URL {page} is not offered")
        self.leave(page, self.lane_of(site, <uint8_t> (self.links[page].rank >> 8)))

    def drop(self, uint32_t site):
        """Forget all URLs of a site, and let it rest."""
        cdef uint32_t number, bucket, page
        cdef Lane* lane
        if site >= self.sites_room:
            return
        self.rest(site)
        number = self.sites[site].lane
        while number != NONE:
            lane = &self.lanes[number]
            for bucket in range(lane.first, lane.end):
                page = lane.buckets[bucket].head
                while page != NONE:
                    self.links[page].rank = NONE
                    page = self.links[page].next
            self.heaps[lane.topic].waiting -= lane.count
            lane.first = lane.end = lane.count = 0
            number = lane.next
        self.sites[site].count = 0

    def wake(self, uint32_t site):
        """Let the URLs of a site be ready; harmless when it is awake."""
        if site >= self.sites_room:
            self.make_sites(site)
        if not self.sites[site].is_awake:
            self.sites[site].is_awake = 1
            self.ready += self.sites[site].count
            self.settle_site(site, 1)

    def rest(self, uint32_t site):
        """Let them be ready no longer; harmless when it rests."""
        if site < self.sites_room and self.sites[site].is_awake:
            self.sites[site].is_awake = 0
            self.ready -= self.sites[site].count
            self.settle_site(site, -1)

    def is_awake(self, uint32_t site):
        """Return whether a site's URLs are ready."""
        return site < self.sites_room and self.sites[site].is_awake != 0

    def waiting(self, uint32_t site):
        """Return how many URLs of a site are offered."""
        return self.sites[site].count if site < self.sites_room else 0

    def waiting_of(self, uint8_t topic):
        """Return how many URLs of a topic are offered."""
        return self.heaps[topic].waiting

    def ready_of(self, uint8_t topic):
        """Return how many URLs of a topic are ready."""
        return self.heaps[topic].ready

    def choose(self):
        """Take the first URL of the best position, whatever its topic; of equals the oldest."""
        cdef int topic = self.best_topic()
        return None if topic < 0 else self.take(<uint8_t> topic)

    def choose_in(self, uint8_t topic):
        """Take the first URL of the best position of a topic."""
        return self.take(topic) if self.heaps[topic].used else None

    def choose_from(self, uint32_t site, int topic=-1):
        """Take the best URL of one site, if it is awake; of a topic, if one is given."""
        cdef uint32_t number, found = NONE
        cdef uint64_t key, best = 0
        cdef Lane* lane
        if site >= self.sites_room or not self.sites[site].is_awake:
            return None
        number = self.sites[site].lane
        while number != NONE:
            lane = &self.lanes[number]
            if lane.count and (topic < 0 or lane.topic == topic):
                key = self.heaps[lane.topic].entries[lane.place].key
                if found == NONE or key < best:
                    found = number
                    best = key
            number = lane.next
        if found == NONE:
            return None
        return self.take_first(found)

    cdef int best_topic(self) noexcept:
        cdef int topic, found = -1
        cdef uint64_t key = 0
        for topic in range(self.topics):
            if self.heaps[topic].used and (found < 0 or self.heaps[topic].entries[0].key < key):
                found = topic
                key = self.heaps[topic].entries[0].key
        return found

    cdef int64_t take(self, uint8_t topic) except -1:
        return self.take_first(self.heaps[topic].entries[0].lane)

    cdef int64_t take_first(self, uint32_t number) except -1:
        cdef Lane* lane = &self.lanes[number]
        cdef uint32_t page = lane.buckets[lane.first].head
        self.leave(page, number)
        return page

    cdef int enter(self, uint32_t page, uint32_t site, uint8_t topic, uint8_t position) except -1:
        cdef uint32_t number = self.lane_of(site, topic)
        cdef Heap* heap = &self.heaps[topic]
        self.append(page, &self.lanes[number], position)
        self.lanes[number].count += 1
        self.sites[site].count += 1
        heap.waiting += 1
        if self.sites[site].is_awake:
            self.ready += 1
            heap.ready += 1
        self.settle(number)
        return 0

    cdef int leave(self, uint32_t page, uint32_t number) except -1:
        cdef Lane* lane = &self.lanes[number]
        cdef Heap* heap = &self.heaps[lane.topic]
        self.unlink(page, lane)
        lane.count -= 1
        self.sites[lane.site].count -= 1
        heap.waiting -= 1
        if self.sites[lane.site].is_awake:
            self.ready -= 1
            heap.ready -= 1
        self.settle(number)
        return 0

    cdef uint32_t lane_of(self, uint32_t site, uint8_t topic) except? NONE:
        """Return the lane of a site and a topic, which is made."""
        cdef uint32_t number = self.sites[site].lane
        cdef Lane* lane
        cdef size_t room
        while number != NONE and self.lanes[number].topic != topic:
            number = self.lanes[number].next
        if number != NONE:
            return number
        if self.lanes_used == self.lanes_room:
            room = max(self.lanes_room + self.lanes_room // 4, 16)
            self.lanes = <Lane*> enlarged(self.lanes, room, sizeof(Lane))
            self.lanes_room = room
        number = <uint32_t> self.lanes_used
        self.lanes_used += 1
        lane = &self.lanes[number]
        memset(lane, 0, sizeof(Lane))
        lane.place = NONE
        lane.site = site
        lane.topic = topic
        lane.next = self.sites[site].lane
        self.sites[site].lane = number
        self.topics = max(self.topics, topic + 1)
        return number

    cdef int append(self, uint32_t page, Lane* lane, uint32_t position) except -1:
        """Put a URL at the end of the bucket of its position, which is made."""
        cdef uint32_t at = lane.end
        cdef Link* link = &self.links[page]
        while at > lane.first and lane.buckets[at - 1].position > position:
            at -= 1
        link.rank = <uint32_t> lane.topic << 8 | position
        link.next = NONE
        if at > lane.first and lane.buckets[at - 1].position == position:
            link.previous = lane.buckets[at - 1].tail
            self.links[link.previous].next = page
            lane.buckets[at - 1].tail = page
            return 0
        at = <uint32_t> self.make_bucket(lane, at)
        lane.buckets[at].position = position
        lane.buckets[at].head = lane.buckets[at].tail = page
        link.previous = NONE
        return 0

    cdef int64_t make_bucket(self, Lane* lane, uint32_t at) except -1:
        """Make room for a bucket before `at`; returns where it is."""
        cdef uint32_t room
        if at == lane.first and lane.first > 0:
            lane.first -= 1
            return lane.first
        if lane.end == lane.room and lane.first > lane.room // 2:
            memmove(
                lane.buckets, &lane.buckets[lane.first], (lane.end - lane.first) * sizeof(Bucket)
            )
            at -= lane.first
            lane.end -= lane.first
            lane.first = 0
        elif lane.end == lane.room:
            room = lane.room * 2 if lane.room else 2
            lane.buckets = <Bucket*> enlarged(lane.buckets, room, sizeof(Bucket))
            lane.room = room
        memmove(&lane.buckets[at + 1], &lane.buckets[at], (lane.end - at) * sizeof(Bucket))
        lane.end += 1
        return at

    cdef void unlink(self, uint32_t page, Lane* lane) noexcept:
        """Take a URL out of its list, and the bucket out of its lane if that was its last."""
        cdef Link* link = &self.links[page]
        cdef uint32_t at = lane.first
        while lane.buckets[at].position != link.rank & 0xFF:
            at += 1
        if link.previous == NONE:
            lane.buckets[at].head = link.next
        else:
            self.links[link.previous].next = link.next
        if link.next == NONE:
            lane.buckets[at].tail = link.previous
        else:
            self.links[link.next].previous = link.previous
        link.rank = NONE
        if lane.buckets[at].head != NONE:
            return
        if at == lane.first:
            lane.first += 1
        else:
            lane.end -= 1
            memmove(&lane.buckets[at], &lane.buckets[at + 1], (lane.end - at) * sizeof(Bucket))
        if lane.first == lane.end:
            lane.first = lane.end = 0

    cdef int settle_site(self, uint32_t site, int sign) except -1:
        """Bring the lanes of a site that was woken (1) or put to rest (-1) up to date."""
        cdef uint32_t number = self.sites[site].lane
        while number != NONE:
            self.heaps[self.lanes[number].topic].ready += sign * <Py_ssize_t> (
                self.lanes[number].count
            )
            self.settle(number)
            number = self.lanes[number].next
        return 0

    cdef int settle(self, uint32_t number) except -1:
        """Bring a lane's place in the heap up to date."""
        cdef Lane* lane = &self.lanes[number]
        cdef Heap* heap = &self.heaps[lane.topic]
        cdef Entry entry
        cdef uint32_t place = lane.place
        cdef Bucket* bucket
        if not self.sites[lane.site].is_awake or not lane.count:
            if place != NONE:
                lane.place = NONE
                heap.used -= 1
                if place < heap.used:
                    self.sift(heap, place, heap.entries[heap.used])
            return 0
        bucket = &lane.buckets[lane.first]
        entry.key = (<uint64_t> bucket.position << 32) | bucket.head
        entry.lane = number
        if place == NONE:
            if heap.used == heap.room:
                heap.entries = <Entry*> enlarged(
                    heap.entries, max(heap.room * 2, 16), sizeof(Entry)
                )
                heap.room = max(heap.room * 2, 16)
            place = <uint32_t> heap.used
            heap.used += 1
        elif heap.entries[place].key == entry.key:
            return 0
        self.sift(heap, place, entry)
        return 0

    cdef void sift(self, Heap* heap, size_t place, Entry entry) noexcept:
        """Put an entry where it belongs, starting from a place that is free."""
        cdef size_t other
        while place > 0:
            other = (place - 1) // 2
            if heap.entries[other].key <= entry.key:
                break
            self.set(heap, place, heap.entries[other])
            place = other
        while True:
            other = 2 * place + 1
            if other >= heap.used:
                break
            if other + 1 < heap.used and heap.entries[other + 1].key < heap.entries[other].key:
                other += 1
            if heap.entries[other].key >= entry.key:
                break
            self.set(heap, place, heap.entries[other])
            place = other
        self.set(heap, place, entry)

    cdef inline void set(self, Heap* heap, size_t place, Entry entry) noexcept:
        heap.entries[place] = entry
        self.lanes[entry.lane].place = <uint32_t> place

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
            self.sites[number].lane = NONE
            self.sites[number].count = 0
            self.sites[number].is_awake = 0
        self.sites_room = room
        return 0


def best_among(list queues not None, Py_ssize_t start):
    """Return which of some queues has the ready URL with the best position; -1 if none has one.

    Among equals it is the first from `start` on, round and round.
    """
    cdef TopicQueues one
    cdef int topic
    cdef uint64_t position, best = 256
    cdef Py_ssize_t i, at, found = -1, size = len(queues)
    for i in range(size):
        at = (start + i) % size
        one = <TopicQueues?> queues[at]
        topic = one.best_topic()
        if topic >= 0:
            position = one.heaps[topic].entries[0].key >> 32
            if position < best:
                best = position
                found = at
    return found


def first_with(list queues not None, uint8_t topic, Py_ssize_t start):
    """Return which of some queues, from `start` on, has ready URLs of a topic; -1 if none has."""
    cdef Py_ssize_t i, at, size = len(queues)
    for i in range(size):
        at = (start + i) % size
        if (<TopicQueues?> queues[at]).heaps[topic].used:
            return at
    return -1
