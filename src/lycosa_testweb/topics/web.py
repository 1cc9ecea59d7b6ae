"""A web with topics, of any size, made from a seed; it knows the topic of every URL.

    web = TopicWeb(Shape(names=("spiders", "trains"), pages=100_000, purity=0.9), seed=7)
    web.topics_of("http://h12-topics.test/3")       # ("trains",)

Every page links to two pages of its topic, so that all can be reached, and to others, of its topic
or not as the locality says; pages with low numbers get more links. Hubs link to many pages of their
topic. Tunnel pages are linked from passages alone, pages of `other` that follow each other. Nothing
is stored: `topic_plan` says where each page lies, `topic_texts` makes its words.

There are no robots files. A host has an address for itself, up to `MOST_ADDRESSES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from lycosa.model.records import LinkKind, Request, Resolved
from lycosa_testweb.mixing import below, fraction, mix, skewed
from lycosa_testweb.parts import Parts, take_apart
from lycosa_testweb.topics.plan import OTHER, SUFFIX, Page, Plan, Shape
from lycosa_testweb.topics.texts import Texts
from lycosa_testweb.web import HTML, PLAIN, Reply

__all__ = ["OTHER", "Shape", "TopicWeb"]

MOST_ADDRESSES = 60_000
LATENCY_SECONDS = (0.05, 0.4)
_TEXT_WORDS = 160
_OFTEN_LINKED = 1.5
_FEWEST_KEYWORDS = 8


class _Link(NamedTuple):
    target: Page
    anchor: str


class TopicWeb:
    """A generated web with topics."""

    def __init__(self, shape: Shape | None = None, seed: int = 1) -> None:
        self.shape = shape or Shape()
        self.seed = seed
        self.plan = Plan(self.shape, seed)
        self.names = self.plan.names
        self._texts = Texts(self.names, self.shape.words, self.shape.blur, seed)

    # -- the web -------------------------------------------------------------------------

    def answer(self, request: Request, moment: float) -> Reply:
        """Return a page, or that there is none."""
        parts = take_apart(request.url)
        page = self._page(parts)
        least, most = LATENCY_SECONDS
        host = _number(parts.host) or 0
        seconds = least + (most - least) * fraction(self.seed, 1, host, digest_of(page))
        if page is None:
            return Reply(404, PLAIN, b"no such page\n", seconds)
        return Reply(200, HTML, self._html(page).encode(), seconds)

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the address of a host."""
        number = _number(host)
        if number is None or number >= self.plan.hosts:
            return Resolved(None, 3600.0)
        number %= MOST_ADDRESSES
        return Resolved(f"10.1.{number >> 8}.{number & 255}", 3600.0)

    def hosts(self) -> Iterator[str]:
        """Yield the names of all hosts."""
        return (f"h{number}{SUFFIX}" for number in range(self.plan.hosts))

    def seeds(self) -> list[str]:
        """Return the first page of every topic."""
        return [self.url(Page(topic, 0)) for topic in range(len(self.shape.names))]

    # -- the truth -----------------------------------------------------------------------

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything: there is no robots file."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0

    def topics_of(self, url: str) -> tuple[str, ...]:
        """Return the topics of a page, the most important first; none if there is no page."""
        page = self._page(take_apart(url))
        return () if page is None else tuple(self.names[topic] for topic in self._topics(page))

    def topic_of(self, url: str) -> str:
        """Return the most important topic of a page, `other` included; "" for no page."""
        return next(iter(self.topics_of(url)), "")

    def is_page(self, url: str) -> bool:
        """Say whether a URL gives a page."""
        return self._page(take_apart(url)) is not None

    def is_hub(self, url: str) -> bool:
        """Say whether a URL gives a hub."""
        page = self._page(take_apart(url))
        return page is not None and self._is_hub(page)

    def is_tunnel(self, url: str) -> bool:
        """Say whether a page is reached through passages alone."""
        page = self._page(take_apart(url))
        return page is not None and self.plan.is_tunnel(page)

    def links_of(self, url: str, moment: float = 0.0) -> list[tuple[str, LinkKind]]:
        """Return the links of a page."""
        page = self._page(take_apart(url))
        if page is None:
            return []
        return [(self.url(link.target), LinkKind.ANCHOR) for link in self._links(page)]

    def anchors_of(self, url: str) -> list[tuple[str, str]]:
        """Return the links of a page with their words."""
        page = self._page(take_apart(url))
        if page is None:
            return []
        return [(self.url(link.target), link.anchor) for link in self._links(page)]

    def pages(self, topic: str) -> Iterator[str]:
        """Yield the pages of a topic or of `other`."""
        number = self.names.index(topic)
        return (self.url(Page(number, one)) for one in range(self.plan.sizes[number]))

    def all_pages(self) -> Iterator[str]:
        """Yield every page."""
        for name in self.names:
            yield from self.pages(name)

    def keywords(self, topic: str) -> tuple[str, ...]:
        """Return words that a person would name for a topic: its most frequent ones."""
        return self._texts.vocabulary(self.names.index(topic))[:_FEWEST_KEYWORDS]

    def url(self, page: Page) -> str:
        """Return where a page lies."""
        host, slot = self.plan.place(page)
        return f"http://h{host}{SUFFIX}/{slot or ''}"

    # -- pages ---------------------------------------------------------------------------

    def _page(self, parts: Parts) -> Page | None:
        host = _number(parts.host)
        name = parts.target[1:]
        if host is None or (name and (not name.isdecimal() or name[0] == "0")):
            return None
        return self.plan.page_at(host, int(name or 0))

    def _topics(self, page: Page) -> tuple[int, ...]:
        key = self._key(page)
        topics = len(self.shape.names)
        if page.topic == self.plan.other or topics < 2 or fraction(key, 1) >= self.shape.several:
            return (page.topic,)
        second = below(topics - 1, key, 2)
        return page.topic, second + (second >= page.topic)

    def _key(self, page: Page) -> int:
        return mix(self.seed, page.topic, page.number)

    def _is_hub(self, page: Page) -> bool:
        return fraction(self._key(page), 3) < self.shape.hubs

    def _links(self, page: Page) -> list[_Link]:
        """Return the links of a page, each target once."""
        targets = dict.fromkeys(self._targets(page))
        targets.pop(page, None)
        key, telling = self._key(page), self.shape.telling
        return [
            _Link(target, self._texts.anchor(target.topic, telling, mix(key, 4, number)))
            for number, target in enumerate(targets)
        ]

    def _targets(self, page: Page) -> Iterator[Page]:
        plan, shape, key = self.plan, self.shape, self._key(page)
        topic, size = page.topic, plan.ordinary[page.topic]
        for child in (2 * page.number + 1, 2 * page.number + 2):
            yield Page(topic, child if child < size else below(size, key, 5, child))
        if page.number == 0:
            yield Page((topic + 1) % len(plan.names), 0)
        stays = (shape.locality * shape.links - 2) / max(1, shape.links - 2)
        for number in range(shape.links - 2):
            if fraction(key, 6, number) < stays:
                yield Page(topic, skewed(size, _OFTEN_LINKED, key, 7, number))
            else:
                yield self._foreign(topic, key, number)
        if self._is_hub(page):
            for number in range(shape.hub_links):
                yield Page(topic, below(size, key, 8, number))
        yield from plan.entrances(page)
        if plan.is_passage(page):
            yield plan.after_passage(page)

    def _foreign(self, topic: int, key: int, number: int) -> Page:
        """Return a page of another topic, of large ones more often."""
        sizes = self.plan.ordinary
        left = below(sum(sizes) - sizes[topic], key, 9, number)
        for other, size in enumerate(sizes):
            if other == topic:
                continue
            if left < size:
                return Page(other, skewed(size, _OFTEN_LINKED, key, 10, number))
            left -= size
        raise AssertionError("a foreign page is one of those counted")

    def _html(self, page: Page) -> str:
        texts, key = self._texts, self._key(page)
        title = texts.title(page.topic, key)
        topics = self._topics(page)
        words = _TEXT_WORDS // len(topics)
        sections = "".join(
            f"<h2>{texts.title(topic, part)}</h2>\n<p>{texts.prose(topic, words, part)}.</p>\n"
            for topic, part in zip(topics, (key, mix(key, 11)), strict=False)
        )
        links = "".join(
            f'<li><a href="{self.url(link.target)}">{escape(link.anchor)}</a></li>\n'
            for link in self._links(page)
        )
        return (
            f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>'
            f"</head>\n<body>\n<h1>{title}</h1>\n{sections}<ul>\n{links}</ul>\n</body>\n</html>\n"
        )


def digest_of(page: Page | None) -> int:
    """Return a number for a page."""
    return 0 if page is None else mix(page.topic, page.number)


def _number(host: str) -> int | None:
    name = host.removesuffix(SUFFIX)
    if name == host or name[:1] != "h" or not name[1:].isdecimal() or f"h{int(name[1:])}" != name:
        return None
    return int(name[1:])
