"""Finds records that lean on others, and lets them stand on their own before those are removed.

A `revisit` has no payload: it refers to the record that has it, which may be of another host and
partition, and in a segment of another worker or run. Before that host is forgotten, the payload is
stored once more: as a `response` of the first page that leans on it, behind all other records of
that page's file. All that leaned on the old record refer to the new one then.

Always true:
  * no record moves: a record that refers elsewhere is written in place, with the length that it
    had, its gzip member filled up by a comment;
  * a kill at any moment leaves every revisit with a payload. The new records are complete, and
    listed in the index, before any record is changed; what is written in place stands in a note
    beside the file first, and the next removal writes it again.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pyarrow.compute as pc

from lycosa._support import beneath
from lycosa.errors import StoreError
from lycosa.model.records import Place
from lycosa.model.url.key import host_of, key_of
from lycosa.storage.archive.files import sync_file, sync_folder, temporary, write_at
from lycosa.storage.archive.layout import WARC, Name, cdx_path, sealed_path, warc_names, warc_path
from lycosa.storage.archive.reader import each_segment
from lycosa.storage.segments.digests import refresh_digests
from lycosa.storage.segments.sealing import unsealed
from lycosa.storage.tables.missing_tables import damage_told
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.warc import cdx, warc_format
from lycosa.storage.warc.http_messages import is_chunked, parse_head, split_block
from lycosa.storage.warc.record_reader import WarcFiles, members, read_head

_FILE, _OFFSET = "WARC-Refers-To-Filename", "WARC-Refers-To-File-Offset"
_URL, _DATE = "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"
_ROW = ("record", "offset", "length")
LONG_AGO = 1.0
"""Before every moment at which a segment was sealed."""


class _Leaner(NamedTuple):
    """A revisit that refers to a record that is to go."""

    name: Name
    offset: int
    length: int
    record: warc_format.Record
    metadata: warc_format.Record | None


class _Stand(NamedTuple):
    """The record that has the payload from now on."""

    url: str
    date: str
    file: str
    offset: int


def set_upright(folder: Path, hosts: Container[str], reach: Callable[[str], None]) -> int:
    """Let the records of other hosts that lean on these hosts stand; returns how many they are."""
    for name in warc_names(folder):
        _finish(folder, name)
    leaners: dict[Place, list[_Leaner]] = {}
    for name in warc_names(folder):
        for leaner in _leaners_in(folder, name, hosts):
            leaners.setdefault(_referred(leaner.record), []).append(leaner)
    if not leaners:
        return 0
    changed: dict[Name, dict[int, bytes]] = {}
    files = WarcFiles(folder)
    try:
        for place, some in leaners.items():
            _, payload = split_block(files.member(place).block)
            stand = _store_again(folder, some[0], payload)
            for leaner in some:
                content = _referring(leaner, stand)
                if content is None:  # its own URL, which the record has already, takes less
                    content = _referring(leaner, _store_again(folder, leaner, payload))
                if content is None:
                    raise _no_room(warc_path(folder, leaner.name), leaner.offset)
                changed.setdefault(leaner.name, {})[leaner.offset] = content
    finally:
        files.close()
    reach("forget.stored_again")
    for name, contents in changed.items():
        _write_note(_note_path(folder, name), contents)
        reach("forget.leaning_noted")
        _finish(folder, name)
    return sum(map(len, changed.values()))


def leaning_on(folder: Path, gone: Container[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return segment and offset of the revisits whose payload stood at one of these places.

    Only records that the rows call revisits are read, in open and sealed segments.
    """
    found: set[tuple[int, int]] = set()
    files = WarcFiles(folder)
    try:
        for name, batch in each_segment(folder, "pages", _ROW, lambda damage: None):
            for row in batch.filter(pc.equal(batch.column("record"), "revisit")).to_pylist():
                place = Place(name.segment, row["offset"], row["length"])
                with suppress(StoreError):  # a damaged record is given up by itself
                    record = files.read(place, read_head)
                    if _FILE in record.headers and _referred(record)[:2] in gone:
                        found.add((place.segment, place.offset))
    finally:
        files.close()
    return found


def leaning_on_open(folder: Path, sealed: Iterable[Name]) -> set[Name]:
    """Return those of sealed segments that have payloads of their revisits in open ones.

    Cost: nothing where no other worker has an open segment. Otherwise the heads of the revisits in
    what was sealed since the first of these was begun.
    """
    opened = {name: began for name in unsealed(folder) if (began := _began(folder, name))}
    found: set[Name] = set()
    files = WarcFiles(folder)
    try:
        for name in sealed:
            moment = cdx_path(folder, name).stat().st_mtime
            others = {
                other.segment
                for other, began in opened.items()
                # A worker ends a segment before it begins the next.
                if began <= moment and other.worker != name.worker
            }
            if others and any(segment in others for segment in _referred_from(folder, name, files)):
                found.add(name)
    finally:
        files.close()
    return found


def _began(folder: Path, name: Name) -> float:
    """Return when a segment was begun; 0 if nothing of it was flushed."""
    for _, _, record in members(warc_path(folder, name)):
        try:
            return datetime.fromisoformat(record.headers["WARC-Date"]).timestamp()
        except (KeyError, ValueError, OverflowError):
            return (
                LONG_AGO  # the file may be damaged or a stranger's: then all that lean on it wait
            )
    return 0.0


def _referred_from(folder: Path, name: Name, files: WarcFiles) -> Iterator[int]:
    """Yield the segments that the revisits of a sealed one refer to."""
    path = sealed_path(folder, "pages", name)
    with damage_told(folder, path), rows_file(path) as file:
        for batch in file.iter_batches(columns=list(_ROW)):
            for row in batch.filter(pc.equal(batch.column("record"), "revisit")).to_pylist():
                place = Place(name.segment, row["offset"], row["length"])
                record = files.read(place, read_head)
                if _FILE in record.headers:
                    yield _referred(record).segment


def _leaners_in(folder: Path, name: Name, hosts: Container[str]) -> list[_Leaner]:
    found: list[_Leaner] = []
    for offset, length, record in members(warc_path(folder, name)):
        headers = record.headers
        if record.type == "metadata" and found and found[-1].metadata is None:
            found[-1] = found[-1]._replace(metadata=record)
        if record.type != "revisit" or _FILE not in headers or _URL not in headers:
            continue
        leans = host_of(key_of(headers[_URL])) in hosts
        if leans and host_of(key_of(headers["WARC-Target-URI"])) not in hosts:
            found.append(_Leaner(name, offset, length, record, None))
    return found


def _referred(record: warc_format.Record) -> Place:
    segment = int(record.headers[_FILE].partition(".")[0].rpartition("-")[2])
    return Place(segment, int(record.headers[_OFFSET]), 0)


def _store_again(folder: Path, leaner: _Leaner, payload: bytes) -> _Stand:
    """Write a page with its payload behind all other records of its file, and into the index."""
    path, ids = warc_path(folder, leaner.name), warc_format.Ids()
    of, (head, _) = leaner.record.headers, split_block(leaner.record.block)
    url, date, record_id = of["WARC-Target-URI"], of["WARC-Date"], ids.next()
    _, http = parse_head(head)
    shared = f"WARC-Date: {date}\r\nWARC-Target-URI: {url}\r\n"
    headers = f"WARC-Type: response\r\nWARC-Record-ID: {record_id}\r\n{shared}"
    if "WARC-IP-Address" in of:
        headers += f"WARC-IP-Address: {of['WARC-IP-Address']}\r\n"
    headers += f"Content-Type: {of['Content-Type']}\r\n"
    if is_chunked(http):
        headers += f"WARC-Block-Digest: {warc_format.digest(head, payload)}\r\n"
    else:
        headers += f"WARC-Payload-Digest: {of['WARC-Payload-Digest']}\r\n"
    response = warc_format.pack(headers, head, payload)
    block = leaner.metadata.block if leaner.metadata is not None else b""
    behind = warc_format.pack(
        f"WARC-Type: metadata\r\nWARC-Record-ID: {ids.next()}\r\n{shared}"
        f"WARC-Concurrent-To: {record_id}\r\nContent-Type: {warc_format.FIELDS}\r\n",
        block,
    )
    offset = path.stat().st_size
    descriptor = beneath.descriptor(path, os.O_RDWR)
    try:
        write_at(descriptor, memoryview(response + behind), offset)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    _list_again(folder, leaner, Place(leaner.name.segment, offset, len(response)))
    return _Stand(url, date, path.name, offset)


def _list_again(folder: Path, leaner: _Leaner, place: Place) -> None:
    """Add the new record to the index, if that lists the one that leaned."""
    index = cdx_path(folder, leaner.name)
    if not index.exists():
        return
    _, http = parse_head(split_block(leaner.record.block)[0])
    kind = next((value for name, value in http if name.lower() == "content-type"), "")
    lines = beneath.read_text(index, encoding="ascii").splitlines(keepends=True)
    for line in lines:
        surt, moment, entry = line.split(" ", 2)
        values = json.loads(entry)
        if int(values["offset"]) == leaner.offset:
            mime = json.loads(cdx.mime(kind))
            values |= {"mime": mime, "length": str(place.length), "offset": str(place.offset)}
            lines.append(f"{surt} {moment} {json.dumps(values)}\n")
            break
    else:
        return
    beneath.write_text(temporary(index), "".join(sorted(lines)), encoding="ascii")
    sync_file(temporary(index))
    temporary(index).rename(index)
    refresh_digests(folder, leaner.name)


def _referring(leaner: _Leaner, stand: _Stand) -> bytes | None:
    """Return a revisit that refers elsewhere, in as many bytes as it had; None if it needs more."""
    new = {_URL: stand.url, _DATE: stand.date, _FILE: stand.file, _OFFSET: str(stand.offset)}
    headers = leaner.record.headers | new
    for left_out in ("", "WARC-IP-Address"):
        lines = "".join(
            f"{name}: {value}\r\n" for name, value in headers.items() if name != left_out
        )
        text = f"WARC/1.1\r\n{lines}\r\n".encode() + leaner.record.block + b"\r\n\r\n"
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        content = packer.compress(text) + packer.flush()
        spare = leaner.length - 18 - len(content)
        if spare >= 0:
            # A gzip member may carry a comment, which readers skip (RFC 1952, section 2.3).
            flag, comment = (0x10, b" " * (spare - 1) + b"\0") if spare else (0, b"")
            start = b"\x1f\x8b\x08" + bytes((flag,)) + b"\0\0\0\0\x02\xff" + comment
            end = zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little")
            return start + content + end
    return None


def _no_room(path: Path, offset: int) -> StoreError:
    return StoreError(
        f"{path}, offset {offset}: the record refers to what is to be removed, and has no room to"
        " refer elsewhere\n  nothing was removed; forget the host of this page first"
    )


# -- the note ---------------------------------------------------------------------------------


def _note_path(folder: Path, name: Name) -> Path:
    return folder / WARC / f"{name}.leaning"


def _write_note(path: Path, contents: dict[int, bytes]) -> None:
    packed = {offset: base64.b64encode(content).decode() for offset, content in contents.items()}
    beneath.write_text(temporary(path), json.dumps(packed))
    sync_file(temporary(path))
    temporary(path).rename(path)
    sync_folder(path.parent)


def _finish(folder: Path, name: Name) -> None:
    """Write what the note of a file says, if there is one."""
    note = _note_path(folder, name)
    try:
        contents = json.loads(beneath.read_text(note))
    except FileNotFoundError:
        return
    descriptor = beneath.descriptor(warc_path(folder, name), os.O_RDWR)
    try:
        for offset, content in contents.items():
            write_at(descriptor, memoryview(base64.b64decode(content)), int(offset))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    note.unlink()
