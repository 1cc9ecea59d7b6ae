"""Read a log that may be damaged, as far as possible, without writing to it.

SQLite writes additional files next to a database that it opens. A log with a non-empty write-ahead
file is therefore copied to a temporary folder and read there. A log without one is opened as
immutable. The log of a running crawl is opened read-only in its place.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Protocol

import msgspec
import zstandard

from lycosa._support import beneath
from lycosa._support.decoders import msgpack_decoder
from lycosa.errors import FormatError
from lycosa.model.records import Admitted
from lycosa.runtime.shared_log.notes import directories_among
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY, Name
from lycosa.storage.log.archive import FRAME, MAGIC
from lycosa.storage.log.format import decode_events
from lycosa.storage.log.protocol import Head
from lycosa.storage.log.sqlite_files import refuse_programs
from lycosa.storage.log.told_segments import names_of

_batches = msgpack_decoder(list[tuple[int, bytes]])


class Frame(NamedTuple):
    """A frame of an archive file; `batches` is None if it is damaged."""

    batches: list[tuple[int, bytes]] | None
    end: int
    """Offset of the frame's end in the file."""


class ReadableLog(Protocol):
    """The reading side of a log for a verification, in a file or on a server."""

    folder: Path
    """The crawl directory's folder `log`, which holds the snapshots."""
    place: str
    """The log's name in findings."""
    is_in_file: bool
    """Whether the log is a local file, which a repair can rebuild."""
    problems: list[str]
    partition_of: Callable[[str], int] | None
    """The partition of a key, to detect archives and snapshots of another partition."""

    def check(self, *, is_quick: bool) -> None:
        """Let the log check itself."""

    def heads(self) -> dict[int, Head]:
        """Return the heads that can be read."""

    def notes(self) -> dict[str, bytes]:
        """Return the notes that can be read."""

    def history(self, partition: int, after: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield the batches that can be read, each once and in order."""

    def labelled(self, partition: int) -> set[int]:
        """Return the sequences that the log claims to hold."""

    def archive_damage(self, partition: int) -> str:
        """Return the problem of an archive, or ""."""

    def messages(self, partition: int) -> list[int]:
        """Return the sequences of the messages in an inbox."""


class LogView:
    """A log in a file that is only read; problems are collected instead of raised."""

    place = "log/log.sqlite"
    is_in_file = True

    def __init__(
        self,
        folder: Path,
        *,
        is_running: bool = False,
        partition_of: Callable[[str], int] | None = None,
    ) -> None:
        self.folder = folder
        self.partition_of = partition_of
        self._foreign: dict[int, bool] = {}
        self.path = folder / "log.sqlite"
        self.problems: list[str] = []
        """Problems that SQLite has reported."""
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._connection: sqlite3.Connection | None = None
        if not self.path.exists():
            self.problems.append("it is missing")
        else:
            self._open(is_running)

    def __enter__(self) -> LogView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _open(self, is_running: bool) -> None:
        ahead = self.path.with_name("log.sqlite-wal")
        options = "mode=ro"
        path = self.path
        if not is_running and ahead.exists() and ahead.stat().st_size:
            self._temporary = tempfile.TemporaryDirectory(prefix="lycosa-verify-")
            path = Path(self._temporary.name) / self.path.name
            shutil.copyfile(beneath.checked(self.path), path)
            shutil.copyfile(beneath.checked(ahead), path.with_name(ahead.name))
            options = "mode=rw"
        elif not is_running:
            options = "mode=ro&immutable=1"
        try:
            for ending in ("", "-wal", "-shm", "-journal"):
                beneath.checked_if_there(path.with_name(path.name + ending))
            address = f"{path.absolute().as_uri()}?{options}"
            self._connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=10)
            refuse_programs(self._connection, self.path)
            self._connection.execute("SELECT count(*) FROM heads").fetchone()
        except sqlite3.Error as problem:
            self.problems.append(str(problem))

    def check(self, *, is_quick: bool) -> None:
        """Let SQLite check its file, if there is one."""
        if not self.path.exists():
            return
        found = self._ask(f"PRAGMA {'quick_check' if is_quick else 'integrity_check'}(5)")
        self.problems += [text for (text,) in found if text != "ok"]

    def heads(self) -> dict[int, Head]:
        """Return the heads that can be read."""
        rows = self._ask("SELECT partition, log, inbox, owner FROM heads")
        return {
            number: Head(log, inbox, owner)
            for number, log, inbox, owner in rows
            if isinstance(number, int) and isinstance(log, int) and isinstance(inbox, int)
        }

    def notes(self) -> dict[str, bytes]:
        """Return the notes that can be read."""
        rows = self._ask("SELECT name, value FROM notes")
        pairs = ((name, value) for name, value in rows if isinstance(name, str))
        return {name: value for name, value in pairs if isinstance(value, bytes)}

    def ends(self) -> list[bytes]:
        """Return how far open tables reached; [] for logs of older versions."""
        if not self._ask("SELECT 1 FROM sqlite_schema WHERE name = 'ends'"):
            return []
        return [one for (one,) in self._ask("SELECT value FROM ends") if isinstance(one, bytes)]

    def sealed(self) -> frozenset[Name]:
        """Return the sealed segments that the log names; those of older versions name none."""
        if not self._ask("SELECT 1 FROM sqlite_schema WHERE name = 'sealed'"):
            return frozenset()
        return names_of(self._ask("SELECT segment, worker FROM sealed"))

    def sequences(self, table: str, partition: int) -> list[int]:
        """Return the sequences of the entries in `log` or `inbox`."""
        question = f"SELECT sequence FROM {table} WHERE partition = ? ORDER BY sequence"
        found = {row[0] for row in self._ask(question, partition)}
        if self.problems:
            found |= {row[0] for row in self._ask(f"{question} DESC", partition)}
        return sorted(number for number in found if isinstance(number, int))

    def batch(self, table: str, partition: int, sequence: int) -> bytes | None:
        """Return an entry, if it can be read."""
        question = f"SELECT batch FROM {table} WHERE partition = ? AND sequence = ?"
        rows = self._ask(question, partition, sequence)
        return rows[0][0] if rows and isinstance(rows[0][0], bytes) else None

    def labelled(self, partition: int) -> set[int]:
        """Return the sequences that archive and log claim to hold; the archive is not read."""
        found = set(self.sequences("log", partition))
        for first, last in labels(self.archive_path(partition)):
            found.update(range(first, last + 1))
        return found

    def archive_damage(self, partition: int) -> str:
        """Return the problem of an archive, or ""."""
        if self._is_foreign(partition):
            return "it is the archive of another partition"
        damaged = [frame for frame in frames(self.archive_path(partition)) if frame.batches is None]
        return f"{len(damaged)} parts of it cannot be read" if damaged else ""

    def frames(self, partition: int) -> Iterator[Frame]:
        """Yield the frames of an archive; frames of another partition's archive have no batches."""
        is_foreign = self._is_foreign(partition)
        for frame in frames(self.archive_path(partition)):
            yield Frame(None, frame.end) if is_foreign else frame

    def _is_foreign(self, partition: int) -> bool:
        """Return whether URLs that an archive admits belong to another partition."""
        if self.partition_of is None:
            return False
        if partition not in self._foreign:
            batches = (
                batch
                for frame in frames(self.archive_path(partition))
                for _, batch in frame.batches or ()
            )
            keys = (key for batch in batches for key in _admitted(batch))
            first = next(keys, None)
            self._foreign[partition] = first is not None and self.partition_of(first) != partition
        return self._foreign[partition]

    def is_elsewhere(self, segment: int) -> bool:
        """Return whether a segment belongs to another directory, from a time on a server."""
        number = segment // MOST_IN_DIRECTORY
        if not number:
            return False
        identity = self.folder / "identity"
        own = beneath.read_bytes(identity).strip() if identity.exists() else b""
        return directories_among(self.notes()).get(number, own) != own

    def messages(self, partition: int) -> list[int]:
        """Return the sequences of the messages in an inbox."""
        return self.sequences("inbox", partition)

    def archive_path(self, partition: int) -> Path:
        """Return the path of a partition's archive."""
        return self.folder / "archive" / f"{partition:04d}.archive"

    def history(self, partition: int, after: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield the readable batches, from the archive on, each once and in order."""
        for frame in self.frames(partition):
            for sequence, batch in frame.batches or ():
                if sequence > after:
                    after = sequence
                    yield sequence, batch
        for sequence in self.sequences("log", partition):
            if sequence > after:
                found = self.batch("log", partition, sequence)
                if found is not None:
                    after = sequence
                    yield sequence, found

    def _ask(self, question: str, *values: object) -> list[Any]:
        """Return the rows up to the first that cannot be read."""
        rows: list[Any] = []
        if self._connection is None:
            return rows
        try:
            for row in self._connection.execute(question, values):
                rows.append(row)  # noqa: PERF402 - what was read before an error counts
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as problem:
            if str(problem) not in self.problems:
                self.problems.append(str(problem))
        return rows


def _admitted(batch: bytes) -> list[str]:
    """Return the keys that a batch admits; none if it cannot be read."""
    try:
        events = decode_events(batch)
    except FormatError:
        return []
    return [key for event in events if isinstance(event, Admitted) for key in event.keys]


def frames(path: Path) -> Iterator[Frame]:
    """Yield the frames of an archive; a frame that cannot be read has no batches.

    A kill leaves half a frame at the end, which is skipped.
    """
    try:
        data = beneath.read_bytes(path)
    except FileNotFoundError:
        return
    if len(data) < len(MAGIC):
        return
    at = len(MAGIC)
    if data[:at] != MAGIC:
        yield Frame(None, len(data))
        return
    while at + FRAME.size <= len(data):
        first, last, length, checksum = FRAME.unpack_from(data, at)
        end = at + FRAME.size + length
        packed = data[at + FRAME.size : end]
        if end > len(data):
            return
        yield Frame(_unpacked(packed, checksum, first, last), end)
        at = end


def labels(path: Path) -> Iterator[tuple[int, int]]:
    """Yield the first and last sequence of each frame, from its header alone."""
    try:
        size = path.stat().st_size
        with beneath.open_file(path, "rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return
            while len(header := file.read(FRAME.size)) == FRAME.size:
                first, last, length, _ = FRAME.unpack(header)
                if file.tell() + length > size or last - first > length:
                    return
                file.seek(length, 1)
                yield first, last
    except FileNotFoundError:
        return


def _unpacked(
    packed: bytes, checksum: int, first: int, last: int
) -> list[tuple[int, bytes]] | None:
    if zlib.crc32(packed) != checksum:
        return None
    try:
        found = _batches.decode(zstandard.decompress(packed))
    except (zstandard.ZstdError, msgspec.DecodeError, struct.error):
        return None
    is_labelled = found and (found[0][0], found[-1][0]) == (first, last)
    return found if is_labelled else None
