"""Links to other pages of the list that a page is part of: its second page, its next, its tenth.

A shop of ten listing pages, a forum, a blog: each page links to the ones around it. Such a link gets
a kind of its own (`LinkKind.PAGINATION`), which costs no depth. Only the page's own URL and its links
decide. A link of an `a`, `area` or `link` element or of a `Link` header is one if it leads to the page's
own site, and

  * its relation is `next`, `prev` or `previous`; or
  * its URL differs from the page's own in one number (which the page's own may lack), and that
    number is one of pages. It is if it
      - stands behind a word for a page (`?page=2`, `/page/2/`, `/liste-seite-2.html`), and is the
        link's text, or is next to the page's own number;
      - stands behind a word for a place in a list (`?offset=40`), and fits a step of equal length;
      - stands anywhere else in the path, or in a query as a multiple, while the links' texts are numbers
        that grow with it, one of them next to the page's own.

Left out on purpose: numbers beside a year (a calendar has a link for each day), years themselves, days and
months by name, and links that say "next" in words alone, because calendars say so, too. Numbers of
other lists that a page shows are left out because the page is not part of them.

Always true (tests/unit/model/links/test_pagination.py, against the plain twin): kinds depend on the
page's own key and its links, in no other order than by target; a URL has one answer for a page.

Cost: two comparisons a link. A URL is looked at once, which is noted on its `Target`; only a page
with a link that may be one pays more, in proportion to the length of its URLs.
"""

cimport cython
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memchr, memcmp

from lycosa.model.links._columns cimport Target

from lycosa.model.records import PAGINATED_KINDS, LinkKind

cdef int64_t ANCHOR = LinkKind.ANCHOR, ALTERNATE = LinkKind.ALTERNATE
cdef int64_t PAGINATION = LinkKind.PAGINATION

if PAGINATED_KINDS != {ANCHOR, ALTERNATE}:
    raise TypeError("the kinds of links that may be pagination are others")

cdef enum:
    UNKNOWN = 0
    WITHOUT = 1
    WITH = 2

cdef enum Word:
    OTHER = 0
    OF_A_PAGE = 1
    OF_A_PLACE = 2
    OF_A_TIME = 3

cdef enum:
    LONGEST_WORD = 16
    LONGEST_NAME = 40       # of a parameter, with escapes
    MOST_DIGITS = 7
    MOST_TOLD_DIGITS = 5
    FIRST_YEAR = 1900
    LAST_YEAR = 2099

cdef struct Key:
    const char *text
    Py_ssize_t size


cdef struct Number:
    # Where it stands in the link's key, and in the page's own the number in its place, -1 for none.
    Py_ssize_t start, end
    int64_t value, own


cdef uint64_t turn = 0
"""Counts the pages with candidates, so that a target knows whether it was found on this one."""


cdef list kinds_with_pagination(list targets, object raw, object table, object page):
    """Return the kinds of a page's links with those of pagination; None if it has none of these.

    The page is asked for its key only where a link may be one.
    """
    cdef list texts = as_list(raw.texts), rels = as_list(raw.rels)
    cdef Py_ssize_t i
    for i in range(len(targets)):
        if (
            may_be_one(<Target> targets[i])
            or begins_as_number(<str> texts[i])
            or leads_on(<str> rels[i])
        ):
            return decided(targets, as_list(raw.kinds), texts, rels, <str?> table.key(page))
    return None


def kinds_with_pagination_of(targets, raw not None, table not None, page):
    """Return what `kinds_with_pagination` says: for tests."""
    cdef Py_ssize_t size = len(targets)
    for target in targets:
        if type(target) is not Target:
            raise TypeError(f"a target is expected, not {type(target).__name__}")
    if size != len(raw.texts) or size != len(raw.rels) or size != len(raw.kinds):
        raise ValueError("the columns of links differ in length")
    return kinds_with_pagination(list(targets), raw, table, page)


cdef inline list as_list(values):
    return values if type(values) is list else list(values)


cdef list decided(list targets, list kinds, list texts, list rels, str own_key):
    global turn
    cdef Key own = key_of(own_key), key
    cdef Py_ssize_t i, site = site_size(own)
    cdef int64_t kind
    cdef Target target
    cdef Number number
    cdef bint has_any = False
    cdef dict rows = {}
    turn += 1
    for i in range(len(targets)):
        kind, target = kinds[i], <Target> targets[i]
        if kind != ANCHOR and kind != ALTERNATE or target.listed == turn:
            continue
        key = key_of(target.key)
        if key.size < site or memcmp(own.text, key.text, site) or target.key == own_key:
            continue
        if leads_on(<str> rels[i]):
            target.listed, has_any = turn, True
        elif may_be_one(target) or begins_as_number(<str> texts[i]):
            if differs_in_number(own, key, site, &number):
                if is_of_list(key, site, &number, told(<str> texts[i])):
                    target.listed, has_any = turn, True
                else:
                    enter(rows, target, key, site, &number, told(<str> texts[i]))
    if rows and mark_rows(rows):
        has_any = True
    if not has_any:
        return None
    found = list(kinds)
    for i in range(len(targets)):
        kind = kinds[i]
        if (kind == ANCHOR or kind == ALTERNATE) and (<Target> targets[i]).listed == turn:
            found[i] = PAGINATION
    return found


# -- what a link says -------------------------------------------------------------------------------


cdef inline bint may_be_one(Target target) except -1:
    """Tell whether a URL has a number behind a word for pages or places; each is looked at once."""
    if target.numbers == UNKNOWN:
        target.numbers = WITH if has_list_number(key_of(target.key)) else WITHOUT
    return target.numbers == WITH


cdef inline bint begins_as_number(str text) except -1:
    """Tell whether a text may be a number: as nearly none is."""
    cdef Py_UCS4 first
    if not len(text):
        return False
    first = text[0]
    return u"0" <= first <= u"9" or first == u"[" or first == u"("


cdef int64_t told(str text) except -2:
    """Return the number that a text is, perhaps in brackets; -1 if it is something else."""
    cdef int64_t value = 0
    cdef int digits = 0
    cdef Py_UCS4 character
    for character in text:
        if u"0" <= character <= u"9":
            if digits < 0 or digits == MOST_TOLD_DIGITS:
                return -1
            value, digits = 10 * value + (<int64_t> character - 48), digits + 1
        elif character in u"[( ":
            if digits > 0:
                digits = -digits
        elif character in u")].":
            digits = -digits if digits > 0 else digits
        else:
            return -1
    return value if digits else -1


cdef inline bint leads_on(str rel) except -1:
    """Tell whether a relation, in lower case, says next or previous: most links have none."""
    return len(rel) >= 4 and has_relation_on(rel)


cdef bint has_relation_on(str rel) except -1:
    cdef const char *word
    cdef const char *end
    cdef const char *stop
    cdef Py_ssize_t size
    if not rel.isascii():
        return False
    word = PyUnicode_AsUTF8AndSize(rel, &size)
    end = word + size
    while True:
        stop = <const char *> memchr(word, c" ", end - word)
        size = (end if stop == NULL else stop) - word
        if size >= 4 and (
            size == 4 and (memcmp(word, b"next", 4) == 0 or memcmp(word, b"prev", 4) == 0)
            or size == 8 and memcmp(word, b"previous", 8) == 0
        ):
            return True
        if stop == NULL:
            return False
        word = stop + 1


# -- keys -------------------------------------------------------------------------------------------


cdef inline Key key_of(str key) except *:
    cdef Key found
    found.text = PyUnicode_AsUTF8AndSize(key, &found.size)
    return found


cdef inline Py_ssize_t site_size(Key key) noexcept:
    """Return the size of a key up to the first slash, which ends its site; 0 without one."""
    cdef const char *slash = <const char *> memchr(key.text, c"/", key.size)
    return 0 if slash == NULL else slash - key.text + 1


cdef inline bint is_digit(char c) noexcept:
    return c"0" <= c <= c"9"


cdef inline bint is_letter(char c) noexcept:
    return c"a" <= (c | 32) <= c"z"


cdef inline bint is_between(char c) noexcept:
    """Tell whether a character stands between a word and its number in a path."""
    return c == c"/" or c == c"-" or c == c"_" or c == c"." or c == c"="


cdef bint has_list_number(Key key) noexcept:
    cdef Py_ssize_t i, site = site_size(key)
    for i in range(site + (site > 0), key.size):
        if is_digit(key.text[i]) and not is_digit(key.text[i - 1]):
            if word_before(key, site, i) in (OF_A_PAGE, OF_A_PLACE):
                return True
    return False


include "_list_words.pxi"


include "_list_numbers.pxi"


# -- whether the number is one of pages -------------------------------------------------------------


cdef bint is_of_list(Key key, Py_ssize_t site, Number *number, int64_t said) noexcept:
    """Tell whether a number behind a word for a page or a place leads to another page of the list."""
    cdef Word word = word_before(key, site, number.start)
    cdef int64_t own = number.own, value = number.value, step, least
    if word == OF_A_PAGE:
        if said >= 0 and (value == said or value == said - 1):
            return True
        return value <= 2 if own < 0 else -1 <= value - own <= 1
    if word != OF_A_PLACE:
        return False
    for least in range(2):
        if said > 1 and value > least and (value - least) % (said - 1) == 0:
            step = (value - least) // (said - 1)
            if own < 0 or own >= least and (own - least) % step == 0:
                return True
    if own < 0:
        return True
    step = value - own if value > own else own - value
    return own % step < 2


cdef int enter(
    dict rows, Target target, Key key, Py_ssize_t site, Number *number, int64_t said
) except -1:
    """Enter a link whose text is a number among those that differ from the page in the same place."""
    cdef int64_t value = number.value, least = 0, step = 1, own_page = 1
    cdef bint is_query = is_in_query(key, number.start)
    cdef Word word = word_before(key, site, number.start)
    if said < 1 or word == OF_A_TIME or is_beside_year(key, site, number):
        return 0
    if value == said:
        least = 1
    elif value != said - 1:
        if said < 2 or value < 2:
            return 0
        least = value % (said - 1) != 0
        step = (value - least) // (said - 1)
        if (value - least) % (said - 1):
            return 0
    if step == 1 and (is_query or FIRST_YEAR <= value <= LAST_YEAR):
        return 0
    if number.own >= 0:
        if number.own < least or (number.own - least) % step:
            return 0
        own_page = (number.own - least) // step + 1
    row = (number.start, key.size - number.end, least, step, number.own)
    rows.setdefault(row, []).append((said - own_page, target))
    return 0


cdef bint mark_rows(dict rows) except -1:
    """Mark the links of rows of numbers that go on from the page's own; tells whether there are any."""
    cdef bint has_any = False, is_near
    for (_, _, _, step, own), found in rows.items():
        distances = {distance for distance, _ in found}
        is_near = 1 in distances or -1 in distances
        # A single multiple may be any number.
        if is_near and (step == 1 or own >= 0 or len(distances) > 1):
            for _, target in found:
                (<Target> target).listed = turn
            has_any = True
    return has_any


cdef bint is_beside_year(Key key, Py_ssize_t site, Number *number) noexcept:
    """Tell whether a year stands beside a number, with nothing but other numbers between them."""
    cdef Py_ssize_t start = number.start, end = number.end, i
    while start > site and is_of_date(key.text[start - 1]):
        start -= 1
    while end < key.size and is_of_date(key.text[end]):
        end += 1
    i = start
    while i < end:
        start = i
        while i < end and is_digit(key.text[i]):
            i += 1
        if i - start == 4 and start != number.start and FIRST_YEAR <= number_in(key, start, i) <= LAST_YEAR:
            return True
        i += i == start
    return False


cdef inline bint is_of_date(char c) noexcept:
    return is_digit(c) or c == c"/" or c == c"-" or c == c"_" or c == c"."
