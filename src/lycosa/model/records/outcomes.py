"""The outcomes of a fetch, and the sets of outcomes that are treated alike.

A server's mistake is an outcome, never an exception. The numbers are written into logs and
tables, so they never change.
"""

from __future__ import annotations

import enum


class Outcome(enum.IntEnum):
    """The end of a fetch. The numbers are part of the log's format."""

    KEPT = 1
    """An answer with content, stored: a page."""
    REDIRECTED = 2
    """The server named another URL, which went to the frontier as a link of cost 0."""
    NOT_MODIFIED = 3
    """A revisit found what we already hold."""
    NOT_FOUND = 10
    """404 or 410."""
    CLIENT_ERROR = 11
    """Another 4xx: a second request would end the same."""
    SERVER_ERROR = 12
    """A 5xx other than 503; tried again later."""
    TOO_MANY_REQUESTS = 13
    """429: the whole host waits."""
    UNAVAILABLE = 14
    """503: the whole host waits."""
    BAD_STATUS = 15
    """A status that ends no exchange (1xx) or that no standard knows."""
    SOFT_404 = 16
    """A 2xx with the text that the site shows for pages that do not exist."""
    NOT_LOGGED_IN = 17
    """The site shows it only after a login, which failed or is lost for good."""
    NAME_FAILURE = 20
    """The host name has no address."""
    CONNECT_FAILURE = 21
    """No connection could be made."""
    TIMEOUT = 22
    """The answer took too long, for us or (408) for the server."""
    CUT_SHORT = 23
    """The connection ended before the answer did."""
    BAD_ANSWER = 24
    """The answer is not HTTP."""
    TOO_LARGE = 25
    """The page is larger than the rest of the job's byte limit."""
    WRONG_TYPE = 26
    """The content type is not among those the job keeps."""
    REFUSED_ADDRESS = 27
    """The host's address is private and the job does not allow that."""
    REFUSED_PORT = 28
    """Another service than the web has this port, and the job does not name it."""
    STALE_CONNECTION = 29
    """The server closed a kept connection without an answer; sent again over a new one."""
    DISALLOWED = 30
    """The site's robots rules forbid it."""
    ROBOTS_UNREACHABLE = 31
    """The site's robots file could not be fetched, after all tries."""
    HOST_LIMIT = 32
    """The host has reached the job's limit of pages per host."""
    HOST_GIVEN_UP = 33
    """The host kept refusing or failing, and the crawl gave it up."""
    BLOCKED = 34
    """The operator blocked the host."""
    NO_SUCH_HOST = 35
    """The name servers say that the host name does not exist, or that it has no address."""
    UNREACHABLE = 36
    """No connection could be made to the origin, or no name server answered, after all tries."""
    EXCLUDED = 37
    """A rule rejects it that the operator added after it was found."""
    HOST_PUT_OFF = 38
    """The host asks for a longer pause than the job waits for; not asked before it is over."""
    PROBE_HONEST = 40
    """A URL that we made up: the site said 404 or 410, as it should."""
    PROBE_SOFT = 41
    """A URL that we made up: the site showed a page, and now we know its soft 404."""
    PROBE_INCONCLUSIVE = 42
    """A URL that we made up: what came says nothing about the site's other pages."""
    HOOK_FAILED = 50
    """A plugin failed on a page that would have been kept; the log file has the traceback."""
    TOO_MANY_ITEMS = 51
    """A plugin emitted more items on a page than the job allows; none of them is stored."""
    UNKNOWN_POST = 52
    """A plugin's POST that may have reached the server, without an answer; not sent again."""
    TRAP_PATH_REPETITION = 60
    """Put aside: its path repeats itself, and pages like it brought nothing new."""
    TRAP_CALENDAR = 61
    """Put aside: one more day or month, and pages like it brought nothing new."""
    TRAP_SESSION = 62
    """Put aside: it carries a session, and pages like it brought nothing new."""
    TRAP_NOTHING_NEW = 63
    """Put aside: pages like it, or all of its host's, brought nothing new."""
    TRAP_COUNTER = 64
    """Put aside: one more number, and pages like it differed in their numbers alone."""
    SITEMAP = 70
    """A sitemap, stored: a list of pages, and no page itself."""
    NO_SITEMAP = 71
    """`/sitemap.xml`, which we tried unasked: the site has none there."""
    WRONG_LANGUAGE = 72
    """A page in another language than the job keeps; its links are followed."""
    RENDERED = 73
    """No fetch: a page that is kept, as a browser has rendered it; stored beside it."""


def outcome_named(name: str) -> Outcome:
    """Return the outcome of a name, as rows and records have it; older ones use capitals."""
    return Outcome[name.upper()]


PROBED = frozenset({Outcome.PROBE_HONEST, Outcome.PROBE_SOFT, Outcome.PROBE_INCONCLUSIVE})
"""Outcomes of URLs that we made up."""


STORED = frozenset({Outcome.KEPT, Outcome.SITEMAP, Outcome.WRONG_LANGUAGE, Outcome.RENDERED})
"""Outcomes of answers that are held with their links; those that are kept with their text, too."""


TRANSIENT = frozenset(
    {
        Outcome.SERVER_ERROR,
        Outcome.TOO_MANY_REQUESTS,
        Outcome.UNAVAILABLE,
        Outcome.NAME_FAILURE,
        Outcome.CONNECT_FAILURE,
        Outcome.TIMEOUT,
        Outcome.CUT_SHORT,
        Outcome.BAD_ANSWER,
        Outcome.STALE_CONNECTION,
    }
)
"""Outcomes that may be different next time."""


STAY_AWAY = frozenset(
    {
        Outcome.TOO_MANY_REQUESTS,
        Outcome.UNAVAILABLE,
        Outcome.NAME_FAILURE,
        Outcome.CONNECT_FAILURE,
    }
)
"""Outcomes that say something of the host or of the origin, not of the page: no try is spent."""


UNCOUNTED = STAY_AWAY | {Outcome.STALE_CONNECTION}
"""Outcomes after which a page has as many tries left as before."""


NO_CONNECTION = frozenset({Outcome.NAME_FAILURE, Outcome.CONNECT_FAILURE})
"""Outcomes that say something of the origin alone: it waits. The first comes from a proxy."""


REFUSALS = frozenset({Outcome.TOO_MANY_REQUESTS, Outcome.UNAVAILABLE})
"""Outcomes by which a server asks to be left alone: its host waits."""


GIVEN_UP = frozenset(
    {
        Outcome.UNREACHABLE,
        Outcome.ROBOTS_UNREACHABLE,
        Outcome.HOST_GIVEN_UP,
        Outcome.HOST_PUT_OFF,
    }
)
"""Outcomes in which an origin or a host ends that may be well again another day."""


TRAPS = {
    Outcome.TRAP_PATH_REPETITION: "trap: path repetition",
    Outcome.TRAP_CALENDAR: "trap: calendar",
    Outcome.TRAP_SESSION: "trap: session",
    Outcome.TRAP_NOTHING_NEW: "trap: nothing new",
    Outcome.TRAP_COUNTER: "trap: counter",
}
"""Outcomes of URLs that were put aside without having been asked for, with their reasons."""
