"""Reads a single document, for `lycosa cat --text`."""

from __future__ import annotations

from lycosa.analysis.documents.document import NEEDS_LIBRARY, NO_TEXT, READ
from lycosa.analysis.documents.reader import DocumentReader
from lycosa.errors import LycosaError
from lycosa.extract.document_types import is_document
from lycosa.storage.warc.http_messages import header, parse_head


def document_of_answer(head: bytes, body: bytes, url: str) -> str:
    """Return the text of an answer with this HTTP head; "" if it is not a document."""
    kind = header(parse_head(head)[1], "content-type").partition(";")[0].strip().lower()
    if not is_document(kind, body):
        return ""
    reader = DocumentReader()
    try:
        found = reader.read(body)
    finally:
        reader.close()
    if found.outcome == NEEDS_LIBRARY:
        raise LycosaError(
            "lycosa cat --text needs pypdfium2 for a PDF\n"
            "  install, in the clone of Lycosa: pip install '.[documents]'"
        )
    if found.outcome not in (READ, NO_TEXT):
        raise LycosaError(
            f"{url}: the document cannot be read: {found.outcome}\n"
            "  its bytes: lycosa cat DIR URL > FILE"
        )
    return found.text
