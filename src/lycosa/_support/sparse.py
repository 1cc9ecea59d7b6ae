"""Large arrays of zeros that take memory only where they are written.

The kernel provides a page of zeros when it is first touched. So a table of a million slots of
which a crawl uses a thousand costs a few kilobytes, and no time at the start.
"""

from __future__ import annotations

import mmap
import struct
from typing import Literal


def zeros(kind: Literal["Q", "I", "B"], count: int) -> memoryview:
    """Return a writable array of `count` zeros of a kind (`Q`, `I`, `B`, as in `array`)."""
    size = struct.calcsize(kind)
    return memoryview(mmap.mmap(-1, max(count, 1) * size)).cast(kind)[:count]
