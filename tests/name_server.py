"""A name server as far as tests need one: from a question to its answer, byte by byte."""

from __future__ import annotations

import ipaddress
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

A, AAAA = 1, 28


class Question(NamedTuple):
    name: str
    kind: int


class Found(NamedTuple):
    addresses: Sequence[str]
    seconds: int


CANNOT_SAY = Found([], -1)
"""What a name server says that cannot ask those who know (SERVFAIL)."""


def read_question(data: bytes) -> tuple[Question, bytes]:
    """Return what is asked, and the bytes of the question as the answer repeats them."""
    labels, at = [], 12
    while data[at]:
        labels.append(data[at + 1 : at + 1 + data[at]].decode())
        at += 1 + data[at]
    (kind,) = struct.unpack(">H", data[at + 1 : at + 3])
    return Question(".".join(labels).lower(), kind), data[12 : at + 5]


_ZONE = b"\x07example\x00"
_SOA_DATA = b"\x02ns" + _ZONE + b"\x02me" + _ZONE + struct.pack(">5I", 1, 3600, 600, 86400, 3600)
_START_OF_AUTHORITY = _ZONE + struct.pack(">HHIH", 6, 1, 3600, len(_SOA_DATA)) + _SOA_DATA
"""Lets those who ask remember for an hour that a name does not exist (RFC 2308)."""


def reply_to(data: bytes, find: Callable[[Question], Found | None]) -> bytes:
    """Answer a question; `find` gives None for a name that does not exist, `CANNOT_SAY` to fail."""
    question, asked = read_question(data)
    found = find(question)
    addresses, seconds = found or Found([], 0)
    records = b"".join(
        b"\xc0\x0c" + struct.pack(">HHIH", question.kind, 1, seconds, len(packed)) + packed
        for packed in (ipaddress.ip_address(one).packed for one in addresses)
    )
    flags = 0x8182 if found is CANNOT_SAY else 0x8180 if found is not None else 0x8183
    authority = b"" if found is not None else _START_OF_AUTHORITY
    counts = struct.pack(">HHHHH", flags, 1, len(addresses), bool(authority), 0)
    return data[:2] + counts + asked + records + authority


class ThreadedNameServer:
    """Answers on loopback from a thread of its own, for as long as the `with` block runs."""

    def __init__(self, find: Callable[[Question], Found | None]) -> None:
        self._find = find
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while data := self._socket.recvfrom(4096):
            if not data[0]:
                return
            self._socket.sendto(reply_to(data[0], self._find), data[1])
