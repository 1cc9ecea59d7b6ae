"""Checksums of the rows of an open segment, by which the next run knows what a power cut took.

Arrow streams have no checksums. A file system may lose any pages of them that were not synced, and
gives zeros in their place. So each flush writes down how far every journal reaches and the XXH3 of
the bytes that it added; the line is guarded by a checksum of its own. The next run cuts a journal
off where it is not what was written (`cut_torn`), and the records without rows are given up as
after any other loss. Records and quads guard themselves: gzip and zstd have checksums.

A kill takes no page: the kernel has them. It can leave rows behind the last line; the log names
none of them, and they are cut off, too.

Cost: 0.08 µs a kilobyte of rows, and one write a flush. Older versions have written no such file;
their journals are taken as they are.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path

from xxhash import xxh3_64, xxh3_64_intdigest

from lycosa._support import beneath
from lycosa.storage.archive.files import Appendable
from lycosa.storage.archive.layout import (
    FLUSHES,
    ITEM_FLUSHES,
    ITEMS,
    KINDS,
    Name,
    flushes_path,
    journal_path,
)

_CHECK = struct.Struct("<Q")
_READ_BYTES = 1 << 20
_KINDS = {FLUSHES: KINDS, ITEM_FLUSHES: (ITEMS,)}
"""The journals whose sums each file has."""


class Flushes:
    """Writes down what each flush of a segment adds to its journals."""

    def __init__(self, folder: Path, name: Name, ending: str = FLUSHES) -> None:
        self.file = Appendable(flushes_path(folder, name, ending))
        self._line = _line_of(ending)
        self._ends = dict.fromkeys(_KINDS[ending], 0)
        """How far each journal is written down: a flush that failed is repeated."""

    def note(self, journals: Mapping[str, Appendable]) -> None:
        """Take in what the next flush adds to the journals."""
        numbers: list[int] = []
        for kind in self._ends:
            file, total = journals[kind], xxh3_64()
            for part in file.unflushed(self._ends[kind]):
                total.update(part)
            self._ends[kind] = file.end
            numbers += (file.end, total.intdigest())
        line = self._line.pack(*numbers)
        self.file.append(line + _CHECK.pack(xxh3_64_intdigest(line)))


def cut_torn(folder: Path, name: Name) -> None:
    """Cut journals of a dead process off where they are not what was written."""
    for ending in _KINDS:
        _cut(folder, name, ending)


def _cut(folder: Path, name: Name, ending: str) -> None:
    try:
        told = beneath.read_bytes(flushes_path(folder, name, ending))
    except FileNotFoundError:
        return
    lines = list(_lines(told, _line_of(ending)))
    for number, kind in enumerate(_KINDS[ending]):
        path = journal_path(folder, kind, name)
        if path.exists():
            end = _whole_bytes(path, [(line[2 * number], line[2 * number + 1]) for line in lines])
            if path.stat().st_size > end:
                descriptor = beneath.descriptor(path, os.O_RDWR)
                try:
                    os.ftruncate(descriptor, end)
                finally:
                    os.close(descriptor)


def _line_of(ending: str) -> struct.Struct:
    return struct.Struct(f"<{2 * len(_KINDS[ending])}Q")


def _lines(told: bytes, form: struct.Struct) -> list[tuple[int, ...]]:
    """Return the lines up to the first that is not whole."""
    lines: list[tuple[int, ...]] = []
    step = form.size + _CHECK.size
    for at in range(0, len(told) - step + 1, step):
        line = told[at : at + form.size]
        if _CHECK.unpack_from(told, at + form.size)[0] != xxh3_64_intdigest(line):
            break
        lines.append(form.unpack(line))
    return lines


def _whole_bytes(path: Path, flushes: list[tuple[int, int]]) -> int:
    """Return up to where a journal is what the flushes say."""
    end = 0
    with beneath.open_file(path, "rb") as file:
        for after, expected in flushes:
            total, left = xxh3_64(), after - end
            while left > 0 and (part := file.read(min(left, _READ_BYTES))):
                total.update(part)
                left -= len(part)
            if left or total.intdigest() != expected:
                break
            end = after
    return end
