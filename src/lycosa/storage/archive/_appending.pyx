"""The usual way of an exchange into the archive, compiled; `archive` and `duplicates` have the
rest.

Nearly every answer has a payload that nothing has given before: it is looked up, archived as
request, response and metadata, and its rows are taken. Revisits, rendered pages and all that reads
records again is Python.

Always true (tests/unit/storage/archive/test_appending.py, against plain Python): what is known of a
payload, and what is noted, is what the plain functions say.
"""

from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject

from lycosa._support.fields cimport field, is_a, offset_of

from collections import deque

from msgspec.structs import replace

from lycosa.model.records import Answer, Capture, Outcome, Place, Purpose, Request
from lycosa.storage.tables.quads import block_of
from lycosa.storage.warc._records import Writer, message_of, tag_of
from lycosa.model.url import reversed_host_of

LEAST_BYTES = 256
"""A shorter payload takes less than what a revisit says more than a response: it is not indexed."""

MOST_WAITING = 100_000

NO_PARTITION = -1

cdef Py_ssize_t PURPOSE = offset_of(Capture, "purpose"), OUTCOME = offset_of(Capture, "outcome")
cdef Py_ssize_t REQUEST = offset_of(Capture, "request"), ANSWER = offset_of(Capture, "answer")
cdef Py_ssize_t HELD = offset_of(Capture, "held"), IS_WITHHELD = offset_of(Capture, "is_withheld")
cdef Py_ssize_t TRIPLES = offset_of(Capture, "triples"), KEY = offset_of(Capture, "key")
cdef Py_ssize_t ITEMS = offset_of(Capture, "items")
cdef Py_ssize_t URL = offset_of(Request, "url"), FORM = offset_of(Request, "form")
cdef Py_ssize_t PARTITION = offset_of(Request, "partition")
cdef Py_ssize_t STATUS = offset_of(Answer, "status"), BEGAN = offset_of(Answer, "began")
cdef Py_ssize_t TRUNCATED = offset_of(Answer, "truncated")

cdef object RENDERED = Outcome.RENDERED, NOT_MODIFIED = Outcome.NOT_MODIFIED
cdef object ROBOTS = Purpose.ROBOTS
cdef object new_tuple = tuple.__new__  # a named tuple's own is Python
cdef tuple NOTHING = (0, None, False)

cdef enum:
    LEAST = 256         # LEAST_BYTES


cdef int check(object capture) except -1:
    """Refuse anything but a capture of a request and its answer."""
    if not (
        is_a(capture, Capture)
        and is_a(field(capture, ANSWER), Answer)
        and is_a(field(capture, REQUEST), Request)
    ):
        raise TypeError(f"a capture is expected, not {type(capture).__name__}")
    return 0


cdef class Recent:
    """Payloads that have no event yet, and what is known of another one."""

    cdef readonly dict _recent
    """By tag and sharer, the place."""
    cdef readonly dict _losses
    cdef readonly object _waiting
    """Payloads whose event is not known to be in the log: partition, tag and sharer, place."""
    cdef readonly Py_ssize_t _noted
    cdef object _find

    def __init__(self, find not None):
        """`find` looks a tag up in the index."""
        self._recent, self._losses, self._waiting = {}, {}, deque()
        self._noted, self._find = 0, find

    cpdef tuple look_for(self, capture, message):
        """Return what is known of the payload of an answer.

        That is the tag under which it is to be noted (0 if it is not), the earlier exchange that had
        it, and whether the URL gave the same the last time.
        """
        check(capture)
        answer = field(capture, ANSWER)
        cdef Py_ssize_t size = message.payload_bytes
        if not size or field(answer, TRUNCATED):
            return NOTHING
        if field(capture, HELD) is not None:
            held = self._held(capture, message)
            if held is not None:
                return 0, held, True
        if field(field(capture, REQUEST), FORM):
            return NOTHING  # another answer of the same URL may be that to another request
        tag = tag_of(answer, message)
        cdef PyObject *met = PyDict_GetItem(self._recent, (tag, self._sharer(capture)))
        place = None if met is NULL else <object> met
        if place is None and size >= LEAST:
            place = self._find(tag)
        if place is not None:
            earlier = self._confirmed(place, answer, message)
            if earlier is not None:
                return 0, earlier, earlier.url == field(field(capture, REQUEST), URL)
        return NOTHING if field(capture, IS_WITHHELD) else (tag, None, False)

    cpdef int note(self, tag, capture, place, Py_ssize_t payload_bytes) except -1:
        """Remember where a payload was stored."""
        check(capture)
        if len(self._waiting) >= MOST_WAITING:
            return 0
        key = tag, self._sharer(capture)
        self._recent[key] = place
        self._noted += 1
        partition = field(field(capture, REQUEST), PARTITION)
        self._waiting.append((partition if payload_bytes >= LEAST else NO_PARTITION, key, place))
        return 0

    cdef object _sharer(self, object capture):
        """Return the partition that may refer to a payload, or the host where there is none."""
        partition = field(field(capture, REQUEST), PARTITION)
        if partition < 0:
            return reversed_host_of(field(capture, KEY))
        if self._losses and (lost := self._losses.get(partition)):
            return f"{partition} {lost}"  # others than before it was lost
        return partition


cdef class Appending:
    """Takes exchanges into an open segment."""

    cdef Recent _known
    cdef double _ahead, _most_bytes

    def __init__(self, Recent duplicates not None, double clock_ahead, double roll_bytes):
        """Records carry the machine's time; moments are ahead of it by `clock_ahead` seconds."""
        self._known, self._ahead, self._most_bytes = duplicates, clock_ahead, roll_bytes

    def append(self, capture not None):
        """Take an exchange into the buffers; its place is final."""
        check(capture)
        if self._ahead:
            capture = replace(capture, answer=field(capture, ANSWER).earlier(self._ahead))
        answer = field(capture, ANSWER)
        segment = self._current
        # Another thread may end the segment; so it may right after a look under the lock.
        if segment is None:
            segment = self._open_segment(field(answer, BEGAN))
        cdef list members = []
        cdef Py_ssize_t main = 0, offset, start, i, size = 0
        message = kind = None
        tag, is_unchanged = 0, False
        if field(answer, STATUS):
            message = message_of(answer)
            outcome = field(capture, OUTCOME)
            if outcome is RENDERED or outcome is NOT_MODIFIED:
                earlier = None
            else:
                tag, earlier, is_unchanged = self._known.look_for(capture, message)
            if field(capture, ITEMS):
                capture = self._begin_items(segment, capture, message, is_unchanged)
            url = field(field(capture, REQUEST), URL)
            if field(field(capture, REQUEST), FORM):
                url = (<str> url).partition("#")[0]  # what was posted stands behind it
            writer = Writer(segment.ids, capture, url)
            if earlier is None and outcome is not RENDERED and outcome is not NOT_MODIFIED:
                kind = "response"
                members, main = writer.ordinary(message)
            else:
                kind, members, main = self._other_records(writer, capture, message, earlier)
                is_unchanged = is_unchanged or outcome is NOT_MODIFIED
            if earlier is not None:
                segment.leans_on.add(earlier.file)
            size = len(<bytes?> members[main])
        lock, warc = segment.lock, segment.warc
        with lock:
            offset = start = warc.extend(members)
            for i in range(main):
                offset += len(<bytes?> members[i])
            place = new_tuple(Place, (segment.number, offset, size))
            segment.pending.add(
                capture,
                kind,
                None if message is None else message.payload_digest,
                not is_unchanged,
                offset,
                size,
                start,
                warc.end - start,
            )
            if field(capture, TRIPLES) is not None and field(capture, PURPOSE) is not ROBOTS:
                segment.blocks.append(block_of(capture))
            if field(capture, ITEMS):
                segment.add_items(capture)
        if tag:
            self._known.note(tag, capture, place, message.payload_bytes)
        if warc.end >= self._most_bytes:
            self.roll()
        return place
