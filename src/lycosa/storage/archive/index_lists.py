"""Which files of `index/` have digests, and which process may change them.

Tables of a study, caches of segments, and generations of the indexes of triples and of text can
all be made again. Their digests let `verify` notice a changed byte: Parquet, Tantivy and RocksDB do
not notice all of them. A part whose lock a process holds is changing, and is not checked.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from lycosa._support import beneath

LIST = "digests.sha256"
"""The list of a generation, and the ending of other lists: `heads.sha256` for `heads/`."""

_LOCKS = {
    "study": "study/lock",
    "text": "text/writing",
    "triples": "triples/writing",
    "page-list": "page-list/writing",
}
LEDGER = "ledger.sqlite"
"""The list of fetches that a triple index holds. SQLite writes to it when it is opened, so it has
no digest."""
_NOT_CONTENT = ("lock", "LOCK", "LOG", ".tantivy-meta.lock", ".tantivy-writer.lock", LIST, LEDGER)
"""Files that readers and writers leave behind, without anything in them that counts."""


def is_content(path: Path) -> bool:
    """Return whether a file of a generation holds a part of the index."""
    return path.name not in _NOT_CONTENT and not path.name.startswith("LOG.old")


def list_beside(folder: Path) -> Path:
    """Return the list for the files of a folder, which lies beside it."""
    return folder.with_name(f"{folder.name}.sha256")


def is_changing(index: Path, part: str) -> bool:
    """Return whether a process is making this part of `index/` now."""
    path = index / _LOCKS.get(part, f"{part}.lock")
    try:
        lock = beneath.descriptor(path)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
