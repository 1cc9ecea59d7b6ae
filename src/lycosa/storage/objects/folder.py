"""A store in a folder: on a disk of this machine, or on a file system that machines share.

An object is a file. It is written under a temporary name in `.incoming`, synced, and then renamed
(`put`) or linked (`create`) to its key: the kernel lets one of two links to a name succeed, on NFS
as well. Temporary files that a killed writer has left are removed after a day.

A shared file system that is not mounted looks like an empty folder. So the folder of the place is
never made here, and that of the crawl only once: if it is gone later, calls fail until it is back.
"""

from __future__ import annotations

import errno
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from lycosa._support import beneath
from lycosa.errors import ObjectsUnavailable, StoreError
from lycosa.storage.objects.protocol import Found, check_key

INCOMING = ".incoming"
_DAY_SECONDS = 86_400.0
_NO_LINKS = "makes no hard links, by which two machines are kept from creating one object"


class FolderObjects:
    """The objects of one crawl, as files below a folder."""

    def __init__(self, path: Path) -> None:
        """`path` is made with the first object; the folder that it lies in must be there."""
        self._root = path.absolute()
        self._incoming = self._root / INCOMING
        self._is_made = self._root.is_dir()
        _sweep(self._incoming)

    @property
    def place(self) -> str:
        """The folder's URL."""
        return self._root.as_uri()

    def put(self, key: str, source: Path) -> None:
        """Write a file as an object, over one that is there."""
        with beneath.open_file(source, "rb") as content, self._failure_told("write", key):
            target = self._made_path(key)
            with self._written(lambda file: shutil.copyfileobj(content, file, 1 << 20)) as new:
                new.rename(target)
            _sync_folder(target.parent)

    def create(self, key: str, value: bytes) -> bool:
        """Write an object if the key has none, or has these very bytes."""
        with self._failure_told("write", key):
            target = self._made_path(key)
            with self._written(lambda file: file.write(value)) as new:
                is_new = _link(new, target)
            if is_new:
                _sync_folder(target.parent)
            return is_new or target.read_bytes() == value

    def read(self, key: str, start: int = 0, length: int | None = None) -> bytes | None:
        """Return an object or a range of it; None when there is no such object."""
        with self._failure_told("read", key):
            try:
                with self._path(key).open("rb") as file:
                    file.seek(start)
                    return file.read(-1 if length is None else length)
            except (FileNotFoundError, IsADirectoryError):
                return None

    def download(self, key: str, target: Path) -> bool:
        """Copy an object to a new file; return False if there is no such object."""
        with self._failure_told("read", key):
            try:
                content = self._path(key).open("rb")
            except (FileNotFoundError, IsADirectoryError):
                return False
        with content, new_file(target) as file:
            while block := self._block(key, content.read):
                file.write(block)
        return True

    def size(self, key: str) -> int | None:
        """Return the length of an object in bytes; None when there is no such object."""
        with self._failure_told("read", key):
            try:
                path = self._path(key)
                return path.stat().st_size if path.is_file() else None
            except FileNotFoundError:
                return None

    def list(self, prefix: str = "") -> Iterator[Found]:
        """Yield the objects below a prefix, by key."""
        with self._failure_told("list", prefix):
            folder = self._path(prefix) if prefix else self._made_root()
            yield from _below(folder, prefix.rstrip("/"))

    def close(self) -> None:
        """Do nothing: no connection is open."""

    # -- inside ---------------------------------------------------------------------------

    def _path(self, key: str) -> Path:
        return self._made_root() / check_key(self.place, key)

    def _made_root(self) -> Path:
        if self._is_made and not self._root.is_dir():
            raise OSError(errno.ESTALE, "the crawl's folder is gone")
        return self._root

    def _made_path(self, key: str) -> Path:
        """Return the path of an object; the folders of a crawl are made at first use."""
        target = self._path(key)
        if not self._is_made:
            self._root.mkdir(exist_ok=True)
            self._is_made = True
        # Folder by folder: if the crawl's folder vanishes now (unmounted), it must not be made
        # again.
        above = [one for one in target.parents if self._root in one.parents]
        for folder in (self._incoming, *reversed(above)):
            folder.mkdir(exist_ok=True)
        return target

    @contextmanager
    def _written(self, write: Callable[..., object]) -> Iterator[Path]:
        """Write and sync a temporary file; it is removed if it does not get another name."""
        new = self._incoming / uuid.uuid4().hex
        try:
            with new.open("xb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            yield new
        finally:
            with suppress(OSError):
                new.unlink(missing_ok=True)

    def _block(self, key: str, read: Callable[[int], bytes]) -> bytes:
        with self._failure_told("read", key):
            return read(1 << 20)

    @contextmanager
    def _failure_told(self, verb: str, key: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ObjectsUnavailable(
                f"{self.place}: cannot {verb} {key or 'the folder'}: {error.strerror}\n"
                "  check that the folder is mounted, has room, and may be written to by"
                f" {_user()}"
            ) from error


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that is not there yet; it is removed again if writing it fails."""
    with path.open("xb") as file:
        try:
            yield file
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def crawls_in(folder: Path) -> list[str]:
    """Return the names of the folders that hold objects of a crawl."""
    return sorted(path.parent.name for path in folder.glob("*/crawl.toml"))


def _link(new: Path, target: Path) -> bool:
    try:
        os.link(new, target)
    except FileExistsError:
        return False
    except PermissionError as error:  # EPERM is the answer of file systems without links
        raise StoreError(f"{target.parent}: the file system {_NO_LINKS}") from error
    return True


def _below(folder: Path, key: str) -> Iterator[Found]:
    try:
        entries = [entry for entry in os.scandir(folder) if not entry.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return
    # A folder sorts by its name and the slash, as the keys below it do.
    entries.sort(key=lambda entry: entry.name + "/" * entry.is_dir())
    for entry in entries:
        name = f"{key}/{entry.name}" if key else entry.name
        if entry.is_dir():
            yield from _below(folder / entry.name, name)
        else:
            yield Found(name, entry.stat().st_size)


def _sweep(incoming: Path) -> None:
    """Remove leftovers of killed writers."""
    with suppress(OSError):
        for path in incoming.iterdir():
            if path.stat().st_mtime < time.time() - _DAY_SECONDS:
                path.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _user() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"user {os.geteuid()}"
