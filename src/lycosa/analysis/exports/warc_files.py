"""Copies the records of some pages into a WARC file of their own: the repository of a topic.

For each fetch the request, the answer and the metadata, byte for byte, in the order in which they
were written, after a `warcinfo` record that says where they come from. An answer whose payload
stands with an earlier one (`revisit`) becomes a whole `response`: the earlier one may be none of
the pages. So the file can be replayed by itself.

Cost: the files that hold one of the pages are read once; one exchange is in memory at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import IO

from lycosa._support import beneath
from lycosa.analysis.study.tables import Connection
from lycosa.errors import LycosaError
from lycosa.model.records import Place
from lycosa.storage.archive.files import temporary
from lycosa.storage.archive.layout import WARC
from lycosa.storage.warc import warc_format
from lycosa.storage.warc.http_messages import split_block
from lycosa.storage.warc.record_reader import WarcFiles, read_exchange
from lycosa.storage.warc.record_scan import Piece, pieces

_ANSWERS = ("response", "revisit")
_OF_REVISITS = ("WARC-Profile", "WARC-Refers-To", "WARC-Payload-Digest", "Content-Length")


def write_pages(
    connection: Connection, folder: Path, table: str, target: Path, topic: str = ""
) -> int:
    """Write the records of the rows of a table of pages; return the number of pages."""
    places: dict[str, list[int]] = {}
    query = f'select warc, "offset" from {table} where length > 0 order by 1, 2'
    for name, offset in connection.execute(query).fetchall():
        places.setdefault(name, []).append(offset)
    about = f"pages about {topic}" if topic else "pages"
    info = {
        "software": f"Lycosa/{version('lycosa')}",
        "format": "WARC File Format 1.1",
        "description": f"{about} of the crawl {folder.resolve().name}",
    }
    return write_records(folder, places, target, info)


OnWritten = Callable[[str, int, Place], None]
"""Called for each answer with its old file and offset, and its place in the new file."""


def _ignore(name: str, offset: int, place: Place) -> None:
    pass


def write_records(
    folder: Path,
    places: Mapping[str, Collection[int]],
    target: Path,
    info: Mapping[str, str],
    on_written: OnWritten = _ignore,
) -> int:
    """Write the exchanges whose answers are at these offsets of files; return their number."""
    path, count = temporary(target), 0
    wanted = sum(map(len, places.values()))
    files = WarcFiles(folder)
    try:
        with beneath.open_new(path, "wb") as out:
            out.write(_beginning(target, info))
            for name in sorted(places):
                count += _copy(folder / WARC / name, set(places[name]), files, out, on_written)
    except OSError as error:
        raise LycosaError(f"{target}: cannot be written: {error.strerror}") from None
    finally:
        files.close()
    if count < wanted:
        path.unlink()
        raise LycosaError(
            f"{folder}: {wanted - count:,} of {wanted:,} records are missing\n"
            f"  find the damage: lycosa verify {folder}"
        )
    path.rename(target)
    return count


def _beginning(target: Path, info: Mapping[str, str]) -> bytes:
    headers = (
        f"WARC-Type: warcinfo\r\nWARC-Record-ID: {warc_format.Ids().next()}\r\n"
        f"WARC-Date: {warc_format.date(time.time())}\r\nWARC-Filename: {target.name}\r\n"
        f"Content-Type: {warc_format.FIELDS}\r\n"
    )
    return warc_format.pack(headers, warc_format.fields(info))


def _copy(
    path: Path, offsets: set[int], files: WarcFiles, out: IO[bytes], on_written: OnWritten
) -> int:
    """Copy the exchanges of one file; return their number."""
    if not path.exists():
        return 0
    segment = int(path.name.partition(".")[0].rpartition("-")[2])
    count = 0
    with beneath.open_file(path, "rb") as source:
        for request, answer, metadata in _exchanges(path):
            if answer.offset not in offsets:
                continue
            count += 1
            for piece in (request, answer, metadata):
                if piece is None:
                    continue
                start = out.tell()
                if piece is answer and answer.type == "revisit":
                    out.write(_whole(answer, segment, files))
                else:
                    source.seek(piece.offset)
                    out.write(source.read(piece.length))
                if piece is answer:
                    on_written(path.name, answer.offset, Place(0, start, out.tell() - start))
    return count


def _exchanges(path: Path) -> Iterator[tuple[Piece | None, Piece, Piece | None]]:
    """Yield the records of each exchange: request, answer, metadata."""
    request: Piece | None = None
    answer: Piece | None = None
    for piece in pieces(path):
        if answer is not None:
            is_its = piece.type == "metadata" and _is_beside(piece, answer)
            yield request, answer, piece if is_its else None
            request = answer = None
        if piece.type == "request":
            request = piece
        elif piece.type in _ANSWERS:
            answer = piece
            request = request if request is not None and _is_beside(request, piece) else None
    if answer is not None:
        yield request, answer, None


def _is_beside(piece: Piece, answer: Piece) -> bool:
    assert piece.record is not None and answer.record is not None
    beside = piece.record.headers.get("WARC-Concurrent-To")
    return beside == answer.record.headers.get("WARC-Record-ID")


def _whole(piece: Piece, segment: int, files: WarcFiles) -> bytes:
    """Return a revisit as a response with its payload."""
    assert piece.record is not None
    stored = read_exchange(Place(segment, piece.offset, piece.length), files.member)
    head, _ = split_block(piece.record.block)
    lines = [
        f"{name}: {'response' if name == 'WARC-Type' else value}\r\n"
        for name, value in piece.record.headers.items()
        if not name.startswith(_OF_REVISITS)
    ]
    lines.append(f"WARC-Block-Digest: {warc_format.digest(head, stored.sent)}\r\n")
    return warc_format.pack("".join(lines), head, stored.sent)
