"""The head of an answer taken apart: what it says, and where its body ends (RFC 9112, 6.3).

Pure: the bytes of a head in, a `Head` out.

    cut_head   what came, cut behind the empty line that ends the head
    read_head  status, headers, and what they say of the end of the body
    is_plain   whether all readers agree where the head ends

A server may end lines with a bare line feed, and fold a header over several lines. A header
without a colon, a NUL, two lengths that differ: that is no HTTP, and `BadHead` says so. Which of
two readings a server meant is not ours to guess.

Every page has a head, so this is compiled (`_reading`). The same in plain Python (`plain`) says
what it has to do, and reads what is rare; a test holds the one against the other.
"""

from __future__ import annotations

from lycosa.coding.heads._reading import cut_head, is_plain, read_head
from lycosa.coding.heads.head import CHUNKED, UNTIL_CLOSE, BadHead, Head, Headers

__all__ = [
    "CHUNKED",
    "UNTIL_CLOSE",
    "BadHead",
    "Head",
    "Headers",
    "cut_head",
    "is_plain",
    "read_head",
]
