"""Fingerprints of text; what they are is told in `lycosa.extract.text.fingerprint`.

The 64 counters are kept across: plane i holds bit i of all of them, so that a shingle is
added to all counters by a few operations on whole words, as in a ripple-carry adder.

Always true (tests/unit/extract/text/test_fingerprint.py, test_echo.py): `fingerprint` equals
`plain_fingerprint`, and so do both `fingerprints`, the second of the text without the name.
Cost: linear, and no memory.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    PLANES = 48  # counters go further than any text

cdef extern from *:
    """
    #include <string.h>
    static const uint64_t LYCOSA_A = 0x9E3779B97F4A7C15u;
    static const uint64_t LYCOSA_B = 0xD6E8FEB86659FD93u;
    static const uint64_t LYCOSA_C = 0xA0761D6478BD642Fu;
    /* Words are read with their little end first on every machine. */
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define lycosa_little(w) __builtin_bswap64(w)
    #else
    #define lycosa_little(w) (w)
    #endif
    /* How many bytes stand before the first that is less than 0x21; 8 if none is. */
    static inline int lycosa_before_low(uint64_t w) {
        uint64_t low = (w - 0x2121212121212121u) & ~w & 0x8080808080808080u;
        return low ? __builtin_ctzll(low) >> 3 : 8;
    }
    /* The same for the first digit: digits become 0 to 9, which are less than 10. */
    static inline int lycosa_before_digit(uint64_t w) {
        uint64_t x = w ^ 0x3030303030303030u;
        uint64_t low = (x - 0x0A0A0A0A0A0A0A0Au) & ~x & 0x8080808080808080u;
        return low ? __builtin_ctzll(low) >> 3 : 8;
    }
    """
    const uint64_t FIRST "LYCOSA_A"
    const uint64_t SECOND "LYCOSA_B"
    const uint64_t THIRD "LYCOSA_C"
    uint64_t little "lycosa_little"(uint64_t) noexcept nogil
    bint is_alphanumeric "Py_UNICODE_ISALNUM"(uint32_t) noexcept nogil
    void *memmem(const void *, size_t, const void *, size_t) noexcept nogil
    int before_low "lycosa_before_low"(uint64_t) noexcept nogil
    int before_digit "lycosa_before_digit"(uint64_t) noexcept nogil


cdef inline uint64_t rotate(uint64_t h, int bits) noexcept nogil:
    return (h << bits) | (h >> (64 - bits))


cdef inline uint64_t finish(uint64_t h) noexcept nogil:
    h = (h ^ (h >> 32)) * SECOND
    h = (h ^ (h >> 29)) * THIRD
    return h ^ (h >> 32)


cdef inline uint64_t hash_word(const char *p, Py_ssize_t size, const char *end) noexcept nogil:
    cdef uint64_t w, h = <uint64_t> size * FIRST
    while size >= 8:
        memcpy(&w, p, 8)
        h = rotate((h ^ little(w)) * SECOND, 29) * THIRD
        p += 8
        size -= 8
    if size:
        # A whole word is quicker to read than a part of it, where there is one.
        if end - p >= 8:
            memcpy(&w, p, 8)
            w = little(w) & ((<uint64_t> 1 << (8 * size)) - 1)
        else:
            w = 0
            memcpy(&w, p, size)
            w = little(w)
        h = rotate((h ^ w) * SECOND, 29) * THIRD
    return finish(h)


cdef inline uint64_t hash_shingle(uint64_t x, uint64_t y, uint64_t z) noexcept nogil:
    return finish(x * FIRST + rotate(y, 21) * SECOND + rotate(z, 42) * THIRD)


cdef inline bint is_space(char c) noexcept nogil:
    return <unsigned char> c <= 32 and (
        c == c" " or c == c"\n" or c == c"\t" or c == c"\r" or c == c"\f"
    )


cdef inline const char *end_of_word(const char *p, const char *end) noexcept nogil:
    """Find the white space behind a word, eight bytes at a time."""
    cdef uint64_t w
    cdef int before
    while end - p >= 8:
        memcpy(&w, p, 8)
        before = before_low(little(w))
        p += before
        if before < 8:
            if is_space(p[0]):
                return p
            p += 1  # another control character: part of the word
    while p < end and not is_space(p[0]):
        p += 1
    return p


cdef inline void count(uint64_t *planes, uint64_t carry) noexcept nogil:
    """Add one to every counter whose bit is set."""
    cdef uint64_t both
    while carry:
        both = planes[0] & carry
        planes[0] ^= carry
        carry = both
        planes += 1


cdef inline uint64_t add_two(uint64_t *plane, uint64_t a, uint64_t b) noexcept nogil:
    """Add two bits to every bit of a plane; returns what is carried."""
    cdef uint64_t carry = (a & b) | (plane[0] & (a ^ b))
    plane[0] ^= a ^ b
    return carry


cdef inline void count_four(uint64_t *planes, const uint64_t *h) noexcept nogil:
    cdef uint64_t one = add_two(planes, h[0], h[1])
    cdef uint64_t other = add_two(planes, h[2], h[3])
    count(planes + 2, add_two(planes + 1, one, other))


cdef bint is_letter_at(const char *p, const char *end) noexcept nogil:
    """Return whether the character that begins there is a letter or a digit."""
    cdef uint32_t code
    cdef int more
    if p >= end:
        return False
    code = <unsigned char> p[0]
    if code >= 0x80:
        more = 1 if code < 0xE0 else 2 if code < 0xF0 else 3
        code &= 0x3F >> more
        while more and p + 1 < end:
            p += 1
            code = code << 6 | (<unsigned char> p[0] & 0x3F)
            more -= 1
    return is_alphanumeric(code)


cdef bint is_letter_before(const char *p, const char *begin) noexcept nogil:
    cdef const char *end = p
    while p > begin and end - p < 4:
        p -= 1
        if <unsigned char> p[0] & 0xC0 != 0x80:  # where a character begins
            return is_letter_at(p, end)
    return False


cdef struct Name:
    const char *text
    size_t size
    const char *found   # where it stands next, alone; the end of the page's text if nowhere


cdef void find_alone(Name *name, const char *p, const char *begin, const char *end) noexcept nogil:
    """Find the name from `p` on where no letter and no digit is before it or after it."""
    while p < end:
        p = <const char *> memmem(p, end - p, name.text, name.size)
        if p == NULL:
            break
        if not is_letter_before(p, begin) and not is_letter_at(p + name.size, end):
            name.found = p
            return
        p += 1
    name.found = end


cdef struct Shingles:
    uint64_t planes[PLANES]
    uint64_t four[4]  # the last ones; they are counted four at a time
    uint64_t number


cdef inline void add(Shingles *shingles, const uint64_t *words) noexcept nogil:
    """Add the shingle of three words."""
    shingles.four[shingles.number % 4] = hash_shingle(words[0], words[1], words[2])
    shingles.number += 1
    if shingles.number % 4 == 0:
        count_four(shingles.planes, shingles.four)


cdef void count_all(Shingles *shingles, const Shingles *others) noexcept nogil:
    """Add to every counter of some shingles that of others, and those that are not counted yet."""
    cdef uint64_t carry = 0, one, other
    cdef int i = 0
    while others.number >> i or carry:
        one, other = shingles.planes[i], others.planes[i]
        shingles.planes[i] = one ^ other ^ carry
        carry = one & other | carry & (one ^ other)
        i += 1
    for i in range(<int> (shingles.number % 4)):
        count(shingles.planes, shingles.four[i])
    for i in range(<int> (others.number % 4)):
        count(shingles.planes, others.four[i])
    shingles.number += others.number


cdef uint64_t majority(const Shingles *some, const Shingles *others) noexcept nogil:
    """Return the bits that more than half of two lots of shingles have."""
    cdef Shingles both = some[0]
    cdef uint64_t more = 0, as_many = ~(<uint64_t> 0), half
    cdef int i = 0
    count_all(&both, others)
    half = both.number // 2
    while both.number >> i:
        i += 1
    while i:  # compare all counters with the half, from their highest bits on
        i -= 1
        if half >> i & 1:
            as_many &= both.planes[i]
        else:
            more |= as_many & both.planes[i]
            as_many &= ~both.planes[i]
    return more


cdef inline void push(uint64_t *words, Py_ssize_t seen, uint64_t word) noexcept nogil:
    """Put a word behind the last two, if there are two."""
    if seen >= 3:
        words[0], words[1] = words[1], words[2]
    words[seen if seen < 2 else 2] = word


cdef inline const char *next_word(const char *p, const char *end) noexcept nogil:
    while p < end and is_space(p[0]):
        p += 1
    return p


cdef uint64_t fingerprint_of(const char *p, Py_ssize_t size) noexcept nogil:
    cdef Shingles shingles, none
    cdef uint64_t words[3]
    cdef Py_ssize_t seen = 0
    cdef const char *end = p + size
    cdef const char *start
    memset(&shingles, 0, sizeof(shingles))
    memset(&none, 0, sizeof(none))
    memset(words, 0, sizeof(words))
    while True:
        start = next_word(p, end)
        if start == end:
            break
        p = end_of_word(start, end)
        push(words, seen, hash_word(start, p - start, end))
        seen += 1
        if seen >= 3:
            add(&shingles, words)
    if seen and not shingles.number:
        add(&shingles, words)
    return majority(&shingles, &none)


cdef void fingerprints_of(
    const char *p, Py_ssize_t size, Name *name, uint64_t *whole, uint64_t *without
) noexcept nogil:
    """Take both fingerprints in one go: nearly all shingles are the same."""
    cdef Shingles same, only_whole, only_without
    cdef uint64_t words[3]
    cdef uint64_t kept_words[3]
    cdef uint64_t word
    cdef Py_ssize_t seen = 0, kept = 0, since = 3  # how many words in a row are kept; 3 is many
    cdef const char *begin = p
    cdef const char *end = p + size
    cdef const char *start
    memset(&same, 0, sizeof(same))
    memset(&only_whole, 0, sizeof(only_whole))
    memset(&only_without, 0, sizeof(only_without))
    memset(words, 0, sizeof(words))
    memset(kept_words, 0, sizeof(kept_words))
    find_alone(name, p, begin, end)
    while True:
        start = next_word(p, end)
        if start == end:
            break
        p = end_of_word(start, end)
        word = hash_word(start, p - start, end)
        push(words, seen, word)
        seen += 1
        if p > name.found:
            # The next word may belong to the name, too, if that has a space.
            if p >= name.found + name.size:
                find_alone(name, p, begin, end)
            since = 0
        else:
            push(kept_words, kept, word)
            kept += 1
            since += 1
            if since >= 3:
                if seen >= 3:
                    add(&same, words)
                continue
            if kept >= 3:
                add(&only_without, kept_words)
        if seen >= 3:
            add(&only_whole, words)
    if seen and seen < 3:
        add(&only_whole, words)
    if kept and kept < 3:
        add(&only_without, kept_words)
    whole[0] = majority(&same, &only_whole)
    without[0] = majority(&same, &only_without)


def fingerprint(bytes text not None):
    """Return the fingerprint of a text in UTF-8."""
    return fingerprint_of(text, len(text))


def fingerprints(bytes text not None, bytes name not None):
    """Return the fingerprint of a text in UTF-8, and without the words in which a name stands alone."""
    cdef Name sought
    cdef uint64_t whole, without
    sought.text, sought.size = name, len(name)
    if not sought.size:
        whole = without = fingerprint_of(text, len(text))
    else:
        fingerprints_of(text, len(text), &sought, &whole, &without)
    return whole, without


def without_digits(bytes text not None):
    """Return a text without the digits 0 to 9, as `bytes.translate` would byte by byte."""
    cdef Py_ssize_t size = len(text), at = 0, to = 0
    cdef int plain
    cdef uint64_t w
    cdef const char *source = PyBytes_AS_STRING(text)
    cdef bytes kept = PyBytes_FromStringAndSize(NULL, size)
    cdef char *target = PyBytes_AS_STRING(kept)
    while at + 8 <= size:
        memcpy(&w, source + at, 8)
        memcpy(target + to, &w, 8)  # what is behind a digit is written over; `to` is never beyond `at`
        plain = before_digit(little(w))
        to += plain
        at += plain + (plain < 8)
    while at < size:
        target[to] = source[at]
        to += not c'0' <= source[at] <= c'9'
        at += 1
    return text if to == size else kept[:to]
