"""A test web of any size, made from a seed.

Host n is called `www.s<n>.test`, or `h<n>.d<m>.test` where several hosts share a domain.
Its traits come from the plan, its pages from the sections among its traits; its home page
links to every section and to the homes of hosts 2n+1 and 2n+2, so that the whole web can
be reached from host 0.

An answer takes the steps of a real request: the name, the port, the host's
overload, robots.txt, the page; each takes the host's pace.

Always true:
  * the same request at the same moment has the same reply, in any process;
  * `links_of`, `is_allowed`, `version_of` and `all_pages` say what the replies say;
  * memory does not grow with the number of requests: only the traits of recent hosts are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lycosa.model.records import LinkKind, Outcome, Request, Resolved
from lycosa_testweb import walk
from lycosa_testweb.generated import plans
from lycosa_testweb.generated.page import Page, anchors, render
from lycosa_testweb.generated.plan import Plan, Traits
from lycosa_testweb.generated.section import Ground, Section
from lycosa_testweb.mixing import digest, mix, skewed
from lycosa_testweb.parts import Parts, origin, take_apart
from lycosa_testweb.robots import Robots
from lycosa_testweb.sections import (
    Bulletins,
    Calendar,
    Cellar,
    Maze,
    News,
    Rooms,
    Series,
    Sessions,
    Thicket,
    Tree,
)
from lycosa_testweb.web import HTML, Reply, with_date, with_etag

_REMEMBERED_HOSTS = 20_000
_TIMEOUT_SECONDS = 20.0
_ANNEX_PORT = 8080
_ANNEX = Tree(levels=2, fanout=2, folder="")
_NO_ROBOTS = Robots(status=404)
_NOT_FOUND = Reply(404, HTML, b"<!doctype html><title>404</title><p>There is no such page.</p>\n")


def _signed(reply: Reply, traits: Traits) -> Reply:
    """Let the host say what serves it."""
    if not traits.server:
        return reply
    return reply._replace(headers=(*reply.headers, ("Server", traits.server)))


class _Site(NamedTuple):
    traits: Traits
    ground: Ground
    folders: dict[str, Section]
    annex: Ground


class GeneratedWeb:
    """Hosts and pages by the hash of their names."""

    def __init__(self, seed: int, plan: Plan) -> None:
        self.seed = seed
        self.plan = plan
        self._sites: dict[int, _Site] = {}

    @classmethod
    def small(cls, seed: int = 0) -> GeneratedWeb:
        """Return a dozen hosts on five addresses in which every trait is present."""
        return cls(seed, plans.small())

    @classmethod
    def wide(
        cls, seed: int = 0, hosts: int = 1000, addresses: int = 50, pages_per_host: int = 100_000
    ) -> GeneratedWeb:
        """Return many hosts that are never exhausted and often in bad shape."""
        return cls(seed, plans.wide(hosts, addresses, pages_per_host))

    @classmethod
    def varied(cls, seed: int = 0, hosts: int = 60, addresses: int = 15) -> GeneratedWeb:
        """Return hosts of all sorts: articles, copies, servers, dates, dead links, traps."""
        return cls(seed, plans.varied(hosts, addresses))

    @classmethod
    def forgetful(cls, seed: int = 0) -> GeneratedWeb:
        """Return hosts that are asked for much that is not there, each with its own answer."""
        return cls(seed, plans.forgetful())

    @classmethod
    def secretive(cls, seed: int = 0) -> GeneratedWeb:
        """Return hosts with unlinked pages, and others that have none."""
        return cls(seed, plans.secretive(copies=1))

    @classmethod
    def endless(cls, seed: int = 0) -> GeneratedWeb:
        """Return hosts with traps of every kind, and others that only look like them."""
        return cls(seed, plans.endless())

    @classmethod
    def lively(cls, seed: int = 0) -> GeneratedWeb:
        """Return hosts whose pages change, some every second and some every other hour."""
        return cls(seed, plans.lively())

    @classmethod
    def tree(cls, levels: int, fanout: int, triples: int = 0, hosts: int = 1) -> GeneratedWeb:
        """Return hosts that each are one tree and nothing else."""
        return cls(0, plans.tree(levels, fanout, triples, hosts))

    # -- names ---------------------------------------------------------------------------

    def host(self, number: int) -> str:
        """Return the name of a host."""
        per_domain = self.plan.names_per_domain
        if per_domain == 1:
            return f"www.s{number}.test"
        return f"h{number}.d{number // per_domain}.test"

    def hosts(self) -> Iterator[str]:
        """Yield the names of all hosts."""
        return (self.host(number) for number in range(self.plan.hosts))

    def _number(self, host: str) -> int | None:
        labels = host.split(".")
        if len(labels) != 3:
            return None
        label = labels[1 if self.plan.names_per_domain == 1 else 0][1:]
        if not label.isdecimal():
            return None
        number = int(label)
        return number if number < self.plan.hosts and self.host(number) == host else None

    def home(self, number: int = 0) -> str:
        """Return the URL of a host's home page."""
        return f"{self._site(number).ground.origin}/"

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the address that the host's domain shares with others."""
        number = self._number(host)
        if number is None or not self._site(number).traits.has_address:
            return Resolved(None, 300.0)
        index = number // self.plan.names_per_domain % self.plan.addresses + 1
        return Resolved(f"10.{index >> 16}.{index >> 8 & 255}.{index & 255}", 3600.0)

    # -- answers -------------------------------------------------------------------------

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer as the host would at that moment."""
        parts = take_apart(request.url)
        site = self._find(parts)
        if site is None:
            return Reply(0, failure=Outcome.CONNECT_FAILURE)
        traits, seed = site.traits, site.ground.seed
        key = mix(seed, digest(parts.target))
        seconds = traits.pace.seconds(key, moment)
        if traits.overload is not None:
            refusal = traits.overload.refusal(moment, seconds, seed)
            if refusal is not None:
                return _signed(refusal, traits)
        reply = self._reply(site, parts, moment, key)
        if traits.is_dated and reply.status == 200:
            reply = with_date(reply, key, moment)
        if traits.validators and reply.status == 200:
            reply = with_etag(reply, request)
        if reply.failure is Outcome.TIMEOUT:
            seconds = _TIMEOUT_SECONDS
        return _signed(reply._replace(latency_seconds=seconds), traits)

    def _reply(self, site: _Site, parts: Parts, moment: float, key: int) -> Reply:
        if parts.port == 80 and site.traits.scheme == "https":
            target = f"https://{parts.host}{parts.target}"
            return Reply(301, (*HTML, ("Location", target)), b"moved\n")
        if parts.path == "/robots.txt":
            if parts.port == _ANNEX_PORT:
                return _NO_ROBOTS.answer(0, "", "", moment)
            return self._robots_reply(site, site, 0, moment)
        if parts.path.startswith("/robots-of/"):
            return self._moved_robots(site, parts, moment)
        page, missing = self._page(site, parts, moment), site.traits.missing
        if missing is not None and parts.port != _ANNEX_PORT:
            page = missing.instead(site.ground, parts) if page is None else missing.around(page)
        return _NOT_FOUND if page is None else render(page, parts, key)

    def _moved_robots(self, site: _Site, parts: Parts, moment: float) -> Reply:
        _, _, owner, step = f"{parts.path}/".split("/")[:4]
        name = step.removesuffix(".txt")
        if not (owner.isdecimal() and name.isdecimal() and int(owner) < self.plan.hosts):
            return _NOT_FOUND
        return self._robots_reply(self._site(int(owner)), site, int(name), moment)

    def _robots_reply(self, owner: _Site, here: _Site, hop: int, moment: float) -> Reply:
        robots, number = owner.traits.robots, owner.ground.number
        path = f"/robots-of/{number}/{hop + 1}.txt"
        if robots.abroad and hop == 0:
            path = f"{self._site(self._next_host(number)).ground.origin}{path}"
        elif hop % 2:
            path = f"{here.ground.origin}{path}"
        return robots.answer(hop, owner.ground.origin, path, moment, owner.ground.seed)

    def _next_host(self, number: int) -> int:
        """Return the next host that has an address."""
        other = (number + 1) % self.plan.hosts
        while not self._site(other).traits.has_address:
            other = (other + 1) % self.plan.hosts
        return other

    def _find(self, parts: Parts) -> _Site | None:
        """Return the site that listens there, if any."""
        number = self._number(parts.host)
        if number is None:
            return None
        site = self._site(number)
        traits = site.traits
        if parts.port == _ANNEX_PORT:
            is_open = traits.has_annex and parts.scheme == "http"
        elif traits.scheme == "https":
            is_open = (parts.scheme, parts.port) in (("http", 80), ("https", 443))
        else:
            is_open = (parts.scheme, parts.port) == ("http", 80)
        return site if is_open and traits.has_address else None

    def _page(self, site: _Site, parts: Parts, moment: float) -> Page | None:
        if parts.port == _ANNEX_PORT:
            return _ANNEX.page(site.annex, parts.path[1:], parts.query, moment)
        whole = site.folders.get("")
        if whole is not None:
            return whole.page(site.ground, parts.path[1:], parts.query, moment)
        if parts.path == "/":
            return self._home(site, moment) if not parts.query else None
        folder, slash, rest = parts.path[1:].partition("/")
        section = site.folders.get(folder)
        if section is None or not slash:
            return None
        return section.page(site.ground, rest, parts.query, moment)

    def _home(self, site: _Site, moment: float) -> Page:
        ground = site.ground
        links = [url for section in site.traits.sections for url in section.entries(ground, moment)]
        if site.traits.has_annex:
            links.append(site.annex.base(""))
        children = (2 * ground.number + 1, 2 * ground.number + 2)
        links += [self.home(child) for child in children if child < self.plan.hosts]
        return ground.plain(f"Home of {ground.origin}")._replace(links=anchors(*links))

    # -- sites ---------------------------------------------------------------------------

    def _site(self, number: int) -> _Site:
        site = self._sites.get(number)
        if site is None:
            if len(self._sites) >= _REMEMBERED_HOSTS:
                self._sites.clear()
            site = self._sites[number] = self._make_site(number)
        return site

    def _make_site(self, number: int) -> _Site:
        traits, host = self.plan.traits(number, self.seed), self.host(number)

        def ground(scheme: str, port: int) -> Ground:
            return Ground(
                mix(self.seed, number if traits.twin is None else traits.twin, 1 + port),
                number,
                origin(scheme, host, port),
                traits.language,
                traits.topic,
                traits.words,
                self._elsewhere,
            )

        folders = {section.folder: section for section in traits.sections}
        return _Site(traits, ground(traits.scheme, 0), folders, ground("http", _ANNEX_PORT))

    def _elsewhere(self, key: int) -> str:
        number = skewed(self.plan.hosts, 2.0, self.seed, key)
        site = self._site(number)
        for section in site.traits.sections:
            if isinstance(section, Thicket):
                return section.some_page(site.ground.base(section.folder), key)
        return self.home(number)

    # -- the truth -----------------------------------------------------------------------

    def traits_of(self, host: str) -> Traits | None:
        """Return the traits of a host: language, topic, pace, robots; None for no host."""
        number = self._number(host)
        return None if number is None else self._site(number).traits

    def is_allowed(self, url: str, agent: str) -> bool:
        """Say whether the robots file of the URL's site allows it."""
        parts = take_apart(url)
        traits = self.traits_of(parts.host)
        if traits is None or parts.port == _ANNEX_PORT:
            return True
        return traits.robots.allows(parts.target, agent)

    def crawl_delay(self, host: str, agent: str) -> float:
        """Return the Crawl-delay of the host's robots file, or 0."""
        traits = self.traits_of(host)
        return 0.0 if traits is None else traits.robots.delay_for(agent)

    def links_of(self, url: str, moment: float = 0.0) -> list[tuple[str, LinkKind]]:
        """Return the links of a page, as canonical URLs; robots.txt links to its sitemaps."""
        parts = take_apart(url)
        site = self._find(parts)
        if site is None:
            return []
        if parts.port == 80 and site.traits.scheme == "https":
            return [(f"https://{parts.host}{parts.target}", LinkKind.REDIRECT)]
        if parts.path == "/robots.txt" and parts.port != _ANNEX_PORT:
            paths = site.traits.robots.sitemaps
            return [(f"{site.ground.origin}{path}", LinkKind.SITEMAP) for path in paths]
        page = self._page(site, parts, moment)
        return list(page.links) if page is not None else []

    def is_page(self, url: str) -> bool:
        """Say whether a URL gives a page, at least in fair weather."""
        parts = take_apart(url)
        site = self._find(parts)
        if site is None or (parts.port == 80 and site.traits.scheme == "https"):
            return False
        page = self._page(site, parts, 0.0)
        return page is not None and page.is_kept

    def is_missing(self, url: str) -> bool:
        """Say whether a host that listens has no page there, whatever it answers."""
        parts = take_apart(url)
        site = self._find(parts)
        return site is not None and self._page(site, parts, 0.0) is None

    def is_trap(self, url: str) -> bool:
        """Say whether a URL belongs to a place without an end."""
        parts = take_apart(url)
        site = self._find(parts)
        section = site.folders.get(parts.path[1:].partition("/")[0]) if site else None
        return isinstance(section, Calendar | Maze | Rooms | Sessions)

    def version_of(self, url: str, moment: float) -> int:
        """Return the version of a page that changes; 0 for all others."""
        parts = take_apart(url)
        site = self._find(parts)
        folder, _, rest = parts.path[1:].partition("/")
        section = site.folders.get(folder) if site else None
        if site is None or not isinstance(section, News | Bulletins) or section.number_at(rest) < 0:
            return 0
        return section.version(site.ground, section.number_at(rest), moment)

    def change_seconds_of(self, url: str) -> float:
        """Return the mean time between two changes of a page; infinite for one that never does."""
        parts = take_apart(url)
        site = self._find(parts)
        folder, _, rest = parts.path[1:].partition("/")
        section = site.folders.get(folder) if site else None
        if site is None or not isinstance(section, Bulletins) or section.number_at(rest) < 0:
            return float("inf")
        return section.mean_seconds(site.ground, section.number_at(rest))

    def all_pages(self, host: str | None = None) -> Iterator[str]:
        """Yield every page of a host or of the web, linked or not, but of no endless section."""
        for name in self.hosts() if host is None else [host]:
            number = self._number(name)
            if number is None or not self._site(number).traits.has_address:
                continue
            site = self._site(number)
            if "" not in site.folders:
                yield self.home(number)
            for section in site.traits.sections:
                yield from section.pages(site.ground)
            if site.traits.has_annex:
                yield from _ANNEX.pages(site.annex)

    def hidden_pages(self) -> Iterator[tuple[str, str]]:
        """Yield every page that its section keeps hidden, with the section's folder."""
        for number in range(self.plan.hosts):
            site = self._site(number)
            for section in site.traits.sections:
                if isinstance(section, Series | Cellar) and site.traits.has_address:
                    yield from ((url, section.folder) for url in section.hidden(site.ground))

    def pages_within(
        self, seeds: list[str], depth: int, agent: str = "lycosa", moment: float = 0.0
    ) -> set[str]:
        """Return the pages that a crawl limited to that depth must hold; see `walk`."""
        return walk.pages_within(self, seeds, depth, agent, moment)
