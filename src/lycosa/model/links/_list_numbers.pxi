# The one number in which a link's URL differs from the page's own, if they differ in nothing else.

cdef bint differs_in_number(Key own, Key key, Py_ssize_t site, Number *found) noexcept:
    """Tell whether two URLs of a site differ in one number, or the link's has one more."""
    cdef Py_ssize_t start = site, behind = 0, most, own_end, end
    most = min(own.size, key.size)
    while start < most and own.text[start] == key.text[start]:
        start += 1
    while behind < most - start and own.text[own.size - behind - 1] == key.text[key.size - behind - 1]:
        behind += 1
    own_end, end = own.size - behind, key.size - behind
    # Numbers may have digits in common at both ends.
    while start > site and is_digit(key.text[start - 1]) and (
        start < end and is_digit(key.text[start]) or start < own_end and is_digit(own.text[start])
    ):
        start -= 1
    while end < key.size and is_digit(key.text[end]) and (
        start < end and is_digit(key.text[end - 1])
        or start < own_end and is_digit(own.text[own_end - 1])
    ):
        own_end, end = own_end + 1, end + 1
    found.own = number_in(own, start, own_end)
    if found.own >= 0:
        found.start, found.end = start, end
        found.value = number_in(key, start, end)
        return found.value >= 0
    return is_first_page(own, start, own_end) and is_added(key, site, start, end, found)


cdef int64_t number_in(Key key, Py_ssize_t start, Py_ssize_t end) noexcept:
    """Return the number that stands between two places, -1 if something else does."""
    cdef int64_t value = 0
    cdef Py_ssize_t i
    if not 0 < end - start <= MOST_DIGITS:
        return -1
    for i in range(start, end):
        if not is_digit(key.text[i]):
            return -1
        value = 10 * value + (key.text[i] - c"0")
    return value


cdef bint is_first_page(Key own, Py_ssize_t start, Py_ssize_t end) noexcept:
    """Tell whether what a page's own URL has in the place of a number names a first page."""
    if start == end or end - start == 1 and own.text[start] == c"/":
        return True
    return behind_index(own, start, end) == end


cdef Py_ssize_t behind_index(Key key, Py_ssize_t start, Py_ssize_t end) noexcept:
    """Return where `index` or `index.html` ends that stands at a place; the place if it does not."""
    cdef Py_ssize_t place = start + 5, stop
    if end < place or memcmp(key.text + start, b"index", 5):
        return start
    stop = behind_ending(key, place, end)
    return stop if stop > place + 2 else place


cdef Py_ssize_t behind_ending(Key key, Py_ssize_t start, Py_ssize_t end) noexcept:
    """Return where a file's ending ends (a point and at most five letters)."""
    cdef Py_ssize_t place = start
    if place < end and key.text[place] == c".":
        place += 1
        while place < end and place - start <= 5 and is_letter(key.text[place]):
            place += 1
    return place


cdef bint is_added(Key key, Py_ssize_t site, Py_ssize_t start, Py_ssize_t end, Number *found) noexcept:
    """Tell whether what a link's URL has and the page's own lacks is a number and what introduces it."""
    cdef Py_ssize_t stop = end, first, place = start
    cdef bint is_name
    if start >= end or is_letter(key.text[start]) and is_letter(key.text[start - 1]):
        return False  # it begins within a word
    if key.text[stop - 1] == c"/" or key.text[stop - 1] == c"&":
        stop -= 1
    else:
        while stop > start and is_letter(key.text[stop - 1]) and end - stop < 5:
            stop -= 1
        if end - stop >= 2 and stop > start and key.text[stop - 1] == c".":
            stop -= 1
        else:
            stop = end
    first = stop
    while first > start and is_digit(key.text[first - 1]):
        first -= 1
    found.start, found.end, found.own = first, stop, -1
    found.value = number_in(key, first, stop)
    if found.value < 0:
        return False
    if place < first and key.text[place] == c"/":
        place += 1
    place = behind_index(key, place, first)
    if place > start and place < first and key.text[place] == c"/":
        place += 1
    is_name = key.text[place - 1] == c"?" or key.text[place - 1] == c"&"
    if place < first and (key.text[place] == c"?" or key.text[place] == c"&"):
        place, is_name = place + 1, True
    if is_name:
        while place < first - 1 and key.text[place] not in (c"=", c"&", c"?", c"/"):
            place += 1
        return place == first - 1 and key.text[place] == c"="
    if is_in_query(key, first):
        return False  # the value of a parameter has grown by a number
    if place < first and is_between(key.text[place]):
        place += 1
    while place < first and is_letter(key.text[place]):
        place += 1
    if place < first and is_between(key.text[place]):
        place += 1
    return place == first
