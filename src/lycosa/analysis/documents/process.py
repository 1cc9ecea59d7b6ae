"""Reads documents from standard input, in a process with limits and without network.

`python -m lycosa.analysis.documents.process MEMORY_BYTES SECONDS`. It dies if a document takes too
long or crashes the library; its parent starts another process.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys

import msgspec

from lycosa._support.sandbox import give_up_network
from lycosa.analysis.documents.document import (
    DAMAGED,
    ENCRYPTED,
    TOO_LARGE,
    UNSUPPORTED,
    Document,
    Unreadable,
)
from lycosa.analysis.documents.office import read_office
from lycosa.analysis.documents.pdf import installed_version, read_pdf
from lycosa.analysis.documents.rtf import read_rtf
from lycosa.errors import QueryError

LENGTH = struct.Struct("<I")
UNGUARDED_CODE = 3

_SIGNAL_WHEN_PARENT_ENDS = 1
"""PR_SET_PDEATHSIG of linux/prctl.h."""
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_PDF_WITHIN = 1024


def read(body: bytes) -> Document:
    """Read a document; its first bytes tell the format."""
    kind = ""
    try:
        if b"%PDF-" in body[:_PDF_WITHIN]:
            kind = "pdf"
            return read_pdf(body)
        if body.startswith(b"{\\rtf"):
            return read_rtf(body)
        if body.startswith(b"PK"):
            return read_office(body)
        if body.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in body:
            return Document(ENCRYPTED)
        return Document(UNSUPPORTED)
    except Unreadable as error:
        return Document(str(error), kind)
    except (MemoryError, RecursionError):
        return Document(TOO_LARGE, kind)
    except Exception:
        return Document(DAMAGED, kind)


def main(memory_bytes: str, seconds: str) -> None:
    """Read documents until there are no more."""
    ctypes.CDLL(None).prctl(_SIGNAL_WHEN_PARENT_ENDS, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if installed_version():
        import pypdfium2  # noqa: F401  before the memory is limited and the network gone
    resource.setrlimit(resource.RLIMIT_AS, (int(memory_bytes), int(memory_bytes)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        give_up_network()
    except QueryError:
        os._exit(UNGUARDED_CODE)
    given, replies = sys.stdin.buffer, sys.stdout.buffer
    while len(head := given.read(LENGTH.size)) == LENGTH.size:
        signal.setitimer(signal.ITIMER_REAL, float(seconds))
        try:
            reply = msgspec.msgpack.encode(read(given.read(LENGTH.unpack(head)[0])))
        except MemoryError:
            reply = msgspec.msgpack.encode(Document(TOO_LARGE))
        signal.setitimer(signal.ITIMER_REAL, 0)
        replies.write(LENGTH.pack(len(reply)) + reply)
        replies.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
