"""Reads the versions in other languages that a page names by `hreflang`.

The crawl's scanner gives these links without their languages, because a crawl needs only where they
lead. Few pages have any, so here the whole tree is built for those.
"""

from __future__ import annotations

from lycosa.extract.headers import Headers, languages_of_headers
from lycosa.extract.html.trees import Overgrown, parse_page
from lycosa.extract.text.charset import to_utf8
from lycosa.model.url import canonicalize


def language_versions(
    body: bytes, content_type: str | None, headers: Headers, url: str
) -> list[tuple[str, str]]:
    """Return canonical URL and language of every version, in order, each pair once."""
    content, _ = to_utf8(body, content_type)
    found = languages_of_headers(headers)
    base = url
    if b"hreflang" in content.lower():
        try:
            document = parse_page(content)
        except Overgrown:
            return []
        if (element := document.select_one("base[href]")) is not None:
            base = canonicalize(str(element.attrs["href"]), url) or url
        found += [
            (str(link.attrs.get("href") or ""), str(link.attrs.get("hreflang") or "").strip())
            for link in document.select("link[hreflang]")
            if "alternate" in _words(link.attrs.get("rel"))
        ]
    versions: dict[tuple[str, str], None] = {}
    for href, language in found:
        target = canonicalize(href, base) if href and language else None
        if target is not None:
            versions[target, language] = None
    return list(versions)


def _words(value: object) -> list[str]:
    """Return the words of an attribute, which the tree gives as a text or as a list."""
    text = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
    return text.lower().split()
