"""`_packing` in pure Python: the reference that a test compares the compiled module with."""

from __future__ import annotations

import base64
import hashlib

from isal import isal_zlib

LEVEL = 0
"""Of isal: half the time of level 1 for a tenth more bytes (docs/decisions/0011-archive.md)."""

_GZIP = 31
"""The `wbits` that ask for a gzip header and trailer."""


def digest(*content: bytes) -> str:
    """Return the digest of bytes as it stands in a header: SHA-1 in base 32."""
    hashed = hashlib.sha1(b"".join(content), usedforsecurity=False)
    return "sha1:" + base64.b32encode(hashed.digest()).decode()


def pack(headers: str, *blocks: bytes) -> bytes:
    """Return a record as a gzip member; the headers are lines that end in CR LF."""
    beginning = f"WARC/1.1\r\n{headers}Content-Length: {sum(map(len, blocks))}\r\n\r\n"
    content = b"".join((beginning.encode(), *blocks, b"\r\n\r\n"))
    return isal_zlib.compress(content, LEVEL, _GZIP)
