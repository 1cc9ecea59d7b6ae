"""SHA-256 digests of sealed files, by which a changed byte is noticed.

WARC files guard themselves: each record has the checksum of its gzip member. Rows, index and quads
have no checksum of their own, so sealing writes their SHA-256 beside them, in the format of
`sha256sum`:

    # lycosa digests 1 5f2c…        (XXH3 of the lines below, so that the list guards itself)
    9f86d0…  pages/lycosa-0-00001.parquet

    cd mycrawl && sha256sum -c digests/*.sha256

Cost: 0.7 ms per megabyte. Segments that older versions sealed have no digests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from xxhash import xxh3_64_hexdigest

from lycosa import beneath
from lycosa.errors import StoreError
from lycosa.store.files import sync_file, temporary
from lycosa.store.layout import (
    KINDS,
    Name,
    cdx_path,
    digests_path,
    quads_path,
    sealed_path,
)

_HEAD = "# lycosa digests 1 "


def guarded(folder: Path, name: Name) -> list[Path]:
    """Return the files of a sealed segment that have a digest, if they are there."""
    rows = [sealed_path(folder, kind, name) for kind in KINDS]
    return [*rows, quads_path(folder, name), cdx_path(folder, name)]


def write_digests(
    folder: Path,
    name: Name,
    files: Iterable[Path],
    content: Callable[[Path], Path] = lambda path: path,
) -> Path:
    """Write the digests of files under a temporary name; `content` says where each still stands."""
    lines = [f"{digest(content(path))}  {path.relative_to(folder)}\n" for path in files]
    final = digests_path(folder, name)
    text = "".join(lines)
    final.parent.mkdir(exist_ok=True)
    beneath.write_text(temporary(final), f"{_HEAD}{xxh3_64_hexdigest(text.encode())}\n{text}")
    sync_file(temporary(final))
    return final


def refresh_digests(folder: Path, name: Name) -> None:
    """Write the digests of a segment anew, as its files are now."""
    there = [path for path in guarded(folder, name) if path.exists()]
    final = write_digests(folder, name, there)
    temporary(final).rename(final)


def read_digests(folder: Path, name: Name) -> dict[str, str] | None:
    """Return the digests of a segment by path; None when it has none."""
    path = digests_path(folder, name)
    try:
        head, _, text = beneath.read_bytes(path).decode("utf-8", "replace").partition("\n")
    except FileNotFoundError:
        return None
    if head != f"{_HEAD}{xxh3_64_hexdigest(text.encode())}":
        raise StoreError(
            f"{path}: the list of digests is damaged itself\n"
            f"  write it anew: lycosa verify {folder} --repair"
        )
    pairs = (line.split("  ", 1) for line in text.splitlines())
    return {place: value for value, place in pairs}


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with beneath.open_file(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
