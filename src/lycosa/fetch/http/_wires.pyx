"""The usual way of a page over a kept connection, compiled; `http1` and `tls` have the rest.

    Pool   the connections that wait for a request to their site
    Wire   one connection: sends a request, reads the head and a counted body, hands over

A page that comes in one piece over a standing connection is one call of `Pool.ask`, which puts the
request on the wire, and one of `Wire._on_readable`, which reads it, takes it apart and hands it
over, be its body counted or chunked. Rare steps are methods of the classes that are built on
these: connecting, handshakes, ends of connections, heads that come in pieces.

System calls are made without Python's sockets; over TLS everything goes through `ssl`.

Always true: see `http1`.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Next
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM
from libc.errno cimport EAGAIN, EINTR, errno

from lycosa.fetch.coding._chunks cimport ChunkReader
from lycosa.fetch.coding.heads import CHUNKED, UNTIL_CLOSE, BadHead
from lycosa.fetch.coding._reading cimport byte, head_end, read
from lycosa.fetch.http._exchange cimport (
    HEAD_BY_NAME,
    HEAD_IS_LASTING,
    HEAD_LENGTH,
    HEAD_STATUS,
    Exchange,
    Outgoing,
    Received,
)
from lycosa.fetch.http.exchange import Surroundings
from lycosa.fetch.http.kept import idle_seconds
from lycosa.fetch.http.throttle import BURST_BYTES
from lycosa._support.fields cimport field, offset_of
from lycosa._support.poison cimport poison
from lycosa.model.records import Outcome

cdef extern from "<sys/socket.h>" nogil:
    Py_ssize_t recv(int descriptor, void *data, size_t size, int flags)
    Py_ssize_t send(int descriptor, const void *data, size_t size, int flags)
    int MSG_NOSIGNAL

cdef extern from "<poll.h>" nogil:
    struct pollfd:
        int fd
        short events
        short revents
    int poll(pollfd *watched, unsigned long count, int milliseconds)
    short POLLIN

cpdef enum:
    READ_BYTES = 131_072  # at once: most pages then come in one piece; all connections share it
    LONGEST_HEADS_BYTES = 262_144  # of all heads of an answer together, interim ones included
    WAS_RESET = -1  # instead of a number of bytes: the connection is broken
    MUST_WAIT = -2  # instead of a number of bytes: the socket is not ready

cdef Py_ssize_t TO_THE_END = UNTIL_CLOSE
cdef Py_ssize_t IN_CHUNKS = CHUNKED
cdef object BAD_ANSWER = Outcome.BAD_ANSWER
cdef Py_ssize_t AROUND_THROTTLE = offset_of(Surroundings, "throttle")
cdef Py_ssize_t AROUND_STALE = offset_of(Surroundings, "stale")


cdef class Pool:
    """The connections of a carrier, and which of them wait for their next request."""

    def __init__(
        self, loop, around, Py_ssize_t most_idle, on_end, double kept_seconds, double idle_seconds
    ):
        if type(around) is not Surroundings:
            raise TypeError("a carrier has Surroundings")
        self.loop = loop
        self.around = around
        self.on_end = on_end
        self.buffer = bytearray(READ_BYTES)
        self._most_idle = most_idle
        self._kept_seconds = kept_seconds
        self._idle_seconds = idle_seconds
        self._idle = {}
        self._all = set()

    def start(self, Outgoing outgoing not None):
        """Ask over a standing connection to the site, or over a new one."""
        return self.ask(outgoing)

    cdef Exchange ask(self, Outgoing outgoing):
        cdef Wire wire = self._idle.pop(outgoing.key[:2], None)
        if wire is None or not wire.stands():
            wire = self.new_connection()
        wire.go(outgoing)
        return wire

    def stop(self, Wire wire not None):
        """Close a connection that is in use."""
        wire.close()

    def release(self, Wire wire not None):
        """Keep a connection for the next request to its site, if it can carry one."""
        self.keep(wire)

    cdef int keep(self, Wire wire) except -1:
        cdef object head = wire.received.head
        cdef double now
        cdef tuple site
        wire.unload()
        if wire._socket is None:
            return 0
        site, often = wire.key[:2], field(self.around, AROUND_STALE).often
        if site in self._idle or (often and site in often):
            wire.close()
            return 0
        wire.idle_since = now = self.loop.time()
        wire.ends_at = 0.0
        if head is not None:
            told = (<dict> PyTuple_GET_ITEM(head, HEAD_BY_NAME)).get("keep-alive")
            if told is not None and (seconds := idle_seconds(told)) is not None:
                if seconds <= 0.0:
                    wire.close()
                    return 0
                wire.ends_at = now + seconds
        if not self.has_room(now):
            wire.close()
            return 0
        self._idle[site] = wire
        return 0

    cdef bint has_room(self, double now) except -1:
        """Make room among connections that wait; False if all of them are of more use."""
        cdef Wire oldest = first_of(self._idle)
        while oldest is not None and now - oldest.idle_since > self._idle_seconds:
            self.forget(oldest)
            oldest = first_of(self._idle)
        if len(self._idle) >= self._most_idle:
            if oldest is None or now - oldest.idle_since < self._kept_seconds:
                return False
            self.forget(oldest)
        return True

    def forget(self, Wire wire not None):
        """Drop an idle connection: its server has ended it, or another one takes its place."""
        self._idle.pop(wire.key[:2], None)
        wire.close()

    def let_go(self, is_wanted, double since):
        """Close what has been idle since a moment and leads to a site that is not wanted."""
        cdef Wire wire
        cdef list unused = []
        for wire in self._idle.values():
            if wire.idle_since > since:
                break  # they stand in the order of time
            if not is_wanted(wire.key[0]):
                unused.append(wire)
        for wire in unused:
            del self._idle[wire.key[:2]]
            wire.part()

    def opened(self, Wire wire not None):
        """Note a connection, to be closed at the end."""
        self._all.add(wire)

    def closed(self, Wire wire not None):
        """Note that a connection is gone."""
        self._all.discard(wire)

    def abort_all(self):
        """Close every connection."""
        self._idle.clear()
        for wire in list(self._all):
            wire.part()

    def close(self):
        """Close every connection."""
        self.abort_all()


cdef Wire first_of(dict wires):
    """Return the connection that has waited longest, or None."""
    cdef PyObject *wire = NULL
    cdef Py_ssize_t position = 0
    return <object> wire if PyDict_Next(wires, &position, NULL, &wire) else None


cdef class Wire(Exchange):
    """One connection to a site, and the request that it carries."""

    def __init__(self, Pool carrier not None):
        Exchange.__init__(self, carrier.around, carrier)
        self._carrier = carrier
        self._descriptor = -1
        self._peer = ""
        self._unsent = b""
        self._pending = b""

    @property
    def is_open(self):
        """Whether there is a connection that can carry the next request."""
        return self._socket is not None

    @property
    def is_connected(self):
        """Whether TCP's handshake is over."""
        return bool(self._peer)

    # -- asking ---------------------------------------------------------------------------

    def begin(self, Outgoing outgoing not None):
        """Take a request and send it, or connect first."""
        self.go(outgoing)

    cdef int go(self, Outgoing outgoing) except -1:
        self.load(outgoing)
        self._pending, self._chunks, self._heads_bytes = b"", None, 0
        self._is_asking = True
        self._is_reused = self._socket is not None
        if self._is_reused:
            self.ask()
        else:
            self._connect(outgoing)
        return 0

    def still_stands(self):
        """Return whether an idle connection can be used; closes it if not."""
        return self.stands()

    cdef bint stands(self) except -1:
        cdef pollfd watched
        cdef bint is_in_time = not self.ends_at or self._carrier.loop.time() < self.ends_at
        if is_in_time and (self._tls is None or not self._tls.pending()):
            watched.fd, watched.events, watched.revents = self._descriptor, POLLIN, 0
            if poll(&watched, 1, 0) == 0:
                return True
        self.close()  # the server has ended it, will now, or has spoken without being asked
        return False

    def _send(self):
        """Send the request over a connection that has just been made."""
        self.ask()

    cdef int ask(self) except -1:
        if not self.passes(self._peer, False):
            self._carrier.loop.call_soon(self._on_refused, self.outgoing)
            return 0
        self._unsent = self.text()
        return self.push()

    def _send_rest(self):
        self.push()

    cdef int push(self) except -1:
        cdef Py_ssize_t sent
        cdef Py_ssize_t size = PyBytes_GET_SIZE(self._unsent)
        cdef const char *data = PyBytes_AS_STRING(self._unsent)
        if self._tls is not None:
            sent = self._write_secure(self._unsent)
        else:
            sent = send_now(self._descriptor, data, size)
        if sent == WAS_RESET:
            return 0  # the reader is told of it, too
        if sent == size:
            self._unsent = b""
            return 0
        if sent > 0:
            self._unsent = self._unsent[sent:]
        self._carrier.loop.add_writer(self._descriptor, self._on_writable)
        return 0

    # -- reading --------------------------------------------------------------------------

    def _on_readable(self):
        self.read_once()
        while self._tls is not None and self._is_asking and not self.is_paused:
            if not self._tls.pending():
                break
            self.read_once()

    cdef int read_once(self) except -1:
        """Read what has come, as far as bandwidth is left, and take it."""
        cdef object throttle = field(self._carrier.around, AROUND_THROTTLE)
        cdef char *data = self._carrier.buffer
        cdef Py_ssize_t most = READ_BYTES
        cdef Py_ssize_t size
        if throttle is not None:
            most = BURST_BYTES
            if not throttle.has_some():
                self._carrier.loop.remove_reader(self._descriptor)
                throttle.pause(self)
                return 0
        if self._tls is not None:
            size = self._read_secure(most)
        else:
            size = receive_now(self._descriptor, data, most)
        if size == MUST_WAIT:
            return 0
        if throttle is not None:
            throttle.spend(max(size, 0))
        if not self._is_asking:
            self._carrier.forget(self)
        elif size > 0:
            self.take(<byte *> data, <byte *> data + size)
            # A piece that was not copied would be read as the next answer's bytes.
            poison(data, size)
        else:
            self._on_closed(was_reset=size < 0)
        return 0

    cdef int take(self, byte *start, byte *end) except -1:
        """Take a piece of the answer, which is copied: the next one comes to the same place."""
        cdef bytes joined
        cdef bytes sent
        cdef byte *stop
        if self._pending is not None and PyBytes_GET_SIZE(self._pending):
            joined = self._pending + PyBytes_FromStringAndSize(<char *> start, end - start)
            start = <byte *> PyBytes_AS_STRING(joined)
            end = start + PyBytes_GET_SIZE(joined)
        while self._pending is not None:
            stop = head_end(start, end)
            if stop == NULL:
                self._wait_for_head(PyBytes_FromStringAndSize(<char *> start, end - start))
                return 0
            sent = PyBytes_FromStringAndSize(<char *> start, stop - start)
            if not self.begin_body(sent):
                return 0
            start = stop
        return self.take_body(start, end)

    cdef bint begin_body(self, bytes sent) except -1:
        """Read a head; False when it ends the exchange."""
        cdef long status
        self._heads_bytes += PyBytes_GET_SIZE(sent)
        try:
            head = read(sent)
        except BadHead:
            self.end(BAD_ANSWER)
            return False
        if self._heads_bytes > LONGEST_HEADS_BYTES:
            self.end(BAD_ANSWER)
            return False
        self.received.head = head
        status = <object> PyTuple_GET_ITEM(head, HEAD_STATUS)
        if status < 200 and status != 101:
            self._pending = b""
            return True
        self._pending = None
        self._left = <object> PyTuple_GET_ITEM(head, HEAD_LENGTH)
        self._is_lasting = <object> PyTuple_GET_ITEM(head, HEAD_IS_LASTING)
        if self.asks_head():
            self._left = 0
        elif self._left == IN_CHUNKS:
            self._chunks = ChunkReader()
        return True

    cdef int take_body(self, byte *start, byte *end) except -1:
        cdef Py_ssize_t size = end - start
        if self._chunks is None and self._left != TO_THE_END:
            return self.take_counted(start, size)
        if self._chunks is not None:
            return self.take_chunks(start, size)
        piece = PyBytes_FromStringAndSize(<char *> start, size)
        if size and not self.received.take(piece, self.limit):
            self.end(None)
        return 0

    cdef int take_chunks(self, byte *start, Py_ssize_t size) except -1:
        cdef Py_ssize_t end = self._chunks.follow(start, size)
        if end >= 0 and (end < size or self._chunks.is_broken):
            size = end
            self._is_lasting = False
        if size:
            piece = PyBytes_FromStringAndSize(<char *> start, size)
            if not self.received.take(piece, self.limit):
                self._is_lasting = False
                return self.end(None)
        return 0 if end < 0 else self.end(None)

    cdef int take_counted(self, byte *start, Py_ssize_t size) except -1:
        if size > self._left:  # what exceeds the length belongs to no answer
            size = self._left
            self._is_lasting = False
        self._left -= size
        if size:
            piece = PyBytes_FromStringAndSize(<char *> start, size)
            if not self.received.take(piece, self.limit):
                self._is_lasting = False
                return self.end(None)
        return 0 if self._left else self.end(None)

    # -- the end --------------------------------------------------------------------------

    def _end(self, verdict):
        self.end(verdict)

    cdef int end(self, object verdict) except -1:
        """End the exchange and hand it over."""
        self._is_asking = False
        if verdict is not None or not self._is_lasting or PyBytes_GET_SIZE(self._unsent):
            self.close()
        if verdict is not None:
            self.received.verdict = verdict
        self._carrier.on_end(self)
        return 0


cdef Py_ssize_t send_now(int descriptor, const char *data, Py_ssize_t size) except -3:
    """Send what the socket takes at once; `MUST_WAIT` or `WAS_RESET` if it takes nothing."""
    cdef Py_ssize_t sent
    while True:
        with nogil:
            sent = send(descriptor, data, size, MSG_NOSIGNAL)
        if sent >= 0:
            return sent
        if errno != EINTR:
            return MUST_WAIT if errno == EAGAIN else WAS_RESET
        PyErr_CheckSignals()


cdef Py_ssize_t receive_now(int descriptor, char *data, Py_ssize_t most) except -3:
    """Read what has come, 0 at the end; `MUST_WAIT` or `WAS_RESET` if there is nothing."""
    cdef Py_ssize_t size
    while True:
        with nogil:
            size = recv(descriptor, data, most, 0)
        if size >= 0:
            return size
        if errno != EINTR:
            return MUST_WAIT if errno == EAGAIN else WAS_RESET
        PyErr_CheckSignals()
