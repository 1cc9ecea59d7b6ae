"""Rows of a crawl's tables, from the facts of a page to bytes of an Arrow stream, without Arrow.

A crawl commits after some dozens of answers, and Arrow has a price for each batch and column,
whatever its rows. So the values of a page go straight into columns as Arrow has them, and a flush
writes the messages of the stream itself; Arrow reads them, and makes the sealed tables of them
(`sealing`).

    _buffers    bytes that grow
    _messages   messages of a stream: metadata and bytes of columns
    _table      rows of pages, robots files and texts
    _link_rows  rows of links
    here        the facts of an exchange, as values of its rows

Always true (tests/unit/storage/tables): messages are byte for byte those that Arrow writes for the
same values, and the values those of the twin in Python. A row that fails leaves nothing behind.

Cost: some 40 ns a value.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItemWithError
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.long cimport PyLong_AsUnsignedLongLongMask
from cpython.object cimport PyObject
from libc.math cimport rint
from libc.stdint cimport (
    INT16_MAX, INT16_MIN, INT32_MAX, INT32_MIN, int16_t, int32_t, int64_t, uint64_t
)
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from lycosa._support.fields cimport field, is_a, offset_of
from lycosa.model.links._columns cimport Target

from xxhash import xxh3_64_intdigest

from lycosa.model.links import FOLLOWED, Links
from lycosa.model.records import PROBED, STORED, Answer, Capture, Outcome, Purpose, Request
from lycosa.storage.tables.redirects import redirect_columns
from lycosa.storage.tables.rows import CODES, KIND_NAMES, OUTCOME_NAMES
from lycosa.model.url.key import host_of

include "_buffers.pxi"
include "_messages.pxi"
include "_table.pxi"
include "_link_rows.pxi"

cdef Py_ssize_t _KEY = offset_of(Capture, "key"), _PURPOSE = offset_of(Capture, "purpose")
cdef Py_ssize_t _OUTCOME = offset_of(Capture, "outcome"), _DISTANCE = offset_of(Capture, "distance")
cdef Py_ssize_t _REQUEST = offset_of(Capture, "request"), _ANSWER = offset_of(Capture, "answer")
cdef Py_ssize_t _LINKS = offset_of(Capture, "links"), _TITLE = offset_of(Capture, "title")
cdef Py_ssize_t _DESCRIPTION = offset_of(Capture, "description"), _TEXT = offset_of(Capture, "text")
cdef Py_ssize_t _LANGUAGE = offset_of(Capture, "language"), _CHARSET = offset_of(Capture, "charset")
cdef Py_ssize_t _FINGERPRINT = offset_of(Capture, "fingerprint"), _RULE = offset_of(Capture, "rule")
cdef Py_ssize_t _EXTRA = offset_of(Capture, "extra"), _TRIPLES = offset_of(Capture, "triples")
cdef Py_ssize_t _ITEMS = offset_of(Capture, "items")
cdef Py_ssize_t _REFUSED = offset_of(Capture, "refused_links")
cdef Py_ssize_t _NOINDEX = offset_of(Capture, "is_noindex")
cdef Py_ssize_t _NOARCHIVE = offset_of(Capture, "is_noarchive")
cdef Py_ssize_t _WITHHELD = offset_of(Capture, "is_withheld")
cdef Py_ssize_t _SOURCE = offset_of(Capture, "source_id"), _UNREAD = offset_of(Capture, "unread")
cdef Py_ssize_t _REDIRECTED = offset_of(Capture, "is_after_redirect")
cdef Py_ssize_t _URL = offset_of(Request, "url"), _ADDRESS = offset_of(Request, "address")
cdef Py_ssize_t _STATUS = offset_of(Answer, "status"), _BODY = offset_of(Answer, "body")
cdef Py_ssize_t _BEGAN = offset_of(Answer, "began"), _ENDED = offset_of(Answer, "ended")
cdef Py_ssize_t _TRUNCATED = offset_of(Answer, "truncated"), _BY_NAME = offset_of(Answer, "by_name")

cdef object _ROBOTS = Purpose.ROBOTS, _MOVED = Outcome.REDIRECTED
cdef dict _NAMES = OUTCOME_NAMES
cdef frozenset _STORED = STORED, _PROBED = PROBED


cdef struct Fetch:
    uint64_t url_id
    uint64_t fetch_id
    int64_t began
    int64_t ended


cdef struct Records:
    # Where the records of a fetch are: the main one, and the whole group.
    int64_t offset
    int64_t length
    int64_t start
    int64_t extent


cdef int64_t microseconds(double moment) except? -1:
    """Return a moment as it stands in the rows."""
    cdef double number = rint(moment * 1_000_000)
    if not -9.2e18 < number < 9.2e18:
        raise OverflowError(f"{moment} is no moment")
    return <int64_t> number


cdef Fetch fetch_of(str key, object answer) except *:
    """Return what names a fetch: ids of its URL and itself, and its moments."""
    cdef Fetch fetch
    cdef double ended = field(answer, _ENDED)
    cdef bytes name = key.encode()
    cdef Py_ssize_t size = PyBytes_GET_SIZE(name)
    cdef bytes whole = PyBytes_FromStringAndSize(NULL, size + 8)
    memcpy(PyBytes_AS_STRING(whole), PyBytes_AS_STRING(name), size)
    memcpy(PyBytes_AS_STRING(whole) + size, &ended, 8)
    fetch.url_id = xxh3_64_intdigest(name)
    fetch.fetch_id = xxh3_64_intdigest(whole)
    fetch.began = microseconds(field(answer, _BEGAN))
    fetch.ended = microseconds(ended)
    return fetch


@cython.final
@cython.auto_pickle(False)
cdef class Pending:
    """Rows that have not been flushed, gathered in the worker's thread."""

    cdef readonly LinkRows links
    cdef readonly list extra
    """For each page the values of the columns that plugins add, if there are any."""
    cdef Table pages, hosts, texts
    cdef str file_name, site, host
    cdef Py_ssize_t extra_width

    def __cinit__(self, str file_name not None="", Py_ssize_t extra_width=0):
        """Begin rows of records in this WARC file, with so many columns of plugins."""
        self.file_name, self.extra_width = file_name, extra_width
        self.links, self.extra = LinkRows(KIND_NAMES), []
        self.pages, self.hosts = Table(CODES["pages"]), Table(CODES["hosts"])
        self.texts = Table(CODES["text"])
        self.site = self.host = ""

    cpdef int add(
        self,
        object capture,
        str kind,
        str digest,
        bint is_changed,
        int64_t offset,
        int64_t length,
        int64_t start,
        int64_t extent,
    ) except -1:
        """Take the rows of an exchange.

        `kind` and `digest` are those of its record and of the payload; None where there is none. A
        page that has not changed since the last time has no rows of links and text. The numbers are
        the places of the record, and of all records of the exchange.
        """
        cdef Fetch fetch
        cdef Records records = Records(offset, length, start, extent)
        cdef Py_ssize_t links = 0, texts = 0
        if not (
            is_a(capture, Capture)
            and is_a(field(capture, _ANSWER), Answer)
            and is_a(field(capture, _REQUEST), Request)
        ):
            raise TypeError("what is stored is no `Capture`")
        fetch = fetch_of(field(capture, _KEY), field(capture, _ANSWER))
        if field(capture, _PURPOSE) is _ROBOTS:
            self.add_host_of(capture, kind, digest, &fetch, &records)
            return 0
        if is_changed and field(capture, _OUTCOME) in _STORED:
            links = self.add_links_of(capture, &fetch)
            texts = self.add_text_of(capture, &fetch)
        self.add_page_of(capture, kind, digest, &fetch, &records, links, texts)
        return 0

    cdef Py_ssize_t add_links_of(self, object capture, Fetch *fetch) except -1:
        """Take the links of a page, and return how many they are."""
        cdef Py_ssize_t before = self.links.count
        cdef str url = field(field(capture, _REQUEST), _URL)
        cdef object links = field(capture, _LINKS)
        self.links.add_links(fetch.url_id, url, fetch.fetch_id, fetch.ended, links)
        links = field(capture, _REFUSED)
        self.links.add_links(fetch.url_id, url, fetch.fetch_id, fetch.ended, links)
        return self.links.count - before

    cdef Py_ssize_t add_text_of(self, object capture, Fetch *fetch) except -1:
        """Take the text of a page, and return whether there is any."""
        cdef bytes text = <bytes?> field(capture, _TEXT)
        cdef Table rows = self.texts
        if not text:
            return 0
        try:
            rows.number(<int64_t> fetch.url_id)
            rows.number(<int64_t> fetch.fetch_id)
            rows.number(fetch.ended)
            rows.encoded(text)
            rows.text(field(field(capture, _REQUEST), _URL))
            rows.text(field(capture, _TITLE))
            rows.text(field(capture, _LANGUAGE))
            rows.end_row()
        except BaseException:
            rows.undo()
            raise
        return 1

    cdef int add_host_of(
        self, object capture, str kind, str digest, Fetch *fetch, Records *records
    ) except -1:
        try:
            self.put_fetch(self.hosts, capture, kind, digest, fetch, records)
            self.hosts.end_row()
        except BaseException:
            self.hosts.undo()
            raise
        return 0

    cdef int add_page_of(
        self,
        object capture,
        str kind,
        str digest,
        Fetch *fetch,
        Records *records,
        Py_ssize_t links,
        Py_ssize_t texts,
    ) except -1:
        cdef Table rows = self.pages
        try:
            self.put_fetch(rows, capture, kind, digest, fetch, records)
            put_facts(rows, capture)
            rows.number(links)
            rows.number(texts)
            rows.number(field(capture, _TRIPLES) is not None)
            rows.flag(field(capture, _WITHHELD))
            items = <tuple?> field(capture, _ITEMS)
            # An item without a kind says that the held version has the same ones (`items`).
            rows.number(len(items) if items and items[0].kind else 0)
            self.end_page(<tuple?> field(capture, _EXTRA))
        except BaseException:
            rows.undo()
            raise
        return 0

    cdef int end_page(self, tuple extra) except -1:
        """End a row of pages, with the values of plugins; without any they are all missing."""
        if self.extra_width or extra:
            if extra and len(extra) != self.extra_width:
                raise ValueError("a page has other columns of plugins than its segment")
            self.extra.append(extra or (None,) * self.extra_width)
        self.pages.end_row()
        return 0

    cdef int put_fetch(
        self, Table rows, object capture, str kind, str digest, Fetch *fetch, Records *records
    ) except -1:
        """Put the values that all rows of a fetch share."""
        cdef object answer = field(capture, _ANSWER), request = field(capture, _REQUEST)
        cdef str key = field(capture, _KEY)
        rows.number(<int64_t> fetch.url_id)
        rows.number(<int64_t> fetch.fetch_id)
        rows.number(fetch.ended)
        rows.text(key)
        rows.text(field(request, _URL))
        rows.text(self.host_of(key))
        rows.text(field(request, _ADDRESS))
        rows.text(_NAMES[field(capture, _OUTCOME)])
        rows.number(<int64_t> field(answer, _STATUS))
        rows.text(content_type_of(answer))
        rows.number(len(<bytes?> field(answer, _BODY)))
        rows.flag(field(answer, _TRUNCATED))
        rows.text(digest)
        rows.number(fetch.began)
        rows.number(fetch.ended)
        rows.text(kind)
        rows.text(self.file_name if kind else None)
        rows.number(records.offset)
        rows.number(records.length)
        rows.number(records.start)
        rows.number(records.extent)
        return 0

    cdef str host_of(self, str key):
        """Return the host of a key; most have the same as the one before."""
        if not self.site or not key.startswith(self.site):
            self.host = host_of(key)
            # Up to the colon behind the host: another host that begins alike has another sign there.
            self.site = key[: key.index(":", key.index("]") if key[0] == "[" else 0) + 1]
        return self.host

    def add_page(self, tuple row not None):
        """Take the row of a page's fetch, value by value."""
        add_row(self.pages, row)

    def add_host(self, tuple row not None):
        """Take the row of a robots file's fetch, value by value."""
        add_row(self.hosts, row)

    def add_text(self, tuple row not None):
        """Take the row of a page's text, value by value."""
        add_row(self.texts, row)

    @property
    def page_count(self):
        """Return the number of rows of pages."""
        return self.pages.count

    def messages(self):
        """Return the messages of the rows for each kind that has any, those of pages last."""
        cdef dict result = {}
        if self.links.count:
            result["links"] = self.links.messages()
        if self.texts.count:
            result["text"] = [self.texts.message()]
        if self.hosts.count:
            result["hosts"] = [self.hosts.message()]
        if self.pages.count:
            result["pages"] = [self.pages.message()]
        return result


cdef int add_row(Table rows, tuple row) except -1:
    try:
        for value in row:
            rows.value(value)
        rows.end_row()
    except BaseException:
        rows.undo()
        raise
    return 0


cdef object content_type_of(object answer):
    cdef object by_name = field(answer, _BY_NAME)
    if by_name is not None:
        return (<dict?> by_name).get("content-type") or ""
    return answer.header("content-type") or ""


cdef int put_facts(Table rows, object capture) except -1:
    """Put the facts read from a page."""
    cdef object outcome = field(capture, _OUTCOME), source = field(capture, _SOURCE)
    rows.text(field(capture, _CHARSET))
    rows.text(field(capture, _TITLE))
    rows.text(field(capture, _DESCRIPTION))
    rows.text(field(capture, _LANGUAGE))
    rows.number(<int64_t> PyLong_AsUnsignedLongLongMask(field(capture, _FINGERPRINT)))
    rows.number(<int64_t> field(capture, _DISTANCE))
    if source:
        rows.number(<int64_t> <uint64_t> source)
    else:
        rows.nothing()
    rows.text(via(capture, outcome))
    rows.text(field(capture, _RULE))
    if outcome in _STORED:
        rows.flag(field(capture, _NOINDEX))
        rows.flag(field(capture, _NOARCHIVE))
    else:  # what was not read asks for nothing that is known
        rows.nothing()
        rows.nothing()
    if outcome is _MOVED:
        url, number = redirect_columns(capture)
        rows.text(url)
        rows.value(number)
    else:
        rows.nothing()
        rows.nothing()
    return rows.text(field(capture, _UNREAD) or None)


cdef str via(object capture, object outcome):
    """Return how the URL was found: guessed, as a probe, by a redirect, by a link, as a seed."""
    if field(capture, _RULE):
        return "mined"
    if outcome in _PROBED:
        return "probe"
    if field(capture, _REDIRECTED):
        return "redirect"
    return "link" if field(capture, _DISTANCE) else "seed"
