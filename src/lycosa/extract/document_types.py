"""Recognises documents by media type, or by their bytes if the type does not tell."""

from __future__ import annotations

from lycosa.model.job.content import DOCUMENT_TYPES

_VAGUE = frozenset(
    {"", "application/octet-stream", "application/zip", "application/x-zip-compressed"}
    | {"application/download", "application/force-download", "binary/octet-stream"}
)
_BEGINNINGS = (b"%PDF-", b"{\\rtf")
_OPEN_DOCUMENTS = (
    b"mimetypeapplication/vnd.oasis.opendocument.",
    b"mimetypeapplication/epub+zip",
)
_OFFICE_PARTS = (b"word/document.xml", b"ppt/presentation.xml", b"xl/workbook.xml")
_NAME_AT = 30
"""Position of the name of the first part in a zip archive (APPNOTE.TXT, 4.3.7)."""


def may_be_document(kind: str) -> bool:
    """Return whether content of this media type, in small letters, may be a document."""
    return kind in DOCUMENT_TYPES or kind in _VAGUE


def is_document(kind: str, body: bytes) -> bool:
    """Return whether content of this media type is a document."""
    return kind in DOCUMENT_TYPES or (kind in _VAGUE and has_document_bytes(body))


def has_document_bytes(body: bytes) -> bool:
    """Return whether a body begins like a document."""
    if body.startswith(_BEGINNINGS):
        return True
    if not body.startswith(b"PK\x03\x04"):
        return False
    is_open = body.startswith(_OPEN_DOCUMENTS, _NAME_AT)
    return is_open or any(part in body for part in _OFFICE_PARTS)
