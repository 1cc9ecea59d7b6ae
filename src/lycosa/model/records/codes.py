"""Small numbers that events carry: robots states, mining rules, results of guesses, batons.

They are written into logs, so they never change.
"""

from __future__ import annotations

import enum


class MiningRule(enum.IntEnum):
    """Rule by which a guess was made. The numbers are part of the log's format."""

    FOLDER = 1
    """The folders above a page."""
    NUMBER = 2
    """Siblings with counting names: `page1.html`, `page2.html`."""
    PADDED = 3
    """The same with leading zeros: `007.html`."""
    NUMBERED_FOLDER = 4
    """Counting folders: `pics1/page1.html`, `pics2/page1.html`."""
    DATE = 5
    """Siblings whose names are days or months: `2021/03/`, `2021-03-31.html`."""
    HEXADECIMAL = 6
    """Siblings with names that count to sixteen: `0a.html`."""
    PAGING = 7
    """A counting parameter of the query: `?page=2`."""
    SINGLE = 8
    """Neighbour of a URL that is the only known one of its kind: `pics1/Page1.html`, `Page2`."""
    SITEMAP = 9
    """The usual place of a sitemap, `/sitemap.xml`; tried whether or not the job mines."""
    FORM = 10
    """A query of a search form: `/search?q=heron`; tried if the job asks for it."""


class Worth(enum.IntEnum):
    """The result of a guess. The numbers are part of the log's format."""

    NOTHING = 0
    """No page, a soft 404, a redirect to a known page, or a copy of one."""
    PAGE = 1
    """A new page."""
    MOVED = 2
    """A redirect to an unknown URL, which is now the guess instead."""


class Sight(enum.IntEnum):
    """Whether a visit found a page changed. The numbers are part of the log's format."""

    FIRST = 1
    """No earlier version existed for comparison."""
    UNCHANGED = 2
    CHANGED = 3
    ANNOUNCED = 4
    """The page was not fetched, but its site reports a change (in a sitemap)."""


class RobotsState(enum.IntEnum):
    """The state of a site's robots file. The numbers are part of the log's format."""

    UNKNOWN = 0
    """Never asked for."""
    KNOWN = 1
    """Rules are in force until they expire."""
    UNREACHABLE = 2
    """Unavailable (5xx, no connection): no page may be requested until it is tried again."""
    ELSEWHERE = 3
    """A redirect is being followed; no page may be requested until its end is known."""
    GIVEN_UP = 4
    """Failed too often: the site's URLs end as `Outcome.ROBOTS_UNREACHABLE`."""


class BatonStep(enum.IntEnum):
    """A step in the queue for a baton. The numbers are part of the log's format."""

    ASKED = 1
    """In the log of a partition that has asked for it."""
    LAST = 2
    """In the log of the set's home: this partition is now the last in line."""
    NEXT = 3
    """In the log of a partition in the queue: this partition follows it."""
