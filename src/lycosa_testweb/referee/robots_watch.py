"""Tracks what each site's robots file has told the client so far, as the server saw it.

A referee must know whether a client that requests a page can know the rules: which
robots files were answered, when, with what, and at the end of which redirects. It does not
read them; it knows their content from the web's `Truth`.

A chain of redirects is followed by its Location headers: the request for the next URL
counts for the site whose file was requested first. More redirects than the rules name
end the chain as RFC 9309 (2.3.1.2) prescribes: as if there were no file.
"""

from __future__ import annotations

import enum
from typing import NamedTuple
from urllib.parse import urljoin

from lycosa.model.records import Purpose, Request
from lycosa_testweb.parts import Parts
from lycosa_testweb.web import Reply

_PASSING = (408, 429)
"""4xx answers that say nothing about the file."""


class Standing(enum.Enum):
    """The state of a site's robots file."""

    UNASKED = enum.auto()
    KNOWN = enum.auto()
    UNREACHABLE = enum.auto()


class Knowledge(NamedTuple):
    """The last answer that the client got, and when."""

    standing: Standing = Standing.UNASKED
    since: float = 0.0
    was_asked: bool = False
    """Whether the site's own robots.txt was asked for its own sake."""


class _Waiter(NamedTuple):
    site: str
    hops: int
    client: str


class Lesson(NamedTuple):
    """The change that the answer for one URL made for one site."""

    site: str
    before: Knowledge
    has_rules: bool
    url: str
    waiter: _Waiter


UNKNOWN = Knowledge()


class RobotsWatch:
    """The knowledge of all sites; a small tuple for each."""

    def __init__(self, most_redirects: int) -> None:
        self._most_redirects = most_redirects
        self._known: dict[str, Knowledge] = {}
        self._instead: dict[str, Knowledge] = {}
        self._waiting: dict[str, list[_Waiter]] = {}
        self._following: set[str] = set()
        self._spare: dict[str, int] = {}
        self._moved_to: set[str] = set()

    def is_robots(self, request: Request, parts: Parts) -> bool:
        """Say whether the request is for a robots file, wherever redirects have moved it."""
        if parts.path == "/robots.txt":
            return True
        if request.purpose is not Purpose.ROBOTS:
            return False
        return request.url in self._moved_to

    def knowledge(self, site: str) -> Knowledge:
        """Return what is known of a site."""
        return self._known.get(site, UNKNOWN)

    def instead(self, site: str) -> Knowledge | None:
        """Return what a killed client may still believe of a site."""
        return self._instead.get(site)

    def is_on_behalf(self, url: str) -> bool:
        """Say whether redirects of some site have led to this URL.

        A client that was killed may follow the same redirect twice; only for a robots.txt,
        which has a site of its own, is it worth keeping count.
        """
        if url in self._waiting or self._spare.get(url, 0) > 0:
            return True
        return url in self._moved_to and not url.endswith("/robots.txt")

    def is_following(self, site: str) -> bool:
        """Say whether the site's redirects have not yet come to an end."""
        return site in self._following

    def learn(
        self, url: str, parts: Parts, client: str, moment: float, reply: Reply
    ) -> list[Lesson]:
        """Take in an answer to a request for a robots file."""
        waiters = self._waiting.pop(url, [])
        left = self._spare.pop(url, 0) - 1 if not waiters else len(waiters) - 1
        if left > 0:
            self._spare[url] = left
        was_own = not waiters and left < 0
        if parts.path == "/robots.txt":
            waiters = [*waiters, _Waiter(parts.site, 0, client)]
        lessons: list[Lesson] = []
        for waiter in waiters:
            is_owner = was_own or waiter.site != parts.site
            if not self._follow(waiter, url, reply):
                lessons.append(self._settle(waiter, url, is_owner, moment, reply))
        return lessons

    def _follow(self, waiter: _Waiter, url: str, reply: Reply) -> bool:
        location = reply.header("location") if 300 <= reply.status < 400 else None
        if location is None or waiter.hops >= self._most_redirects:
            return False
        onward = waiter._replace(hops=waiter.hops + 1)
        target = urljoin(url, location)
        self._waiting.setdefault(target, []).append(onward)
        self._moved_to.add(target)
        self._following.add(waiter.site)
        return True

    def _settle(
        self, waiter: _Waiter, url: str, is_owner: bool, moment: float, reply: Reply
    ) -> Lesson:
        site = waiter.site
        is_known = 200 <= reply.status < 500 and reply.status not in _PASSING
        before = self.knowledge(site)
        self._known[site] = Knowledge(
            Standing.KNOWN if is_known else Standing.UNREACHABLE, moment, is_owner
        )
        self._instead.pop(site, None)
        self._following.discard(site)
        return Lesson(site, before, is_known and reply.status < 300, url, waiter)

    def forget(self, lesson: Lesson) -> None:
        """The client may have lost this lesson: it may believe what it believed before."""
        self._instead[lesson.site] = lesson.before
        if lesson.waiter.hops:
            self._waiting.setdefault(lesson.url, []).append(lesson.waiter)

    def forget_chains(self, client: str | None) -> None:
        """A killed client may go on with its redirects or begin again at robots.txt."""
        for waiters in self._waiting.values():
            self._following -= {w.site for w in waiters if client is None or w.client == client}
