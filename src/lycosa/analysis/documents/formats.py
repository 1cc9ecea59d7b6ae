"""Reads a document; its first bytes tell the format. Runs in a confined process."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

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


def reader() -> Callable[[bytes], bytes]:
    """Return the function that reads documents in a confined process."""
    if installed_version():
        import pypdfium2  # noqa: F401  before the memory is limited and the network gone
    return lambda body: msgspec.msgpack.encode(read(body))
