"""URLs in one call: parse by the WHATWG standard, make canonical, turn into a key.

The parser is ada, as it is compiled into the `ada_url` package. That package reaches
it through cffi; here the addresses of the same C functions are taken once, at import,
and then called directly, so that neither a compiler for C++ nor a second copy of ada
is needed.

Always true:
  * `parse` gives the standard's `href` exactly, or None where the standard says failure;
  * `canonical_key(h, b)` is `key_of(canonicalize(h, b))`, and None where that is None
    (held by tests/unit/model/url/test_twin.py);
  * `url_of(key)` is that of `lycosa.model.url.key` for every key;
  * no text, however broken, raises: lone surrogates become U+FFFD, as in a browser.

Cost: one parse and one copy a URL; nothing is kept between calls.
Not here: what the canonical form is and why (lycosa.model.url.canonical), what a key is
(lycosa.model.url.key), the plain Python of both.
"""

cimport cython
from cpython.unicode cimport PyUnicode_AsUTF8AndSize as utf8
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdint cimport uint32_t, uintptr_t
from libc.string cimport memcmp, memcpy

include "_library.pxi"

cdef enum:
    URL_LIMIT = 2083
    HREF_LIMIT = 65536

LONGEST_URL = URL_LIMIT
LONGEST_HREF = HREF_LIMIT


cdef inline int hex_digit(char c) noexcept:
    return c'0' <= c <= c'9' or c'a' <= c <= c'f' or c'A' <= c <= c'F'


cdef inline char upper(char c) noexcept:
    return c - 32 if c'a' <= c <= c'f' else c


cdef bint is_address(const char *host, Py_ssize_t size) noexcept:
    """IPv6 in brackets, or IPv4: no domain ends in a label of digits alone."""
    cdef Py_ssize_t i = size
    if host[0] == c'[':
        return True
    while i > 0 and c'0' <= host[i - 1] <= c'9':
        i -= 1
    return i < size and (i == 0 or host[i - 1] == c'.')


cdef char *put_host(char *out, const char *host, Py_ssize_t size) noexcept:
    """Copy the host with its labels in reverse order; an address as it stands."""
    if is_address(host, size):
        memcpy(out, host, size)
        return out + size
    return turned(out, host, size)


cdef char *turned(char *out, const char *host, Py_ssize_t size) noexcept:
    """Copy labels in reverse order."""
    cdef Py_ssize_t end = size, i = size
    while i >= 0:
        if i == 0 or host[i - 1] == c'.':
            memcpy(out, host + i, end - i)
            out += end - i
            if i > 0:
                out[0] = c'.'
                out += 1
            end = i - 1
        i -= 1
    return out


cdef char *put_path(char *out, const char *path, Py_ssize_t size) noexcept:
    """Copy path and query with the letters of every `%xx` in upper case."""
    cdef Py_ssize_t i = 0
    while i < size:
        out[0] = path[i]
        if path[i] == c'%' and i + 2 < size and hex_digit(path[i + 1]) and hex_digit(path[i + 2]):
            out[1] = upper(path[i + 1])
            out[2] = upper(path[i + 2])
            out += 3
            i += 3
        else:
            out += 1
            i += 1
    return out


cdef str key_of_parsed(void *url):
    """The key of a parsed URL, or None if it has no canonical form."""
    cdef char buffer[URL_LIMIT + 8]
    cdef char *out = buffer
    cdef lycosa_text href
    cdef const lycosa_offsets *at
    cdef Py_ssize_t end
    if not ada_is_valid(url):
        return None
    href = ada_get_href(url)
    at = ada_get_components(url)
    if href.data[0] != c'h' or not (
        at.protocol_end == 5 or (at.protocol_end == 6 and href.data[4] == c's')
    ) or href.data[1] != c't' or href.data[2] != c't' or href.data[3] != c'p':
        return None
    if at.host_start != at.protocol_end + 2 or href.data[at.host_start] == c'@':
        return None
    end = href.length if at.hash_start == OMITTED else at.hash_start
    if at.search_start != OMITTED and at.search_start + 1 == end:
        end = at.search_start
    if end > URL_LIMIT:
        return None
    out = put_host(out, href.data + at.host_start, at.host_end - at.host_start)
    out[0] = c':'
    out += 1
    if at.protocol_end == 6:
        out[0] = c's'
        out += 1
    if at.port != OMITTED:
        memcpy(out, href.data + at.host_end + 1, at.pathname_start - at.host_end - 1)
        out += at.pathname_start - at.host_end - 1
    out = put_path(out, href.data + at.pathname_start, end - at.pathname_start)
    return PyUnicode_DecodeASCII(buffer, out - buffer, NULL)


def parse(str url not None, str base=None):
    """Return the standard's `href` of the URL, or None if it cannot be parsed."""
    cdef lycosa_text href
    cdef void *result = parsed(url, base)
    try:
        if not ada_is_valid(result):
            return None
        href = ada_get_href(result)
        return PyUnicode_DecodeASCII(href.data, href.length, NULL)
    finally:
        ada_free(result)


def canonical_key(str href not None, str base=None):
    """Return the key of a reference's canonical URL, or None if it has none."""
    if len(href) > HREF_LIMIT:
        return None
    cdef void *result = parsed(href, base)
    try:
        return key_of_parsed(result)
    finally:
        ada_free(result)


def canonical_keys(hrefs, str base not None):
    """Return `canonical_key` of every reference on a page whose base is given."""
    cdef str href
    cdef list keys = []
    cdef Page page = Page(base)
    for href in hrefs:
        keys.append(page.key(href))
    return keys


def url_of(str key not None):
    """Return the canonical URL of a key; the plain twin is in `lycosa.model.url.key`."""
    return url_of_key(key)


cdef str url_of_key(str key):
    cdef char buffer[URL_LIMIT + 16]
    cdef Py_ssize_t size, host = 0, colon, slash = 0
    cdef const char *data = utf8(key, &size)
    cdef char *out = buffer
    cdef bint is_secure
    while slash < size and data[slash] != c'/':
        slash += 1
    colon = slash
    while colon > 0 and data[colon - 1] != c':':
        colon -= 1
    if slash == size or colon == 0 or size > URL_LIMIT:
        raise ValueError(f"not a key: {key!r}")
    is_secure = colon < slash and data[colon] == c's'
    memcpy(out, b"https://", 8)
    if is_secure:
        out += 8
    else:
        memcpy(out, b"http://", 7)
        out += 7
    host = colon - 1
    out = put_host_again(out, data, host)
    colon += is_secure
    if colon < slash:
        out[0] = c':'
        memcpy(out + 1, data + colon, slash - colon)
        out += 1 + slash - colon
    memcpy(out, data + slash, size - slash)
    return PyUnicode_DecodeASCII(buffer, out + size - slash - buffer, NULL)


cdef char *put_host_again(char *out, const char *host, Py_ssize_t size) noexcept:
    """Turn a reversed host back; an address, which begins with a number, stays as it stands."""
    cdef Py_ssize_t i = 0
    if size and host[0] != c'[':
        while i < size and c'0' <= host[i] <= c'9':
            i += 1
        if i == 0 or (i < size and host[i] != c'.'):
            return turned(out, host, size)
    memcpy(out, host, size)
    return out + size


@cython.final
@cython.auto_pickle(False)
cdef class Page:
    """A base URL, parsed once for all references that are resolved against it.

    ada parses the base again at every call. Most references do not need that: what has a
    scheme and `//` of its own ignores the base, and the others can be appended to the
    part of the base that they keep and parsed as one absolute URL. `kept` says how long
    that part is: 0 for no part at all, -1 where only the standard's own resolution will
    do, because of white space, tabs, back slashes or a colon that may end a scheme.

    And most of those that are appended are *plain*: letters, digits, `-`, `_`, `~`, dots and
    slashes. Nothing in them is ever escaped, so that only `.` and `..` are left to be done, and the
    key is put together without a parse. A fragment, whatever is in it, changes no key: a reference
    that is plain up to it is plain, and one that is nothing else has the key of the base.
    """

    def __cinit__(self, str base):
        cdef lycosa_text href
        cdef const lycosa_offsets *at
        cdef void *result = parsed(base, None)
        self.base = base
        self.origin = self.folder = self.path = self.query = -1
        try:
            self.valid = ada_is_valid(result)
            if not self.valid:
                return
            href = ada_get_href(result)
            self.href = href.data[:href.length]
            self.data = self.href
            if not self.href.startswith((b"http://", b"https://")):
                return
            at = ada_get_components(result)
            self.query = href.length if at.hash_start == OMITTED else at.hash_start
            self.path = self.query if at.search_start == OMITTED else at.search_start
            self.origin = at.pathname_start
            self.folder = self.href.rindex(b"/", self.origin, self.path) + 1
            self.learn_key(key_of_parsed(result))
        finally:
            ada_free(result)

    cdef void learn_key(self, str key) except *:
        """Take the parts of the base's key that the keys of plain references begin with."""
        cdef Py_ssize_t slash
        self.whole_key = key
        if key is not None:
            slash = key.index("/")
            self.site = key[:slash].encode("ascii")
            self.folder_key = key[slash : slash + self.folder - self.origin].encode("ascii")

    cdef Py_ssize_t kept(self, const char *href, Py_ssize_t size) noexcept:
        cdef Py_ssize_t i = 0
        if size == 0 or <unsigned char> href[0] <= c' ':
            return -1
        if href[0] == c'/':
            return -1 if size > 1 and href[1] in b"/\\\t\n\r" else self.origin
        if href[0] == c'?':
            return self.path
        if href[0] == c'#':
            return self.query
        if href[0] == c'\\':
            return -1
        while i < size and href[i] not in b"/?#":
            if href[i] == c':':
                return 0 if is_absolute(href, size) else -1
            i += 1
        return self.folder

    cdef str key(self, str href):
        cdef char buffer[2 * URL_LIMIT]
        cdef Py_ssize_t size, kept, plain
        cdef const char *data
        cdef void *result
        if not self.valid or len(href) > HREF_LIMIT:
            return None
        href = well_formed(href)
        data = utf8(href, &size)
        kept = self.kept(data, size)
        if self.site is not None:
            plain = plain_size(data, size)
            if 0 < plain <= URL_LIMIT and (kept == self.folder or kept == self.origin):
                return self.plain_key(data, plain, kept == self.origin)
            if plain == 0 and size and data[0] == c'#':
                return self.whole_key
        if kept == 0:
            result = ada_parse(data, size)
        elif kept > 0 and kept + size <= <Py_ssize_t> sizeof(buffer):
            memcpy(buffer, self.data, kept)
            memcpy(buffer + kept, data, size)
            result = ada_parse(buffer, kept + size)
        else:
            result = ada_parse_with_base(data, size, self.data, len(self.href))
        try:
            return key_of_parsed(result)
        finally:
            ada_free(result)


    cdef str plain_key(self, const char *href, Py_ssize_t size, bint is_rooted):
        """Append a plain reference to the base's folder, or to its root.

        None of the three parts is longer than a URL may be, so that they fit the buffer.
        """
        cdef char buffer[3 * URL_LIMIT + 16]
        cdef Py_ssize_t site = len(self.site), folder = 1 if is_rooted else len(self.folder_key)
        cdef char *root = buffer + site
        cdef char *out
        cdef const char *end = href + size
        cdef const char *start
        memcpy(buffer, <const char *> self.site, site)
        memcpy(root, <const char *> self.folder_key, folder)
        out = root + folder  # behind a slash, always
        href += is_rooted
        while True:
            start = href
            while href < end and href[0] != c'/':
                href += 1
            if href - start == 2 and start[0] == c'.' and start[1] == c'.':
                out -= out - root > 1
                while (out - 1)[0] != c'/':
                    out -= 1
            elif href - start != 1 or start[0] != c'.':
                memcpy(out, start, href - start)
                out += href - start
                if href < end:
                    out[0] = c'/'
                    out += 1
            if href == end:
                break
            href += 1
        if self.origin + (out - root) > URL_LIMIT:
            return None
        return PyUnicode_DecodeASCII(buffer, out - buffer, NULL)


cdef bint PLAIN[256]


cdef void learn_plain() noexcept:
    cdef int c
    for c in range(256):
        PLAIN[c] = (
            c'a' <= c <= c'z' or c'A' <= c <= c'Z' or c'-' <= c <= c'9' or c == c'_' or c == c'~'
        )


learn_plain()


cdef inline Py_ssize_t plain_size(const char *href, Py_ssize_t size) noexcept:
    """Return how long a reference is up to its fragment if nobody ever escapes what is in it, or -1."""
    cdef Py_ssize_t i
    for i in range(size):
        if not PLAIN[<unsigned char> href[i]]:
            return i if href[i] == c'#' else -1
    return size


cdef bint is_absolute(const char *href, Py_ssize_t size) noexcept:
    """An http or https URL that no base has any part in."""
    return (size > 7 and memcmp(href, b"http://", 7) == 0) or (
        size > 8 and memcmp(href, b"https://", 8) == 0
    )
