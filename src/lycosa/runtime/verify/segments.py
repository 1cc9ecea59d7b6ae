"""Check one sealed segment: compare records, rows, index, quads and digests, and the log.

A record counts when the log refers to it. A record is whole when it is at the offset in the log, is
followed by its metadata record, and has the payload digest that the metadata names. Rows are right
when every counted record of a page has one, and no other record has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lycosa._support import beneath
from lycosa.errors import StoreError
from lycosa.model.url import key_of
from lycosa.model.url.posts import bare
from lycosa.runtime.verify.findings import ASIDE, ASK_AGAIN, REINDEX, Finding
from lycosa.storage.archive.layout import (
    ITEMS,
    Name,
    digests_path,
    quads_path,
    sealed_path,
    warc_path,
)
from lycosa.storage.log.places import Named
from lycosa.storage.segments.digests import digest, guarded, read_digests
from lycosa.storage.tables.extra import DAMAGE
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.tables.quads import blocks
from lycosa.storage.warc.record_scan import Piece, fits, pieces

MAIN = ("response", "revisit", "conversion")
_ROWS = ["url", "offset", "length", "outcome", "fetch_id"]


class Main(NamedTuple):
    """Record of an answer, with the beginning and end of its exchange."""

    length: int
    url: str
    start: int
    end: int
    """From the request to the metadata record, if these exist."""
    is_whole: bool
    refers_to: tuple[int, int] | None
    """For a revisit record, segment and offset of the record with its payload."""


class Segment:
    """The result for one segment."""

    def __init__(self, folder: Path, name: Name) -> None:
        self.folder = folder
        self.name = name
        self.findings: list[Finding] = []
        self.mains: dict[int, Main] = {}
        self.damage: list[tuple[int, int]] = []
        """Offset and length of bytes that are not a record."""
        self.blanks: list[tuple[int, int]] = []
        """Offset and length of blank records, which replace records removed on purpose."""
        self.lost: list[Named] = []
        self.damaged: set[str] = set()
        """Files that must be made again: kinds of tables, `cdx`, `quads`, `digests`."""
        self.unknown: dict[int, str] = {}
        """Offset and URL of pages that the log does not know."""
        self.stale: set[int] = set()
        """Offsets of rows whose record does not count or is not whole."""
        self.is_named = True
        """Whether the log names any of its records."""
        self.is_foreign = False
        """Whether the WARC file's own name differs from its file name."""
        self.is_gone = False
        """Whether the WARC file has no record that the log names: all files are moved aside."""

    def has_payload(self, offset: int) -> bool:
        """Return whether records elsewhere may refer to the record at this offset."""
        main = self.mains.get(offset)
        if main is None or not main.is_whole or self.is_gone or offset in self.stale:
            return False
        return all(one.place.offset != offset for one in self.lost)

    def find(self, path: Path, what: str, remedy: str) -> None:
        """Add a finding."""
        self.findings.append(Finding(str(path.relative_to(self.folder)), what, remedy))

    @property
    def must_be_written(self) -> bool:
        """Whether the segment must be rewritten."""
        return bool(self.damaged or self.stale or self.damage or self.lost or self.is_gone)


def check_segment(
    folder: Path,
    name: Name,
    named: Mapping[int, Named],
    given_up: set[int],
    key_named: Callable[[Named], str],
) -> Segment:
    """Read a sealed segment from end to end."""
    found = Segment(folder, name)
    found.is_named = bool(named)
    path = warc_path(folder, name)
    if path.exists():
        read_records(path, found)
    _compare_records(found, named, key_named, is_there=path.exists())
    _check_digests(found)
    if not found.is_gone:
        _compare_rows(found, named, given_up)
    return found


def read_records(path: Path, found: Segment) -> None:
    """Read all records of a WARC file, and report damage."""
    before: Piece | None = None
    main: Piece | None = None
    start = 0

    def note(end: int, is_whole: bool) -> None:
        assert main is not None and main.record is not None
        headers = main.record.headers
        refers = None
        if "WARC-Refers-To-File-Offset" in headers:
            file = headers["WARC-Refers-To-Filename"].partition(".")[0]
            refers = (int(file.rpartition("-")[2]), int(headers["WARC-Refers-To-File-Offset"]))
        found.mains[main.offset] = Main(main.length, main.url, start, end, is_whole, refers)

    for piece in pieces(path):
        # An exchange is whole only if its metadata record follows and confirms the payload.
        if main is not None:
            is_behind = piece.type == "metadata" and piece.url == main.url
            note(piece.end if is_behind else main.end, is_behind and fits(main, piece))
            main = None
        if piece.type == "warcinfo" and piece.record is not None and not piece.offset:
            own = piece.record.headers.get("WARC-Filename", path.name)
            found.is_foreign = own != path.name
        if piece.record is None:
            found.damage.append((piece.offset, piece.length))
        elif piece.type == "metadata" and not piece.url:
            found.blanks.append((piece.offset, piece.length))
        elif piece.type in MAIN:
            has_request = before is not None and before.type in ("request", "resource")
            start = before.offset if has_request and before is not None else piece.offset
            main = piece
        before = piece
    # The file ends after an answer: its metadata record is missing.
    if main is not None:
        note(main.end, False)
    if found.damage:
        size = sum(length for _, length in found.damage)
        first = found.damage[0][0]
        what = f"{size:,} bytes are not part of a record, the first at offset {first:,}"
        found.find(path, what, "overwrite them with blank records, or cut them off")


def is_whole(main: Main | None, named: Named, key_named: Callable[[Named], str]) -> bool:
    """Return whether the record at this offset is whole and is the one that the log names."""
    if main is None or not main.is_whole or main.length != named.place.length:
        return False
    # A record has the URL that was posted to, and the log the body, too; a view has its fragment.
    return not named.is_page or key_of(bare(main.url)) == bare(key_named(named))


def _compare_records(
    found: Segment,
    named: Mapping[int, Named],
    key_named: Callable[[Named], str],
    *,
    is_there: bool,
) -> None:
    found.lost = [
        one
        for one in named.values()
        if not is_whole(found.mains.get(one.place.offset), one, key_named)
        and not _was_forgotten(found, one)
    ]
    path = warc_path(found.folder, found.name)
    is_all_lost = bool(named) and len(found.lost) == len(named)
    found.is_gone = not is_there or found.is_foreign or is_all_lost
    if found.is_gone:
        found.lost = list(named.values())
    if found.lost or found.is_gone:
        pages = sum(one.is_page for one in found.lost)
        robots = len(found.lost) - pages
        what = f"{_fate(found, is_there)}: {pages:,} of pages and {robots:,} of robots files"
        remedy = f"{ASIDE}, and {ASK_AGAIN}" if found.is_gone else ASK_AGAIN
        found.find(path, f"{what} that the log names", remedy)


def _fate(found: Segment, is_there: bool) -> str:
    """Describe the damage of a WARC file."""
    if not is_there:
        return "it is missing"
    if found.is_foreign:
        return "it is another WARC file under this name"
    return "it has no record of the segment" if found.is_gone else "records are damaged or gone"


def _was_forgotten(found: Segment, one: Named) -> bool:
    """Return whether a robots record was removed with its host; pages are marked in the log."""
    at = one.place.offset
    return not one.is_page and any(start <= at < start + size for start, size in found.blanks)


def _check_digests(found: Segment) -> None:
    folder, name = found.folder, found.name
    listed: dict[str, str] | None = None
    try:
        listed = read_digests(folder, name)
        if listed is None:
            path = digests_path(folder, name)
            text = str(path.relative_to(folder))
            found.findings.append(
                Finding(text, "the segment has no digests", "write them", is_damage=False)
            )
            found.damaged.add("digests")
    except StoreError:
        found.damaged.add("digests")
        found.find(digests_path(folder, name), "the list of digests is damaged", "write it again")
    for path in guarded(folder, name):
        place = str(path.relative_to(folder))
        is_of_some = path in (quads_path(folder, name), sealed_path(folder, ITEMS, name))
        if not path.exists():
            if not is_of_some or (listed and place in listed):
                _damaged(found, path, "it is missing")
        elif listed and place in listed:
            if digest(path) != listed[place]:
                _damaged(found, path, "its bytes have changed since it was sealed")
        elif problem := unreadable_why(path):
            _damaged(found, path, problem)


def _damaged(found: Segment, path: Path, what: str) -> None:
    part = path.parent.name
    found.damaged.add("quads" if part == "triples" else part)
    found.find(path, what, REINDEX)


def unreadable_why(path: Path) -> str:
    """Return the problem of a file without a digest that cannot be read to its end, or ""."""
    try:
        if path.suffix == ".parquet":
            with rows_file(path) as file:
                for batch in file.iter_batches():
                    batch.validate(full=True)
        elif path.suffix == ".zst":
            for _ in blocks(path):
                pass
        elif path.stat().st_size and not beneath.read_bytes(path).endswith(b"}\n"):
            return "its last line is incomplete"
    except (*DAMAGE, StoreError) as error:
        return f"it cannot be read: {' '.join(str(error).split())[:120]}"
    return ""


def rows_in(folder: Path, kind: str, name: Name, columns: list[str]) -> list[dict[str, Any]]:
    """Return the rows of a sealed segment that have a record."""
    with rows_file(sealed_path(folder, kind, name)) as file:
        return [
            row
            for batch in file.iter_batches(columns=columns)
            for row in batch.to_pylist()
            if row["length"]
        ]


def _compare_rows(found: Segment, named: Mapping[int, Named], given_up: set[int]) -> None:
    lost = {one.place.offset for one in found.lost}
    robots: set[int] = set()
    for kind in ("hosts", "pages"):
        wanted = {
            offset
            for offset, one in named.items()
            if one.is_page == (kind == "pages")
            and offset not in lost
            and not _was_forgotten(found, one)
        }
        if kind in found.damaged:
            # Without rows only the records themselves can show pages that the log does not know.
            if kind == "pages":
                _find_unknown(found, wanted | lost | given_up | robots | set(named))
            continue
        seen: set[int] = set()
        for row in rows_in(found.folder, kind, found.name, _ROWS):
            offset = row["offset"]
            seen.add(offset)
            main = found.mains.get(offset)
            is_there = main is not None and main.is_whole and bare(main.url) == bare(row["url"])
            if offset in given_up or offset in lost or not is_there:
                found.stale.add(offset)
            elif kind == "pages" and offset not in wanted:
                found.unknown[offset] = row["url"]
        if kind == "hosts":
            robots = seen
        if missing := wanted - seen:
            path = sealed_path(found.folder, kind, found.name)
            _damaged(found, path, f"{len(missing):,} fetches that the log names have no row")
    _say(found)


def _find_unknown(found: Segment, known: set[int]) -> None:
    """Treat records that are in neither the log nor a row as pages."""
    for offset, main in found.mains.items():
        if offset not in known and main.is_whole and not main.url.endswith("/robots.txt"):
            found.unknown[offset] = main.url


def _say(found: Segment) -> None:
    path = sealed_path(found.folder, "pages", found.name)
    lost = {one.place.offset for one in found.lost}
    if found.stale - lost:
        what = f"{len(found.stale - lost):,} rows belong to records that do not count"
        found.find(path, what, "remove them")
    if found.unknown:
        what = f"{len(found.unknown):,} fetches that the log does not know"
        found.find(path, what, "enter them in the log, so that they are not fetched again")
