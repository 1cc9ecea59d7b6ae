"""What a URL gave, out of the archive."""

from __future__ import annotations

from typing import NamedTuple

from lycosa.crawl.directory import CrawlDirectory
from lycosa.errors import LycosaError
from lycosa.store.reader import find, find_text
from lycosa.url import canonicalize


class Content(NamedTuple):
    """The newest answer for a URL."""

    headers: bytes
    """Status line and headers as they were sent."""
    body: bytes
    """The content, in none of its codings."""
    text: str
    """What a reader sees; "" when the page has none."""


def content_of(directory: CrawlDirectory, raw_url: str) -> Content:
    """Return what a URL gave when it was last asked for."""
    url = canonicalize(raw_url)
    stored = find(directory.path, url) if url is not None else None
    if url is None or stored is None:
        raise LycosaError(
            f"{raw_url}: the archive holds no answer for it\n"
            f"  ask why: lycosa explain {directory.path} {raw_url}"
        )
    return Content(stored.head, stored.body, find_text(directory.path, url) or "")
