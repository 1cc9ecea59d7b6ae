"""The texts of pages, from a crawl directory or from a folder of HTML files.

Of a page that was fetched several times the newest text is taken. Only the bytes that a model reads
are kept, so a hundred thousand pages take 400 MB.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lycosa.analysis.topics.pools import PAGE_SUFFIXES
from lycosa.errors import LycosaError
from lycosa.extract.page import scan
from lycosa.extract.topics.model import READ_BYTES
from lycosa.storage.archive.reader import rows, table

_COLUMNS = ["url_id", "fetch_id", "fetched_at", "url", "title", "text"]


class Text(NamedTuple):
    """The text of a page."""

    address: str
    """Its URL; in a folder its path there."""
    title: str
    content: bytes
    url_id: int = 0
    fetch_id: int = 0


def is_crawl(source: Path) -> bool:
    """Return whether a folder is a crawl directory."""
    return (source / "crawl.toml").exists()


def texts_of(source: Path) -> Iterator[Text]:
    """Yield the texts of a crawl directory or a folder; raise an error if there are none."""
    found = False
    for text in texts_of_crawl(source) if is_crawl(source) else texts_of_folder(source):
        found = True
        yield text
    if not found:
        mend = "crawl some pages first" if is_crawl(source) else f"pages end in {PAGE_SUFFIXES[0]}"
        raise LycosaError(f"{source}: holds no text of a page\n  {mend}")


def texts_of_crawl(
    folder: Path, *, with_old: bool = False, is_whole: bool = False
) -> Iterator[Text]:
    """Yield the newest text of every page of a crawl directory, or those of all its fetches.

    A text is cut to the part that a model reads, or is whole.
    """
    old: frozenset[int] = frozenset() if with_old else _old_fetches(folder)
    pages: dict[int, tuple[str, str]] | None = None
    for batch in rows(folder, "text", _COLUMNS):
        for row in batch.to_pylist():
            if row["fetch_id"] in old:
                continue
            url, title = row["url"], row["title"]
            if url is None:  # the segment is older than these columns
                pages = pages if pages is not None else _pages(folder)
                url, title = pages.get(row["fetch_id"], ("", ""))
            if is_whole:
                content = row["text"].encode("utf-8", "replace")
            else:
                content = row["text"][:READ_BYTES].encode("utf-8", "replace")[:READ_BYTES]
            yield Text(url, title or "", content, row["url_id"], row["fetch_id"])


def texts_of_folder(folder: Path) -> Iterator[Text]:
    """Yield the texts of the HTML files of a folder and of those within it."""
    if not folder.is_dir():
        raise LycosaError(
            f"{folder}: is not a folder\n  give a crawl directory, or a folder of HTML files"
        )
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in PAGE_SUFFIXES and path.is_file():
            yield read_page(path, path.relative_to(folder).as_posix())


def read_page(path: Path, address: str) -> Text:
    """Read the text of an HTML file."""
    try:
        body = path.read_bytes()
    except OSError as error:
        raise LycosaError(f"{path}: cannot be read: {error.strerror}") from None
    facts = scan(body, "text/html")
    return Text(address, facts.title, facts.content[:READ_BYTES])


def _old_fetches(folder: Path) -> frozenset[int]:
    """Return the fetches of pages that were fetched again later."""
    found = table(folder, "text", ["url_id", "fetch_id", "fetched_at"])
    newest = found.group_by("url_id").aggregate([("fetched_at", "max")])
    if newest.num_rows == found.num_rows:
        return frozenset()
    joined = found.join(newest, "url_id")
    older = joined.filter(pc.less(joined["fetched_at"], joined["fetched_at_max"]))
    return frozenset(older["fetch_id"].to_pylist())


def _pages(folder: Path) -> dict[int, tuple[str, str]]:
    found: pa.Table = table(folder, "pages", ["fetch_id", "url", "title"])
    return {row["fetch_id"]: (row["url"], row["title"] or "") for row in found.to_pylist()}
