"""Evidence of links about waiting URLs, compiled; `evidence` has the contract.

Eight bytes for every URL of a partition up to the last one that was linked to. Always true: both
classes return what their twins return (tests/unit/features/topics/test_evidence.py).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.math cimport expf, logf
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

cdef enum:
    SLOTS = 3
    WEIGHT_UNIT = 4     # a probability is 255, its weight a quarter of that
    MASS_UNIT = 16      # what one link says, all in all
    HINT_BYTES = 6

cdef struct Heard:
    uint8_t highest
    uint8_t promise
    uint8_t text
    uint8_t position
    uint16_t total
    uint16_t count

cdef struct Votes:
    uint8_t topics[SLOTS]
    uint8_t weights[SLOTS]
    uint8_t mass
    uint8_t position

cdef float LOGITS[256]


cdef void fill_logits() noexcept:
    cdef int byte
    for byte in range(256):
        LOGITS[byte] = logf((byte / <float> 255.0 + <float> 0.0067) / (<float> 1.0067 - byte / <float> 255.0))


fill_logits()


cdef void* longer(void* memory, size_t used, size_t wanted, size_t size) except NULL:
    cdef void* larger = realloc(memory, wanted * size)
    if larger == NULL:
        raise MemoryError
    memset(<char*> larger + used * size, 0, (wanted - used) * size)
    return larger


def gathered(bytes hints not None, int width, dict places not None, keys):
    """Return the hints of these keys, nothing for one without a place."""
    cdef const char* source = PyBytes_AS_STRING(hints)
    cdef bytes found = PyBytes_FromStringAndSize(NULL, width * len(keys))
    cdef char* to = PyBytes_AS_STRING(found)
    cdef Py_ssize_t at = 0, place
    for key in keys:
        value = places.get(key)
        if value is None:
            memset(to + at, 0, width)
        else:
            place = value
            memcpy(to + at, source + width * place, width)
        at += width
    return found


def waiting_links(list pages not None, statuses, bytes hints not None, int width, int put_off):
    """Return those of the pages that wait, and their hints; a page below 0 is not known."""
    cdef const uint8_t[::1] status = statuses
    cdef const char* source = PyBytes_AS_STRING(hints)
    cdef list waiting = []
    cdef bytearray kept = bytearray()
    cdef Py_ssize_t i
    cdef int64_t page
    for i in range(len(pages)):
        page = pages[i]
        if page >= 0 and (status[page] == 0 or status[page] == put_off):
            waiting.append(page)
            kept += source[width * i:width * (i + 1)]
    return waiting, bytes(kept)


cdef class FocusedEvidence:
    """The same in plain Python is in `tests/plain_evidence.py`."""

    cdef Heard* heard
    cdef size_t room
    cdef float weights[6]

    def __init__(self, weights):
        cdef int i
        for i in range(6):
            self.weights[i] = weights[i]

    def __dealloc__(self):
        free(self.heard)

    def hear(self, list pages not None, int probability, int promise, bytes texts not None, grades):
        """Take in a link to each page; return the pages whose position has changed, with it."""
        cdef const uint8_t[::1] recorded = grades
        cdef const uint8_t* text = <const uint8_t*> PyBytes_AS_STRING(texts)
        cdef Py_ssize_t i
        cdef uint32_t page
        cdef uint8_t position
        cdef Heard* one
        cdef list changed = []
        if PyBytes_GET_SIZE(texts) != len(pages):
            raise ValueError("a link without a text")
        for i in range(len(pages)):
            page = pages[i]
            one = self.entry(page, recorded)
            one.highest = max(one.highest, <uint8_t> probability)
            one.promise = max(one.promise, <uint8_t> promise)
            one.text = max(one.text, text[i])
            one.total = <uint16_t> min(one.total + probability, 0xFFFF)
            one.count = <uint16_t> min(one.count + 1, 0xFFFF)
            position = self.position_of(one)
            if position != one.position:
                one.position = position
                changed.append((page, position))
        return changed

    def place(self, uint32_t first, int probability, int promise, bytes texts not None):
        """Take in a link to each of some new pages; return their positions."""
        cdef const uint8_t* text = <const uint8_t*> PyBytes_AS_STRING(texts)
        cdef Py_ssize_t i, size = PyBytes_GET_SIZE(texts)
        cdef bytes positions = PyBytes_FromStringAndSize(NULL, size)
        cdef uint8_t* to = <uint8_t*> PyBytes_AS_STRING(positions)
        cdef Heard* one
        if not size:
            return b""
        self.reach(first + size)
        for i in range(size):
            one = &self.heard[first + i]
            one.highest = <uint8_t> probability
            one.promise = <uint8_t> promise
            one.text = text[i]
            one.total = <uint16_t> probability
            one.count = 1
            one.position = to[i] = self.position_of(one)
        return positions

    def position(self, uint32_t page):
        """Return the position of a URL; the last one if nothing was heard of it."""
        return self.heard[page].position if page < self.room and self.heard[page].count else 255

    def promise(self, uint32_t page):
        """Return the best promise of a page that links to a URL."""
        return self.heard[page].promise if page < self.room else 0

    cdef Heard* entry(self, uint32_t page, const uint8_t[::1] recorded) except NULL:
        cdef Heard* one
        cdef uint8_t before
        self.reach(page + 1)
        one = &self.heard[page]
        if not one.count:
            one.position = 255
            if page < recorded.shape[0] and recorded[page] != 255:  # heard of before a resume
                before = 255 - recorded[page]
                one.highest = one.promise = one.text = before
                one.total, one.count, one.position = before, 1, recorded[page]
        return one

    cdef int reach(self, size_t size) except -1:
        cdef size_t room
        if size > self.room:
            room = max(size, self.room + self.room // 4, 64)
            self.heard = <Heard*> longer(self.heard, self.room, room, sizeof(Heard))
            self.room = room
        return 0

    cdef uint8_t position_of(self, Heard* one) noexcept:
        cdef float score = (
            self.weights[0]
            + self.weights[1] * LOGITS[one.highest]
            + self.weights[2] * logf(one.total / <float> 255.0 + <float> 0.01)
            + self.weights[3] * LOGITS[one.promise]
            + self.weights[4] * LOGITS[one.text]
            + self.weights[5] * logf(one.count)
        )
        return <uint8_t> (254 / (1 + expf(score / 2)) + <float> 0.5)


cdef class TopicEvidence:
    """Implements `lycosa.features.topics.evidence.PlainTopicEvidence`."""

    cdef Votes* votes
    cdef size_t room

    def __dealloc__(self):
        free(self.votes)

    def hear(self, list pages not None, bytes hints not None, queues, grades):
        """Take in a link to each page; return the pages that change queue or position, with both."""
        cdef const uint8_t[::1] topics = queues, recorded = grades
        cdef const uint8_t* hint = <const uint8_t*> PyBytes_AS_STRING(hints)
        cdef Py_ssize_t i
        cdef uint32_t page
        cdef uint8_t before, position
        cdef Votes* one
        cdef list changed = []
        if PyBytes_GET_SIZE(hints) != HINT_BYTES * len(pages):
            raise ValueError("a link without a hint")
        for i in range(len(pages)):
            page = pages[i]
            one = self.entry(page, topics, recorded)
            before = one.topics[0]
            hear_votes(one, hint + HINT_BYTES * i)
            position = position_of(one)
            if position != one.position or before != one.topics[0]:
                one.position = position
                changed.append((page, one.topics[0], position))
        return changed

    def place(self, uint32_t first, bytes hints not None):
        """Take in a link to each of some new pages; return their queues, and their positions."""
        cdef const uint8_t* hint = <const uint8_t*> PyBytes_AS_STRING(hints)
        cdef Py_ssize_t i
        cdef Py_ssize_t size = PyBytes_GET_SIZE(hints) // HINT_BYTES
        cdef bytes queues = PyBytes_FromStringAndSize(NULL, size)
        cdef bytes positions = PyBytes_FromStringAndSize(NULL, size)
        cdef uint8_t* queue = <uint8_t*> PyBytes_AS_STRING(queues)
        cdef uint8_t* position = <uint8_t*> PyBytes_AS_STRING(positions)
        cdef Votes* one
        if not size:
            return b"", b""
        self.reach(first + size)
        for i in range(size):
            one = &self.votes[first + i]
            memset(one, 0, sizeof(Votes))
            hear_votes(one, hint + HINT_BYTES * i)
            one.position = position[i] = position_of(one)
            queue[i] = one.topics[0]
        return queues, positions

    cdef int reach(self, size_t size) except -1:
        cdef size_t room
        if size > self.room:
            room = max(size, self.room + self.room // 4, 64)
            self.votes = <Votes*> longer(self.votes, self.room, room, sizeof(Votes))
            self.room = room
        return 0

    cdef Votes* entry(
        self, uint32_t page, const uint8_t[::1] topics, const uint8_t[::1] recorded
    ) except NULL:
        cdef Votes* one
        self.reach(page + 1)
        one = &self.votes[page]
        if not one.mass:
            one.position = 255
            if page < topics.shape[0] and topics[page] != 255:  # heard of before a resume
                one.mass = MASS_UNIT
                one.position = recorded[page]
                one.topics[0] = topics[page]
                one.weights[0] = (255 - recorded[page]) // WEIGHT_UNIT
        return one


cdef void hear_votes(Votes* one, const uint8_t* hint) noexcept:
    """Take in what a link says."""
    cdef int k
    if one.mass > 255 - MASS_UNIT:
        halve(one)
    one.mass += MASS_UNIT
    for k in range(HINT_BYTES // 2):
        vote(one, hint[2 * k], hint[2 * k + 1])


cdef void halve(Votes* one) noexcept:
    cdef int k
    for k in range(SLOTS):
        one.weights[k] //= 2
    one.mass //= 2


cdef void vote(Votes* one, uint8_t topic, uint8_t probability) noexcept:
    """Add to the weight of a topic; the least of those that are kept gives way to a heavier one."""
    cdef int k, weight = probability // WEIGHT_UNIT
    if not weight:
        return
    for k in range(SLOTS):
        if one.weights[k] and one.topics[k] == topic:
            break
    else:
        k = SLOTS - 1
        if one.weights[k] >= weight:
            return
        one.topics[k] = topic
        one.weights[k] = 0
    if one.weights[k] + weight > 255:
        halve(one)
        weight //= 2
    one.weights[k] += <uint8_t> weight
    while k > 0 and one.weights[k] > one.weights[k - 1]:
        one.weights[k], one.weights[k - 1] = one.weights[k - 1], one.weights[k]
        one.topics[k], one.topics[k - 1] = one.topics[k - 1], one.topics[k]
        k -= 1


cdef uint8_t position_of(Votes* one) noexcept:
    """The share of the first topic in all that links could have said for it, turned round."""
    cdef int most = one.mass * 255 // (MASS_UNIT * WEIGHT_UNIT)
    cdef int share = min(254 * one.weights[0] // max(most, 1), 254)
    return <uint8_t> (254 - share)
