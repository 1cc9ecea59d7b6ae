"""Connections and where they wait, as other compiled modules see them (`_wires.pyx`)."""

from lycosa.fetch.coding._chunks cimport ChunkReader
from lycosa.fetch.coding._reading cimport byte
from lycosa.fetch.http._exchange cimport Exchange, Outgoing


cdef class Pool:
    cdef readonly object loop
    cdef readonly object around
    cdef readonly object on_end
    cdef readonly bytearray buffer
    cdef Py_ssize_t _most_idle
    cdef double _kept_seconds
    cdef double _idle_seconds
    cdef readonly dict _idle
    cdef readonly set _all

    cdef Exchange ask(self, Outgoing outgoing)
    cdef int keep(self, Wire wire) except -1
    cdef bint has_room(self, double now) except -1


cdef class Wire(Exchange):
    cdef public Pool _carrier
    cdef public object _socket
    cdef public object _tls
    cdef public int _descriptor
    cdef public str _peer
    cdef public bytes _unsent
    cdef public bytes _pending
    cdef public ChunkReader _chunks
    cdef public Py_ssize_t _heads_bytes
    cdef public Py_ssize_t _left
    cdef public bint _is_asking
    cdef public bint _is_lasting
    cdef public bint _is_reused
    cdef public double idle_since
    cdef public double ends_at

    cdef int go(self, Outgoing outgoing) except -1
    cdef bint stands(self) except -1
    cdef int ask(self) except -1
    cdef int push(self) except -1
    cdef int read_once(self) except -1
    cdef int take(self, byte *start, byte *end) except -1
    cdef bint begin_body(self, bytes sent) except -1
    cdef int take_body(self, byte *start, byte *end) except -1
    cdef int take_chunks(self, byte *start, Py_ssize_t size) except -1
    cdef int take_counted(self, byte *start, Py_ssize_t size) except -1
    cdef int end(self, object verdict) except -1
