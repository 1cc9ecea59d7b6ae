"""Reads back what a sealing left, for the tests of sealing."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from lycosa.model.records import Place
from lycosa.storage.archive.layout import warc_names, warc_path
from lycosa.storage.archive.reader import table
from lycosa.storage.segments.survey import Counted


class Killed(BaseException):
    """What a test kills a sealing with."""


def always(place: Place, key: str) -> bool:
    return True


def among(places: Container[Place]) -> Counted:
    """Count the records at these places."""
    return lambda place, key: place in places


def responses(folder: Path) -> list[str]:
    """Return the targets of all responses and revisits in the archive, in order."""
    targets = []
    for name in warc_names(folder):
        with warc_path(folder, name).open("rb") as file:
            targets += [
                record.rec_headers.get_header("WARC-Target-URI")
                for record in ArchiveIterator(file)
                if record.rec_type in ("response", "revisit")
            ]
    return targets


def url(number: int) -> str:
    return f"http://example.org/page/{number}"


def column(folder: Path, kind: str, name: str) -> list[object]:
    return table(folder, kind, [name])[name].to_pylist()  # type: ignore[no-any-return]
