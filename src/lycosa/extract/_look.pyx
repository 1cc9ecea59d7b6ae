"""A quick look at the first bytes of a page, compiled; `lycosa.extract.beginnings` tells the story.

`place_of` finds elements by name for readers that need few of a page (`structured.tags`).

Always true (tests/unit/extract/test_beginnings.py): every function gives what its twin in
`tests.plain_look` gives.

Cost: every byte is looked at a bounded number of times.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeLatin1
from libc.string cimport memchr, memcmp

ctypedef const unsigned char byte

cdef enum:
    PRESCAN_BYTES = 1024
    LONGEST_PREFIX = 31


cdef inline unsigned char lower(unsigned char code) noexcept:
    return code | 0x20 if c"A" <= code <= c"Z" else code


cdef inline bint is_space(unsigned char code) noexcept:
    return code == c" " or c"\t" <= code <= c"\r" and code != 0x0B


cdef inline bint is_letter(unsigned char code) noexcept:
    return c"a" <= code | 0x20 <= c"z"


cdef inline bint is_word(unsigned char code) noexcept:
    return is_letter(code) or c"0" <= code <= c"9" or code == c"_"


cdef inline bint is_there(byte *p, byte *end, const char *word, Py_ssize_t size) noexcept:
    """Tell whether a word stands there, in capital letters or small ones."""
    cdef Py_ssize_t i
    if end - p < size:
        return False
    for i in range(size):
        if lower(p[i]) != <unsigned char> word[i]:
            return False
    return True


cdef inline byte *skip(byte *p, byte *end, const char *word, Py_ssize_t size) noexcept:
    """Return what follows a word, or NULL if it does not stand there."""
    return p + size if p != NULL and is_there(p, end, word, size) else NULL


cdef inline byte *skip_one(byte *p, byte *end, unsigned char code) noexcept:
    """Return what follows a character that may be left out."""
    return p + 1 if p != NULL and p < end and p[0] == code else p


cdef inline byte *skip_spaces(byte *p, byte *end) noexcept:
    while p != NULL and p < end and is_space(p[0]):
        p += 1
    return p


cdef byte *skip_some_spaces(byte *p, byte *end) noexcept:
    """Return what follows spaces, or NULL if there is none."""
    return skip_spaces(p, end) if p != NULL and p < end and is_space(p[0]) else NULL


cdef byte *skip_label(byte *p, byte *end) noexcept:
    """Return what follows a label, or NULL if there is none."""
    cdef byte *start = p
    while p != NULL and p < end and (is_word(p[0]) or p[0] == c":" or p[0] == c"." or p[0] == c"-"):
        p += 1
    return p if p != start else NULL


cdef str label_of(byte *p, byte *end):
    return PyUnicode_DecodeLatin1(<const char *> p, end - p, NULL).lower()


def label(bytes body not None):
    """Return the label of a declaration that nothing before it could make another thing.

    It is in lower case; "" if there may be another declaration, None if there is none.
    """
    cdef byte *head = <byte *> PyBytes_AS_STRING(body)
    cdef byte *end = head + min(PyBytes_GET_SIZE(body), <Py_ssize_t> PRESCAN_BYTES)
    cdef byte *p = head
    while p < end:
        if p[0] | 0x20 == c"c" and is_there(p, end, b"charset", 7):
            return declared(head, p, end)
        p += 1
    return None


cdef byte *behind(byte *p, byte *end, const char *mark, Py_ssize_t size) noexcept:
    """Return what follows the next mark, or NULL if there is none."""
    while p != NULL and end - p >= size:
        p = <byte *> memchr(p, mark[0], end - p - size + 1)
        if p != NULL:
            if memcmp(p, mark, size) == 0:
                return p + size
            p += 1
    return NULL


cdef byte *behind_tag(byte *p, byte *end) noexcept:
    """Return what follows a tag, or NULL if it has no end, or quotes that may begin no value."""
    while p < end and p[0] != c">":
        if p[0] != c'"' and p[0] != c"'":
            p += 1
            continue
        if (p - 1)[0] != c"=":
            return NULL
        p = behind(p + 1, end, b'"' if p[0] == c'"' else b"'", 1)
        if p == NULL:
            return NULL
    return p + 1 if p < end else NULL


cdef bint is_between_tags(byte *p, byte *end) noexcept:
    """Tell whether no tag, comment or declaration that begins before a place lasts to it."""
    while True:
        p = <byte *> memchr(p, c"<", end - p)
        if p == NULL or p + 1 == end:
            return True
        if is_letter(p[1]) or p[1] == c"/" and p + 2 < end and is_letter(p[2]):
            p = behind_tag(p + 2, end)
        elif is_there(p, end, b"<!--", 4):
            p = behind(p + 2, end, b"-->", 3)  # `<!-->` is a whole one
        elif p[1] == c"!" or p[1] == c"?" or p[1] == c"/":
            p = behind(p, end, b">", 1)
        else:
            p += 1
        if p == NULL:
            return False


cdef str declared(byte *head, byte *first, byte *end):
    """Return the label of the declaration in whose element `first` stands, or ""."""
    cdef byte *start = first - 5
    cdef byte *p
    cdef byte *name
    cdef byte *last
    while start >= head and not (start[0] == c"<" and is_there(start, first, b"<meta", 5)):
        start -= 1
    if start < head or not is_between_tags(head, start):
        return ""
    p = skip_some_spaces(start + 5, end)
    name = skip(p, end, b"charset=", 8)
    if name != NULL:
        last = skip(name, end, b'"', 1)
        if last != NULL:
            name = last
            last = skip_label(name, end)
            p = skip(last, end, b'"', 1)
        else:
            p = last = skip_label(name, end)
        return label_of(name, last) if is_last(p, end) else ""
    p = skip(p, end, b"http-equiv=", 11)
    name = skip(p, end, b'"content-type"', 14)
    p = skip_some_spaces(name if name != NULL else skip(p, end, b"content-type", 12), end)
    p = skip(p, end, b'content="', 9)
    while p != NULL and p < end and p[0] != c'"' and p[0] != c";" and p[0] != c">":
        p += 1
    p = skip(p, end, b";", 1)
    while p != NULL and p < end and p[0] == c" ":
        p += 1
    name = skip(p, end, b"charset=", 8)
    last = skip_label(name, end)
    return label_of(name, last) if is_last(skip(last, end, b'"', 1), end) else ""


cdef bint is_last(byte *p, byte *end) noexcept:
    """Tell whether an element ends behind this attribute; a slash right behind belongs to a value."""
    cdef byte *spaces = skip_spaces(p, end)
    if spaces != NULL and (spaces != p or (p - 1)[0] == c'"'):
        spaces = skip_one(spaces, end, c"/")
    return skip(spaces, end, b">", 1) != NULL


def place_of(bytes body not None, Py_ssize_t start, tuple beginnings not None):
    """Return where the next `<` with one of these beginnings behind it stands, -1 if none does.

    Beginnings are in small letters; those of the page may be capital.
    """
    cdef byte *head = <byte *> PyBytes_AS_STRING(body)
    cdef byte *end = head + PyBytes_GET_SIZE(body)
    cdef byte *p = head + max(start, 0)
    while p < end:
        p = <byte *> memchr(p, c"<", end - p)
        if p == NULL:
            return -1
        for one in beginnings:
            if is_there(p + 1, end, PyBytes_AS_STRING(<bytes?> one), PyBytes_GET_SIZE(one)):
                return p - head
        p += 1
    return -1


cdef inline bint is_list_name(byte *p, byte *end) noexcept:
    """Tell whether here stands the name of an element that holds a list, and ends."""
    if end - p > 6 and p[0] == c"u" and memcmp(p, b"urlset", 6) == 0:
        p += 6
    elif end - p > 12 and p[0] == c"s" and memcmp(p, b"sitemapindex", 12) == 0:
        p += 12
    else:
        return False
    return is_space(p[0]) or p[0] == 0x0B or p[0] == c">"


cdef bint is_anywhere(byte *p, byte *end, char code, const char *word, Py_ssize_t at, Py_ssize_t size) noexcept:
    """Tell whether a word occurs, by a character that it has at a place and that is seldom."""
    cdef byte *found = p
    while found != NULL and found < end:
        found = <byte *> memchr(found, code, end - found)
        if found == NULL:
            return False
        if found - p >= at and end - found >= size - at and memcmp(found - at, word, size) == 0:
            return True
        found += 1
    return False


def is_sitemap(bytes first not None):
    """Tell whether one of these bytes begins a sitemap or an index of sitemaps."""
    cdef byte *p = <byte *> PyBytes_AS_STRING(first)
    cdef byte *end = p + PyBytes_GET_SIZE(first)
    cdef byte *name
    cdef byte *longest
    # Next to no page has one of the names, and looking at each of its elements is dearer.
    if not is_anywhere(p, end, c"u", b"urlset", 0, 6) and not is_anywhere(
        p, end, c"x", b"sitemapindex", 11, 12
    ):
        return False
    while p < end:
        p = <byte *> memchr(p, c"<", end - p)
        if p == NULL:
            return False
        p += 1
        if is_list_name(p, end):
            return True
        if p == end or not is_letter(p[0]):
            continue
        longest = p + LONGEST_PREFIX if end - p > LONGEST_PREFIX else end
        name = p + 1
        while name < longest and (is_word(name[0]) or name[0] == c"." or name[0] == c"-"):
            name += 1
        if name < end and name[0] == c":" and is_list_name(name + 1, end):
            return True
    return False
