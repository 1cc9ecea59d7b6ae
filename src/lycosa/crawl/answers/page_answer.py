"""The record of one page's answer on its way from the transport to the log.

`stages` hands it from stage to stage. The first fields are given; each of the others is written by
one stage and read by later ones, so a stage needs no other argument.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from msgspec import Struct, field

from lycosa.crawl.answers.reading import RawLinks, content_type_of
from lycosa.extract.facts import Facts
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.records import NO_LINKS, Answer, Links, Outcome, Place, Request
from lycosa.url import canonical_key

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", ""})

NO_FACTS = Facts()
"""The facts of an answer that is not kept."""


class PluginPass(Protocol):
    """A page in the hands of the job's plugins (`plugins`)."""

    @property
    def facts(self) -> Facts:
        """The facts, with what plugins have changed so far."""

    def end(self) -> tuple[Outcome, Facts]:
        """Show the page to every plugin; returns its outcome and its facts."""

    @property
    def links(self) -> RawLinks:
        """The links of the page as plugins leave and add them."""

    @property
    def values(self) -> tuple[object, ...]:
        """The values of the plugins' columns."""


class Session(Protocol):
    """The session with a site that the job logs in to (`lycosa.crawl.worker.logins`)."""

    def outcome_of(
        self, partition: Partition, page: int, request: Request, answer: Answer, outcome: Outcome
    ) -> Outcome:
        """Return the outcome of a page, which may show that we are not logged in."""


class PageTopics(NamedTuple):
    """What a page is about (`lycosa.crawl.topics.classifier`)."""

    probabilities: list[float]
    """Of every topic of the model."""
    found: list[int]
    """The topics that are sure enough, the surest first."""


class PageAnswer(Struct):
    """One answer, and everything that the stages have made of it so far."""

    partition: Partition
    page: int
    request: Request
    answer: Answer
    reserved_bytes: int = 0
    """The reservation against the job's limits that the request was sent with."""

    key: str = ""
    site: int = 0
    host: int = 0
    outcome: Outcome = Outcome.BAD_STATUS
    """How the fetch ended, as far as the stages until now can tell."""
    facts: Facts = field(default_factory=lambda: NO_FACTS)
    """What the scan, or a plugin, read from the content."""
    text: bytes = b""
    """The visible text as it was scanned: pages are compared by it. Plugins do not change it."""
    fingerprint: int = 0
    """Of `text`; 0 without one."""
    nameless_fingerprint: int = 0
    """Of `text` without the page's own name, where the site's error page is looked for."""
    plugins: PluginPass | None = None
    """The page in the hands of the job's plugins, if it has some."""
    is_tried: bool = False
    """It is a sitemap that we tried unasked (`site_files.usual_sitemap`)."""
    is_sitemap: bool = False
    """It is kept, but as a list of pages: it counts towards no limit."""
    is_foreign: bool = False
    """It is a page, but in another language than the job keeps: only its links count."""
    topics: PageTopics | None = None
    """What it is about, in a crawl with topics."""
    extra: tuple[object, ...] = ()
    """The values of columns that not every crawl has: those of plugins, and of topics."""
    triples: bytes | None = None
    """Structured data as N-Triples; None when nothing is known of it, or nothing new."""
    links: Links = NO_LINKS
    """Links to follow: resolved, canonical and in scope."""
    refused: Links = NO_LINKS
    """The other links, which are only recorded."""
    place: Place | None = None
    """Where the record stands in the archive."""
    pause: float = 0.0
    """How long the host rests from the end of the answer on, in seconds."""
    is_first: bool = False
    """Whether the page is kept now and was not before."""
    known_urls: int = 0
    """How many URLs the partition knew before the links of this page."""
    times_shown: int = 0
    """How often the site has shown this text before."""

    @property
    def state(self) -> PartitionState:
        """The state of the page's partition."""
        return self.partition.state

    @property
    def ended(self) -> float:
        """The moment at which the answer was complete."""
        return self.answer.ended

    @property
    def recorded_outcome(self) -> Outcome:
        """The outcome as log and store have it: what is no page to keep, for all its links, too."""
        if self.is_sitemap:
            return Outcome.SITEMAP
        return Outcome.WRONG_LANGUAGE if self.is_foreign else self.outcome

    @property
    def site_name(self) -> str:
        """The site's part of the key."""
        return self.partition.state.site_names[self.site]

    @property
    def path(self) -> str:
        """The key without the site: path and query."""
        return self.key[len(self.site_name) :]

    @property
    def is_readable(self) -> bool:
        """Whether this is a page with text: only such pages can be compared."""
        return bool(self.text) and content_type_of(self.answer) in HTML_TYPES


def is_cookie_wall(answered: PageAnswer) -> bool:
    """Return whether a page redirects to itself and sets a cookie, which the next request has."""
    answer = answered.answer
    if answered.outcome is not Outcome.REDIRECTED or answer.header("set-cookie") is None:
        return False
    return canonical_key(answer.header("location") or "", answered.request.url) == answered.key
