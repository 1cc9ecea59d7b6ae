"""Writes the archive of a crawl to a file; if that is stopped, the next run goes on.

The file grows under the name `FILE.part`, beside `FILE.part.digest`, which says of which archive it
is a part. When it is complete it gets its own name.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from lycosa._support import beneath
from lycosa.errors import LycosaError
from lycosa.storage.archive.files import sync_folder
from lycosa.storage.archive.lock import alone
from lycosa.storage.wacz.parts import OnBytes
from lycosa.storage.wacz.virtual import VirtualWacz

_BLOCK_BYTES = 4 << 20


class WaczWritten(NamedTuple):
    """The result of an export."""

    file: str
    pages: int
    bytes: int
    resumed_at: int
    """The byte at which it went on; 0 if it began again."""


def write_wacz(wacz: VirtualWacz, target: Path, on_bytes: OnBytes) -> WaczWritten:
    """Write the archive to a file."""
    part = target.with_name(f"{target.name}.part")
    note = target.with_name(f"{target.name}.part.digest")
    busy = f"{part}: another process is writing it\n  wait for it to end"
    with alone(part, LycosaError(busy)):
        begin = _written(part, note, wacz)
        beneath.write_text(note, f"{wacz.digest}\n", encoding="ascii")
        with beneath.open_file(part, "r+b") as file:
            file.truncate(begin)
            for start in range(begin, wacz.size, _BLOCK_BYTES):
                wacz.write(file.fileno(), start, start + _BLOCK_BYTES)
                on_bytes(min(start + _BLOCK_BYTES, wacz.size), wacz.size)
            os.fsync(file.fileno())
        part.rename(target)
    note.unlink()
    sync_folder(target.parent)
    return WaczWritten(str(target), wacz.pages, wacz.size, begin)


def _written(part: Path, note: Path, wacz: VirtualWacz) -> int:
    """Return how many bytes of this very archive are there."""
    try:
        is_same = beneath.read_text(note, encoding="ascii").strip() == wacz.digest
    except (FileNotFoundError, UnicodeDecodeError):
        is_same = False
    return part.stat().st_size // _BLOCK_BYTES * _BLOCK_BYTES if is_same else 0
