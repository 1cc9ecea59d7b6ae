"""Reads WARC records by their place, and joins them to the exchange that they describe."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from isal import isal_zlib

from lycosa._support import beneath
from lycosa._support.tuples import NamedTuple
from lycosa.model.records import Place
from lycosa.storage.archive.frames import bad_place
from lycosa.storage.archive.layout import warc_names, warc_path
from lycosa.storage.warc import warc_format
from lycosa.storage.warc.http_messages import (
    Headers,
    content_of,
    parse_head,
    payload_of,
    split_block,
)

MOST_OPEN_FILES = 16
_READ_BYTES = 1 << 16
_BEGINNING_BYTES = 65_536
_HEAD_BYTES = 4096
_GZIP = 31

_GzipError: type[Exception] = isal_zlib.error  # type: ignore[assignment]

Read = Callable[[int, int], bytes]
"""Gives of an offset and a number of bytes what stands there."""


class Stored(NamedTuple):
    """An exchange as the archive holds it."""

    place: Place
    url: str
    date: str
    """When it began, as the record says it."""
    type: str
    """Of the record: `response` or `revisit`."""
    status: int
    headers: Headers
    head: bytes
    """Status line and headers as they were sent."""
    sent: bytes
    """The body as it was sent, in its codings; of a revisit that of the first record."""
    is_truncated: bool

    @property
    def payload(self) -> bytes:
        """The body without its transfer coding."""
        return payload_of(self.headers, self.sent)

    @property
    def body(self) -> bytes:
        """The content: the body without any coding."""
        return content_of(self.headers, self.payload)


class WarcFiles:
    """The records of a crawl directory, open for reading; few files are open at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[int, int] = {}
        self._paths: dict[int, Path] = {}
        """Of segments that were asked for: a file never changes its name."""
        self._lock = threading.Lock()

    def member(self, place: Place) -> warc_format.Record:
        """Return the record at a place."""
        return self.read(place, read_member)

    def read(
        self, place: Place, how: Callable[[Read, Place], warc_format.Record]
    ) -> warc_format.Record:
        """Call a function with the open file that holds a place, and return its result."""

        def read(offset: int, most_bytes: int) -> bytes:
            with self._lock:
                return os.pread(self._descriptor(place), most_bytes, offset)

        return how(read, place)

    def _descriptor(self, place: Place) -> int:
        descriptor = self._open.pop(place.segment, -1)
        if descriptor < 0:
            path = self._path(place.segment)
            if path is None:
                raise bad_place(place, f"{self._folder} has no such segment")
            try:
                descriptor = beneath.descriptor(path)
            except OSError as error:
                raise bad_place(place, f"{path} cannot be opened: {error.strerror}") from error
        self._open[place.segment] = descriptor
        if len(self._open) > MOST_OPEN_FILES:
            os.close(self._open.pop(next(iter(self._open))))
        return descriptor

    def name(self, segment: int) -> str:
        """Return the name of the file of a segment, or "" if there is none."""
        path = self._path(segment)
        return path.name if path is not None else ""

    def _path(self, segment: int) -> Path | None:
        if segment not in self._paths:
            names = warc_names(self._folder)
            self._paths.update((name.segment, warc_path(self._folder, name)) for name in names)
        return self._paths.get(segment)

    def close(self) -> None:
        """Close all files; they are opened again when they are asked for."""
        with self._lock:
            for descriptor in self._open.values():
                os.close(descriptor)
            self._open = {}


def read_member(read: Read, place: Place) -> warc_format.Record:
    """Return the record at a place; a place of no length is as long as the record."""
    decoder = isal_zlib.decompressobj(_GZIP)
    parts: list[bytes] = []
    offset = place.offset
    try:
        while not decoder.eof:
            content = read(offset, min(place.length or _READ_BYTES, 1 << 24))
            if not content:
                raise bad_place(place, "it is beyond the end of the segment")
            parts.append(decoder.decompress(content))
            offset += len(content)
        if place.length and offset - len(decoder.unused_data) != place.offset + place.length:
            raise bad_place(place, f"it is not {place.length} bytes long")
        return warc_format.parse(b"".join(parts))
    except OSError as error:
        raise bad_place(place, str(error.strerror)) from error
    except (_GzipError, ValueError, KeyError) as error:
        raise bad_place(place, str(error)) from error


def read_head(read: Read, place: Place) -> warc_format.Record:
    """Return the record at a place with its HTTP head, and what was read with it of the body."""
    record = read_beginning(read, place, _HEAD_BYTES)
    is_whole = b"\r\n\r\n" in record.block or b"\n\n" in record.block
    return record if is_whole else read_beginning(read, place)


def read_beginning(
    read: Read, place: Place, most_bytes: int = _BEGINNING_BYTES
) -> warc_format.Record:
    """Return the record at a place with the beginning of its block: enough for an HTTP head."""
    decoder = isal_zlib.decompressobj(_GZIP)
    try:
        content = read(place.offset, min(place.length or _READ_BYTES, most_bytes))
        return warc_format.parse_beginning(decoder.decompress(content, most_bytes))
    except OSError as error:
        raise bad_place(place, str(error.strerror)) from error
    except (_GzipError, ValueError) as error:
        raise bad_place(place, str(error)) from error


def members(path: Path, offset: int = 0) -> Iterator[tuple[int, int, warc_format.Record]]:
    """Yield the whole records of a file from an offset on, each with its place."""
    with beneath.open_file(path, "rb") as file:
        while True:
            decoder, parts, length = isal_zlib.decompressobj(_GZIP), list[bytes](), 0
            file.seek(offset)
            try:
                while not decoder.eof:
                    content = file.read(_READ_BYTES)
                    if not content:
                        return
                    parts.append(decoder.decompress(content))
                    length += len(content)
                length -= len(decoder.unused_data)
                yield offset, length, warc_format.parse(b"".join(parts))
            except (_GzipError, ValueError, KeyError):
                return
            offset += length


def read_exchange(place: Place, member: Callable[[Place], warc_format.Record]) -> Stored:
    """Return the exchange at a place; the payload of a revisit is that of the first record."""
    record = member(place)
    headers = record.headers
    if record.type == "conversion":
        return _converted(place, record)
    if record.type not in ("response", "revisit"):
        raise bad_place(place, f"a {record.type or 'nameless'} record stands there")
    if "WARC-Target-URI" not in headers or "WARC-Date" not in headers:
        raise bad_place(place, "the record does not say what it is of")
    head, sent = split_block(record.block)
    status, http_headers = parse_head(head)
    if "WARC-Refers-To-File-Offset" in headers:
        file = headers["WARC-Refers-To-Filename"]
        segment = int(file.partition(".")[0].rpartition("-")[2])
        first = member(Place(segment, int(headers["WARC-Refers-To-File-Offset"]), 0))
        _, sent = split_block(first.block)
    return Stored(
        place,
        headers["WARC-Target-URI"],
        headers["WARC-Date"],
        record.type,
        status,
        http_headers,
        head,
        sent,
        "WARC-Truncated" in headers,
    )


def _converted(place: Place, record: warc_format.Record) -> Stored:
    """Return a page as a browser has rendered it: there was no exchange, and has no head."""
    of = record.headers
    content_type = (("Content-Type", of.get("Content-Type", "")),)
    url, date = of.get("WARC-Target-URI", ""), of.get("WARC-Date", "")
    return Stored(place, url, date, record.type, 200, content_type, b"", record.block, False)
