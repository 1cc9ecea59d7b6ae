"""Damage of other kinds than cuts and flips: to whole folders, to several files, by other programs.

Each takes a crawl directory whose first segment is sealed. `KINDS_OF_DAMAGE` has them by name.
"""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from damage import cut

Damage = Callable[[Path], None]

SEALED = "lycosa-0-00001"
LAST_OF_KILLED = "lycosa-0-00002"
TABLES = ("pages", "links", "text", "hosts")
_FILES = {
    "warc": f"warc/{SEALED}.warc.gz",
    "pages": f"pages/{SEALED}.parquet",
    "cdx": f"cdx/{SEALED}.cdxj",
    "digests": f"digests/{SEALED}.sha256",
    "log": "log/log.sqlite",
    "archive": "log/archive/0000.archive",
}


def files_in(folder: Path, part: str) -> list[Path]:
    return [path for path in sorted((folder / part).rglob("*")) if path.is_file()]


def family(folder: Path, name: str) -> list[Path]:
    """Return all files of a segment."""
    return [path for path in folder.glob(f"*/{name}.*") if path.is_file()]


def remove_folder(part: str, folder: Path) -> None:
    shutil.rmtree(folder / part)


def empty_folder(part: str, folder: Path) -> None:
    for path in files_in(folder, part):
        cut(path, 0)


def remove(places: Iterable[str], folder: Path) -> None:
    for place in places:
        (folder / place).unlink()


def remove_segment(name: str, folder: Path) -> None:
    for path in family(folder, name):
        path.unlink()


def rewrite(place: str, change: Callable[[bytes], bytes], folder: Path) -> None:
    path = folder / place
    path.write_bytes(change(path.read_bytes()))


def with_zeros(content: bytes) -> bytes:
    """Return a content with a block of zeros in its middle, as a bad disk leaves it."""
    size = min(4096, len(content) // 3)
    begin = len(content) // 2 - size // 2
    return content[:begin] + bytes(size) + content[begin + size :]


def as_one_member(content: bytes) -> bytes:
    return gzip.compress(gzip.decompress(content))


def with_carriage_returns(content: bytes) -> bytes:
    return content.replace(b"\n", b"\r\n")


def copy_segment(parts: tuple[str, ...], folder: Path) -> None:
    """Copy files of a segment to a number that is free."""
    for path in family(folder, SEALED):
        if path.parent.name in parts:
            shutil.copy(path, path.with_name(path.name.replace("00001", "00077")))


def both(first: Damage, second: Damage, folder: Path) -> None:
    first(folder)
    second(folder)


def _of_files() -> dict[str, Damage]:
    changes: dict[str, Callable[[bytes], bytes]] = {
        "zeros in": with_zeros,
        "twice": lambda content: content * 2,
        "garbage behind": lambda content: content + b"\x1f\x8b garbage \n" * 40,
        "without its first byte": lambda content: content[1:],
    }
    found: dict[str, Damage] = {
        f"{name} {what}": partial(rewrite, place, change)
        for name, place in _FILES.items()
        for what, change in changes.items()
    }
    return found


def _of_folders() -> dict[str, Damage]:
    parts = ("warc", "cdx", "triples", "digests", *TABLES, "log/snapshots", "log/archive")
    found: dict[str, Damage] = {f"{part} removed": partial(remove_folder, part) for part in parts}
    emptied = ("warc", "cdx", "pages", "text", "digests", "log/snapshots", "log/archive")
    return found | {f"{part} emptied": partial(empty_folder, part) for part in emptied}


def _of_several() -> dict[str, Damage]:
    warc, pages, cdx = _FILES["warc"], _FILES["pages"], _FILES["cdx"]
    tables = [f"{kind}/{SEALED}.parquet" for kind in TABLES]
    return {
        "warc and cdx removed": partial(remove, (warc, cdx)),
        "pages and digests removed": partial(remove, (pages, _FILES["digests"])),
        "warc emptied, pages removed": partial(
            both, partial(rewrite, warc, lambda _: b""), partial(remove, (pages,))
        ),
        "warc emptied, cdx removed": partial(
            both, partial(rewrite, warc, lambda _: b""), partial(remove, (cdx,))
        ),
        "warc and its number removed": partial(remove, (warc, "warc/.numbers")),
        "all tables of a segment removed": partial(remove, tables),
        "a sealed segment removed": partial(remove_segment, SEALED),
        "the last segment removed": partial(remove_segment, LAST_OF_KILLED),
        "log and snapshots removed": partial(
            both, partial(remove, ("log/log.sqlite",)), partial(remove_folder, "log/snapshots")
        ),
        "archive and snapshots removed": partial(
            both, partial(remove_folder, "log/archive"), partial(remove_folder, "log/snapshots")
        ),
        "warc unpacked": partial(rewrite, warc, gzip.decompress),
        "warc as one member": partial(rewrite, warc, as_one_member),
        "cdx with carriage returns": partial(rewrite, cdx, with_carriage_returns),
        "digests with carriage returns": partial(rewrite, _FILES["digests"], with_carriage_returns),
        "a warc under a free number": partial(copy_segment, ("warc",)),
        "tables under a free number": partial(copy_segment, (*TABLES, "cdx")),
        "a segment under a free number": partial(
            copy_segment, ("warc", *TABLES, "cdx", "digests", "triples")
        ),
    }


def _of_open() -> dict[str, Damage]:
    """Return damage to the open segment of a crawl that was killed."""
    tables = {kind: f"{kind}/{LAST_OF_KILLED}.arrows" for kind in TABLES}
    found: dict[str, Damage] = {
        f"open {kind} with zeros in": partial(rewrite, place, with_zeros)
        for kind, place in tables.items()
    }
    found |= {
        f"open {kind} without its first byte": partial(rewrite, place, lambda one: one[1:])
        for kind, place in tables.items()
    }
    found["all open tables removed"] = partial(remove, tuple(tables.values()))
    found["open records removed"] = partial(remove, (f"warc/{LAST_OF_KILLED}.warc.gz",))
    return found


KINDS_OF_DAMAGE: dict[str, Damage] = _of_files() | _of_folders() | _of_several()
OF_OPEN: dict[str, Damage] = _of_open()
