"""Messages between two processes, over a socket, in order and whole.

A message is a msgpack record behind its length. Sending never blocks: what the socket does not
take waits here. When the other side is gone `on_closed` is called, once.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

import msgspec

from lycosa.loop import EventLoop

M = TypeVar("M")

_LENGTH = struct.Struct("<I")


def frame(message: msgspec.Struct) -> bytes:
    """Return a message as it travels."""
    packed = msgspec.msgpack.encode(message)
    return _LENGTH.pack(len(packed)) + packed


class Channel(Generic[M]):
    """One end of a socket pair; `M` is what comes from the other one."""

    def __init__(
        self,
        loop: EventLoop,
        end: socket.socket,
        kind: Any,
        on_message: Callable[[M], None],
        on_closed: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._socket = end
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self._on_message = on_message
        self._on_closed = on_closed
        self._received = bytearray()
        self._unsent = bytearray()
        self._is_open = True
        end.setblocking(False)
        loop.add_reader(end, self._read)

    def send(self, message: msgspec.Struct) -> None:
        """Send a message; into the void when the other side is gone."""
        if not self._is_open:
            return
        is_waiting = bool(self._unsent)
        self._unsent += frame(message)
        if not is_waiting:
            self._write()

    def flush(self) -> None:
        """Wait until everything is sent, or the other side is gone."""
        if self._is_open and self._unsent:
            self._socket.setblocking(True)
            with suppress(OSError):
                self._socket.sendall(self._unsent)
            self._unsent.clear()
            self._socket.setblocking(False)

    def close(self) -> None:
        """Let go of the socket; nobody is called."""
        if self._is_open:
            self._is_open = False
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._socket.close()

    def _write(self) -> None:
        try:
            sent = self._socket.send(self._unsent)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._unsent.clear()  # the reader notices that nobody is there
            self._loop.remove_writer(self._socket)
            return
        del self._unsent[:sent]
        if self._unsent:
            self._loop.add_writer(self._socket, self._write)
        else:
            self._loop.remove_writer(self._socket)

    def _read(self) -> None:
        try:
            content = self._socket.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            content = b""
        if not content:
            self.close()
            self._on_closed()
            return
        self._received += content
        while self._is_open and len(self._received) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._received)
            if len(self._received) < _LENGTH.size + length:
                return
            packed = bytes(self._received[_LENGTH.size : _LENGTH.size + length])
            del self._received[: _LENGTH.size + length]
            self._on_message(self._decode(packed))
