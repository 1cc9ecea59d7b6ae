"""Questions to every kept page, compiled: was its text shown before, and may it be in a trap?

Nearly all pages show what was not shown before, at a URL that no software has made without end.
These are let go here; the others are weighed (`traps`).

Always true (tests/unit/features/novelty/test_seen.py, against plain Python): a page is weighed
if and only if one of these holds: its host has purses, its text was shown before, its path may be
endless (`shapes.may_be_endless`), or it counts on (`shapes.may_count`) and but for its digits its
text was shown before.

Cost: two hashes of the text at most, and one look at the path.
"""

from cpython.unicode cimport Py_UNICODE_ISDECIMAL
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from lycosa._support.fields cimport field, is_a, offset_of

from xxhash import xxh3_64_intdigest

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.extract.facts import Facts
from lycosa.extract.text.fingerprint import without_digits
from lycosa.frontier.patterns.shapes import may_be_endless
from lycosa.model.records import Answer, Outcome

SLOTS = 1 << 16
SHORTEST_TEXT = 100
"""In bytes: pages with less are compared as they were sent, links and pictures included."""
MOST_AHEAD = 8
"""A page that counts leads to the next numbers: a day, a week, a month on. A page that leads to
more is a list."""
MOST_DIGITS = 3
"""A page of which more than a third is digits is a table of figures, and they are its text."""

cdef Py_ssize_t PARTITION = offset_of(PageAnswer, "partition"), PAGE = offset_of(PageAnswer, "page")
cdef Py_ssize_t KEY = offset_of(PageAnswer, "key"), SITE = offset_of(PageAnswer, "site")
cdef Py_ssize_t HOST = offset_of(PageAnswer, "host"), OUTCOME = offset_of(PageAnswer, "outcome")
cdef Py_ssize_t TEXT = offset_of(PageAnswer, "text"), FACTS = offset_of(PageAnswer, "facts")
cdef Py_ssize_t IS_FIRST = offset_of(PageAnswer, "is_first")
cdef Py_ssize_t KNOWN_URLS = offset_of(PageAnswer, "known_urls")
cdef Py_ssize_t TIMES_SHOWN = offset_of(PageAnswer, "times_shown")
cdef Py_ssize_t ANSWER = offset_of(PageAnswer, "answer"), BODY = offset_of(Answer, "body")
cdef Py_ssize_t IS_LIST = offset_of(Facts, "is_list")

cdef object KEPT = Outcome.KEPT
cdef uint64_t PRIME = 0x100000001B3

cdef enum:
    SIZE = 1 << 16      # SLOTS
    SHORTEST = 100      # SHORTEST_TEXT
    AHEAD = 8           # MOST_AHEAD
    DIGITS = 3          # MOST_DIGITS
    REPEATED = 3        # `shapes.REPEATED`
    DEEPEST = 16        # `shapes.MOST_SEGMENTS`
    TOKEN = 16          # a folder with a name as long may be a session
    TAIL = 40           # characters in which `shapes.may_count` looks for a number


cdef class TextMemory:
    """The texts of pages that were kept lately, by their hashes."""

    cdef uint64_t *_slots
    cdef unsigned char *_times
    """How often the content of a slot was shown again, up to 254."""
    cdef str _site
    cdef uint64_t _seed, _seed_of_lengths, _seed_without_digits
    """Of the groups of the site that was met last."""

    def __cinit__(self):
        # The kernel gives memory for the larger one where it is first written.
        self._slots = <uint64_t *> calloc(SIZE, sizeof(uint64_t))
        self._times = <unsigned char *> calloc(SIZE, 1)
        if self._slots == NULL or self._times == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self._slots)
        free(self._times)

    def learned(self, answered not None):
        """Remember a page that was kept, and tell how often its site has shown its text before."""
        if not is_a(answered, PageAnswer):
            raise TypeError(f"the answer of a page is expected, not {type(answered).__name__}")
        if field(answered, OUTCOME) is not KEPT:
            return
        cdef bytes content = <bytes?> field(answered, TEXT)
        if len(content) < SHORTEST:
            content = <bytes?> field(field(answered, ANSWER), BODY)
        self._meet(<str?> field(answered, PARTITION).state.site_names[field(answered, SITE)])
        cdef uint64_t number = xxh3_64_intdigest(content, self._seed)
        cdef uint64_t slot = number % SIZE
        if self._slots[slot] != number:
            self._slots[slot] = number
            self._times[slot] = 0
            return
        answered.times_shown = self._times[slot] + 1
        if self._times[slot] < 254:
            self._times[slot] += 1

    def knows(self, uint64_t number):
        """Return whether the number of a content is there."""
        return self._slots[number % SIZE] == number

    cpdef bint note_number(self, uint64_t number) except -1:
        """Remember the number of a content; returns whether it was there."""
        cdef uint64_t *slot = &self._slots[number % SIZE]
        cdef bint was_there = slot[0] == number
        slot[0] = number
        return was_there

    cdef int _meet(self, str site) except -1:
        """Make the seeds of a site's groups, unless it is that of the page before."""
        if self._site is not None and (self._site is site or self._site == site):
            return 0
        self._site = None
        self._seed = xxh3_64_intdigest(site.encode())
        self._seed_of_lengths = xxh3_64_intdigest(f"length: {site}".encode())
        self._seed_without_digits = xxh3_64_intdigest(f"without digits: {site}".encode())
        self._site = site
        return 0


cdef class TrapLook:
    """Lets pages go that need not be weighed; `traps.TrapWatch` weighs the others."""

    cdef readonly TextMemory _seen_texts

    def __init__(self, TextMemory seen_texts not None):
        self._seen_texts = seen_texts

    def permitted(self, state not None, page):
        """Return what a URL that is about to be asked for ends as instead, if its shape is shut."""
        hosts = state.traps.hosts
        if not hosts:
            return None
        site = state.pages.site[page]
        purses = hosts.get(state.sites.host[site])
        if purses is None or not purses.shut:
            return None
        return self._permitted(state, page, purses)

    def learned(self, answered not None):
        """Weigh a page that was kept for the first time; its links have been routed."""
        if not is_a(answered, PageAnswer):
            raise TypeError(f"the answer of a page is expected, not {type(answered).__name__}")
        if not field(answered, IS_FIRST):
            return
        facts = field(answered, FACTS)
        if not is_a(facts, Facts):
            raise TypeError(f"facts are expected, not {type(facts).__name__}")
        if field(facts, IS_LIST):
            self._weigh_list(answered)
            return
        state = field(answered, PARTITION).state
        cdef str site = <str?> state.site_names[field(answered, SITE)]
        cdef str key = <str?> field(answered, KEY)
        cdef Py_ssize_t start = len(site)
        cdef Py_ssize_t led_to = len(state.table) - <Py_ssize_t> field(answered, KNOWN_URLS)
        purses = state.traps.hosts.get(field(answered, HOST))
        cdef bint was_told = field(answered, TIMES_SHOWN)
        cdef bint was_shown = False
        cdef uint64_t template = 0
        if (
            not was_told
            and (0 < led_to <= AHEAD or state.pages.guess[field(answered, PAGE)])
            and counts(key, start)
        ):
            template = self._template(site, <bytes?> field(answered, TEXT), purses is not None)
            was_shown = template != 0 and self._seen_texts.note_number(template)
        if purses is None and not was_told and not was_shown and (
            not may_be_odd(key, start) or not may_be_endless(key[start:])
        ):
            return
        self._weigh(answered, template, was_shown)

    cdef uint64_t _template(self, str site, bytes text, bint is_suspect) except? 0:
        """Return the number of a text without its digits; 0 where they are what it says.

        Pages that count are equally long, but for a digit now and then. Most pages that do not
        are unlike any other in their length, and need no more than that to be let go.
        """
        cdef TextMemory texts = self._seen_texts
        texts._meet(site)
        length = xxh3_64_intdigest(b"%d" % len(text), texts._seed_of_lengths)
        if not texts.note_number(length) and not is_suspect:
            return 0
        cdef bytes bare = without_digits(text)
        if (len(text) - len(bare)) * DIGITS > len(text):
            return 0
        return xxh3_64_intdigest(bare, texts._seed_without_digits)


cpdef bint counts(str key, Py_ssize_t start) except -1:
    """Tell whether what begins there ends in a number (`shapes.may_count`)."""
    cdef Py_ssize_t size = len(key), at, behind
    for at in range(max(start, size - TAIL), size):
        if Py_UNICODE_ISDECIMAL(key[at]):
            behind = at + 1
            if is_end(key, behind, size):
                return True
            if behind < size and key[behind] == u".":
                behind += 1
                while behind < size and is_letter(key[behind]) and behind - at - 2 < 5:
                    behind += 1
                if behind > at + 2 and is_end(key, behind, size):
                    return True
    return False


cdef inline bint is_end(str key, Py_ssize_t at, Py_ssize_t size) noexcept:
    """Tell whether a path ends there, with a slash or without."""
    if at < size and key[at] == u"/" and (at + 1 == size or key[at + 1] in u"?&"):
        return True
    return at == size or key[at] in u"?&"


cdef inline bint is_letter(Py_UCS4 character) noexcept:
    return u"A" <= character <= u"Z" or u"a" <= character <= u"z"


cpdef bint may_be_odd(str key, Py_ssize_t start) except -1:
    """Tell whether a path has anything without which it is not endless (`shapes.may_be_endless`)."""
    cdef Py_ssize_t size = len(key), at, slashes = 0, digits = 0, repeated = 0, folder = start
    cdef uint64_t segments[DEEPEST + 1]
    cdef uint64_t segment = 0
    cdef Py_UCS4 character
    for at in range(start, size):
        character = key[at]
        if character == u"?" or character == u";" or character == u"(":
            return True
        if character == u"/":
            if at - folder > TOKEN:  # the slash before the name is counted along
                return True
            folder = at
            # Two segments with the same hash are taken for the same: the path is looked at then.
            repeated += _stands_in(segments, slashes, segment)
            segments[slashes] = segment
            segment = 0
            slashes += 1
            if slashes > DEEPEST:
                return True
        else:
            segment = (segment ^ <uint64_t> character) * PRIME + 1
        if Py_UNICODE_ISDECIMAL(character):
            digits += 1
            if digits == 4:
                return True
        else:
            digits = 0
    repeated += _stands_in(segments, slashes, segment)
    return slashes > REPEATED and repeated > 1


cdef bint _stands_in(const uint64_t *numbers, Py_ssize_t count, uint64_t wanted) noexcept:
    cdef Py_ssize_t at
    for at in range(count):
        if numbers[at] == wanted:
            return True
    return False
