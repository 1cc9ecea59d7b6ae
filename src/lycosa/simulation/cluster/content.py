"""The stores of a simulation's machines, each in its own folder, and the uploads of all.

A process writes segments of its machine's directory, and begins new ones regularly. Complete
segments are uploaded: first the records, then the manifest, which makes them count. A machine that
is lost for good takes its folder with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from lycosa.crawl.ports import StoredElsewhere
from lycosa.errors import Elsewhere, ObjectsUnavailable
from lycosa.model.records import Capture, KeyedLink, Place, Validators
from lycosa.model.url import url_of
from lycosa.simulation.cluster.process_clock import ProcessClock
from lycosa.storage.archive.frames import FRAME_BYTES, Kept, lengths_of, unpack, unpack_links
from lycosa.storage.archive.journal import Journal, iterate, link_ends_in, segments_of
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY, is_in
from lycosa.storage.objects.manifests import Content, Manifest, manifest_key, read_manifest
from lycosa.storage.objects.protocol import Found
from lycosa.storage.tables.link_ends import LinkEnds

T = TypeVar("T")


class MemoryObjects:
    """An object store in memory, which may be down for all machines."""

    place = "memory:"

    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}
        self.is_down = False

    def put(self, key: str, source: Path) -> None:
        """Write a file as an object."""
        self._reach()
        self._objects[key] = source.read_bytes()

    def create(self, key: str, value: bytes) -> bool:
        """Write an object if the key has none, or has the same bytes."""
        self._reach()
        return self._objects.setdefault(key, value) == value

    def read(self, key: str, start: int = 0, length: int | None = None) -> bytes | None:
        """Return an object or a range of it."""
        self._reach()
        content = self._objects.get(key)
        return content and content[start:][: len(content) if length is None else length]

    def download(self, key: str, target: Path) -> bool:
        """Copy an object to a file."""
        content = self.read(key)
        if content is not None:
            target.write_bytes(content)
        return content is not None

    def size(self, key: str) -> int | None:
        """Return the length of an object."""
        content = self.read(key)
        return None if content is None else len(content)

    def list(self, prefix: str = "") -> Iterator[Found]:
        """Yield the objects below a prefix."""
        self._reach()
        for key in sorted(self._objects):
            if key.startswith(prefix):
                yield Found(key, len(self._objects[key]))

    def has(self, key: str) -> bool:
        """Return whether an object exists, even while the store is down."""
        return key in self._objects

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def _reach(self) -> None:
        if self.is_down:
            raise ObjectsUnavailable("the store is down")


class UploadedRecords:
    """Reads records that machines have uploaded."""

    def __init__(self, objects: MemoryObjects) -> None:
        self._objects = objects

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of a record."""
        frame = self._bytes(place, FRAME_BYTES)
        links_bytes, _ = lengths_of(frame, place)
        return unpack_links(self._bytes(place, FRAME_BYTES + links_bytes), place)

    def validators(self, place: Place) -> Validators | None:
        """Return None: the simulated web has no validators."""
        return None

    def read(self, place: Place) -> Kept:
        """Return a whole record."""
        return unpack(self._bytes(place, place.length), place)

    def _bytes(self, place: Place, length: int) -> bytes:
        manifest = read_manifest(self._objects, place.segment)
        if manifest is None or manifest.lost:
            raise Elsewhere(f"segment {place.segment} was not uploaded")
        content = self._objects.read(manifest.warc, place.offset, length)
        assert content is not None  # the manifest comes last
        return content


class VirtualDistant:
    """The thread that reads from the store, in virtual time."""

    def __init__(self, objects: MemoryObjects, clock: ProcessClock) -> None:
        self._records = UploadedRecords(objects)
        self._clock = clock

    def ask(self, job: Callable[[StoredElsewhere], T], done: Callable[[T], object]) -> None:
        """Read after a moment, and answer after another one."""
        self._clock.after(0.2, lambda: self._work(job, done))

    def _work(self, job: Callable[[StoredElsewhere], T], done: Callable[[T], object]) -> None:
        result = job(self._records)
        self._clock.after(0.2, lambda: done(result))


class MachineStore:
    """The store of one process: writes to its machine's folder, and reads only there."""

    def __init__(self, folder: Path, directory: int, durability: str) -> None:
        self._folder = folder
        self._directory = directory
        self._durability = durability
        self._rolled: dict[int, Journal] = {}
        self._journal = self._begin()

    def append(self, record: Capture) -> Place:
        """Take a record into the buffer."""
        return self._journal.append(record)

    def flush(self) -> None:
        """Write everything that was appended so far."""
        for journal in [*self._rolled.values(), self._journal]:
            journal.flush()

    def mark(self) -> int:
        """Return 0: every record has its own payload here."""
        return 0

    def settle(self, mark: int, partitions: Collection[int]) -> None:
        """Do nothing, because every record has its own payload."""

    def lose(self, partition: int, sequence: int) -> None:
        """Do nothing: simulations count by the places in the log."""

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of a record of this machine."""
        return self._holder(place).links(place)

    def validators(self, place: Place) -> Validators | None:
        """Return the validators of a record of this machine."""
        return self._holder(place).validators(place)

    def link_ends(self) -> LinkEnds:
        """Return source and target of every link that any machine has ever stored.

        Real machines measure only their own; bids from different measurements could not be
        compared.
        """
        return link_ends_in(sorted(self._folder.parent.iterdir()))

    def roll(self) -> None:
        """Begin another segment."""
        self._rolled[self._journal.segment] = self._journal
        self._journal = self._begin()

    def complete(self) -> list[int]:
        """Return the complete segments of this folder, including those of dead processes."""
        for number, journal in list(self._rolled.items()):
            journal.flush()
            journal.abandon()
            del self._rolled[number]
        return [one for one in segments_of(self._folder) if one != self._journal.segment]

    def path(self, segment: int) -> Path:
        """Return the file of a segment."""
        return self._folder / f"{segment:05d}.journal"

    def abandon(self) -> None:
        """Lose the same data as a kill."""
        for journal in [*self._rolled.values(), self._journal]:
            journal.abandon()

    def _begin(self) -> Journal:
        self._folder.mkdir(parents=True, exist_ok=True)
        first = self._directory * MOST_IN_DIRECTORY + 1
        number = max(segments_of(self._folder), default=first - 1) + 1
        return Journal(self._folder, number, self._durability)

    def _holder(self, place: Place) -> Journal:
        if not is_in(self._directory, place.segment):
            raise Elsewhere(f"segment {place.segment} is on another machine")
        return self._rolled.get(place.segment, self._journal)


class Uploads:
    """Uploads complete segments, one after the other, while its process lives."""

    def __init__(self, store: MachineStore, objects: MemoryObjects, clock: ProcessClock) -> None:
        self._store = store
        self._objects = objects
        self._clock = clock
        self._done: set[int] = set()

    def begin(self, every_seconds: float) -> None:
        """Begin new segments and upload regularly."""

        def again() -> None:
            self._store.roll()
            self._next()
            self._clock.after(every_seconds, again)

        self._clock.after(every_seconds, again)

    def _next(self) -> None:
        waiting = [one for one in self._store.complete() if one not in self._done]
        if waiting and not self._objects.is_down:
            segment = waiting[0]
            self._objects.put(f"warc/{segment}", self._store.path(segment))
            self._clock.after(0.5, lambda: self._finish(segment))

    def _finish(self, segment: int) -> None:
        if self._objects.is_down:
            return
        path = self._store.path(segment)
        content = Content(path.stat().st_size, sha256(path.read_bytes()).hexdigest())
        manifest = Manifest(segment, files={f"warc/{segment}": content})
        # If a tombstone refuses it, the segment stays here and does not count.
        self._objects.create(manifest_key(segment), msgspec.json.encode(manifest))
        self._done.add(segment)
        self._next()


def read_anywhere(folder: Path, objects: MemoryObjects, place: Place) -> Kept:
    """Return a record from the store, or from the folder of the machine that has it."""
    manifest = read_manifest(objects, place.segment)
    if manifest is not None and not manifest.lost:
        return UploadedRecords(objects).read(place)
    path = folder / str(place.segment // MOST_IN_DIRECTORY) / f"{place.segment:05d}.journal"
    with path.open("rb") as file:
        file.seek(place.offset)
        return unpack(file.read(place.length), place)


def lose_folder(folder: Path, objects: MemoryObjects) -> list[str]:
    """Lose everything that a machine has stored; return the URLs that were not uploaded."""
    lost = [
        url_of(record.key)
        for place, record in iterate(folder)
        if not objects.has(manifest_key(place.segment))
    ]
    folder.rename(folder.with_suffix(".lost"))  # the links in it were measured: see `link_ends`
    return lost
