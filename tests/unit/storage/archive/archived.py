"""Reads the records of an archive as others do, for the tests of the archive."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from lycosa.model.records import Place


def always(place: Place, key: str) -> bool:
    return True


def sha1(content: bytes) -> str:
    return "sha1:" + b32encode(hashlib.sha1(content).digest()).decode()


def records(folder: Path, segment: int = 1) -> list[tuple[str, dict[str, str], bytes]]:
    """Return the records as warcio reads them: type, headers, payload or block."""
    with (folder / "warc" / f"lycosa-0-{segment:05d}.warc.gz").open("rb") as file:
        return [
            (record.rec_type, dict(record.rec_headers.headers), record.raw_stream.read())
            for record in ArchiveIterator(file, no_record_parse=True)
        ]
