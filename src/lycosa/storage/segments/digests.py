"""SHA-256 digests of sealed files, by which a changed byte is noticed.

WARC files guard themselves: each record has the checksum of its gzip member. Rows, index and quads
have no checksum of their own, so sealing writes their SHA-256 beside them, in the format of
`sha256sum`:

    # lycosa digests 1 5f2c…        (XXH3 of the lines below, so that the list guards itself)
    # log 0:1204 3:88 of host 4711 1763450000.123
    9f86d0…  pages/lycosa-0-00001.parquet

    cd mycrawl && sha256sum -c digests/*.sha256

The lines that begin with `# log` say how far the log was when the segment was sealed: partition,
its last sequence, and the life (owner) that had it then. The disk has had all of that before it
got the segment, so a log that ends earlier has lost its end (`runtime.recovery.behind`).

Cost: 0.7 ms per megabyte. Segments that older versions sealed have no digests, or none of these
lines.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from xxhash import xxh3_64_hexdigest

from lycosa._support import beneath
from lycosa.errors import StoreError
from lycosa.storage.archive.files import sync_file, temporary
from lycosa.storage.archive.layout import (
    ITEMS,
    KINDS,
    Name,
    cdx_path,
    digests_path,
    quads_path,
    sealed_path,
)
from lycosa.storage.log.protocol import Log

_HEAD = "# lycosa digests 1 "
_LOG = "# log "
_POSITION = r"\b([0-9]{1,9}):([0-9]{1,18})\b"

Positions = Mapping[int, tuple[int, str]]
"""How far a log is: the last sequence of each partition, and the life that owns it."""


def guarded(folder: Path, name: Name) -> list[Path]:
    """Return the files of a sealed segment that have a digest, if they are there."""
    rows = [sealed_path(folder, kind, name) for kind in KINDS]
    some = [quads_path(folder, name), sealed_path(folder, ITEMS, name)]
    return [*rows, *some, cdx_path(folder, name)]


def write_digests(
    folder: Path,
    name: Name,
    files: Iterable[Path],
    content: Callable[[Path], Path] = lambda path: path,
    positions: Positions | None = None,
) -> Path:
    """Write the digests of files under a temporary name; `content` says where each still stands.

    Without `positions` of the log those that the segment was sealed at are kept.
    """
    if positions is None:
        positions = sealed_at(folder, name)
    notes = "".join(_position_lines(positions))
    final = digests_path(folder, name)
    final.parent.mkdir(exist_ok=True)
    digests = {str(path.relative_to(folder)): digest(content(path)) for path in files}
    _write(final, digests, notes)
    return final


def _write(final: Path, digests: Mapping[str, str], notes: str = "") -> None:
    text = notes + "".join(f"{value}  {place}\n" for place, value in digests.items())
    beneath.write_text(temporary(final), f"{_HEAD}{xxh3_64_hexdigest(text.encode())}\n{text}")
    sync_file(temporary(final))


def write_list(final: Path, files: Iterable[Path], known: Mapping[str, str] | None = None) -> None:
    """Write the digests of files of an index, by their paths from the list's folder.

    Digests that are `known` are not computed again.
    """
    known = known or {}
    places = [(str(path.relative_to(final.parent)), path) for path in files]
    _write(final, {place: known.get(place) or digest(path) for place, path in sorted(places)})
    temporary(final).rename(final)


def _position_lines(positions: Positions) -> Iterator[str]:
    lives: dict[str, list[str]] = {}
    for number, (sequence, life) in positions.items():
        lives.setdefault(life, []).append(f"{number}:{sequence}")
    for life, numbers in lives.items():
        yield f"{_LOG}{' '.join(numbers)} of {' '.join(life.split())}\n"


def refresh_digests(folder: Path, name: Name, positions: Positions | None = None) -> None:
    """Write the digests of a segment again, as its files are now."""
    there = [path for path in guarded(folder, name) if path.exists()]
    final = write_digests(folder, name, there, positions=positions)
    temporary(final).rename(final)


def read_digests(folder: Path, name: Name) -> dict[str, str] | None:
    """Return the digests of a segment by path; None when it has none."""
    return read_list(digests_path(folder, name), folder)


def read_list(path: Path, folder: Path) -> dict[str, str] | None:
    """Return the digests in a list of a crawl directory, by path; None when it is not there."""
    text = _guarded_text(path, folder)
    if text is None:
        return None
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return {place: value for value, place in (line.split("  ", 1) for line in lines)}


def sealed_at(folder: Path, name: Name) -> Positions:
    """Return how far the log was when a segment was sealed; nothing where that is not known."""
    try:
        text = _guarded_text(digests_path(folder, name), folder) or ""
    except StoreError:  # `verify` tells of it
        return {}
    found: dict[int, tuple[int, str]] = {}
    for line in text.splitlines():
        if line.startswith(_LOG):
            numbers, _, life = line.removeprefix(_LOG).partition(" of ")
            for number, sequence in re.findall(_POSITION, numbers):
                found[int(number)] = (int(sequence), life)
    return found


def _guarded_text(path: Path, folder: Path) -> str | None:
    """Return the lines below the head, if there are any; raises `StoreError` if it is damaged."""
    try:
        head, _, text = beneath.read_bytes(path).decode("utf-8", "replace").partition("\n")
    except FileNotFoundError:
        return None
    if head != f"{_HEAD}{xxh3_64_hexdigest(text.encode())}":
        raise StoreError(
            f"{path}: the list of digests is damaged itself\n"
            f"  write it again: lycosa verify {folder} --repair"
        )
    return text


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with beneath.open_file(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def durable_positions(log: Log) -> Positions:
    """Write the log to disk and return its positions; partitions without a batch are left out.

    Everything committed before the call is included, and no power cut leaves a log that ends before
    the positions that a sealed segment carries. Reads of a log on a server may be old: then
    the positions are too low, never too high.
    """
    heads = log.heads()
    log.sync()
    return {number: (head.log, head.owner) for number, head in enumerate(heads) if head.log}
