"""What a disk has of a folder after a power cut, from the record of what was done to it.

Bytes are safe once their file was synced, and names once their folder was. Of everything else the
disk has what it happened to write:

  * of a folder the first of its changes, as many as chance says: file systems keep their order;
  * of a file nothing, the first of its changes, any pages of 4 KiB in any of the states they had,
    or everything. A page that is missing before one that is there reads as zeros, and the file may
    be longer than what was written of it.

Folders and files are independent of each other. That is less than the usual file systems promise
(ext4 also writes the names of a file that is synced), and as much as POSIX does.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

PAGE_BYTES = 4096
FOLDER = -1
"""Stands for a folder in the place of a file's number."""
_HEAD = struct.Struct("@c3xIIQq")


class Entry(NamedTuple):
    """One call: its kind (see `recorder.c`), paths or data, inode, and offset or size."""

    kind: str
    first: bytes
    second: bytes
    inode: int
    at: int


@dataclass
class File:
    """The bytes of an inode that the disk has, and the changes since."""

    safe: bytes = b""
    changes: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Offset and data; without data the size that the file was given."""


@dataclass
class Folder:
    """The names of a folder that the disk has, and the changes since."""

    safe: dict[str, int] = field(default_factory=dict)
    changes: list[tuple[str, int | None]] = field(default_factory=list)
    """Names, and the number of the file; None if it was removed."""

    def now(self, many: int | None = None) -> dict[str, int]:
        """Return the names after some of the changes, or all."""
        names = dict(self.safe)
        for name, inode in self.changes[:many]:
            if inode is None:
                names.pop(name, None)
            else:
                names[name] = inode
        return names


def entries(record: Path) -> list[Entry]:
    """Read a record; the kill may have left half of the last call."""
    data = record.read_bytes() if record.exists() else b""
    found, at = [], 0
    while at + _HEAD.size <= len(data):
        kind, first, second, inode, place = _HEAD.unpack_from(data, at)
        begin = at + _HEAD.size
        at = begin + first + second
        if at > len(data):
            break
        one, two = data[begin : begin + first], data[begin + first : at]
        found.append(Entry(kind.decode(), one, two, inode, place))
    return found


class Disk:
    """A folder on a disk that may lose its power."""

    def __init__(self, root: Path) -> None:
        """Take the folder as it is for safe."""
        self.root = root
        self.syncs = 0
        self.lost_bytes = 0
        """Bytes of the pages that the last cut has changed."""
        self._files: dict[int, File] = {}
        self._folders: dict[str, Folder] = {}
        self._numbers: dict[int, int] = {}
        """Our number of the file that has an inode now: inodes are given again."""
        self._nameless: set[int] = set()
        """Inodes that one process wrote to before the one that made them had written that down."""
        if root.exists():
            self._read(root)
        else:
            self._folders[str(root)] = Folder()

    def _read(self, folder: Path) -> None:
        known = self._folders[str(folder)] = Folder()
        for path in folder.iterdir():
            if path.is_dir():
                known.safe[path.name] = FOLDER
                self._read(path)
            elif path.is_file():
                known.safe[path.name] = self._begin(path.stat().st_ino, path.read_bytes())

    # -- what the crawl has done ------------------------------------------------------------

    def play(self, record: Path) -> None:
        """Do what was written down."""
        for one in entries(record):
            if one.kind in "CMRUL":
                self._rename(one)
            elif one.kind == "W":
                self._file(one.inode).changes.append((one.at, one.first))
            elif one.kind == "T":
                self._file(one.inode).changes.append((one.at, None))
            elif one.kind == "S":
                file = self._file(one.inode)
                file.safe, file.changes = applied(file.safe, file.changes), []
                self.syncs += 1
            else:
                folder = self._folder(one.first.decode())
                folder.safe, folder.changes = folder.now(), []
                self.syncs += 1

    def _rename(self, one: Entry) -> None:
        path = one.first.decode()
        if one.kind == "C":
            known = one.inode in self._nameless
            self._nameless.discard(one.inode)
            self._change(path, self._numbers[one.inode] if known else self._begin(one.inode))
        elif one.kind == "M":
            self._folders[path] = Folder()
            self._change(path, FOLDER)
        elif one.kind == "U":
            self._change(path, None)
        else:
            folder, _, name = path.rpartition("/")
            inode = self._folder(folder).now().get(name)
            if inode is not None:
                self._change(one.second.decode(), inode)
                if one.kind == "R":
                    self._change(path, None)

    def _change(self, path: str, inode: int | None) -> None:
        folder, _, name = path.rpartition("/")
        if path != str(self.root):
            self._folder(folder).changes.append((name, inode))

    def _begin(self, inode: int, content: bytes = b"") -> int:
        """Begin a file; return its number."""
        number = self._numbers[inode] = len(self._files)
        self._files[number] = File(content)
        return number

    def _file(self, inode: int) -> File:
        if inode not in self._numbers:
            self._nameless.add(inode)
            self._begin(inode)
        return self._files[self._numbers[inode]]

    def _folder(self, path: str) -> Folder:
        return self._folders.setdefault(path, Folder())

    # -- the cut ----------------------------------------------------------------------------

    def cut(self, chance: random.Random) -> None:
        """Make the folder what the disk has of it."""
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        self.lost_bytes = 0
        self._write(str(self.root), chance, {})

    def _write(self, folder: str, chance: random.Random, made: dict[int, Path]) -> None:
        known = self._folder(folder)
        many = chance.choice((0, len(known.changes), chance.randint(0, len(known.changes))))
        for name, inode in known.now(many).items():
            path = Path(folder, name)
            if inode == FOLDER:
                path.mkdir()
                self._write(str(path), chance, made)
            elif inode in made:
                os.link(made[inode], path)
            else:
                file = self._files[inode]
                content = after_cut(file, chance)
                whole = applied(file.safe, file.changes)
                self.lost_bytes += sum(a != b for a, b in _blocks(whole, content)) * PAGE_BYTES
                path.write_bytes(content)
                made[inode] = path


def _blocks(one: bytes, other: bytes) -> list[tuple[bytes, bytes]]:
    size = max(len(one), len(other))
    return [
        (one[n : n + PAGE_BYTES], other[n : n + PAGE_BYTES]) for n in range(0, size, PAGE_BYTES)
    ]


def applied(content: bytes, changes: list[tuple[int, bytes | None]]) -> bytes:
    """Return a file after changes."""
    file = bytearray(content)
    for at, data in changes:
        if data is None:
            del file[at:]
            file.extend(bytes(at - len(file)))
        else:
            file.extend(bytes(max(0, at - len(file))))
            file[at : at + len(data)] = data
    return bytes(file)


def after_cut(file: File, chance: random.Random) -> bytes:
    """Return what the disk has of a file."""
    how = chance.random()
    if how < 0.25:
        return file.safe
    if how < 0.5:
        return applied(file.safe, file.changes[: chance.randint(0, len(file.changes))])
    if how < 0.6:
        return applied(file.safe, file.changes)
    return _some_pages(file, chance)


def _some_pages(file: File, chance: random.Random) -> bytes:
    """Return a file of which each page is in one of the states that it had."""
    sizes = [n for n, (_, data) in enumerate(file.changes) if data is None]
    first = sizes[-1] + 1 if sizes else 0
    content = bytearray(applied(file.safe, file.changes[:first]))
    rest = file.changes[first:]
    writers: dict[int, list[tuple[int, bytes]]] = {}
    for at, data in rest:
        assert data is not None
        for page in range(at // PAGE_BYTES, (at + len(data) - 1) // PAGE_BYTES + 1):
            writers.setdefault(page, []).append((at, data))
    share = chance.choice((0.3, 0.7, 0.95))
    for page, written in writers.items():
        many = len(written) if chance.random() < share else chance.randrange(len(written))
        begin, end = page * PAGE_BYTES, (page + 1) * PAGE_BYTES
        for at, data in written[:many]:
            low, high = max(at, begin), min(at + len(data), end)
            content.extend(bytes(max(0, high - len(content))))
            content[low:high] = data[low - at : high - at]
    whole = max([len(content), *(at + len(data) for at, data in rest if data is not None)])
    if chance.random() < 0.5:
        content.extend(bytes(whole - len(content)))
    return bytes(content)
