"""Recipes: sets of settings for one purpose (`lycosa crawl --recipe NAME`).

A recipe sets only keys that are not set otherwise: a flag, `--set` or the file of `--config` wins.
The job remembers the name, as `[crawl] recipe`; the settings themselves stand in the job like any
others.
"""

from __future__ import annotations

from typing import Any

from lycosa._support.tuples import NamedTuple

Setting = tuple[str, str, Any]
"""The settings: section, key and value."""


class Recipe(NamedTuple):
    """The settings that one kind of user expects of a crawl."""

    purpose: str
    settings: tuple[Setting, ...]


_NO_GUESSES: Setting = ("discovery", "mining", "off")

RECIPES: dict[str, Recipe] = {
    "archive": Recipe(
        "pages that can be replayed: with all their requisites, of any type",
        (
            ("extract", "requisites", True),
            ("fetch", "content_types", ("*/*",)),
            _NO_GUESSES,
        ),
    ),
    "site-check": Recipe(
        "everything that a site links to, so that `lycosa check-site` finds broken links",
        (
            ("extract", "links", "all"),
            ("extract", "requisites", True),
            ("fetch", "content_types", ("*/*",)),
            ("robots", "sitemaps", True),
            _NO_GUESSES,
        ),
    ),
    "dataset": Recipe(
        "texts: pages and plain text, nothing else",
        (
            ("fetch", "content_types", ("text/html", "application/xhtml+xml", "text/plain")),
            ("structured", "forms", ()),
            _NO_GUESSES,
        ),
    ),
    "study": Recipe(
        "a sample that can be described: nearest pages first, all links, no guesses",
        (
            ("frontier", "scheduler", "breadth-first"),
            ("extract", "links", "all"),
            _NO_GUESSES,
        ),
    ),
    "semantic": Recipe(
        "structured data of every form, and the documents that it links to",
        (
            ("structured", "forms", ("rdfa", "json-ld", "microdata", "meta")),
            ("structured", "links", True),
            _NO_GUESSES,
        ),
    ),
}
