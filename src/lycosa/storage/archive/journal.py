"""The store of simulations: pages and their links in one file that is only appended to.

`append` belongs to the worker's thread; `flush` may run in another one.

Always true:
  * records stand in the file in the order in which they were appended;
  * `read` finds a record as soon as `append` has returned its place;
  * a failed flush can be repeated: the buffer is kept until everything is written, and bytes are
    written at their own offset, not at the end of the file;
  * no file that exists is appended to: each journal begins a new segment.

Not here: the bytes of a record (`frames`), which records count (the log decides), sealing.
"""

from __future__ import annotations

import os
import re
import threading
from array import array
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from lycosa._support import beneath
from lycosa.errors import FormatError, StoreError
from lycosa.model.records import Capture, KeyedLink, LinkKind, Place, Validators
from lycosa.storage.archive.files import sync_folder, write_at, write_failure
from lycosa.storage.archive.frames import (
    FRAME_BYTES,
    HEADER,
    Kept,
    Packer,
    bad_place,
    check_version,
    lengths_of,
    unpack,
    unpack_links,
)
from lycosa.storage.tables.link_ends import READERS_KINDS, LinkEnds
from lycosa.storage.tables.rows import signed, url_id

__all__ = ["Journal", "Kept", "iterate", "segments_of"]

MOST_OPEN_SEGMENTS = 16

_NAME = re.compile(r"(\d{5,})\.journal")


class Journal:
    """One segment that is being written, and all segments of its folder for reading."""

    def __init__(
        self,
        folder: Path,
        segment: int | None = None,
        durability: str = "process",
    ) -> None:
        """Begin a segment: the one after the highest in the folder, unless a number is given."""
        self.folder = folder
        self.segment, self._file = _begin(folder, segment)
        self._is_synced = durability == "power"
        if self._is_synced:
            sync_folder(folder)
        self._packer = Packer()
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._unflushed: dict[int, bytes] = {0: HEADER}
        self._end = len(HEADER)
        self._others: dict[int, int] = {}
        self._is_closed = False

    @property
    def size_bytes(self) -> int:
        """The length of the segment, counting what is not flushed yet."""
        return self._end

    def append(self, record: Kept | Capture) -> Place:
        """Take a record into the buffer; its place is final."""
        frame = self._packer.pack(_kept(record) if isinstance(record, Capture) else record)
        with self._lock:
            if self._is_closed:
                raise StoreError(f"{self._path(self.segment)} is closed: nothing can be appended")
            place = Place(self.segment, self._end, len(frame))
            self._unflushed[place.offset] = frame
            self._end += len(frame)
        return place

    def mark(self) -> int:
        """Return 0: every record has its own payload here."""
        return 0

    def settle(self, mark: int, partitions: Collection[int]) -> None:
        """Do nothing, for the same reason."""

    def lose(self, partition: int, sequence: int) -> None:
        """Do nothing: simulations count by the places in the log, and seal nothing."""

    def flush(self) -> None:
        """Hand everything appended so far to the operating system; to the disk for "power"."""
        with self._flushing:
            with self._lock:
                batch = list(self._unflushed.items())
            if not batch:
                return
            content = memoryview(b"".join(frame for _, frame in batch))
            try:
                write_at(self._file, content, batch[0][0])
                if self._is_synced:
                    os.fsync(self._file)
            except OSError as error:
                raise write_failure(self._path(self.segment), len(content), error) from error
            with self._lock:
                for offset, _ in batch:
                    del self._unflushed[offset]

    def read(self, place: Place) -> Kept:
        """Return the record at a place of this or another segment of the folder."""
        return unpack(self._bytes_at(place, 0, place.length), place)

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of the record at a place, without reading its body."""
        frame = self._bytes_at(place, 0, FRAME_BYTES)
        links_bytes, _ = lengths_of(frame, place)
        return unpack_links(frame + self._bytes_at(place, FRAME_BYTES, links_bytes), place)

    def validators(self, place: Place) -> Validators | None:
        """Return the validators (ETag, Last-Modified) of the record at a place."""
        if not place.length:
            return None
        headers = {name.lower(): value for name, value in self.read(place).headers}
        etag, last_modified = headers.get("etag", ""), headers.get("last-modified", "")
        return Validators(etag, last_modified) if etag or last_modified else None

    def _bytes_at(self, place: Place, start: int, length: int) -> bytes:
        with self._lock:
            if place.segment == self.segment:
                frame = self._unflushed.get(place.offset)
                if frame is not None and place.offset > 0:
                    return frame[start : start + length]
            file = self._open(place)
        try:
            return os.pread(file, length, place.offset + start)
        except OSError as error:
            raise bad_place(place, str(error.strerror)) from error

    def link_ends(self) -> LinkEnds:
        """Return source and target of every stored link."""
        return link_ends_in([self.folder])

    def _open(self, place: Place) -> int:
        """Return the open file of a place's segment; few files are kept open."""
        if self._is_closed:
            raise StoreError(f"the journal of {self.folder} is closed: nothing can be read")
        if place.segment == self.segment:
            return self._file
        file = self._others.pop(place.segment, -1)
        if file < 0:
            path = self._path(place.segment)
            try:
                file = beneath.descriptor(path)
            except OSError as error:
                raise bad_place(place, f"{path} cannot be opened: {error.strerror}") from error
            try:
                check_version(os.pread(file, len(HEADER), 0), path)
            except FormatError:
                os.close(file)
                raise
        self._others[place.segment] = file
        if len(self._others) > MOST_OPEN_SEGMENTS:
            os.close(self._others.pop(next(iter(self._others))))
        return file

    def close(self) -> None:
        """Flush and close; harmless when it has been done before."""
        if not self._is_closed:
            self.flush()
            self.abandon()

    def abandon(self) -> None:
        """Close without flushing, as a kill does: unflushed records are lost."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            for file in (self._file, *self._others.values()):
                os.close(file)

    def _path(self, segment: int) -> Path:
        return self.folder / f"{segment:05d}.journal"


def _kept(capture: Capture) -> Kept:
    answer = capture.answer
    links = [
        KeyedLink(target.key, LinkKind(kind))
        for target, kind in zip(capture.links.targets, capture.links.kinds, strict=True)
    ]
    return Kept(capture.key, answer.ended, answer.status, answer.headers, answer.body, links)


def segments_of(folder: Path) -> list[int]:
    """Return the numbers of the segments in a folder, in order."""
    found = (_NAME.fullmatch(path.name) for path in folder.iterdir())
    return sorted(int(match[1]) for match in found if match)


def iterate(folder: Path) -> Iterator[tuple[Place, Kept]]:
    """Yield every record that is whole, segment by segment, in the order of writing.

    A record that a killed process wrote half of is passed over; so is a record whose content does
    not fit its checksum. Behind a frame that is damaged the segment ends.
    """
    for segment in segments_of(folder):
        path = folder / f"{segment:05d}.journal"
        with beneath.open_file(path, "rb") as file:
            header = file.read(len(HEADER))
            if len(header) < len(HEADER):
                continue
            check_version(header, path)
            offset = len(HEADER)
            while len(frame := file.read(FRAME_BYTES)) == FRAME_BYTES:
                try:
                    content_bytes = sum(lengths_of(frame, Place(segment, offset, 0)))
                except StoreError:
                    break
                place = Place(segment, offset, FRAME_BYTES + content_bytes)
                offset += place.length
                try:
                    record = unpack(frame + file.read(content_bytes), place)
                except StoreError:
                    continue
                yield place, record


def link_ends_in(folders: Iterable[Path]) -> LinkEnds:
    """Return source and target of every link that is stored in some folders."""
    pairs = {
        (signed(url_id(record.key)), signed(url_id(link.key)))
        for folder in folders
        for _, record in iterate(folder)
        for link in record.links
        if link.kind in READERS_KINDS
    }
    ends = sorted(pairs)
    return LinkEnds(array("q", [end[0] for end in ends]), array("q", [end[1] for end in ends]))


def _begin(folder: Path, segment: int | None) -> tuple[int, int]:
    """Create the file of a new segment; two processes never get the same one."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = segment if segment is not None else max(segments_of(folder), default=0) + 1
        while True:
            try:
                return number, beneath.descriptor(folder / f"{number:05d}.journal", flags)
            except FileExistsError:
                if segment is not None:
                    raise StoreError(
                        f"{folder}: segment {segment} exists already\n"
                        "  a segment is never appended to by a later run; take the next number"
                    ) from None
                number += 1
    except OSError as error:
        raise StoreError(f"{folder}: no segment can be begun: {error.strerror}") from error
