"""Small numbers that events carry: robots states, mining rules, what a guess or a visit gave.

They are written into logs, so they never change.
"""

from __future__ import annotations

import enum


class MiningRule(enum.IntEnum):
    """What a guess was made by. The numbers are part of the log's format."""

    FOLDER = 1
    """The folders above a page."""
    NUMBER = 2
    """Siblings whose names count: `page1.html`, `page2.html`."""
    PADDED = 3
    """The same with leading zeros: `007.html`."""
    NUMBERED_FOLDER = 4
    """Folders that count: `pics1/page1.html`, `pics2/page1.html`."""
    DATE = 5
    """Siblings whose names are days or months: `2021/03/`, `2021-03-31.html`."""
    HEXADECIMAL = 6
    """Siblings that count to sixteen: `0a.html`."""
    PAGING = 7
    """A parameter of the query that counts: `?page=2`."""


class Worth(enum.IntEnum):
    """What became of a guess. The numbers are part of the log's format."""

    NOTHING = 0
    """No page, a soft 404, the way to a page that was known, or the copy of one."""
    PAGE = 1
    """A page that was not known."""
    MOVED = 2
    """The way to a URL that was not known, which is now the guess in its place."""


class Sight(enum.IntEnum):
    """What a visit showed of a page. The numbers are part of the log's format."""

    FIRST = 1
    """There was nothing to compare it with."""
    UNCHANGED = 2
    CHANGED = 3
    ANNOUNCED = 4
    """Nothing was seen of it, but its site says that it has changed."""


class RobotsState(enum.IntEnum):
    """What is known of a site's robots file. The numbers are part of the log's format."""

    UNKNOWN = 0
    """Never asked for."""
    KNOWN = 1
    """Rules are in force until they expire."""
    UNREACHABLE = 2
    """Not to be had (5xx, no connection): nothing may be asked until it is tried again."""
    ELSEWHERE = 3
    """A redirect is being followed; nothing may be asked until it has been."""
    GIVEN_UP = 4
    """Tried too often: the site's URLs end as `Outcome.ROBOTS_UNREACHABLE`."""
