"""Makes a document of the index of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tantivy import Document
from xxhash import xxh3_64_intdigest

from lycosa.analysis.text_index.schema import ANCHORS_TIMES, STORED_CHARACTERS, TITLE_TIMES
from lycosa.analysis.text_index.words import distinct, spread

_RANK_WEIGHT = 0.02
"""Addition to the factor of a score for each half decade of rank."""
_LEAST_LEVEL, _MOST_LEVEL = -2, 10

_TYPES = {
    "application/xhtml+xml": "html",
    "application/atom+xml": "feed",
    "application/rss+xml": "feed",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/x-pdf": "pdf",
    "application/epub+zip": "epub",
    "application/postscript": "ps",
    "application/javascript": "script",
    "text/javascript": "script",
    "text/plain": "text",
}
_WHOLE = ("image", "audio", "video", "font")


def document_of(page: Mapping[str, Any]) -> Document:
    """Return the document of a row of `wanted` with its text."""
    title, anchors, text = page["title"], page["anchors"], page["text"] or ""
    main = page["main"] or ""
    spread_title, spread_anchors = spread(title), spread(anchors)
    document = Document()
    document.add_integer("url_id", page["url_id"])
    repeated = f"{spread_title}\n" * TITLE_TIMES + f"{spread_anchors}\n" * ANCHORS_TIMES
    main_words = spread(main or text)
    document.add_text("all", repeated + main_words)
    if main:
        rest = distinct(spread(text)) - distinct(main_words)
        document.add_text("rest", b" ".join(sorted(rest)).decode())
    document.add_text("title", title if title.isascii() else _both(title, spread_title))
    document.add_text("anchors", spread_anchors)
    document.add_text("url", page["url"])
    host = page["host"].lower()
    document.add_text("host", host)
    for domain in domains_of(host):
        document.add_text("site", domain)
    document.add_text("language", page["language"])
    document.add_text("type", type_of(page["content_type"]))
    document.add_text("topic", page["topic"])
    document.add_integer("moment", page["seconds"])
    document.add_float("rank", rank_factor(page["level"]))
    document.add_integer("host_id", _number(host))
    document.add_integer("copy_id", _number(page["digest"]) if page["digest"] else page["url_id"])
    document.add_bytes("content", (main or text)[:STORED_CHARACTERS].encode())
    return document


def _number(text: str) -> int:
    return int(xxh3_64_intdigest(text.encode())) >> 1


def _both(title: str, spread_title: str) -> str:
    """Return a title: the shown form, a line break, and the searched form."""
    return title if title == spread_title else f"{title}\n{spread_title}"


def rank_factor(level: int) -> float:
    """Return the number v for which log2(2 + v), tantivy's factor, is that of the level."""
    bounded = min(max(level, _LEAST_LEVEL), _MOST_LEVEL)
    return float(2.0 ** (1 + _RANK_WEIGHT * (bounded - _LEAST_LEVEL)) - 2.0)


def domains_of(host: str) -> list[str]:
    """Return a host and its parent domains, except the last label; without a port, too."""
    name, _, port = host.rpartition(":")
    bare = name if port.isdigit() and not host.endswith("]") else host
    found = [host] if bare != host else []
    if bare.startswith("[") or bare.replace(".", "").isdigit():
        return [*found, bare]
    labels = bare.split(".")
    return [*found, *(".".join(labels[start:]) for start in range(max(1, len(labels) - 1)))]


def type_of(content_type: str) -> str:
    """Return the short name of a media type: html, pdf, text, image."""
    media = content_type.partition(";")[0].strip().lower()
    if media in _TYPES:
        return _TYPES[media]
    kind, _, subtype = media.partition("/")
    return kind if kind in _WHOLE else subtype.removeprefix("x-") or kind
