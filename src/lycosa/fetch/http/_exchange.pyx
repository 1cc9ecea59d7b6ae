"""One request on its way to the web, whichever carrier sends it; `exchange` has its surroundings.

An `Exchange` is made once and then carries request after request. Data that depends on the host
(the pinned address, the headers) is computed only when the host changes; between two pages of a
host only the request target differs.

When the connection stands and the request is about to go out, the carrier calls `may_go`: the
guard judges the address that is really at the other end, and the lease is checked once more.
It lets only one request through: a host is never asked twice without a pause.

Methods of C (`load`, `passes`, `text`, `answer`, `unload`) are for compiled carriers, which call
them for every page; those of Python beside them are the same for carriers that are not compiled.
A body that is whole, in chunks or by gzip or both, gives its content here. Answers that failed, and
all other bodies, are composed in Python (`answers`).
"""

import logging

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM
from libc.string cimport memcpy

from isal.isal_zlib import decompressobj
from isal.isal_zlib import error as _corrupt
from msgspec.structs import replace

from lycosa.fetch.coding._chunks cimport WHOLE, unchunked
from lycosa.fetch.coding.head import Head
from lycosa.fetch.http.answers import LONGEST_HEAD_BYTES, compose
from lycosa.fetch.http.exchange import Origin, Surroundings, request_headers
from lycosa._support.fields cimport field, is_a, offset_of
from lycosa.model.records import Answer, Outcome, Purpose, Request

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, PyObject *problem) except? -1
    bint PyUnicode_IS_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    void *PyUnicode_DATA(object text)

cdef object log = logging.getLogger(__name__)
cdef object HEAD = Purpose.HEAD
cdef object REFUSED_ADDRESS = Outcome.REFUSED_ADDRESS
cdef object CONNECT_FAILURE = Outcome.CONNECT_FAILURE
cdef object STALE_CONNECTION = Outcome.STALE_CONNECTION
cdef object CUT_SHORT = Outcome.CUT_SHORT
cdef Py_ssize_t LONGEST = LONGEST_HEAD_BYTES
cdef int GZIP = 31  # the `wbits` of gzip

cdef Py_ssize_t REQUEST_PURPOSE = offset_of(Request, "purpose")
cdef Py_ssize_t REQUEST_FORM = offset_of(Request, "form")
cdef Py_ssize_t REQUEST_LARGEST = offset_of(Request, "largest_body_bytes")
cdef Py_ssize_t AROUND_NOW = offset_of(Surroundings, "now")
cdef Py_ssize_t AROUND_GUARD = offset_of(Surroundings, "guard")
cdef Py_ssize_t AROUND_MAY_SEND = offset_of(Surroundings, "may_send")

assert Head._fields[HEAD_STATUS:HEAD_BY_NAME + 1] == (
    "status", "headers", "length", "is_lasting", "is_coded", "by_name"
)


cdef class Outgoing:
    """A request with everything that a carrier needs to send it."""

    def __init__(
        self,
        object request not None,
        object origin not None,
        str path not None,
        tuple key not None,
        object on_answer,
    ):
        if not is_a(request, Request):
            raise TypeError("a request is a lycosa.model.records.Request")
        self.request = request
        self.origin = origin
        self.path = path
        self.key = key
        self.on_answer = on_answer


NOTHING = Outgoing(
    Request("", "", "", Purpose.PAGE, "", 0), Origin("", "", "", 0), "", (), lambda answer: None
)
"""The request of an idle exchange."""
cdef Outgoing IDLE = NOTHING


cdef class Received:
    """The part of an answer that has arrived so far."""

    def __cinit__(self):
        self.lines = []
        self.clear()

    cpdef clear(self):
        """Make ready for the next transfer."""
        if self.lines:
            self.lines.clear()
        self.head = None
        self.first = b""
        self.rest = None
        self.is_cut = False
        self.was_asked = False
        self.verdict = None
        self.detail = ""
        self.is_missed = False

    @property
    def has_begun(self):
        """Whether anything of a head has come."""
        return self.head is not None or bool(self.lines)

    @property
    def size(self):
        """The bytes of the body that have arrived."""
        return self.held()

    cdef Py_ssize_t held(self) noexcept:
        cdef Py_ssize_t first = PyBytes_GET_SIZE(self.first)
        return first if self.rest is None else first + len(self.rest)

    cpdef bint take(self, bytes data, Py_ssize_t limit) except -1:
        """Take a piece of the body; False when that is too much, and its beginning was taken."""
        cdef Py_ssize_t size = self.held()
        if len(data) > limit - size:
            self.is_cut = True
            data = data[: limit - size]
        if size == 0:
            self.first = data
        elif self.rest is None:
            self.rest = bytearray(data)
        else:
            self.rest += data
        return not self.is_cut

    cpdef bytes body(self):
        """Return the body as it was sent."""
        return self.first if self.rest is None else self.first + self.rest


cdef class Exchange:
    """A request under way, and what has come of its answer."""

    def __init__(self, around, carrier):
        if not is_a(around, Surroundings):
            raise TypeError("an exchange has Surroundings")
        self._around = around
        self.carrier = carrier
        self.asked_end = b""
        self.request_target = ""
        self._asked = b""
        self.received = Received()
        self.key = ()
        self.outgoing = IDLE

    def begin(self, Outgoing outgoing not None):
        """Take a request."""
        self.load(outgoing)

    cdef int load(self, Outgoing outgoing) except -1:
        self.outgoing = outgoing
        self.limit = PyNumber_AsSsize_t(field(outgoing.request, REQUEST_LARGEST), NULL)
        self.began = field(self._around, AROUND_NOW)()
        self.asked_at = self.window_began = 0.0
        self.is_paused = False
        self.request_target = outgoing.path
        self._asked = b""
        if outgoing.key != self.key:
            self.key = ()
            self.address(outgoing, request_headers(self._around, outgoing))
            self.key = outgoing.key
        return 0

    def address(self, Outgoing outgoing not None, list headers not None):
        """Make ready for another host, or for other headers; raises `UnicodeError`."""
        self.asked_end = "\r\n".join([" HTTP/1.1", *headers, "", ""]).encode("latin-1")

    def rest(self):
        """Hold nothing of an exchange that has ended: until the next one it may be long."""
        self.unload()

    cdef int unload(self) except -1:
        self.received.clear()
        self.outgoing, self.request_target, self._asked = IDLE, "", b""
        return 0

    def go_on(self):
        """Read again: there is bandwidth."""
        raise NotImplementedError

    def may_go(self, str peer not None, *, bint is_proxy=False):
        """Return whether the request may be put on this connection, now, the first time.

        The address of a proxy is the operator's choice; every other peer is judged.
        """
        return self.passes(peer, is_proxy)

    cdef bint passes(self, str peer, bint is_proxy) except -1:
        cdef Received received = self.received
        cdef object refusal = None
        if received.was_asked:
            self.note_stale()
            return False
        if not is_proxy:
            refusal = field(self._around, AROUND_GUARD).refusal(peer)
        if refusal is not None:
            log.debug("%s: not sent to %s: %s", self.outgoing.request.url, peer, refusal)
            received.verdict = REFUSED_ADDRESS
            return False
        if not field(self._around, AROUND_MAY_SEND)(self.outgoing.request):
            received.verdict = CONNECT_FAILURE
            return False
        received.was_asked = True
        return True

    @property
    def is_connected(self):
        """Whether TCP's handshake is over, as far as the carrier can tell."""
        return True

    @property
    def lane(self):
        """Requests with the same site and address share a connection."""
        return self.outgoing.key[:2]

    def note_stale(self):
        """Note that a kept connection ended before a byte of the answer came.

        A request that is not idempotent may have been acted upon: it is cut short, and not sent
        again (RFC 9110, 9.2.2).
        """
        is_post = bool(self.outgoing.request.form)
        self.received.verdict = CUT_SHORT if is_post else STALE_CONNECTION
        self._around.stale.note(self.lane)

    @property
    def is_head(self):
        """Whether the head of a page is asked for: its answer has no body (RFC 9110, 9.3.2)."""
        return self.asks_head()

    cdef bint asks_head(self) noexcept:
        return field(self.outgoing.request, REQUEST_PURPOSE) is HEAD

    def asked(self):
        """Return the request as it is sent."""
        return self.text()

    cdef bytes text(self):
        cdef object request = self.outgoing.request
        if not self._asked:
            form = field(request, REQUEST_FORM)
            if not form and field(request, REQUEST_PURPOSE) is not HEAD:
                self._asked = get_of(self.request_target, self.asked_end)
            else:
                method = b"POST " if form else b"HEAD "
                target = self.request_target.encode("latin-1")
                self._asked = method + target + self.asked_end + form
        return self._asked

    def finish(self):
        """Return the answer of the exchange, which has ended."""
        return self.answer()

    cdef object answer(self):
        cdef Received received = self.received
        cdef object head = received.head
        cdef bint is_cut = received.is_cut
        cdef bytes sent, body
        ended = field(self._around, AROUND_NOW)()
        if received.verdict is None and received.was_asked and is_ordinary(head):
            sent = body = received.body()
            headers = <object> PyTuple_GET_ITEM(head, HEAD_HEADERS)
            if <object> PyTuple_GET_ITEM(head, HEAD_IS_CODED) is True:
                body = None if is_cut else content_of(headers, sent, self.limit, &is_cut)
            if body is not None:
                return Answer(
                    <object> PyTuple_GET_ITEM(head, HEAD_STATUS),
                    headers, body, self.began, ended, None, is_cut, self.text(),
                    <object> PyTuple_GET_ITEM(head, HEAD_SENT),
                    sent,
                    <object> PyTuple_GET_ITEM(head, HEAD_BY_NAME),
                )
        answer = compose(received, self.text(), (self.began, ended), self.limit)
        if answer.failure is not None:
            request, detail = self.outgoing.request, received.detail
            log.debug("%s: %s at %s", request.url, answer.failure.name, request.address)
            if detail:
                answer = replace(answer, detail=detail, is_missed=received.is_missed)
        return answer


cdef inline bint is_ordinary(object head) except -1:
    """Tell whether a head is one of an answer that nothing has to be decided about."""
    if head is None:
        return False
    if PyBytes_GET_SIZE(<bytes> PyTuple_GET_ITEM(head, HEAD_SENT)) > LONGEST:
        return False
    return <long> <object> PyTuple_GET_ITEM(head, HEAD_STATUS) >= 200


cdef bytes content_of(tuple headers, bytes sent, Py_ssize_t most, bint *is_cut):
    """Return the content of a body in chunks or by gzip or both; None for what `answers` decides.

    That is all but whole chunks and one whole member, named as most servers name them.
    """
    cdef bint has_chunks = False, has_gzip = False
    cdef int how
    cdef str name, value
    for name, value in headers:
        if len(name) == 17 and name.lower() == "transfer-encoding":
            if has_chunks or value != "chunked":
                return None
            has_chunks = True
        elif len(name) == 16 and name.lower() == "content-encoding":
            if has_gzip or value != "gzip":
                return None
            has_gzip = True
    if has_chunks:
        sent = unchunked(sent, &how)
        if how != WHOLE:
            return None
    return inflated(sent, most, is_cut) if has_gzip else sent


def usual_content(tuple headers not None, bytes sent not None, Py_ssize_t most):
    """Return what `content_of` does, and whether that is only the beginning; for tests."""
    cdef bint is_cut = False
    content = content_of(headers, sent, most, &is_cut)
    return None if content is None else (content, bool(is_cut))


cdef bytes inflated(bytes member, Py_ssize_t most, bint *is_cut):
    """Return what one member of gzip holds, up to a bound; None if there is anything else."""
    engine = decompressobj(wbits=GZIP)
    cdef bytes content
    try:
        content = engine.decompress(member, most + 1)
    except _corrupt:
        return None
    if PyBytes_GET_SIZE(content) > most:
        is_cut[0] = True
        return content[:most]
    return content if engine.eof and not engine.unused_data else None


cdef bytes get_of(str target, bytes end):
    """Return a request for a page: one piece of memory, filled from three."""
    cdef Py_ssize_t target_size = PyUnicode_GET_LENGTH(target)
    cdef Py_ssize_t end_size = PyBytes_GET_SIZE(end)
    cdef bytes asked
    cdef char *p
    if not PyUnicode_IS_ASCII(target):
        return b"GET " + target.encode("latin-1") + end
    asked = PyBytes_FromStringAndSize(NULL, 4 + target_size + end_size)
    p = PyBytes_AS_STRING(asked)
    memcpy(p, b"GET ", 4)
    memcpy(p + 4, PyUnicode_DATA(target), target_size)
    memcpy(p + 4 + target_size, PyBytes_AS_STRING(end), end_size)
    return asked
