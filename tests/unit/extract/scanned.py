"""What the scan finds in a page that a test writes down."""

from __future__ import annotations

from lycosa.extract.page import Facts, scan


def facts_of(page: str, content_type: str | None = "text/html") -> Facts:
    return scan(page.encode(), content_type)


def hrefs_of(page: str, content_type: str | None = "text/html") -> list[str]:
    return [link.href for link in facts_of(page, content_type).links]
