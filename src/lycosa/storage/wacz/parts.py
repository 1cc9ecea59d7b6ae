"""The files of a WACZ: WARC files, the merged index, the list of pages, and their digests.

Index and list are made in `index/replay/`, again whenever segments are added or rewritten. Of every
file its size, CRC-32 and SHA-256 are kept there, so that a WARC file is read once.

A page that asks for `noarchive` is in no index and in no list, so it is not replayed; its record
is in the WARC file, which is offered as it is. So an archive that is given away is made of a
selection of the pages instead (`analysis.exports.wacz_files`).

A segment whose revisits have payloads in one that another worker still writes to is left out until
that one is sealed, too.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from time import gmtime, strftime
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
from isal import isal_zlib

from lycosa._support import beneath
from lycosa._support.decoders import json_decoder
from lycosa.errors import StoreError
from lycosa.model.url.views import view_in
from lycosa.storage.archive.files import sync_file, temporary
from lycosa.storage.archive.layout import CDX, Name, cdx_path, names_in, sealed_path, warc_path
from lycosa.storage.archive.lock import alone
from lycosa.storage.segments.leaning import leaning_on_open
from lycosa.storage.tables.missing_tables import damage_told, require_index
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.wacz.layout import ZipMember

VERSION = "1.1.1"
FORMAT = 3
PAGES_HEAD = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}

_BLOCK_BYTES = 1 << 20
_BATCH_ROWS = 1_000
_MOST_THREADS = 4
COLUMNS = ["url", "title", "began", "outcome", "noarchive", "content_type", "length", "distance"]
"""Of a row of `pages`, for the list of pages."""
_PAGE_TYPES = ("text/html", "application/xhtml+xml")

OnBytes = Callable[[int, int], None]
"""Is told how many bytes are done, and how many there are."""


class _Known(msgspec.Struct):
    """Facts of a file that hold as long as its size and time are the same."""

    size: int
    time: int
    crc: int
    sha256: str


class _Memory(msgspec.Struct):
    """The content of `index/replay/parts.json`."""

    format: int = 0
    segments: dict[str, tuple[int, int]] = {}
    """Size and time of the index of every segment that index and list are made from."""
    files: dict[str, _Known] = {}
    main_page: tuple[str, str] | None = None


class Parts(NamedTuple):
    """The files of the archive, and the digest of the list of them."""

    members: list[ZipMember]
    digest: str
    pages: int
    main_page: str
    """The URL that is shown first: the page of least depth."""


def gather(folder: Path, on_bytes: OnBytes = lambda done, of: None) -> Parts:
    """Return the files of the archive of a crawl; makes what is missing."""
    require_index(folder)
    sealed = names_in(folder, CDX, ".cdxj")
    waiting = leaning_on_open(folder, sealed)
    names = [name for name in sealed if name not in waiting]
    if not names:
        raise StoreError(
            f"{folder}: has no sealed segment, so there is nothing to replay\n"
            f"  how far it is: lycosa status {folder}   go on: lycosa resume {folder}"
        )
    store = folder / "index" / "replay"
    busy = f"{store}: another process is preparing the replay\n  wait for it to end"
    with alone(store / "lock", StoreError(busy)):
        memory = _read(store)
        segments = {str(name): _state(cdx_path(folder, name)) for name in names}
        if memory.segments != segments:
            memory.main_page = write_pages(_rows(folder, names), store / "pages.jsonl")
            _write_index(folder, names, store / "index.cdxj")
            memory.segments = segments
        sources = {
            "pages/pages.jsonl": store / "pages.jsonl",
            "indexes/index.cdxj": store / "index.cdxj",
        }
        sources |= {f"archive/{name}.warc.gz": warc_path(folder, name) for name in names}
        memory.files = _known(sources, memory.files, on_bytes)
        _write(store, memory)
    made = max(state[1] for state in segments.values())
    return _parts(folder, sources, memory, made)


def selected(folder: Path, sources: dict[str, Path], main_page: tuple[str, str] | None) -> Parts:
    """Return the archive of files that were written for it; `sources` has their names in it."""
    memory = _Memory(main_page=main_page, files=_known(sources, {}, lambda done, of: None))
    segments = (_state(cdx_path(folder, name)) for name in names_in(folder, CDX, ".cdxj"))
    return _parts(folder, sources, memory, max(state[1] for state in segments))


def _parts(folder: Path, sources: dict[str, Path], memory: _Memory, made: int) -> Parts:
    with beneath.open_file(sources["pages/pages.jsonl"], "rb") as file:
        pages = sum(1 for _ in file) - 1
    package = _package(folder, memory, made)
    digest = hashlib.sha256(package).hexdigest()
    told = {"path": "datapackage.json", "hash": f"sha256:{digest}"}
    small = {"datapackage.json": package, "datapackage-digest.json": _json(told)}
    members = [
        ZipMember(name, memory.files[name].size, memory.files[name].crc, path)
        for name, path in sources.items()
    ]
    members += [
        ZipMember(name, len(content), isal_zlib.crc32(content), content)
        for name, content in small.items()
    ]
    return Parts(members, digest, pages, memory.main_page[0] if memory.main_page else "")


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _read(store: Path) -> _Memory:
    try:
        found = json_decoder(_Memory).decode(beneath.read_bytes(store / "parts.json"))
    except (FileNotFoundError, msgspec.DecodeError):
        return _Memory()
    return found if found.format == FORMAT else _Memory()


def _write(store: Path, memory: _Memory) -> None:
    memory.format = FORMAT
    path = store / "parts.json"
    beneath.write_bytes(temporary(path), msgspec.json.encode(memory))
    sync_file(temporary(path))
    temporary(path).rename(path)


def _write_index(folder: Path, names: list[Name], target: Path) -> None:
    """Merge the indexes of all segments."""
    with ExitStack() as files, beneath.open_new(temporary(target), "wb") as merged:
        opened = [
            files.enter_context(beneath.open_file(cdx_path(folder, name), "rb")) for name in names
        ]
        merged.writelines(heapq.merge(*opened))
    temporary(target).rename(target)


class _Page(msgspec.Struct, omit_defaults=True):
    """A line of the list of pages."""

    id: str
    url: str
    ts: str
    title: str = ""


def write_pages(rows: Iterable[Sequence[Any]], target: Path) -> tuple[str, str] | None:
    """Write the list of pages; returns URL and date of the one that is shown first.

    A row has the `COLUMNS` in their order; `began` is in microseconds.
    """
    first: tuple[int, str, str] | None = None
    encode, count = msgspec.json.Encoder().encode, 0
    with beneath.open_new(temporary(target), "wb") as file:
        file.write(encode(PAGES_HEAD) + b"\n")
        for url, title, began, outcome, noarchive, content_type, length, distance in rows:
            if noarchive or not length or not _is_page(url, outcome, content_type):
                continue
            moment = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(began // 1_000_000))
            file.write(encode(_Page(f"{count:x}", url, moment, title or "")) + b"\n")
            count += 1
            if first is None or (distance or 0) < first[0]:
                first = (distance or 0, url, moment)
    temporary(target).rename(target)
    return first[1:] if first is not None else None


def _rows(
    folder: Path, names: list[Name], columns: list[str] = COLUMNS
) -> Iterator[tuple[Any, ...]]:
    """Yield rows of pages in sealed segments; columns that older segments lack are None."""
    for name in names:
        path = sealed_path(folder, "pages", name)
        with damage_told(folder, path), rows_file(path) as file:
            there = [column for column in columns if column in file.schema_arrow.names]
            for batch in file.iter_batches(_BATCH_ROWS, columns=there):
                yield from zip(*(_values(batch, column) for column in columns), strict=True)


def _values(batch: pa.RecordBatch, column: str) -> list[Any]:
    if column not in batch.schema.names:
        return [None] * batch.num_rows
    values = batch.column(column)
    if column == "began":  # as Python's own datetimes they would take most of the time
        values = values.view(pa.int64())
    found: list[Any] = values.to_pylist()
    return found


def has_withheld(folder: Path) -> bool:
    """Return whether the WARC files have records of pages that ask for `noarchive`."""
    rows = _rows(folder, names_in(folder, CDX, ".cdxj"), ["noarchive", "length"])
    return any(noarchive and length for noarchive, length in rows)


def _is_page(url: str, outcome: str, content_type: str | None) -> bool:
    """Return whether a row is of a page that can be opened by its address, as a view can."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    wanted = "rendered" if view_in(url) else "kept"
    is_posted = "#" in url and wanted == "kept"
    return outcome.lower() == wanted and kind in _PAGE_TYPES and not is_posted


def _known(
    sources: dict[str, Path], before: dict[str, _Known], on_bytes: OnBytes
) -> dict[str, _Known]:
    """Return size, CRC and digest of all files; those that are known are not read again."""
    states = {name: _state(path) for name, path in sources.items()}
    total, done = sum(size for size, _ in states.values()), 0
    found: dict[str, _Known] = {}

    def look(name: str) -> _Known:
        known = before.get(name)
        if known is not None and (known.size, known.time) == states[name]:
            return known
        return _looked_at(sources[name], states[name])

    # Threads, because the digest is computed without the interpreter's lock.
    with ThreadPoolExecutor(min(len(os.sched_getaffinity(0)), _MOST_THREADS)) as threads:
        for name, known in zip(sources, threads.map(look, sources), strict=True):
            found[name] = known
            done += known.size
            on_bytes(done, total)
    return found


def _looked_at(path: Path, state: tuple[int, int]) -> _Known:
    digest, crc, size = hashlib.sha256(), 0, 0
    with beneath.open_file(path, "rb", buffering=0) as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
            crc = isal_zlib.crc32(block, crc)
            size += len(block)
    return _Known(size, state[1], crc, digest.hexdigest())


def _package(folder: Path, memory: _Memory, time: int) -> bytes:
    """Return the description of the archive: every file with its digest."""
    created = datetime.fromtimestamp(time / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    told: dict[str, Any] = {
        "profile": "data-package",
        "wacz_version": VERSION,
        "title": folder.resolve().name,
        "created": created,
        "software": "lycosa",
    }
    if memory.main_page is not None:
        told["mainPageUrl"], told["mainPageDate"] = memory.main_page
    told["resources"] = [
        {
            "name": name.rpartition("/")[2],
            "path": name,
            "hash": f"sha256:{known.sha256}",
            "bytes": known.size,
        }
        for name, known in memory.files.items()
    ]
    return _json(told)


def _json(content: Any) -> bytes:
    return json.dumps(content, indent=2).encode()
