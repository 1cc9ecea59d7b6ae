"""The compiled work on every link of every page; `lycosa.links` describes what it does.

Always true (tests/unit/links/test_twin.py): every function returns what its twin in
`lycosa.links.pure_columns` returns, and `Rows` the columns that `pure_columns.rows` returns.
`Rows` is in `_rows.pxi`.

Cost: about 10 ns a link and function. Nothing is kept between calls but what a `Target` notes
on itself: the turn in which it was last met, and by which kinds of link; the rows in which its URL
stands, and its place there.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint16_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from lycosa.links.escapes import is_spelled_otherwise

cdef uint64_t turn = 0

cdef str FOLLOWED = "followed"


@cython.final
@cython.auto_pickle(False)
cdef class Target:
    """A URL that pages link to: resolved and judged once, shared by all links that lead to it."""

    cdef readonly str key
    cdef readonly str url
    cdef readonly uint64_t url_id
    cdef readonly str refusal
    cdef readonly bint has_parameters
    cdef public int64_t partition
    cdef public int64_t page
    cdef uint64_t turn
    cdef uint64_t kinds
    cdef uint64_t rows
    cdef int32_t place

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
        self.has_parameters = (
            "?" in key or ";" in key or ("%" in key and is_spelled_otherwise(key))
        )
        self.partition = partition
        self.page = page

    def __repr__(self):
        return f"Target({self.key!r}, refusal={self.refusal!r})"


cdef inline list as_list(values):
    return values if type(values) is list else list(values)


cdef inline bint is_among(uint64_t mask, int64_t kind) noexcept:
    return 0 <= kind < 64 and mask >> kind & 1


cdef bint is_repeated(list targets, list kinds) except -1:
    """Tell whether a target stands there twice by the same kind of link."""
    global turn
    cdef Target target
    cdef uint64_t bit
    cdef Py_ssize_t i
    turn += 1
    for i in range(len(targets)):
        target = <Target> targets[i]
        bit = <uint64_t> 1 << (<uint64_t> kinds[i] & 63)
        if target.turn != turn:
            target.turn = turn
            target.kinds = bit
        elif target.kinds & bit:
            return True
        else:
            target.kinds |= bit
    return False


cdef list merged(list columns):
    """Return columns with each pair of target and kind once, where it first stands.

    The columns are targets, kinds, texts, rels, times, positions, and perhaps reasons.
    """
    cdef list result = [[] for _ in columns], some
    cdef dict places = {}
    cdef Py_ssize_t i, place, count = len(<list> columns[0])
    cdef Py_ssize_t column, width = len(columns)
    for i in range(count):
        pair = ((<list> columns[0])[i], (<list> columns[1])[i])
        place = places.setdefault(pair, len(places))
        if place == len(<list> result[0]):
            for column in range(width):
                (<list> result[column]).append((<list> columns[column])[i])
        else:
            for column in (TEXTS, RELS):
                some = <list> result[column]
                some[place] = some[place] or (<list> columns[column])[i]
            (<list> result[TIMES])[place] += (<list> columns[TIMES])[i]
    return result


cdef enum:
    TARGETS, KINDS, TEXTS, RELS, TIMES, POSITIONS, REASONS


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
    cdef Py_ssize_t i, size = len(all_kinds)
    cdef bint is_obeyed = len(nofollow) > 0, has_any = False
    cdef str reason, rel
    if len(all_rels) != size:
        raise ValueError("the columns of links differ in length")
    reasons = [None] * size
    for i in range(size):
        reason = <str?> by_kind[all_kinds[i]]
        if is_obeyed:
            rel = <str?> all_rels[i]
            if len(rel) >= 8 and "nofollow" in rel:
                reason = nofollow
        if len(reason):
            has_any = True
        reasons[i] = reason
    return reasons if has_any else []


def have_parameters(targets):
    """Tell whether a link leads to a URL that may be another view of a page: seldom one does."""
    cdef list all_targets = as_list(targets)
    cdef Py_ssize_t i
    for i in range(len(all_targets)):
        if (<Target?> all_targets[i]).has_parameters:
            return True
    return False


def sifted(targets, raw not None, str excused not None, uint64_t by):
    """Return the columns of the links to follow, those of the others, and their number by reason.

    `raw` has the columns of the references: kinds, texts, rels, times, and `reasons` for those that
    are not followed whatever they lead to (or none). What is refused for the reason `excused` is
    wanted all the same by the kinds in `by`. Each pair of target and kind is there once, where it
    first stands; a text and a relation are the first that it has anywhere. A pair that is followed
    in one place is not among the others.

    The columns of the links to follow have no positions where each stands in its own place.
    """
    cdef list columns = [
        as_list(targets), as_list(raw.kinds), as_list(raw.texts), as_list(raw.rels),
        as_list(raw.times),
    ]
    cdef list all_targets = <list> columns[TARGETS], reasons = as_list(raw.reasons)
    cdef Target target
    cdef Py_ssize_t i, size = len(all_targets)
    cdef bint is_split = len(reasons) > 0
    for column in columns:
        if len(<list> column) != size:
            raise ValueError("the columns of links differ in length")
    if is_split and len(reasons) != size:
        raise ValueError("the columns of links differ in length")
    for i in range(size):
        target = <Target?> all_targets[i]
        if len(target.refusal):
            is_split = True
    if is_split:
        return split(columns, reasons, excused, by)
    if is_repeated(all_targets, <list> columns[KINDS]):
        columns.append(list(range(size)))
        return merged(columns), [], {}
    return columns, [], {}


cdef tuple split(list columns, list reasons, str excused, uint64_t by):
    """Return the columns of what is followed and of what is not, and how often for which reason."""
    cdef list followed = [[], [], [], [], [], []], refused = [[], [], [], [], [], [], []], into
    cdef list targets = <list> columns[TARGETS], kinds = <list> columns[KINDS]
    cdef list texts = <list> columns[TEXTS], rels = <list> columns[RELS]
    cdef list times = <list> columns[TIMES]
    cdef dict counts = {}
    cdef Target target
    cdef Py_ssize_t i
    cdef bint has_reasons = len(reasons) > 0
    cdef str reason
    for i in range(len(targets)):
        target = <Target> targets[i]
        reason = <str?> reasons[i] if has_reasons else ""
        if not len(reason) and len(target.refusal):
            if not (is_among(by, kinds[i]) and target.refusal == excused):
                reason = target.refusal
        into = followed
        if len(reason):
            into = refused
            counts[reason] = counts.get(reason, 0) + 1
            (<list> refused[REASONS]).append(reason)
        (<list> into[TARGETS]).append(target)
        (<list> into[KINDS]).append(kinds[i])
        (<list> into[TEXTS]).append(texts[i])
        (<list> into[RELS]).append(rels[i])
        (<list> into[TIMES]).append(times[i])
        (<list> into[POSITIONS]).append(i)
    if is_repeated(<list> followed[TARGETS], <list> followed[KINDS]):
        followed = merged(followed)
    if is_repeated(<list> refused[TARGETS], <list> refused[KINDS]):
        refused = merged(refused)
    if has_common(followed, refused):
        drop_followed(refused, followed)
    return followed, refused, counts


cdef bint has_common(list followed, list refused) except -1:
    """Tell whether a pair of target and kind stands among both."""
    global turn
    cdef Target target
    cdef list targets = <list> refused[TARGETS], kinds = <list> refused[KINDS]
    cdef Py_ssize_t i
    is_repeated(<list> followed[TARGETS], <list> followed[KINDS])  # notes them on the targets
    for i in range(len(targets)):
        target = <Target> targets[i]
        if target.turn == turn and target.kinds >> (<uint64_t> kinds[i] & 63) & 1:
            return True
    return False


cdef int drop_followed(list refused, list followed) except -1:
    """Count what is followed elsewhere on the page there, and drop it here."""
    cdef dict places = {}
    cdef Py_ssize_t i
    cdef list times = <list> followed[TIMES], kept
    for i in range(len(<list> followed[TARGETS])):
        places[(<list> followed[TARGETS])[i], (<list> followed[KINDS])[i]] = i
    kept = []
    for i in range(len(<list> refused[TARGETS])):
        place = places.get(((<list> refused[TARGETS])[i], (<list> refused[KINDS])[i]))
        if place is None:
            kept.append(i)
        else:
            times[place] += (<list> refused[TIMES])[i]
    if len(kept) < len(<list> refused[TARGETS]):
        for i in range(len(refused)):
            column = <list> refused[i]
            refused[i] = [column[place] for place in kept]
    return 0


def unsettled(
    targets,
    kinds,
    known_pages not None,
    reach not None,
    uint64_t free_kinds,
    uint64_t requisite_kinds,
):
    """Return the positions of the links that tell the frontier something new.

    The others lead to a page of this partition (`Known`) that is known to be at most as far away
    as the link brings it (`Reach`): `free` by the kinds in `free_kinds`, `real` by all others, and
    by as few redirects. Where the link is of `requisite_kinds`, its page must also be known as a
    requisite.
    """
    cdef int64_t partition, real, free, redirects
    cdef set requisites
    partition, distances, hops, requisites = known_pages
    real, free, redirects = reach
    cdef list all_targets = as_list(targets), all_kinds = as_list(kinds), places = []
    cdef Target target
    cdef int64_t kind
    cdef Py_ssize_t i, size = len(all_targets), known
    cdef Py_buffer buffer, hops_buffer
    cdef const uint16_t *far
    cdef const unsigned char *by_redirects
    if len(all_kinds) != size:
        raise ValueError("the columns of links differ in length")
    PyObject_GetBuffer(distances, &buffer, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(hops, &hops_buffer, PyBUF_SIMPLE)
    except BaseException:
        PyBuffer_Release(&buffer)
        raise
    try:
        far = <const uint16_t *> buffer.buf
        by_redirects = <const unsigned char *> hops_buffer.buf
        known = min(buffer.len // <Py_ssize_t> sizeof(uint16_t), hops_buffer.len)
        for i in range(size):
            target = <Target?> all_targets[i]
            kind = all_kinds[i]
            if (
                0 <= target.page < known
                and target.partition == partition
                and far[target.page] <= (free if is_among(free_kinds, kind) else real)
                and by_redirects[target.page] <= redirects
                and (not is_among(requisite_kinds, kind) or target.page in requisites)
            ):
                continue
            places.append(i)
    finally:
        PyBuffer_Release(&hops_buffer)
        PyBuffer_Release(&buffer)
    return places


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


include "_rows.pxi"
