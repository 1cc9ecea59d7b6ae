"""Words of a text as hashed features, and a softmax over them, compiled.

`lycosa.extract.topics.words` defines the words; `tests/plain_softmax.py` does the rest in Python.

Always true: words and numbers are the twin's, weights and scores equal it to six digits
(tests/unit/extract/topics/test_topics.py).
Cost: linear in the bytes read, and one row of the weights for each different word.
"""

from array import array

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport Py_UNICODE_TOLOWER, PyUnicode_AsUTF8AndSize
from libc.math cimport exp, expf, logf, sqrtf
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

cdef enum:
    MOST_TOPICS = 256
    SLOTS = 4096  # of the table that counts words; at most half of them are used
    SLOT_SHIFT = 20  # 32 - log2(SLOTS)
    MOST_WORDS = 2048
    SHORTEST_WORD = 2
    LONGEST_WORD = 32
    TITLE_WEIGHT = 2
    LINK_TOPICS = 3

cdef float FLOOR = 0.003

cdef uint8_t SMALL[256]  # the byte in small letters; 0 for a byte that is not part of a word


cdef void fill_small() noexcept:
    cdef int byte
    for byte in range(256):
        if 48 <= byte <= 57 or 97 <= byte <= 122 or byte >= 128:
            SMALL[byte] = <uint8_t> byte
        elif 65 <= byte <= 90:
            SMALL[byte] = <uint8_t> (byte + 32)
        else:
            SMALL[byte] = 0


fill_small()


cdef inline uint32_t with_byte(uint32_t h, uint8_t byte) noexcept nogil:
    return (h ^ byte) * 16777619u


cdef inline uint32_t finished(uint32_t h) noexcept nogil:
    h ^= h >> 16
    h *= 0x85EBCA6Bu
    h ^= h >> 13
    h *= 0xC2B2AE35u
    return h ^ (h >> 16)


cdef inline bint is_dense(const uint8_t *p, Py_ssize_t i, Py_ssize_t size) noexcept nogil:
    """Whether a whole character of a script without spaces stands at i."""
    return (
        0xE3 <= p[i] <= 0xED
        and i + 2 < size
        and p[i + 1] & 0xC0 == 0x80
        and p[i + 2] & 0xC0 == 0x80
    )


cdef int small_letter(const uint8_t *p, Py_ssize_t size, uint8_t *to, int *written) noexcept:
    """Write the small letter of the character at p; return how many bytes it has, 0 for others."""
    cdef int length
    cdef uint32_t letter
    if 0xC2 <= p[0] <= 0xDF and size > 1 and p[1] & 0xC0 == 0x80:
        length = 2
        letter = (<uint32_t> p[0] & 0x1F) << 6 | (p[1] & 0x3F)
    elif (
        (0xE0 <= p[0] <= 0xE2 or p[0] >= 0xEE and p[0] <= 0xEF)
        and size > 2
        and p[1] & 0xC0 == 0x80
        and p[2] & 0xC0 == 0x80
        and (p[0] != 0xE0 or p[1] >= 0xA0)
    ):
        length = 3
        letter = (<uint32_t> p[0] & 0x0F) << 12 | (<uint32_t> p[1] & 0x3F) << 6 | (p[2] & 0x3F)
    else:
        return 0
    letter = Py_UNICODE_TOLOWER(letter)
    if 0x3000 <= letter < 0xE000:  # a script without spaces, which has no capital letters
        return 0
    if letter < 0x80:
        to[0] = <uint8_t> letter
        written[0] = 1
    elif letter < 0x800:
        to[0] = <uint8_t> (0xC0 | letter >> 6)
        to[1] = <uint8_t> (0x80 | letter & 0x3F)
        written[0] = 2
    else:
        to[0] = <uint8_t> (0xE0 | letter >> 12)
        to[1] = <uint8_t> (0x80 | letter >> 6 & 0x3F)
        to[2] = <uint8_t> (0x80 | letter & 0x3F)
        written[0] = 3
    return length


cdef class Words:
    """Counts the words of one text after the other."""

    cdef uint32_t numbers[SLOTS]
    cdef float weights[SLOTS]
    cdef uint32_t used[MOST_WORDS]
    cdef int size
    cdef uint32_t mask

    def __cinit__(self, int bits):
        memset(self.weights, 0, sizeof(self.weights))
        self.size = 0
        self.mask = (1u << bits) - 1

    cdef void read(self, bytes title, bytes text) noexcept:
        """Take in a text; its words are `used`, with numbers and weights."""
        self.clear()
        self.add(<const uint8_t *> PyBytes_AS_STRING(title), PyBytes_GET_SIZE(title), TITLE_WEIGHT)
        self.add(<const uint8_t *> PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text), 1)
        self.weigh()

    cdef int read_link(self, str text, str key) except -1:
        """Take in the text of a link and the path of the URL that it leads to."""
        cdef Py_ssize_t size, first = 0
        cdef const char *p
        self.clear()
        if is_encodable(text):
            p = PyUnicode_AsUTF8AndSize(text, &size)
            self.add(<const uint8_t *> p, size, 1)
        p = PyUnicode_AsUTF8AndSize(key, &size)
        while first < size and p[first] != b"/":
            first += 1
        self.add(<const uint8_t *> p + first, size - first, 1)
        self.weigh()
        return 0

    cdef void clear(self) noexcept:
        cdef int i
        for i in range(self.size):
            self.weights[self.used[i]] = 0
        self.size = 0

    cdef void weigh(self) noexcept:
        """Turn counts of words into weights."""
        cdef int i
        cdef uint32_t slot
        cdef float total = 0
        for i in range(self.size):
            slot = self.used[i]
            self.weights[slot] = 1 + logf(self.weights[slot]) if self.weights[slot] > 1 else 1
            total += self.weights[slot] * self.weights[slot]
        total = sqrtf(total)
        for i in range(self.size):
            self.weights[self.used[i]] /= total

    cdef void add(self, const uint8_t *p, Py_ssize_t size, float weight) noexcept:
        cdef Py_ssize_t i = 0, length = 0
        cdef uint32_t h = 2166136261u
        cdef uint8_t byte
        cdef uint8_t letter[3]
        cdef int k, written = 0, taken
        while i < size:
            byte = SMALL[p[i]]
            if byte and not is_dense(p, i, size):
                taken = small_letter(p + i, size - i, letter, &written) if byte >= 0xC2 else 0
                if taken:
                    for k in range(written):
                        if length < LONGEST_WORD:
                            h = with_byte(h, letter[k])
                        length += 1
                    i += taken
                    continue
                if length < LONGEST_WORD:
                    h = with_byte(h, byte)
                length += 1
                i += 1
                continue
            if length >= SHORTEST_WORD:
                self.count(finished(h) & self.mask, weight)
            if length:
                h = 2166136261u
                length = 0
            i = self.add_pairs(p, i, size, weight) if byte else i + 1
        if length >= SHORTEST_WORD:
            self.count(finished(h) & self.mask, weight)

    cdef Py_ssize_t add_pairs(
        self, const uint8_t *p, Py_ssize_t i, Py_ssize_t size, float weight
    ) noexcept nogil:
        """Add every two characters of a script without spaces; return where they end."""
        cdef Py_ssize_t first = i
        cdef int k
        cdef uint32_t h
        while i < size and is_dense(p, i, size):
            h = 2166136261u
            if i + 3 < size and is_dense(p, i + 3, size):
                for k in range(6):
                    h = with_byte(h, p[i + k])
                self.count(finished(h) & self.mask, weight)
            elif i == first:
                for k in range(3):
                    h = with_byte(h, p[i + k])
                self.count(finished(h) & self.mask, weight)
            i += 3
        return i

    cdef inline void count(self, uint32_t number, float weight) noexcept nogil:
        cdef uint32_t slot = (number * 2654435761u) >> SLOT_SHIFT
        while self.weights[slot] and self.numbers[slot] != number:
            slot = (slot + 1) & (SLOTS - 1)
        if not self.weights[slot]:
            if self.size == MOST_WORDS:
                return
            self.numbers[slot] = number
            self.used[self.size] = slot
            self.size += 1
        self.weights[slot] += weight


cdef bint is_encodable(str text):
    """Whether a text has no lone surrogate, as nearly all have none."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def word_weights(bytes title, bytes text, int bits=16):
    """Return the numbers of the words of a text with their weights."""
    cdef Words words = Words(bits)
    words.read(title, text)
    return {words.numbers[words.used[i]]: words.weights[words.used[i]] for i in range(words.size)}


cdef float as_powers(float *scores, int size, float temperature) noexcept nogil:
    """Turn scores into powers of e, the highest into 1; return their sum.

    (1 + x/1024)**1024 in place of e**x: less than 0.0003 off for what is to be a byte, and without
    a call that would keep the loop from doing four at a time.
    """
    cdef int i
    cdef float x, highest = scores[0], total = 0
    for i in range(1, size):
        highest = max(highest, scores[i])
    for i in range(size):
        x = (scores[i] - highest) / temperature
        x = 1 + (x if x > -10 else -10) * <float> (1.0 / 1024)
        x *= x
        x *= x
        x *= x
        x *= x
        x *= x
        x *= x
        x *= x
        x *= x
        x *= x
        x *= x
        scores[i] = x
    for i in range(size):
        total += scores[i]
    return total


cdef void write_best(const float *found, int topics, uint8_t *to) noexcept nogil:
    """Write the three largest numbers: each topic, and its share in all of them as a byte."""
    cdef int best[LINK_TOPICS]
    cdef int topic, at, used = 0
    cdef float total = 0
    for topic in range(topics):
        total += found[topic]
        at = used
        while at > 0 and found[best[at - 1]] < found[topic]:
            if at < LINK_TOPICS:
                best[at] = best[at - 1]
            at -= 1
        if at < LINK_TOPICS:
            best[at] = topic
            used = min(used + 1, LINK_TOPICS)
    for at in range(LINK_TOPICS):
        to[2 * at] = <uint8_t> best[at] if at < used else 0
        to[2 * at + 1] = <uint8_t> (255 * found[best[at]] / total + <float> 0.5) if at < used else 0


cdef class Softmax:
    """Weights of topics for words; `weights` has a row of all topics for each number."""

    cdef readonly int topics
    cdef readonly int bits
    cdef readonly object weights
    cdef readonly object bias
    cdef float[::1] _weights
    cdef float[::1] _bias
    cdef float[::1] _squares
    cdef Words _words

    def __init__(self, int topics, int bits=16, bytes weights=b"", bytes bias=b""):
        """Make a model that knows nothing, or one of these weights (float32, native)."""
        if not 0 < topics <= MOST_TOPICS or not 1 <= bits <= 24:
            raise ValueError(f"{topics} topics, {bits} bits")
        self.topics, self.bits = topics, bits
        self.weights = array("f", weights or bytes(4 * topics << bits))
        self.bias = array("f", bias or bytes(4 * topics))
        if len(self.weights) != topics << bits or len(self.bias) != topics:
            raise ValueError(f"{len(self.weights)} weights, {len(self.bias)} biases")
        self._weights, self._bias = self.weights, self.bias
        self._squares = None
        self._words = Words(bits)

    def scores(self, bytes title, bytes text):
        """Return the score of every topic: the logarithm of its probability, but for a constant."""
        cdef float found[MOST_TOPICS]
        cdef int topic
        self._words.read(title, text)
        self.add_up(found)
        return [found[topic] for topic in range(self.topics)]

    def probabilities(self, bytes title, bytes text, double temperature):
        """Return the probability of every topic; they add up to 1."""
        cdef float found[MOST_TOPICS]
        cdef double powers[MOST_TOPICS]
        cdef double highest, total = 0
        cdef int topic
        self._words.read(title, text)
        self.add_up(found)
        highest = found[0]
        for topic in range(1, self.topics):
            highest = max(highest, found[topic])
        for topic in range(self.topics):
            powers[topic] = exp((found[topic] - highest) / temperature)
            total += powers[topic]
        return [powers[topic] / total for topic in range(self.topics)]

    def learn(self, bytes title, bytes text, targets, float rate):
        """Move the weights by one step of AdaGrad towards these probabilities."""
        cdef float gaps[MOST_TOPICS]
        cdef float highest, step, weight, total = 0
        cdef int i, topic, topics = self.topics
        cdef Py_ssize_t row
        cdef Words words = self._words
        if len(targets) != topics:
            raise ValueError(f"{len(targets)} targets for {topics} topics")
        if self._squares is None:
            self._squares = array("f", bytes(4 * topics << self.bits))
        words.read(title, text)
        self.add_up(gaps)
        highest = gaps[0]
        for topic in range(1, topics):
            highest = max(highest, gaps[topic])
        for topic in range(topics):
            gaps[topic] = expf(gaps[topic] - highest)
            total += gaps[topic]
        for topic in range(topics):
            gaps[topic] = gaps[topic] / total - <float> targets[topic]
        for i in range(words.size):
            weight = words.weights[words.used[i]]
            row = <Py_ssize_t> words.numbers[words.used[i]] * topics
            for topic in range(topics):
                step = gaps[topic] * weight
                self._squares[row + topic] += step * step
                self._weights[row + topic] -= rate * step / (
                    sqrtf(self._squares[row + topic]) + <float> 1e-6
                )
        for topic in range(topics):
            self._bias[topic] -= <float> 0.05 * rate * gaps[topic]

    def link_hints(self, list texts not None, list keys not None, float temperature, bytes wanted):
        """Return how likely links are about what is wanted, a byte each.

        A link is read by its text and the words of its URL; `wanted` has a byte for each topic, 0
        for those that are not.
        """
        cdef float found[MOST_TOPICS]
        cdef float total, share
        cdef int topic, topics = self.topics
        cdef Py_ssize_t i, size = self.check_links(texts, keys, len(wanted))
        cdef bytes hints = PyBytes_FromStringAndSize(NULL, size)
        cdef uint8_t *to = <uint8_t *> PyBytes_AS_STRING(hints)
        cdef const uint8_t *is_wanted = <const uint8_t *> PyBytes_AS_STRING(wanted)
        for i in range(size):
            self._words.read_link(<str?> texts[i], <str?> keys[i])
            self.add_up(found)
            total = as_powers(found, topics, temperature)
            share = 0
            for topic in range(topics):
                if is_wanted[topic]:
                    share += found[topic]
            to[i] = <uint8_t> (255 * share / total + <float> 0.5)
        return hints

    def link_topics(self, list texts not None, list keys not None, float temperature, list page):
        """Return what links are about: three topics each, with their probabilities as bytes.

        The probabilities of the page and those of the link's text count alike: the root of their
        product, after `FLOOR` was added to each, so that neither can rule a topic out.
        """
        cdef float found[MOST_TOPICS]
        cdef float known[MOST_TOPICS]
        cdef float total
        cdef int topic, topics = self.topics
        cdef Py_ssize_t i, size = self.check_links(texts, keys, len(page))
        cdef bytes hints = PyBytes_FromStringAndSize(NULL, 2 * LINK_TOPICS * size)
        cdef uint8_t *to = <uint8_t *> PyBytes_AS_STRING(hints)
        for topic in range(topics):
            known[topic] = <float> page[topic] + FLOOR
        for i in range(size):
            self._words.read_link(<str?> texts[i], <str?> keys[i])
            self.add_up(found)
            total = as_powers(found, topics, temperature)
            for topic in range(topics):
                found[topic] = sqrtf(known[topic] * (found[topic] / total + FLOOR))
            write_best(found, topics, to + 2 * LINK_TOPICS * i)
        return hints

    cdef Py_ssize_t check_links(self, list texts, list keys, Py_ssize_t topics) except -1:
        if topics != self.topics:
            raise ValueError(f"{topics} numbers for {self.topics} topics")
        if len(keys) != len(texts):
            raise ValueError("a link without a URL")
        return len(texts)

    cdef void add_up(self, float *found) noexcept nogil:
        cdef int i, topic, topics = self.topics
        cdef float weight
        cdef const float *row
        for topic in range(topics):
            found[topic] = self._bias[topic]
        for i in range(self._words.size):
            weight = self._words.weights[self._words.used[i]]
            row = &self._weights[<Py_ssize_t> self._words.numbers[self._words.used[i]] * topics]
            for topic in range(topics):
                found[topic] += weight * row[topic]
