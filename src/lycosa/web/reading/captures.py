"""Reads an archived answer of a URL: its headers, its body or its text."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from lycosa.api.screenshots import find_screenshot
from lycosa.api.segments import batches, segments
from lycosa.errors import LycosaError
from lycosa.model.records import Place
from lycosa.model.url import canonicalize
from lycosa.operate.inspect.content import content_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.reader import find_text
from lycosa.storage.warc.record_reader import Stored, WarcFiles, read_exchange
from lycosa.web.reading.requests import Capture

_PLAIN = "text/plain; charset=utf-8"
_PNG = "image/png"
_BYTES = "application/octet-stream"


def read(directory: CrawlDirectory, asked: Capture) -> tuple[str, bytes]:
    """Return a part of an answer; bodies are bytes, whatever their content type."""
    url = canonicalize(asked.url)
    if url is None:
        raise LycosaError(f"{asked.url}: is not a URL that can be crawled")
    if asked.part == "text":
        text = find_text(directory.path, url)
        if text is None:
            raise LycosaError(f"{url}: no text of it is stored")
        return _PLAIN, text.encode()
    if asked.part == "screenshot":
        png = find_screenshot(directory.path, url)
        if not png:
            raise LycosaError(f"{url}: no screenshot of it is stored")
        return _PNG, png
    if not asked.fetch_id:
        newest = content_of(directory, url)
        return (_PLAIN, newest.headers) if asked.part == "headers" else (_BYTES, newest.body)
    stored = _stored(directory.path, url, asked.fetch_id)
    return (_PLAIN, stored.head) if asked.part == "headers" else (_BYTES, stored.body)


def _stored(folder: Path, url: str, fetch_id: str) -> Stored:
    missing = LycosaError(f"{url}: the archive holds no answer of fetch {fetch_id}")
    try:
        wanted = pa.scalar(int(fetch_id), pa.int64())
    except (ValueError, OverflowError, pa.ArrowInvalid):
        raise missing from None
    columns = ["fetch_id", "url", "offset", "length"]
    for name in segments(folder, "pages"):
        for batch in batches(folder, "pages", name, columns):
            for row in batch.filter(pc.equal(batch.column("fetch_id"), wanted)).to_pylist():
                if row["url"] == url and row["length"]:
                    files = WarcFiles(folder)
                    try:
                        place = Place(name.segment, row["offset"], row["length"])
                        return read_exchange(place, files.member)
                    finally:
                        files.close()
    raise missing
