"""Writes the records of an exchange (compiled; `tests/unit/storage/warc/plain_records.py` is its
twin).

A record is gathered as pieces of C strings and copied once, into the bytes that are compressed. The
parts of rare records (a revisit, a page that a browser rendered) are written with Python's own
strings.

Always true (tests/unit/storage/warc/test_records.py): every record is that of the twin, byte for
byte.

Cost: 3 µs an exchange besides the compression and the hash, which libraries do.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.math cimport rint
from libc.stdint cimport int64_t, uint64_t
from libc.stdio cimport snprintf
from libc.string cimport memcmp, memcpy, strlen

import os
from datetime import UTC, datetime

from xxhash import xxh3_64_intdigest

from lycosa.fetch.coding.heads import is_plain
from lycosa.model.links import outlinks
from lycosa.model.records import Answer, Capture, Request
from lycosa.storage.tables.rows import KIND_NAMES, OUTCOME_NAMES
from lycosa.storage.warc._packing import pack
from lycosa.storage.warc.http_messages import is_chunked, made_head

from lycosa.fetch.coding._chunks cimport unchunked
from lycosa._support.fields cimport field, is_a, offset_of
from lycosa.storage.warc._packing cimport digest_of, packed

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

FIELDS = "application/warc-fields"
HTTP_REQUEST = "application/http;msgtype=request"
HTTP_RESPONSE = "application/http;msgtype=response"

LARGEST_HEAD_BYTES = 30_000
"""A longer head is not announced as HTTP: fastwarc would give up the whole file over it."""

RENDERED_TYPE = "text/html;charset=utf-8"
"""The type of documents that a browser has rendered."""

VIEW_OF = "urn:view:"
"""Before the URL of a page: the name of its picture, as Browsertrix writes and reads it."""

cdef enum:
    MOST_PIECES = 32  # of the lines of one record
    ID_BYTES = 47
    DATE_BYTES = 27
    READABLE_HEAD = 30_000
    SMALL_BODY = 2048  # a longer one never takes less than what a revisit says more than a response
    NUMBER = 48  # no line with a number is longer

cdef dict outcome_names = {outcome: name.encode() for outcome, name in OUTCOME_NAMES.items()}

cdef Py_ssize_t CAPTURE_ANSWER = offset_of(Capture, "answer")
cdef Py_ssize_t CAPTURE_REQUEST = offset_of(Capture, "request")
cdef Py_ssize_t CAPTURE_OUTCOME = offset_of(Capture, "outcome")
cdef Py_ssize_t CAPTURE_DISTANCE = offset_of(Capture, "distance")
cdef Py_ssize_t CAPTURE_SOURCE_URL = offset_of(Capture, "source_url")
cdef Py_ssize_t CAPTURE_RULE = offset_of(Capture, "rule")
cdef Py_ssize_t CAPTURE_UNREAD = offset_of(Capture, "unread")
cdef Py_ssize_t CAPTURE_LINKS = offset_of(Capture, "links")
cdef Py_ssize_t CAPTURE_ITEMS = offset_of(Capture, "items")
cdef Py_ssize_t REQUEST_ADDRESS = offset_of(Request, "address")
cdef Py_ssize_t ANSWER_STATUS = offset_of(Answer, "status")
cdef Py_ssize_t ANSWER_BEGAN = offset_of(Answer, "began")
cdef Py_ssize_t ANSWER_TRUNCATED = offset_of(Answer, "truncated")
cdef Py_ssize_t ANSWER_ASKED = offset_of(Answer, "asked")
cdef Py_ssize_t ANSWER_HEAD = offset_of(Answer, "head")
cdef Py_ssize_t ANSWER_SENT = offset_of(Answer, "sent")
cdef Py_ssize_t ANSWER_BY_NAME = offset_of(Answer, "by_name")


include "_lines.pxi"


# -- an answer ------------------------------------------------------------------------------------

@cython.final
cdef class Message:
    """An HTTP answer as it is archived."""

    cdef readonly bytes head
    cdef readonly bytes sent
    cdef readonly bint is_chunked
    cdef readonly str payload_digest
    cdef readonly Py_ssize_t payload_bytes


cdef str header_of(object answer, str name):
    """Return the first header of that name (given in lower case)."""
    by_name = field(answer, ANSWER_BY_NAME)
    if type(by_name) is not dict:
        return answer.header(name)
    cdef PyObject *value = PyDict_GetItem(by_name, name)
    return None if value is NULL else <str> value


cdef bint is_ended(bytes head) noexcept:
    """Tell whether a head ends in an empty line."""
    cdef Py_ssize_t size = PyBytes_GET_SIZE(head)
    cdef const char *end = PyBytes_AS_STRING(head) + size
    if size >= 4 and memcmp(end - 4, b"\r\n\r\n", 4) == 0:
        return True
    return size >= 2 and memcmp(end - 2, b"\n\n", 2) == 0


def message_of(answer not None):
    """Return the message received, with its digest; a simulated answer gets a head of its own."""
    if not is_a(answer, Answer):
        raise TypeError(f"an answer is expected, not {type(answer).__name__}")
    cdef Message message = Message.__new__(Message)
    message.head, message.sent = <bytes?> field(answer, ANSWER_HEAD), <bytes?> field(answer, ANSWER_SENT)
    if not message.head:
        message.head, message.sent = made_head(answer), <bytes?> answer.body
    else:
        if header_of(answer, "transfer-encoding") is not None:
            message.is_chunked = is_chunked(answer.headers)
        if not is_ended(message.head):
            message.head = message.head.rstrip(b"\r\n") + b"\r\n\r\n"
    cdef int how
    cdef bytes payload = unchunked(message.sent, &how) if message.is_chunked else message.sent
    message.payload_digest = digest_of(payload, None)
    message.payload_bytes = PyBytes_GET_SIZE(payload)
    return message


def tag_of(answer not None, Message message not None):
    """Return the tag of a payload and of the form in which it was sent; never 0.

    A revisit shares both with the record that it refers to.
    """
    if not is_a(answer, Answer):
        raise TypeError(f"an answer is expected, not {type(answer).__name__}")
    cdef str coding = header_of(answer, "content-encoding")
    name = f"{message.payload_digest} {<object> field(answer, ANSWER_STATUS)} {message.is_chunked} {coding}"
    return xxh3_64_intdigest(name.encode()) or 1


# -- an exchange ----------------------------------------------------------------------------------

@cython.final
cdef class Writer:
    """Makes the records of an exchange; the ids are those of a segment."""

    cdef object capture, answer
    cdef str url
    cdef Ids ids
    cdef char main_id[ID_BYTES]
    cdef char moment[DATE_BYTES]

    def __init__(self, Ids ids not None, capture not None, str url not None):
        if not is_a(capture, Capture) or not is_a(field(capture, CAPTURE_ANSWER), Answer):
            raise TypeError(f"a capture is expected, not {type(capture).__name__}")
        self.capture, self.url, self.ids = capture, url, ids
        self.answer = field(capture, CAPTURE_ANSWER)
        ids.write_next(self.main_id)
        write_date(field(self.answer, ANSWER_BEGAN), self.moment)

    def ordinary(self, Message message not None):
        """Return the records of an exchange whose payload is new, and which of them is the main one."""
        cdef list members = []
        if field(self.answer, ANSWER_ASKED):
            members.append(self.request())
        cdef Py_ssize_t main = len(members)
        members.append(self.response(message))
        members.append(self.metadata(message.payload_digest))
        return members, main

    def request(self):
        """Return the record of the request as it was sent."""
        return self._beside(b"request", b"application/http;msgtype=request",
                            field(self.answer, ANSWER_ASKED))

    def shorter(self, Message message not None, earlier):
        """Return type and record of a known answer: a revisit, unless a response is shorter."""
        revisit = self.revisit(message, earlier)
        if PyBytes_GET_SIZE(message.sent) < SMALL_BODY:
            response = self.response(message)
            if len(response) <= len(revisit):
                return "response", response
        return "revisit", revisit

    def response(self, Message message not None):
        """Return the record of the answer as it came.

        It has one digest: of the payload, or of the whole block where readers might not agree
        what the payload is. The rest of a record is guarded by the checksum of its member.
        """
        cdef Lines lines = Lines()
        cdef str digest = message.payload_digest
        self._main(lines, b"response", message)
        # All readers must agree where the head ends, and so what the payload is.
        if (
            not message.is_chunked
            and PyBytes_GET_SIZE(message.head) <= READABLE_HEAD
            and is_plain(message.head)
        ):
            lines.literal(b"WARC-Payload-Digest: ")
        else:
            lines.literal(b"WARC-Block-Digest: ")
            digest = digest_of(message.head, message.sent)
        lines.text(digest)
        lines.literal(b"\r\n")
        cdef str reason
        if field(self.answer, ANSWER_TRUNCATED):
            reason = self.answer.truncated_by
            lines.literal(b"WARC-Truncated: ")
            lines.text(reason)
            lines.literal(b"\r\n")
        return record(lines, message.head, message.sent)

    def revisit(self, Message message not None, earlier):
        """Return the record of an answer whose payload stands elsewhere."""
        cdef Lines lines = Lines()
        cdef str more = (
            f"WARC-Profile: {SAME_PAYLOAD}\r\n"
            f"WARC-Payload-Digest: {message.payload_digest}\r\n"
            f"WARC-Refers-To-Target-URI: {earlier.url}\r\n"
            f"WARC-Refers-To-Date: {earlier.date}\r\n"
            f"WARC-Refers-To-Filename: {earlier.file}\r\n"
            f"WARC-Refers-To-File-Offset: {earlier.offset}\r\n"
        )
        self._main(lines, b"revisit", message)
        lines.text(more)
        return record(lines, message.head, None)

    def not_modified(self, Message message not None, str url not None):
        """Return the record of an answer that says that nothing has changed."""
        cdef Lines lines = Lines()
        cdef str more = f"WARC-Profile: {NOT_MODIFIED}\r\nWARC-Refers-To-Target-URI: {url}\r\n"
        held = self.capture.request.validators
        if held is not None and held.date:
            more += f"WARC-Refers-To-Date: {held.date}\r\n"
        self._main(lines, b"revisit", message)
        lines.text(more)
        return record(lines, message.head, None)

    def conversion(self, Message message not None, of):
        """Return the record of a page as a browser has rendered it, of its record."""
        cdef Lines lines = Lines()
        cdef str more = (
            f"Content-Type: {RENDERED_TYPE}\r\nWARC-Payload-Digest: {message.payload_digest}\r\n"
        )
        if of is not None:
            more += f"WARC-Refers-To: {of.record_id}\r\nWARC-Refers-To-Date: {of.date}\r\n"
        self._begin(lines, b"conversion", self.main_id)
        lines.text(more)
        return record(lines, message.sent, None)

    def picture(self):
        """Return the record of the picture of a rendered page, by the name that replay tools use.

        It stands before the main record, so that the metadata stays right behind that.
        """
        capture = self.capture
        headers = (
            f"WARC-Type: resource\r\nWARC-Record-ID: {self.ids.next()}\r\n"
            f"WARC-Date: {self.moment[:DATE_BYTES].decode()}\r\n"
            f"WARC-Target-URI: {VIEW_OF}{capture.request.url}\r\n"
            f"WARC-Concurrent-To: {self.main_id[:ID_BYTES].decode()}\r\nContent-Type: image/png\r\n"
            f"WARC-Payload-Digest: {digest_of(capture.picture, None)}\r\n"
        )
        return pack(headers, capture.picture)

    def metadata(self, str digest not None, Py_ssize_t picture_length=0):
        """Return the record of what was made of the answer."""
        cdef Lines block = Lines()
        cdef char number[NUMBER], length[NUMBER]
        cdef str source = field(self.capture, CAPTURE_SOURCE_URL)
        cdef str rule = field(self.capture, CAPTURE_RULE), unread = field(self.capture, CAPTURE_UNREAD)
        cdef bytes outcome = outcome_names[field(self.capture, CAPTURE_OUTCOME)]
        if source:
            block.literal(b"via: ")
            block.text(source)
            block.literal(b"\r\n")
        if rule:
            block.literal(b"mined-by: ")
            block.text(rule)
            block.literal(b"\r\n")
        cdef long distance = field(self.capture, CAPTURE_DISTANCE)
        block.add(number, snprintf(number, NUMBER, b"distance: %ld\r\noutcome: ", distance))
        block.bytes(outcome)
        if unread:
            block.literal(b"\r\nunread: ")
            block.text(unread)
        if picture_length:
            block.add(
                length, snprintf(length, NUMBER, b"\r\nscreenshot-length: %zd", picture_length)
            )
        block.literal(b"\r\npayload-digest: ")
        block.text(digest)
        block.literal(b"\r\n")
        items = field(self.capture, CAPTURE_ITEMS)
        cdef bytes told
        if items:
            from lycosa.storage.tables.items import line_of  # few crawls have any

            told = line_of(items)
            block.bytes(told)
        links = field(self.capture, CAPTURE_LINKS)
        cdef bytes ends = outlinks(links.targets, links.kinds, links.rels, KIND_NAMES)
        block.bytes(ends)
        cdef bytes content = PyBytes_FromStringAndSize(NULL, block.size)
        block.write(PyBytes_AS_STRING(content))
        return self._beside(b"metadata", b"application/warc-fields", content)

    cdef object _beside(self, const char *kind, const char *content_type, bytes block):
        """Return a record that stands beside the main one."""
        cdef Lines lines = Lines()
        cdef char record_id[ID_BYTES]
        self.ids.write_next(record_id)
        self._begin(lines, kind, record_id)
        lines.literal(b"WARC-Concurrent-To: ")
        lines.add(self.main_id, ID_BYTES)
        lines.literal(b"\r\nContent-Type: ")
        lines.literal(content_type)
        lines.literal(b"\r\n")
        return record(lines, block, None)

    cdef int _begin(self, Lines lines, const char *kind, const char *record_id) except -1:
        """Add the lines that all records have."""
        lines.literal(b"WARC-Type: ")
        lines.literal(kind)
        lines.literal(b"\r\nWARC-Record-ID: ")
        lines.add(record_id, ID_BYTES)
        lines.literal(b"\r\nWARC-Date: ")
        lines.add(self.moment, DATE_BYTES)
        lines.literal(b"\r\nWARC-Target-URI: ")
        lines.text(self.url)
        return lines.literal(b"\r\n")

    cdef int _main(self, Lines lines, const char *kind, Message message) except -1:
        """Add the lines of the main record that do not depend on its type."""
        cdef Py_ssize_t first, size
        cdef str address = field(field(self.capture, CAPTURE_REQUEST), REQUEST_ADDRESS)
        cdef const char *text = PyUnicode_AsUTF8AndSize(address, &size)
        self._begin(lines, kind, self.main_id)
        first = address_in(text, &size)
        if size:
            lines.literal(b"WARC-IP-Address: ")
            lines.add(text + first, size)
            lines.literal(b"\r\n")
        if PyBytes_GET_SIZE(message.head) <= READABLE_HEAD:
            return lines.literal(b"Content-Type: application/http;msgtype=response\r\n")
        return lines.literal(b"Content-Type: application/octet-stream\r\n")


cdef Py_ssize_t address_in(const char *text, Py_ssize_t *size) noexcept:
    """Return where the IP address of `127.0.0.1:80`, `[::1]:80`, `::1` and their like begins.

    `size` is that of the whole text, then that of the address.
    """
    cdef Py_ssize_t i, colon = -1, colons = 0
    if size[0] and text[0] == c"[":
        for i in range(1, size[0]):
            if text[i] == c"]":
                break
        else:
            i = size[0] - 1
        size[0] = max(i - 1, 0)
        return 1
    for i in range(size[0]):
        if text[i] == c":":
            colon = i if colons == 0 else colon
            colons += 1
    if colons == 1:
        size[0] = colon
    return 0
