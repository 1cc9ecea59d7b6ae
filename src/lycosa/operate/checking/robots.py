"""Decide whether a robots file, from a disk or from a site, allows some URLs."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from lycosa.fetch.robots.lines import Decision, ExplainedRobots
from lycosa.model.url import canonical_key, refusal, site_of, url_of

OTHER_SITE = "other-site"
"""Reason why this file does not apply to a URL: its site has a file of its own."""

_ANYWHERE = "http://example.org/"


class CheckedPath(NamedTuple):
    """The verdict on one URL."""

    url: str
    decision: Decision | None
    """None if the URL is refused before the robots file matters."""
    refusal: str | None = None


def check_paths(
    robots: ExplainedRobots, urls: tuple[str, ...], key: str | None
) -> list[CheckedPath]:
    """Decide on URLs or paths, in the canonical form that a crawl asks for.

    `key` is the key of any URL of the file's site; without it the file applies to every site.
    """
    base = _ANYWHERE if key is None else url_of(key)
    site = None if key is None else site_of(key)
    return [_check_path(robots, url, base, site) for url in urls]


def _check_path(robots: ExplainedRobots, url: str, base: str, site: str | None) -> CheckedPath:
    key = canonical_key(url, base)
    if key is None:
        return CheckedPath(url, None, refusal(url, base) or "invalid")
    if site is not None and site_of(key) != site:
        return CheckedPath(url, None, OTHER_SITE)
    return CheckedPath(url, robots.decide(key[len(site_of(key)) :]))


def path_as_written(url: str) -> str:
    """Return path and query of a URL unchanged; raises ValueError."""
    parts = urlsplit(url)
    return (parts.path or "/") + ("?" + parts.query if parts.query else "")
