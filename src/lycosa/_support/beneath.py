"""Opens files of a crawl directory without following links, and only regular ones.

A crawl directory may come from a stranger, or lie where others can write. A symbolic link in the
place of one of its files would let a command read or write a file elsewhere; a named pipe would
make it wait for ever; a device can do anything. So every part of Lycosa opens such files here:

    open_file(path, "rb")   as `open`, but the path must name a regular file without a link in it
    open_new(path, "wb")    a new file; whatever bore the name is removed first, not followed
    open_named(path, "rb")  a file that the operator may have named: strict below a crawl directory
    checked(path)           the path, for a library that opens the file itself and reads it
    new_place(path)         the path, for a library that makes the file itself
    checked_tree(folder)    the folder, for a library that opens every file in it

Always true:
  * below a folder that `enter` has noted, no part of a path is a link, but folders that the
    operator has accepted; a path elsewhere is judged by its last part alone;
  * a file that was opened here is a regular one, whatever it was replaced by meanwhile;
  * no call waits for the other end of a pipe;
  * a file that does not exist is a `FileNotFoundError`, as everywhere.

Cost: one `openat` for each part of the path below the crawl directory; `survey` reads the names in
the directory, and asks the kernel for no file of its own.
Not here: hard links, which need a file system that lets others link to your files; a library can
still be deceived between `checked` and its own opening by users who may write to the directory.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from lycosa.errors import ConfigError, StoreError

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_NOT_REGULAR = (errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ENODEV)
"""Errors of `open` for a link, a pipe without a reader or a socket, a folder, a dead device."""
_EDITORS = ".#"
"""The beginning of lock files of Emacs, which are links; no part of Lycosa opens them."""

FILES = frozenset(
    ("crawl.toml", "seeds.txt", "topics.model", "lock", "fetched", "live.json", "lycosa.log")
)
FOLDERS = frozenset(
    (
        *("log", "warc", "cdx", "pages", "links", "text", "hosts", "triples", "items", "digests"),
        *("index", "report", "damaged"),
    )
)
_PARTED = ("log", "index")
"""Folders whose own folders may be links."""
_VARIABLE = "LYCOSA_ACCEPTED_LINKS"
_accepted: dict[str, frozenset[str]] = {}
"""The folders that `enter` has noted, with the links in them that the operator has accepted."""


def enter(root: Path, accepted_links: Collection[str] | None = None) -> None:
    """Note a crawl directory: no link is followed below it, but folders of these names.

    Without names those that were accepted before stay, in this process or the one that started it.
    """
    place = _absolute(root)
    if accepted_links is not None:
        _accepted[place] = frozenset(accepted_links)
        # Workers and readers are processes of their own: they learn of it by the environment.
        told = {root: sorted(names) for root, names in _accepted.items() if names}
        os.environ[_VARIABLE] = json.dumps(told)
    elif place not in _accepted:
        told = json.loads(os.environ.get(_VARIABLE, "{}"))
        _accepted[place] = frozenset(told.get(place, ()))


def linked_folders(root: Path) -> list[tuple[str, str]]:
    """Return the folders of a crawl directory that are links: name and target, as it is written.

    Such links can be at the top, in `log/` and in `index/`; no segment is searched.
    """
    found = [(entry.name, entry) for entry in _names_in(root)]
    for part in _PARTED:
        found += [(f"{part}/{entry.name}", entry) for entry in _names_in(root / part)]
    links = sorted(name for name, entry in found if _is_linked_folder(name, entry))
    return [(name, str((root / name).readlink())) for name in links]


def survey(root: Path) -> None:
    """Refuse a crawl directory in which a link, pipe or device stands for a file or folder."""
    enter(root)
    accepted = _accepted[_absolute(root)]
    for name, entry in _entries(root):
        if _is_linked_folder(name, entry):
            if name not in accepted:
                raise _unaccepted(root, name)
        elif entry.is_dir(follow_symlinks=False):
            if name in FILES:
                raise _strange(root / name)
        elif not entry.is_file(follow_symlinks=False):
            raise _strange(root / name)
        elif name in FOLDERS:
            raise StoreError(
                f"{root / name}: is a file, and a crawl directory has a folder there\n"
                "  move it out of the crawl directory"
            )


def open_file(path: Path | str, mode: str = "rb", **more: Any) -> IO[Any]:
    """Open a regular file as `open` does, without following a link."""
    return open(path, mode, opener=descriptor, **more)


def open_new(path: Path, mode: str = "wb", **more: Any) -> IO[Any]:
    """Open a file that is not there yet; a leftover with its name is removed."""
    return open_file(new_place(path), mode.replace("w", "x"), **more)


def open_named(path: Path | str, mode: str = "rb", **more: Any) -> IO[Any]:
    """Open a file that the operator may have named: as `open` does, but below crawl directories."""
    if _root_of(_absolute(path))[0] is None:
        return open(path, mode, **more)  # noqa: PTH123
    return open_file(path, mode, **more)


def read_bytes(path: Path) -> bytes:
    """Return the content of a regular file."""
    with open_file(path) as file:
        content: bytes = file.read()
    return content


def read_text(path: Path, encoding: str = "utf-8", errors: str | None = None) -> str:
    """Return the text of a regular file."""
    with open_file(path, "r", encoding=encoding, errors=errors) as file:
        text: str = file.read()
    return text


def write_bytes(path: Path, content: bytes) -> None:
    """Write a new file, in the place of one of that name."""
    with open_new(path) as file:
        file.write(content)


def write_text(path: Path, text: str, encoding: str = "utf-8", newline: str = "\n") -> None:
    """Write a new file of text, in the place of one of that name."""
    with open_new(path, "w", encoding=encoding, newline=newline) as file:
        file.write(text)


def descriptor(path: Path | str, flags: int = os.O_RDONLY, mode: int = 0o644) -> int:
    """Open a regular file as `os.open` does, and return its descriptor."""
    with _failures_told(path), _parent(path) as (folder, name):
        file = os.open(name, flags | _FLAGS, mode, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise _strange(path)
    return file


def checked(path: Path) -> Path:
    """Return the path of a regular file, for a library that opens it."""
    with _failures_told(path), _parent(path) as (folder, name):
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        raise _strange(path)
    return path


def checked_if_there(path: Path) -> Path:
    """Return the path of a regular file, or of one that a library may make."""
    try:
        return checked(path)
    except FileNotFoundError:
        return path


def new_place(path: Path) -> Path:
    """Return the path of a file that is not there, for a library that makes it."""
    with _failures_told(path), _parent(path) as (folder, name), suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    return path


def checked_tree(folder: Path) -> Path:
    """Return a folder in which, at any depth, are only folders and regular files."""
    for name, entry in _below(folder, ""):
        is_plain = entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
        if not is_plain:
            raise _strange(folder / name)
    return folder


@contextmanager
def _parent(path: Path | str) -> Iterator[tuple[int | None, str]]:
    """Open the folder of a file, part by part below a crawl directory; give it and the name."""
    place = _absolute(path)
    root, below = _root_of(place)
    if root is None:
        yield None, place
        return
    folder = os.open(root, _FOLDER)
    try:
        *parts, name = below
        for count, part in enumerate(parts, 1):
            is_accepted = "/".join(parts[:count]) in _accepted[root]
            above = folder
            try:
                folder = os.open(
                    part, _FOLDER if is_accepted else _FOLDER | os.O_NOFOLLOW, dir_fd=above
                )
            except NotADirectoryError:  # a link that may not be followed is reported, too
                if stat.S_ISLNK(os.lstat(part, dir_fd=above).st_mode):
                    raise _unaccepted(Path(root), "/".join(parts[:count])) from None
                raise
            os.close(above)
        yield folder, name
    finally:
        os.close(folder)


def _root_of(place: str) -> tuple[str | None, list[str]]:
    """Return the noted folder that holds a path, and the parts of the path below it."""
    root, below = place, list[str]()
    while root:
        root, _, part = root.rpartition("/")
        below.append(part)
        if root in _accepted:
            return root, below[::-1]
    return None, []


def _absolute(path: Path | str) -> str:
    """Return a path from the root on; links above a crawl directory are the operator's own."""
    return os.path.abspath(path)  # noqa: PTH100  `resolve` would follow links


def _entries(root: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield the files and folders that are Lycosa's, by their names below the directory.

    Other names at its top may be anything: no part of Lycosa opens them.
    """
    for entry in _names_in(root):
        if entry.name in FILES:
            yield entry.name, entry
        elif entry.name in FOLDERS:
            yield entry.name, entry
            # A folder that was accepted lies elsewhere; its files must be regular nevertheless.
            if entry.is_dir():
                yield from _below(root / entry.name, f"{entry.name}/")


def _below(folder: Path, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    for entry in _names_in(folder):
        if entry.name.startswith(_EDITORS):
            continue
        yield f"{prefix}{entry.name}", entry
        if entry.is_dir(follow_symlinks=False):
            yield from _below(folder / entry.name, f"{prefix}{entry.name}/")


def _names_in(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []  # The file was removed meanwhile; the caller that opens it gets the error.


def _is_linked_folder(name: str, entry: os.DirEntry[str]) -> bool:
    if not entry.is_symlink():
        return False
    part, _, below = name.partition("/")
    is_below = part in _PARTED and below != "" and "/" not in below
    return name in FOLDERS or (is_below and entry.is_dir())


@contextmanager
def _failures_told(path: Path | str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _NOT_REGULAR:
            # the kernel saw only the last part, so its error lacks the whole path
            error.filename = str(path)
            raise
        raise _strange(path) from None


def _strange(path: Path | str) -> StoreError:
    return StoreError(
        f"{path}: is {_kind(path)}, not a file\n"
        "  a crawl directory holds its files itself: put the file there, or remove that"
    )


def _kind(path: Path | str) -> str:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return "something else"
    kinds = {
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFDIR: "a folder",
        stat.S_IFSOCK: "a socket",
    }
    return kinds.get(stat.S_IFMT(mode), "a device")


def _unaccepted(root: Path, name: str) -> ConfigError:
    try:
        target = str((root / name).readlink())
    except OSError:
        target = "elsewhere"
    return ConfigError(
        f"{root}: {name}/ is a symbolic link to {target}, which was not accepted\n"
        f"  if you want it to be followed: lycosa trust {root}"
    )
