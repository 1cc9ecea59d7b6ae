"""Takes a stored HTTP answer apart: status and headers, body, and the decoded content.

A message that was cut short or damaged is read as far as possible; the record keeps all its bytes.
"""

from __future__ import annotations

from lycosa.fetch.coding.chunks import dechunk
from lycosa.fetch.coding.contents import codings_of, decode
from lycosa.model.records import Answer

Headers = tuple[tuple[str, str], ...]

_CODING_HEADERS = ("transfer-encoding", "content-encoding", "content-length")

LARGEST_CONTENT_BYTES = 100_000_000
"""More is not decoded: a small record may be a bomb."""


def parse_head(head: bytes) -> tuple[int, Headers]:
    """Return the status and the headers of an answer."""
    lines = head.decode("latin-1").split("\n")
    parts = lines[0].split(None, 2)
    status = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and headers and line.strip():
            name, value = headers[-1]
            headers[-1] = (name, f"{value} {line.strip()}")
            continue
        name, colon, value = line.partition(":")
        if colon:
            headers.append((name.strip(), value.strip()))
    return status, tuple(headers)


def split_block(block: bytes) -> tuple[bytes, bytes]:
    """Return the head, with the empty line that ends it, and the body of an HTTP message."""
    ends = [at + len(mark) for mark in (b"\r\n\r\n", b"\n\n") if (at := block.find(mark)) >= 0]
    end = min(ends, default=len(block))
    return block[:end], block[end:]


def header(headers: Headers, name: str) -> str:
    """Return the values of a header (its name in lower case), joined."""
    length = len(name)
    values = [value for key, value in headers if len(key) == length and key.lower() == name]
    return ", ".join(values)


def is_chunked(headers: Headers) -> bool:
    """Tell whether the body was sent in chunks."""
    for name, value in headers:
        if len(name) == 17 and name.lower() == "transfer-encoding":
            return value.rpartition(",")[2].strip().lower() == "chunked"
    return False


def payload_of(headers: Headers, sent: bytes) -> bytes:
    """Return the body without its transfer coding, as far as that goes."""
    return dechunk(sent).content if is_chunked(headers) else sent


def content_of(headers: Headers, payload: bytes) -> bytes:
    """Return the content of a payload: its content codings undone, as far as that goes."""
    codings = codings_of([header(headers, "content-encoding")])
    return decode(payload, codings, LARGEST_CONTENT_BYTES).content


def made_head(answer: Answer) -> bytes:
    """Return a head for an answer that has none."""
    from http import HTTPStatus  # only a simulated answer has no head of its own

    try:
        reason = HTTPStatus(answer.status).phrase
    except ValueError:
        reason = ""
    lines = [f"HTTP/1.1 {answer.status} {reason}"]
    for name, value in answer.headers:
        if name.lower() not in _CODING_HEADERS:
            lines.append(f"{' '.join(name.split())}: {' '.join(value.split())}")
    lines.append(f"Content-Length: {len(answer.body)}\r\n\r\n")
    return "\r\n".join(lines).encode("latin-1", "replace")
