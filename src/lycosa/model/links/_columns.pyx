"""The compiled work on every link of every page; `lycosa.model.links` describes what it does.

Always true (tests/unit/model/links/test_twin.py): every function returns what its twin in
`tests/plain_columns.py` returns. `sifted` is in `_sifting.pxi`, `Ways` in `_ways.pxi`.

Cost: about 10 ns a link and function. Nothing is kept between calls but what a `Target` notes
on itself: the page in which it was last met, and its entry there; the rows in which its URL
stands, and its place there (`lycosa.storage.tables._rows`).
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from lycosa.model.links.escapes import is_spelled_otherwise

cdef str FOLLOWED = "followed"


@cython.auto_pickle(False)
cdef class Target:
    """A URL that pages link to: resolved and judged once, shared by all links that lead to it."""

    def __init__(
        self,
        str key not None,
        str url not None="",
        uint64_t url_id=0,
        str refusal not None="",
        int64_t partition=-1,
        int64_t page=-1,
    ):
        self.key = key
        self.url = url
        self.url_id = url_id
        self.refusal = refusal
        self.has_parameters = may_be_a_view(key)
        self.partition = partition
        self.page = page

    def __repr__(self):
        return f"Target({self.key!r}, refusal={self.refusal!r})"


cdef Target target_of(str key, str url, uint64_t url_id, str refusal):
    """Return a target of which neither partition nor page is known yet."""
    cdef Target target = Target.__new__(Target)
    target.key, target.url, target.url_id, target.refusal = key, url, url_id, refusal
    target.has_parameters = may_be_a_view(key)
    target.partition = target.page = -1
    return target


cdef bint may_be_a_view(str key) except -1:
    """Tell whether a key has what only another view of a page has; most have none of the signs."""
    return "?" in key or ";" in key or ("%" in key and is_spelled_otherwise(key))


cdef inline list as_list(values):
    return values if type(values) is list else list(values)


cdef inline bint is_among(uint64_t mask, int64_t kind) noexcept:
    return 0 <= kind < 64 and mask >> kind & 1


def keys_of(targets):
    """Return the keys of URLs."""
    return [(<Target> target).key for target in as_list(targets)]


def pages_among(targets, int64_t partition):
    """Return the page of each URL that a partition knows, -1 for others."""
    cdef list found = [], all_targets = as_list(targets)
    cdef Target target
    for target in all_targets:
        found.append(target.page if target.partition == partition else -1)
    return found


def unfollowed(kinds, rels, list by_kind not None, str nofollow not None):
    """Return why each link is not followed, "" if nothing speaks against it; [] if that is so of all.

    `by_kind` has the reason of every kind. Where `nofollow` is given, it is the reason of links
    whose relation says so.
    """
    cdef list all_kinds = as_list(kinds), all_rels = as_list(rels), reasons
    cdef Py_ssize_t i, kind, size = len(all_kinds), most = len(by_kind)
    cdef bint is_obeyed = len(nofollow) > 0, has_any = False
    cdef str reason, rel
    if len(all_rels) != size:
        raise ValueError("the columns of links differ in length")
    reasons = [None] * size
    for i in range(size):
        kind = all_kinds[i]
        if not 0 <= kind < most:
            raise IndexError(f"{kind} is no kind of link")
        reason = <str?> by_kind[kind]
        if is_obeyed:
            rel = <str?> all_rels[i]
            if len(rel) >= 8 and "nofollow" in rel:
                reason = nofollow
        if len(reason):
            has_any = True
        reasons[i] = reason
    return reasons if has_any else []


include "_sifting.pxi"


include "_ways.pxi"


cdef bytes utf8(str text):
    """Return text in UTF-8; what is not Unicode (a lone surrogate) becomes a mark."""
    return text.encode("utf-8", "replace")


def outlinks(targets, kinds, rels, list names not None):
    """Return a line for each link: `outlink: URL kind`, and its relation if it has one."""
    cdef list all_targets = as_list(targets), all_kinds = as_list(kinds), all_rels = as_list(rels)
    cdef Py_ssize_t i, count = len(all_targets), size = 0, length
    cdef Target target
    cdef str rel
    cdef list ends = []
    cdef bytes lines, end = b"", usual = b""
    cdef char *out
    cdef const char *data
    cdef int64_t kind, usual_kind = -1
    if len(all_kinds) != count or len(all_rels) != count:
        raise ValueError("the columns of links differ in length")
    for i in range(count):
        target = <Target?> all_targets[i]
        kind = all_kinds[i]
        rel = <str?> all_rels[i]
        if len(rel):
            end = utf8(f" {names[kind]} {' '.join(rel.split())}\r\n")
        else:
            if kind != usual_kind:  # most links are of the same kind as the one before
                usual, usual_kind = utf8(f" {names[kind]}\r\n"), kind
            end = usual
        ends.append(end)
        PyUnicode_AsUTF8AndSize(target.url, &length)
        size += 9 + length + PyBytes_GET_SIZE(end)
    lines = PyBytes_FromStringAndSize(NULL, size)
    out = PyBytes_AS_STRING(lines)
    for i in range(count):
        target = <Target> all_targets[i]
        memcpy(out, b"outlink: ", 9)
        data = PyUnicode_AsUTF8AndSize(target.url, &length)
        memcpy(out + 9, data, length)
        out += 9 + length
        end = <bytes> ends[i]
        memcpy(out, PyBytes_AS_STRING(end), PyBytes_GET_SIZE(end))
        out += PyBytes_GET_SIZE(end)
    return lines
