"""The record of one page's answer on its way from the transport to the log.

`stages` hands it from stage to stage. The first fields are given; each of the others is written by
one stage and read by later ones, so a stage needs no other argument.
"""

from __future__ import annotations

from msgspec import Struct, field

from lycosa._support.tuples import NamedTuple
from lycosa.crawl.answers.reading import content_type_of
from lycosa.crawl.links.known_copies import Ahead
from lycosa.crawl.links.raw_links import RawLinks
from lycosa.extract.facts import Facts
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.records import NO_LINKS, Answer, Item, Links, Outcome, Place, Request
from lycosa.model.url import canonical_key

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", ""})

NO_FACTS = Facts()
"""The facts of an answer that is not kept."""


class PageTopics(NamedTuple):
    """The topics of a page (`lycosa.features.topics.classifier`)."""

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
    """Facts that the scan, or a plugin, read from the content."""
    text: bytes = b""
    """The visible text as it was scanned: pages are compared by it. Plugins do not change it."""
    fingerprint: int = 0
    """Of `text`; 0 without one."""
    nameless_fingerprint: int = 0
    """Of `text` without the page's own name, where the site's error page is looked for."""
    raw_links: RawLinks | None = None
    """The links as a feature leaves them, if one has changed them."""
    is_tried: bool = False
    """It is a sitemap that we tried unasked (`features.usual_sitemaps`)."""
    is_sitemap: bool = False
    """It is kept, but as a list of pages: it counts towards no limit."""
    is_foreign: bool = False
    """It is a page, but in another language than the job keeps: only its links count."""
    topics: PageTopics | None = None
    """Its topics, in a crawl with topics."""
    extra: tuple[object, ...] = ()
    """The values of columns that not every crawl has: those of plugins, and of topics."""
    items: tuple[Item, ...] = ()
    """Items that plugins have read out of it."""
    triples: bytes | None = None
    """Structured data as N-Triples; None when nothing is known of it, or nothing new."""
    links: Links = NO_LINKS
    """Links to follow: resolved, canonical and in scope."""
    refused: Links = NO_LINKS
    """The other links, which are only recorded."""
    ahead: Ahead | None = None
    """Facts about `links` that `route` needs, if some may lead to other views of a kept page."""
    place: Place | None = None
    """Where the record stands in the archive."""
    pause: float = 0.0
    """How long the host rests from the end of the answer on, in seconds."""
    must_commit: bool = False
    """Whether the decision must be durable before the host is asked again."""
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
        """The outcome as log and store have it: it also says why a page with links is not a page to
        keep."""
        if self.is_sitemap:
            return Outcome.SITEMAP
        return Outcome.WRONG_LANGUAGE if self.is_foreign else self.outcome

    @property
    def is_shown(self) -> bool:
        """Whether it is kept for what it says, not for its links alone."""
        return self.outcome is Outcome.KEPT and not self.is_foreign

    @property
    def site_name(self) -> str:
        """The site's part of the key."""
        return self.partition.state.site_names[self.site]

    @property
    def path(self) -> str:
        """The key without the site: path and query."""
        return self.key[len(self.site_name) :]

    def drop_facts(self) -> None:
        """Forget what was read: nothing but the outcome is left of the answer."""
        self.facts, self.text = NO_FACTS, b""
        self.fingerprint = self.nameless_fingerprint = 0

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
