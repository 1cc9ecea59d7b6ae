"""Copies the new bytes of open segments to the store, before the commit that names them.

With `[store] durable = "cluster"` a page counts when its bytes are in the store, so that the loss
of a machine loses no page. All files of an open segment are only appended to. After each flush, one
object holds the bytes added since the last one:

    open/1048577/00000012    the 13th part of segment 1048577: its files, offsets and bytes

A commit waits for that object, which is tried again while the store does not answer. When a machine
is given up, its open segments are put together again (`rescue`). Once a segment's manifest exists,
its parts are no longer needed.

Cost: one PUT a commit, and the space of the content a second time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

import msgspec

from lycosa._support import beneath
from lycosa._support.decoders import msgpack_decoder
from lycosa.errors import FormatError, StoreError
from lycosa.storage.archive.layout import (
    ITEMS,
    KINDS,
    Name,
    is_store_file,
    journal_path,
    quad_journal_path,
    warc_path,
)
from lycosa.storage.objects.protocol import Objects

OPEN = "open"


class Gain(msgspec.Struct, frozen=True, array_like=True):
    """New bytes of a file."""

    key: str
    """Path of the file in the crawl directory."""
    offset: int
    content: bytes


class _Part(msgspec.Struct, frozen=True):
    key: str
    value: bytes
    ends: dict[str, int]


_decoder = msgpack_decoder(list[Gain])


class OpenParts:
    """Sends the parts of the open segments of one process."""

    def __init__(self, folder: Path, objects: Objects) -> None:
        self._folder = folder
        self._objects = objects
        self._lock = threading.Lock()
        self._ends: dict[Name, dict[str, int]] = {}
        """Length of each file that is in the store."""
        self._counts: dict[Name, int] = {}
        self._unanswered: dict[Name, _Part] = {}
        """Parts sent without an answer: the same bytes are sent again."""

    def send(self, names: Iterable[Name]) -> None:
        """Send the new bytes of these segments; raises `ObjectsUnavailable` on failure.

        Everything that was flushed before is in the store when this returns.
        """
        with self._lock:
            wanted = list(names)
            for name in wanted:
                if (part := self._unanswered.get(name)) is not None:
                    self._put(name, part)
                if (part := self._gained(name)) is not None:
                    self._put(name, part)
            for name in self._ends.keys() - set(wanted):  # sealed in the meantime
                del self._ends[name], self._counts[name]
                self._unanswered.pop(name, None)

    def _gained(self, name: Name) -> _Part | None:
        before = self._ends.setdefault(name, {})
        gains: list[Gain] = []
        for path in open_family(self._folder, name):
            key = str(path.relative_to(self._folder))
            start = before.get(key, 0)
            try:
                with beneath.open_file(path, "rb") as file:
                    file.seek(start)
                    content = file.read()
            except FileNotFoundError:
                continue
            if content:
                gains.append(Gain(key, start, content))
        number = self._counts.setdefault(name, 0)
        if not gains:
            return None
        ends = {gain.key: gain.offset + len(gain.content) for gain in gains}
        return _Part(part_key(name.segment, number), msgspec.msgpack.encode(gains), ends)

    def _put(self, name: Name, part: _Part) -> None:
        self._unanswered[name] = part
        if not self._objects.create(part.key, part.value):
            raise StoreError(
                f"{self._objects.place}: {part.key} exists already with other bytes\n"
                "  two directories of this crawl have the same number: was one copied?"
            )
        del self._unanswered[name]
        self._ends[name] |= part.ends
        self._counts[name] += 1


def open_family(folder: Path, name: Name) -> list[Path]:
    """Return the files of an open segment in the order in which they are flushed."""
    journals = [journal_path(folder, kind, name) for kind in (ITEMS, *KINDS)]
    return [warc_path(folder, name), quad_journal_path(folder, name), *journals]


def part_key(segment: int, number: int) -> str:
    """Return the key of a part."""
    return f"{OPEN}/{segment}/{number:08d}"


def has_parts(objects: Objects, segment: int) -> bool:
    """Return whether the store has parts of an open segment."""
    return objects.size(part_key(segment, 0)) is not None


def restore_open(objects: Objects, segment: int, folder: Path) -> bool:
    """Write the files of an open segment as their parts have them; False if there are none.

    Parts follow each other without a gap, because a commit waits for its part. Bytes in the last
    part that no commit names do not count when the segment is sealed.
    """
    number = 0
    while (value := objects.read(part_key(segment, number))) is not None:
        try:
            gains = _decoder.decode(value)
        except msgspec.DecodeError as problem:
            raise FormatError(
                f"{objects.place}: {part_key(segment, number)} is damaged: {problem}\n"
                "  restore the object from a copy of the store; without it the segment is lost"
            ) from None
        for gain in gains:
            path = folder / gain.key
            if not is_store_file(gain.key):
                raise FormatError(
                    f"{objects.place}: a part names {gain.key!r}, which is not a file of a segment"
                    "\n  another program has written the object; without it the segment is lost"
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            with beneath.open_file(path, "r+b" if path.exists() else "xb") as file:
                file.seek(gain.offset)
                file.write(gain.content)
        number += 1
    return number > 0
