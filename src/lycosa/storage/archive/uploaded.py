"""Reads records that machines have uploaded to the store of objects.

A place in the log names a segment; the segment's manifest names the object that holds its records.
Single records are read by ranges of that object, never the whole of it.

Raises `Elsewhere` for a segment that has not been uploaded, or was given up, and
`ObjectsUnavailable` if the store does not answer. Calls may take long: a worker makes them beside
its loop (`runtime.processes.distant`).

Memory: blocks of 64 kB, at most 128 of them; the keys of at most 10,000 segments.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from lycosa.errors import Elsewhere
from lycosa.model.records import KeyedLink, Place, Validators
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.objects.manifests import read_manifest
from lycosa.storage.objects.protocol import Objects
from lycosa.storage.warc import warc_format
from lycosa.storage.warc.exchange import links_in, validators_in
from lycosa.storage.warc.record_reader import (
    Read,
    Stored,
    read_beginning,
    read_exchange,
    read_member,
)

BLOCK_BYTES = 1 << 16
MOST_BLOCKS = 128
MOST_SEGMENTS = 10_000


class UploadedRecords:
    """The records in a store of objects; threads may share it."""

    def __init__(
        self, objects: Objects, machine_of: Callable[[int], str] = lambda directory: ""
    ) -> None:
        """`machine_of` names the machine of a directory, for messages."""
        self._objects = objects
        self._machine_of = machine_of
        self._keys: dict[int, str] = {}
        self._blocks: dict[tuple[int, int], bytes] = {}
        self._lock = threading.Lock()

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of the exchange at a place, without reading its body."""
        if not place.length:
            return []
        behind = Place(place.segment, place.offset + place.length, 0)
        return links_in(self.member(behind))

    def validators(self, place: Place) -> Validators | None:
        """Return the validators (ETag, Last-Modified) of the answer at a place, if it has any."""
        if not place.length:
            return None
        return validators_in(self.read(place, read_beginning))

    def exchange(self, place: Place) -> Stored:
        """Return the exchange at a place, also if its payload is in another segment."""
        return read_exchange(place, self.member)

    def member(self, place: Place) -> warc_format.Record:
        """Return the record at a place."""
        return self.read(place, read_member)

    def read(
        self, place: Place, how: Callable[[Read, Place], warc_format.Record]
    ) -> warc_format.Record:
        """Call a function with the object that holds a place, and return its result."""
        key = self._key(place.segment)

        def read(offset: int, most_bytes: int) -> bytes:
            if most_bytes > BLOCK_BYTES:
                return self._objects.read(key, offset, most_bytes) or b""
            first = self._block(place.segment, key, offset // BLOCK_BYTES)
            start = offset % BLOCK_BYTES
            found = first[start : start + most_bytes]
            if len(found) < most_bytes and len(first) == BLOCK_BYTES:
                rest = self._block(place.segment, key, offset // BLOCK_BYTES + 1)
                found += rest[: most_bytes - len(found)]
            return found

        return how(read, place)

    def _key(self, segment: int) -> str:
        key = self._keys.get(segment, "")
        if not key:
            manifest = read_manifest(self._objects, segment)
            if manifest is None or manifest.lost or not manifest.warc:
                raise self._elsewhere(segment, is_lost=manifest is not None and manifest.lost)
            if len(self._keys) >= MOST_SEGMENTS:
                self._keys.clear()
            key = self._keys[segment] = manifest.warc
        return key

    def _block(self, segment: int, key: str, number: int) -> bytes:
        with self._lock:
            block = self._blocks.pop((segment, number), None)
        if block is None:
            block = self._objects.read(key, number * BLOCK_BYTES, BLOCK_BYTES) or b""
        with self._lock:
            self._blocks[segment, number] = block
            if len(self._blocks) > MOST_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
        return block

    def _elsewhere(self, segment: int, *, is_lost: bool) -> Elsewhere:
        directory = segment // MOST_IN_DIRECTORY
        machine = self._machine_of(directory) or "another machine"
        if is_lost:
            return Elsewhere(
                f"segment {segment} was lost with {machine} (directory {directory})\n"
                "  its pages are fetched again while the crawl runs"
            )
        return Elsewhere(
            f"segment {segment} is not in {self._objects.place}: {machine} (directory {directory})"
            " has not uploaded it\n"
            f"  read it on {machine}, or wait until it is uploaded: lycosa cluster status"
        )
