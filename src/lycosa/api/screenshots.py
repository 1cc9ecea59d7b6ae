"""The pictures of rendered pages (`[render] screenshots`), read from the archive.

A picture is a `resource` record right before that of the rendered document; the table of pages
says where the document is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lycosa._support.safe_text import cell
from lycosa.api.segments import batches, segments
from lycosa.errors import StoreError
from lycosa.model.records import Outcome, Place
from lycosa.model.url import key_of
from lycosa.storage.tables.rows import OUTCOME_NAMES, signed, url_id
from lycosa.storage.warc.exchange import picture_of
from lycosa.storage.warc.record_reader import WarcFiles

INDEX = "index.csv"
_RENDERED = OUTCOME_NAMES[Outcome.RENDERED]
_COLUMNS = ["url_id", "url", "fetched_at", "outcome", "offset", "length", "noarchive"]
_LONGEST_NAME = 80


class Screenshot(NamedTuple):
    """The picture of a page."""

    url: str
    moment: datetime
    png: bytes


class _Row(NamedTuple):
    moment: datetime
    place: Place
    url: str
    is_noarchive: bool


def find_screenshot(folder: Path, url: str) -> bytes:
    """Return the newest picture of a canonical URL; b"" if there is none."""
    found = _newest(folder, url)
    files = WarcFiles(folder)
    try:
        return _read(files, found[url]) if url in found else b""
    finally:
        files.close()


def screenshots(folder: Path, *, with_withheld: bool = False) -> Iterator[Screenshot]:
    """Yield the newest picture of every page, except for pages that ask for `noarchive`."""
    files = WarcFiles(folder)
    try:
        for url, row in sorted(_newest(folder).items()):
            if row.is_noarchive and not with_withheld:
                continue
            if png := _read(files, row):
                yield Screenshot(url, row.moment, png)
    finally:
        files.close()


def export_screenshots(folder: Path, target: Path, *, with_withheld: bool = False) -> int:
    """Write the pictures as files, with a list of them; return their number."""
    target.mkdir(parents=True, exist_ok=True)
    count = 0
    with (target / INDEX).open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["file", "url", "rendered_at"])
        for one in screenshots(folder, with_withheld=with_withheld):
            name = file_name(one.url)
            (target / name).write_bytes(one.png)
            lines.writerow([name, cell(one.url), one.moment.isoformat()])
            count += 1
    return count


def file_name(url: str) -> str:
    """Return the name of a picture's file: readable, and different for every URL."""
    words = re.sub(r"[^A-Za-z0-9.]+", "-", url.partition("://")[2]).strip("-.")
    digest = blake2b(url.encode(), digest_size=4).hexdigest()
    return f"{words[:_LONGEST_NAME] or 'page'}-{digest}.png"


def _newest(folder: Path, url: str = "") -> dict[str, _Row]:
    """Return the newest rendered document of each page, or of one."""
    wanted = pa.scalar(signed(url_id(key_of(url))), pa.int64()) if url else None
    found: dict[str, _Row] = {}
    for name in segments(folder, "pages"):
        for batch in batches(folder, "pages", name, _COLUMNS):
            some = batch.filter(pc.equal(batch.column("outcome"), _RENDERED))
            if wanted is not None:
                some = some.filter(pc.equal(some.column("url_id"), wanted))
            for row in some.to_pylist():
                place = Place(name.segment, row["offset"], row["length"])
                one = _Row(row["fetched_at"], place, row["url"], bool(row.get("noarchive")))
                if one.url not in found or found[one.url].moment <= one.moment:
                    found[one.url] = one
    return found


def _read(files: WarcFiles, row: _Row) -> bytes:
    try:
        return picture_of(row.place, files.member)
    except StoreError:
        # the record is on another machine or damaged; `lycosa verify` reports damage
        return b""
