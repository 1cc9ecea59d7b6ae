"""Reads documents in a confined process, and says why one cannot be read."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from lycosa._support.confined import Confined, End
from lycosa._support.decoders import msgpack_decoder
from lycosa.analysis.documents.document import (
    CUT_OFF,
    DAMAGED,
    NEEDS_LIBRARY,
    NO_TEXT,
    READ,
    TOO_LARGE,
    TOO_SLOW,
    UNGUARDED,
    Document,
)
from lycosa.errors import LycosaError
from lycosa.extract.document_types import is_document
from lycosa.storage.warc.http_messages import header, parse_head

MEMORY_BYTES = 1_000_000_000
"""Address space of the process: libraries alone take some 300 MB of it."""
SECONDS = 60.0
"""Limits for a document."""
MOST_BYTES = 100_000_000
"""Larger files are not read."""

_OUTCOMES = {End.TOO_SLOW: TOO_SLOW, End.TOO_LARGE: TOO_LARGE, End.UNGUARDED: UNGUARDED}


class DocumentReader:
    """Reads documents one by one; a process is started with the first."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES, seconds: float = SECONDS) -> None:
        made_by = "lycosa.analysis.documents.formats:reader"
        self._confined = Confined(made_by, memory_bytes=memory_bytes, seconds=seconds)

    def read(self, body: bytes, *, is_truncated: bool = False) -> Document:
        """Return the content of a document, or the reason why it cannot be read."""
        if is_truncated:
            return Document(CUT_OFF)
        if len(body) > MOST_BYTES:
            return Document(TOO_LARGE)
        reply = self._confined.answer(body)
        if isinstance(reply, bytes):
            with suppress(msgspec.DecodeError):
                return msgpack_decoder(Document).decode(reply)
            return Document(DAMAGED)
        return Document(_OUTCOMES.get(reply, DAMAGED))

    def close(self) -> None:
        """End the process, if there is one."""
        self._confined.close()


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
