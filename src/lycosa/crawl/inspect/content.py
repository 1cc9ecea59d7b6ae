"""Read the newest answer for a URL from the archive of a crawl."""

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
    """The content, with all content codings undone."""
    text: str
    """The visible text; "" when the page has none."""


def content_of(directory: CrawlDirectory, raw_url: str) -> Content:
    """Return the newest stored answer for a URL."""
    url = canonicalize(raw_url)
    stored = find(directory.path, url) if url is not None else None
    if url is None or stored is None:
        raise LycosaError(
            f"{raw_url}: the archive holds no answer for it\n"
            f"  to see why: lycosa explain {directory.path} {raw_url}"
        )
    return Content(stored.head, stored.body, find_text(directory.path, url) or "")
