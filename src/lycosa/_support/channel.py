"""Sends messages to another process over a socket, whole and in order.

A message is a msgpack record preceded by its length. Sending never blocks: the channel keeps what
the socket does not take yet. When the other process closes its end, `on_closed` is called once. A
message that is larger than the other process may send closes the channel, too.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

import msgspec

from lycosa._support.decoders import msgpack_decoder
from lycosa._support.loop import EventLoop

M = TypeVar("M")

_LENGTH = struct.Struct("<I")
LARGEST_BYTES = (1 << 32) - 1


def frame(message: msgspec.Struct) -> bytes:
    """Return the bytes of a message: its length and its msgpack record."""
    packed = msgspec.msgpack.encode(message)
    return _LENGTH.pack(len(packed)) + packed


class Channel(Generic[M]):
    """An end of a socket pair; `M` is the type of the messages from the other end."""

    def __init__(
        self, loop: EventLoop, end: socket.socket, kind: Any, largest_bytes: int = LARGEST_BYTES
    ) -> None:
        """Take over a socket; `kind` is the union of the messages that arrive on it."""
        self._loop = loop
        self._socket = end
        self._largest_bytes = largest_bytes
        self._decode = msgpack_decoder(kind).decode
        self._received = bytearray()
        self._unsent = bytearray()
        self._is_open = True
        end.setblocking(False)

    def listen(
        self,
        on_message: Callable[[M], None],
        on_closed: Callable[[], None],
        on_too_large: Callable[[], None] | None = None,
    ) -> None:
        """Read from now on; messages that have arrived before are not lost."""
        self._on_message = on_message
        self._on_closed = on_closed
        self._on_too_large = on_too_large or on_closed
        self._loop.add_reader(self._socket, self._read)

    def send(self, message: msgspec.Struct) -> None:
        """Send a message; nothing happens when the other process is gone."""
        if not self._is_open:
            return
        is_waiting = bool(self._unsent)
        self._unsent += frame(message)
        if not is_waiting:
            self._write()

    def flush(self) -> None:
        """Block until everything is sent, or the other process is gone."""
        if self._is_open and self._unsent:
            self._socket.setblocking(True)
            with suppress(OSError):
                self._socket.sendall(self._unsent)
            self._unsent.clear()
            self._socket.setblocking(False)

    def close(self) -> None:
        """Close the socket without calling `on_closed`."""
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
            self._unsent.clear()  # `_read` notices that the other process is gone
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
            if length > self._largest_bytes:
                self.close()
                self._on_too_large()
                return
            if len(self._received) < _LENGTH.size + length:
                return
            packed = bytes(self._received[_LENGTH.size : _LENGTH.size + length])
            del self._received[: _LENGTH.size + length]
            self._on_message(self._decode(packed))
