"""Queues of URLs by topic: in each the best position first, and of equals the first; compiled.

This is WebParF's ranker (3.2.1): one queue a topic, whose nodes are a position and the
first-in-first-out list of its URLs. Every site has such lists for each topic, so that the URLs of a
site that may not be asked now are passed over. Of all awake sites the one is served whose first URL
has the best position in the topic, and among those the smallest number. Topics and positions are
whole numbers below 256; 0 is the best position.

Everything is flat (`_ranked_lists.pxi`). A site has a *lane* for every topic that it has, or had,
URLs of, with its URLs in lists by rank: a topic, then a position, the best one first. Each topic
has a binary heap of the lanes of awake sites, by the position and the number of their first URL.

Always true:
  * a URL is in a list exactly while its link has its topic and position, and `NONE` otherwise;
  * a lane has no empty bucket, and its buckets are sorted;
  * a lane is in the heap of its topic exactly while its site is awake and it has URLs.

Cost: all but `drop` are O(log sites) and O(positions of a lane + topics of a site); 12 bytes for
every number up to the largest that was offered, 12 for every site, 48 and its buckets (12 each)
for every pair of a site and a topic.
"""

include "_ranked_lists.pxi"

cdef enum:
    MOST_TOPICS = 256

cdef struct Lane:
    Buckets buckets     # by topic << 8 | position
    uint32_t place      # in the heap of its topic, or NONE
    uint32_t site
    uint32_t next       # the next lane of the site, or NONE
    uint8_t topic

cdef struct Site:
    uint32_t lane       # its first one, or NONE
    uint32_t count
    uint8_t is_awake

cdef struct Topic:
    Heap heap           # lanes
    Py_ssize_t ready    # URLs of awake sites
    Py_ssize_t waiting  # URLs of all sites


cdef class TopicQueues:
    """The queues of a partition; the same in plain Python is in `tests/plain_queues.py`."""

    cdef readonly Py_ssize_t ready
    cdef Links links
    cdef Site* sites
    cdef size_t sites_room
    cdef Lane* lanes
    cdef size_t lanes_used, lanes_room
    cdef Topic topics[MOST_TOPICS]
    cdef int topics_end     # one more than the largest that was offered

    def __cinit__(self):
        memset(self.topics, 0, sizeof(self.topics))

    def __dealloc__(self):
        cdef size_t number
        for number in range(self.lanes_used):
            free(self.lanes[number].buckets.of)
        for number in range(MOST_TOPICS):
            free(self.topics[number].heap.entries)
        free(self.lanes)
        free(self.sites)
        free(self.links.of)

    def put(self, uint32_t page, uint32_t site, uint8_t topic, uint8_t position):
        """Take in a URL at the end of what its site has of that topic and position."""
        if page >= self.links.room:
            make_links(&self.links, page)
        if site >= self.sites_room:
            self.make_sites(site)
        if is_offered(&self.links, page):
            raise ValueError(f"URL {page} is offered already")
        self.enter(page, site, topic, position)

    def move(self, uint32_t page, uint32_t site, uint8_t topic, uint8_t position):
        """Give a URL that is offered another topic or position."""
        cdef uint32_t rank = <uint32_t> topic << 8 | position
        if not is_offered(&self.links, page):
            raise ValueError(f"URL {page} is not offered")
        if self.links.of[page].rank != rank:
            self.leave(page, self.lane_of(site, <uint8_t> (self.links.of[page].rank >> 8)))
            self.enter(page, site, topic, position)

    def withdraw(self, uint32_t page, uint32_t site):
        """Forget a URL that is offered."""
        if not is_offered(&self.links, page):
            raise ValueError(f"URL {page} is not offered")
        self.leave(page, self.lane_of(site, <uint8_t> (self.links.of[page].rank >> 8)))

    def drop(self, uint32_t site):
        """Forget all URLs of a site, and let it rest."""
        cdef uint32_t number
        cdef Lane* lane
        if site >= self.sites_room:
            return
        self.rest(site)
        number = self.sites[site].lane
        while number != NONE:
            lane = &self.lanes[number]
            self.topics[lane.topic].waiting -= lane.buckets.count
            forget(self.links.of, &lane.buckets)
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
        return self.topics[topic].waiting

    def ready_of(self, uint8_t topic):
        """Return how many URLs of a topic are ready."""
        return self.topics[topic].ready

    def choose(self):
        """Take the first URL of the best position, whatever its topic; of equals the oldest."""
        cdef int topic = self.best_topic()
        return None if topic < 0 else self.take(<uint8_t> topic)

    def choose_in(self, uint8_t topic):
        """Take the first URL of the best position of a topic."""
        return self.take(topic) if self.topics[topic].heap.used else None

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
            if lane.buckets.count and (topic < 0 or lane.topic == topic):
                key = self.topics[lane.topic].heap.entries[lane.place].key
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
        cdef Heap* heap
        for topic in range(self.topics_end):
            heap = &self.topics[topic].heap
            if heap.used and (found < 0 or heap.entries[0].key < key):
                found = topic
                key = heap.entries[0].key
        return found

    cdef int64_t take(self, uint8_t topic) except -1:
        return self.take_first(self.topics[topic].heap.entries[0].owner)

    cdef int64_t take_first(self, uint32_t number) except -1:
        cdef Buckets* here = &self.lanes[number].buckets
        cdef uint32_t page = here.of[here.first].head
        self.leave(page, number)
        return page

    cdef int enter(self, uint32_t page, uint32_t site, uint8_t topic, uint8_t position) except -1:
        cdef uint32_t number = self.lane_of(site, topic)
        append(self.links.of, page, &self.lanes[number].buckets, <uint32_t> topic << 8 | position)
        self.sites[site].count += 1
        self.topics[topic].waiting += 1
        if self.sites[site].is_awake:
            self.ready += 1
            self.topics[topic].ready += 1
        self.settle(number)
        return 0

    cdef int leave(self, uint32_t page, uint32_t number) except -1:
        cdef Lane* lane = &self.lanes[number]
        unlink(self.links.of, page, &lane.buckets)
        self.sites[lane.site].count -= 1
        self.topics[lane.topic].waiting -= 1
        if self.sites[lane.site].is_awake:
            self.ready -= 1
            self.topics[lane.topic].ready -= 1
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
        self.topics_end = max(self.topics_end, topic + 1)
        return number

    cdef int settle_site(self, uint32_t site, int sign) except -1:
        """Bring the lanes of a site that was woken (1) or put to rest (-1) up to date."""
        cdef uint32_t number = self.sites[site].lane
        cdef Lane* lane
        while number != NONE:
            lane = &self.lanes[number]
            self.topics[lane.topic].ready += sign * <Py_ssize_t> lane.buckets.count
            self.settle(number)
            number = lane.next
        return 0

    cdef int settle(self, uint32_t number) except -1:
        """Bring a lane's place in the heap up to date."""
        cdef Lane* lane = &self.lanes[number]
        cdef Heap* heap = &self.topics[lane.topic].heap
        cdef Bucket* bucket
        cdef Places places
        places.first = <char*> &self.lanes[0].place
        places.step = sizeof(Lane)
        if not self.sites[lane.site].is_awake or not lane.buckets.count:
            leave_heap(heap, places, number)
            return 0
        bucket = &lane.buckets.of[lane.buckets.first]
        return settle_in_heap(
            heap, places, number, (<uint64_t> (bucket.rank & 0xFF) << 32) | bucket.head
        )

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
            position = one.topics[topic].heap.entries[0].key >> 32
            if position < best:
                best = position
                found = at
    return found


def first_with(list queues not None, uint8_t topic, Py_ssize_t start):
    """Return which of some queues, from `start` on, has ready URLs of a topic; -1 if none has."""
    cdef Py_ssize_t i, at, size = len(queues)
    for i in range(size):
        at = (start + i) % size
        if (<TopicQueues?> queues[at]).topics[topic].heap.used:
            return at
    return -1
