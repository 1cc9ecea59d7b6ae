"""Changes a byte of a table."""

from __future__ import annotations

import os
from pathlib import Path


def spoil(path: Path, footer_bytes: int = 0) -> None:
    """Make the content of a file unreadable, so that nobody sees it who does not read it."""
    state = path.stat()
    footer = path.read_bytes()[state.st_size - footer_bytes :]
    path.write_bytes(b"\0" * (state.st_size - footer_bytes) + footer)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
