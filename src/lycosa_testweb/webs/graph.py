"""A test web drawn by hand: this page links to those.

`GraphWeb` is for tests that need to know exactly which page links to which. Every URL that is
mentioned exists: one that is only a target is a page without links. All other URLs are 404.

It is also the oracle of exact depth: `pages_within` walks the drawing itself (links cost one;
redirects, refreshes, canonical links and those to the next page of a list nothing) and says which
pages a crawl limited to that depth must hold, in whatever order the answers came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import NamedTuple

from lycosa.model.records import LinkKind, Outcome, Request, Resolved
from lycosa_testweb import walk
from lycosa_testweb.parts import take_apart
from lycosa_testweb.robots import Robots
from lycosa_testweb.web import HTML, PLAIN, Reply

_NO_ROBOTS = Robots(status=404)


class OtherNames(NamedTuple):
    """URLs that name another page as theirs: by a refresh, or by a canonical link."""

    refreshes: Mapping[str, str] = MappingProxyType({})
    canonicals: Mapping[str, str] = MappingProxyType({})


class Faults(NamedTuple):
    """URLs that do not answer with a whole page."""

    statuses: Mapping[str, int] = MappingProxyType({})
    failures: Mapping[str, Outcome] = MappingProxyType({})
    broken_off: Mapping[str, Outcome] = MappingProxyType({})
    """Half of the page arrives; the outcome says how the rest is lost."""


_NO_NAMES, _NO_FAULTS = OtherNames(), Faults()


class GraphWeb:
    """An explicit graph over any number of hosts; `following` names the next page of a list."""

    def __init__(
        self,
        edges: Mapping[str, Sequence[str]],
        redirects: Mapping[str, str] | None = None,
        *,
        names: OtherNames = _NO_NAMES,
        following: Mapping[str, str] = MappingProxyType({}),
        faults: Faults = _NO_FAULTS,
        robots: Mapping[str, Robots] | None = None,
        addresses: Mapping[str, str] | None = None,
        latency: Callable[[str], float] | float = 0.05,
    ) -> None:
        self.edges = edges
        self.redirects = redirects or {}
        self._refreshes, self._canonicals = names
        self._following = following
        self._statuses, self._failures, self._broken_off = faults
        self._robots = robots or {}
        self._latency = latency
        self._urls = self._all_urls()
        hosts = sorted({take_apart(url).host for url in self._urls})
        given = addresses or {}
        self._addresses = {
            host: given.get(host, f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}")
            for n, host in enumerate(hosts, 1)
        }

    def _all_urls(self) -> set[str]:
        urls = {url for targets in self.edges.values() for url in targets}
        urls.update(self.edges, self._statuses, self._failures)
        for moves in (self.redirects, self._refreshes, self._canonicals, self._following):
            urls.update(moves, moves.values())
        return urls

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer at once what the drawing says."""
        seconds = self._latency(request.url) if callable(self._latency) else self._latency
        return self._reply(request.url, moment)._replace(latency_seconds=seconds)

    def _reply(self, url: str, moment: float) -> Reply:
        parts = take_apart(url)
        if parts.host not in self._addresses:
            return Reply(0, failure=Outcome.CONNECT_FAILURE)
        if parts.path == "/robots.txt" or parts.path.startswith("/robots-of/"):
            return self._robots_reply(url, moment)
        if url in self._failures:
            return Reply(0, failure=self._failures[url])
        if url in self._broken_off:
            page = self._page(url).encode()
            return Reply(0, HTML, page, failure=self._broken_off[url])
        if url in self.redirects:
            return Reply(301, (*PLAIN, ("Location", self.redirects[url])), b"moved\n")
        status = self._statuses.get(url, 200 if url in self._urls else 404)
        return Reply(status, HTML, self._page(url).encode())

    def _robots_reply(self, url: str, moment: float) -> Reply:
        parts = take_apart(url)
        owner, hop = parts.host, 0
        if parts.path != "/robots.txt":
            _, _, owner, step = parts.path.split("/")
            hop = int(step.removesuffix(".txt"))
        robots = self._robots.get(owner, _NO_ROBOTS)
        site = f"{parts.scheme}://{parts.host}"
        return robots.answer(hop, site, f"{site}/robots-of/{owner}/{hop + 1}.txt", moment)

    def _page(self, url: str) -> str:
        head = f"<title>{escape(url)}</title>"
        if url in self._refreshes:
            head += f'<meta http-equiv="refresh" content="0; url={escape(self._refreshes[url])}">'
        if url in self._canonicals:
            head += f'<link rel="canonical" href="{escape(self._canonicals[url])}">'
        if url in self._following:
            head += f'<link rel="next" href="{escape(self._following[url])}">'
        links = "".join(f'<a href="{escape(to)}">to</a>\n' for to in self.edges.get(url, ()))
        return f"<!doctype html><html><head>{head}</head><body>{links}</body></html>"

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the address that was given for the host, or the host's own one."""
        return Resolved(self._addresses.get(host), 3600.0)

    def hosts(self) -> list[str]:
        """Return the names of all hosts."""
        return list(self._addresses)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Tell whether the host's robots file allows a URL."""
        parts = take_apart(url)
        return self._robots.get(parts.host, _NO_ROBOTS).allows(parts.target, agent)

    def crawl_delay(self, host: str, agent: str) -> float:
        """Return the Crawl-delay in the host's robots file, or 0."""
        return self._robots.get(host, _NO_ROBOTS).delay_for(agent)

    def all_pages(self) -> set[str]:
        """Return every URL that answers 200 with a page."""
        return {url for url in self._urls if self.is_page(url)}

    def is_page(self, url: str) -> bool:
        """Say whether a URL answers 200 with a page."""
        return (
            url in self._urls
            and url not in self.redirects
            and url not in self._failures
            and self._statuses.get(url, 200) == 200
        )

    def links_of(self, url: str, moment: float = 0.0) -> list[tuple[str, LinkKind]]:
        """Return the links in the answer for `url`."""
        if url in self.redirects:
            return [(self.redirects[url], LinkKind.REDIRECT)]
        if not self.is_page(url):
            return []
        links = [(to, LinkKind.ANCHOR) for to in self.edges.get(url, ())]
        if url in self._refreshes:
            links.append((self._refreshes[url], LinkKind.REFRESH))
        if url in self._canonicals:
            links.append((self._canonicals[url], LinkKind.CANONICAL))
        if url in self._following:
            to = self._following[url]
            is_near = take_apart(to).host == take_apart(url).host
            links.append((to, LinkKind.PAGINATION if is_near else LinkKind.ALTERNATE))
        return links

    def pages_within(self, seeds: Iterable[str], depth: int, agent: str = "lycosa") -> set[str]:
        """Return the pages at most `depth` links from a seed, by allowed pages alone."""
        return walk.pages_within(self, seeds, depth, agent)
