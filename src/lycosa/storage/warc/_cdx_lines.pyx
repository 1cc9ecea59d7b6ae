"""Lines of the CDXJ index, compiled for URLs in which nothing need be normalised; `cdx` tells the
story.

Always true (tests/unit/storage/warc/test_cdx_lines.py): a line is that of the plain functions.
"""

cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cdef enum:
    MOST_SITES = 10_000  # that are remembered


cdef bint is_simple(str path) except -1:
    """Tell whether a path has no query, and nothing that can be a session, an escape or a step up."""
    cdef Py_UCS4 character, before = 0
    for character in path:
        if not (
            u"a" <= character <= u"z"
            or u"A" <= character <= u"Z"
            or u"-" <= character <= u"9"  # `-`, `.`, `/` and digits
            or character == u"_"
            or character == u"~"
            or character == u"+"
        ):
            return False
        if before == u"/" and (character == u"/" or character == u"."):
            return False
        before = character
    return True


@cython.final
cdef class Lines:
    """Writes lines; what few URLs need is handed in."""

    cdef object _site, _rest, _second, _mime, _posted
    cdef dict _sites
    cdef int64_t _last_second
    cdef str _last_stamp

    def __init__(
        self, site not None, rest not None, second not None, mime not None, posted not None
    ):
        """The beginning of a key for a site, the rest for other paths, a second, a type of content,
        and of what was posted its URL, the one to search for, and more of the line."""
        self._site, self._rest, self._second, self._mime = site, rest, second, mime
        self._posted = posted
        self._sites, self._last_stamp = {}, None

    cpdef str surt(self, str url):
        """Return the form of a canonical URL by which replay tools search."""
        cdef Py_ssize_t slash = url.index("/", 8)
        cdef str beginning = url[:slash], rest = url[slash:], path
        cdef PyObject *met = PyDict_GetItemWithError(self._sites, beginning)
        if met is NULL:
            if len(self._sites) >= MOST_SITES:
                self._sites.clear()
            site = self._sites[beginning] = self._site(beginning)
        else:
            site = <object> met
        if not is_simple(rest):
            return <str?> (site + self._rest(rest))
        path = rest.lower()
        if len(path) > 1 and path[len(path) - 1] == u"/":
            path = path[: len(path) - 1]
        return <str?> (site + path)

    cpdef str timestamp(self, int64_t microseconds):
        """Return a moment in fourteen digits."""
        cdef int64_t second = microseconds // 1_000_000
        if self._last_stamp is None or second != self._last_second:
            self._last_stamp = None
            stamp = self._second(second)
            self._last_second, self._last_stamp = second, stamp
        return self._last_stamp

    def line(self, entry not None):
        """Return the line of an exchange (`cdx.Entry`) whose record is in the archive."""
        url, began, content_type, status, told, length, offset, file, is_revisit = entry
        kind = '"warc/revisit"' if is_revisit else self._mime(content_type)
        cdef str digest = told or "-", searched = url, more = ""
        if digest.startswith("sha1:"):
            digest = digest[5:]
        if u"#" in searched:
            url, searched, more = self._posted(searched)
        # A canonical URL is printable ASCII without quotes: JSON as it stands, but for back slashes.
        cdef str shown = url
        if "\\" in shown:
            shown = shown.replace("\\", "\\\\")
        return (
            f'{self.surt(searched)} {self.timestamp(began)} {{"url": "{shown}", "mime": {kind},'
            f' "status": "{status}", "digest": "{digest}", "length": "{length}",'
            f' "offset": "{offset}", "filename": "{file}"{more}}}\n'
        )
