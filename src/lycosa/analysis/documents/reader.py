"""Sends documents to a reading process, and starts another when it has died."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress

import msgspec

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

_LENGTH_BYTES = 4
_UNGUARDED_CODE = 3


class DocumentReader:
    """Reads documents one by one; a process is started with the first."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES, seconds: float = SECONDS) -> None:
        self._limits = (str(memory_bytes), str(seconds))
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, body: bytes, *, is_truncated: bool = False) -> Document:
        """Return the content of a document, or the reason why it cannot be read."""
        if is_truncated:
            return Document(CUT_OFF)
        if len(body) > MOST_BYTES:
            return Document(TOO_LARGE)
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.write(len(body).to_bytes(_LENGTH_BYTES, "little"))
            process.stdin.write(body)
            process.stdin.flush()
        head = process.stdout.read(_LENGTH_BYTES)
        if len(head) == _LENGTH_BYTES:
            reply = process.stdout.read(int.from_bytes(head, "little"))
            with suppress(msgspec.DecodeError):
                return msgpack_decoder(Document).decode(reply)
        return Document(_why_ended(self.close()))

    def close(self) -> int:
        """End the process, if there is one; returns its code."""
        process, self._process = self._process, None
        if process is None or process.stdin is None or process.stdout is None:
            return 0
        with suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        return process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "lycosa.analysis.documents.process", *self._limits],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # only the parent handles Ctrl-C
            )
        return self._process


def _why_ended(code: int) -> str:
    if code == -signal.SIGALRM:
        return TOO_SLOW
    return UNGUARDED if code == _UNGUARDED_CODE else DAMAGED


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
