"""Serves sites with lists, and writes down what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.model.records import Purpose, Request, Resolved
from lycosa_testweb.lists.endless import ENDLESS
from lycosa_testweb.lists.finite import FINITE, Site
from lycosa_testweb.parts import take_apart
from lycosa_testweb.web import HTML, PLAIN, Reply

SITES = (*FINITE, *ENDLESS)


class ListsWeb:
    """Hosts with lists, each at an address of its own; none has a robots file."""

    def __init__(self, sites: Sequence[Site] = SITES) -> None:
        self._sites = {site.host: site for site in sites}
        self.asked: list[str] = []
        """Pages that were asked for, in order."""

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer, and count requests for pages."""
        if request.purpose is Purpose.PAGE:
            self.asked.append(request.url)
        parts = take_apart(request.url)
        site = self._sites.get(parts.host)
        leaf = site.leaf(parts.target) if site is not None else None
        if leaf is None:
            return Reply(404, PLAIN, b"there is nothing here\n")
        more = (("Link", f'<{leaf.following}>; rel="next"'),) if leaf.following else ()
        return Reply(200, (*HTML, *more), leaf.html().encode())

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the address of a host."""
        hosts = sorted(self._sites)
        return Resolved(f"10.0.7.{hosts.index(host) + 1}" if host in hosts else None, 3600.0)

    def hosts(self) -> list[str]:
        """Return the names of all hosts."""
        return list(self._sites)

    def home(self, site: Site) -> str:
        """Return the URL of a site's first page."""
        return f"http://{site.host}/"

    def pages(self, site: Site) -> set[str]:
        """Return the URLs of all pages that a finite site has to show."""
        return {f"http://{site.host}{target}" for target in site.targets()}

    def is_allowed(self, url: str, agent: str) -> bool:
        """Say that all may be asked for."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Say that no pause is asked for."""
        return 0.0
