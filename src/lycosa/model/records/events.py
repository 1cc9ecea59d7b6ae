"""Events: the decisions in a partition's log.

An event carries every moment and every number that the fold (`lycosa.frontier.fold`) needs, so the
fold reads no clock, no configuration and no randomness. Inside a partition a URL, a site and a host
are numbers, given in the order in which the log admitted them.

Events are encoded as tagged MessagePack arrays (`lycosa.storage.log.format`): a field may be added
at the end with a default, and nothing else may change without a new version.
"""

from __future__ import annotations

from msgspec import Struct

from lycosa.model.records.batons import BatonPassed, BatonQueued, BatonTaken
from lycosa.model.records.codes import RobotsState, Sight, Worth
from lycosa.model.records.exchange import Place
from lycosa.model.records.handover import LinksOwed, Moved, OrderApplied, Released
from lycosa.model.records.outcomes import Outcome
from lycosa.model.records.rendering import PartsInRow, PartsNoted, Rendered, RenderQueued
from lycosa.model.records.suspicion import Suspected
from lycosa.model.records.topics import (
    BudgetAsked,
    BudgetGiven,
    BudgetShared,
    Classified,
    Predicted,
)


class Event(Struct, frozen=True, array_like=True, tag_field="t"):
    """A decision in a partition's log."""


class Taken(Event, frozen=True, array_like=True, tag=1):
    """A worker became the owner of the partition; its earlier owner can no longer write."""

    moment: float
    owner: str
    clock_ahead: float = 0.0
    """Seconds by which the owner's clock (runtime.steady_clock) is ahead of its machine's."""


class Configured(Event, frozen=True, array_like=True, tag=2):
    """Later decisions were made under the job with this digest (`Job.digest`)."""

    moment: float
    digest: str


class Admitted(Event, frozen=True, array_like=True, tag=3):
    """URLs to which `source` led: new ones, and known ones that are nearer than before."""

    moment: float
    source: str
    keys: list[str]
    distances: list[int]
    nearer: list[int] = []
    nearer_distances: list[int] = []
    requisites: list[int] = []
    """URLs, new or known, that are page requisites of `source`."""
    linked: list[int] = []
    """Known URLs that had been guessed and to which a page links now."""
    put_off: list[int] = []
    """Positions, in `keys`, of URLs that wait until a cycle chooses them."""
    hops: int = 0
    """Number of redirects in a row that led to the keys; 0 if the last step was not a redirect."""
    fewer: list[int] = []
    """Known URLs that were now reached with fewer redirects in a row than before."""
    queues: bytes = b""
    """For each of `keys` the topic in whose queue it waits; empty in crawls without topics."""
    positions: bytes = b""
    """For each of `keys` its position in that queue."""


class InboxRead(Event, frozen=True, array_like=True, tag=4):
    """All inbox entries up to this sequence have been decided on."""

    sequence: int


class Fetched(Event, frozen=True, array_like=True, tag=5):
    """A URL was fetched, with this outcome."""

    moment: float
    page: int
    outcome: Outcome
    status: int
    size_bytes: int
    due: float
    """Time of the next request; 0 for never."""
    host_due: float
    """Before this moment no request may go to the host."""
    place: Place | None = None


class Settled(Event, frozen=True, array_like=True, tag=6):
    """URLs that end without a fetch."""

    moment: float
    pages: list[int]
    outcome: Outcome


class RobotsLearned(Event, frozen=True, array_like=True, tag=7):
    """The rules of a site's robots file for our agent, or that it was not available."""

    moment: float
    site: int
    state: RobotsState
    rules: bytes
    """Our agent's rules in the compact form of `lycosa.fetch.robots.rules`."""
    crawl_delay_seconds: float
    expires: float
    """Time when the rules must be fetched again, or an unreachable file be tried again."""
    host_due: float
    place: Place | None = None
    wants_sitemap: bool = False
    """The file names no sitemap: `/sitemap.xml` is tried when the site has given a page."""


class HostChanged(Event, frozen=True, array_like=True, tag=8):
    """A host must wait, has recovered, or is closed for good."""

    moment: float
    host: int
    due: float
    strikes: int
    """Number of failures or refusals of the whole host in a row."""
    closed: Outcome | None = None
    is_announced: bool = False
    """Whether the server itself named the time, by Retry-After."""


class Counted(Event, frozen=True, array_like=True, tag=9):
    """Refused URLs, counted by reason, and results of structured data."""

    refusals: dict[str, int]
    structured: dict[str, int] = {}
    """Triples kept, pages with triples, and items left out of structured data."""
    linked: dict[int, int] = {}
    """URLs to which 2, 4, 8, … links lead by now, with the logarithm of that number."""
    too_deep: list[str] = []
    """URLs of this partition, not known in it, that are farther than the limits of depth."""
    has_more_too_deep: bool = False
    """There are more such URLs than a partition remembers."""
    truncated: list[int] = []
    """Pages that were cut off at the largest size."""
    whole: list[int] = []
    """Pages that were cut off before, and were now fetched as a whole."""


class ErrandTaken(Event, frozen=True, array_like=True, tag=10):
    """Another site's robots file redirects to a URL here, which is fetched for that site."""

    moment: float
    site: str
    key: str
    hops: int


class ErrandDone(Event, frozen=True, array_like=True, tag=11):
    """The errand with this number is over; the answer was sent to the site that wanted it."""

    moment: float
    errand: int
    host_due: float
    place: Place | None = None


class Passed(Event, frozen=True, array_like=True, tag=12):
    """The crawl was still running at this moment: noted only if its running time is limited."""

    moment: float


class Reopened(Event, frozen=True, array_like=True, tag=13):
    """The operator wants closed hosts or finished pages fetched again."""

    moment: float
    hosts: list[int]
    pages: list[int]


class Forgotten(Event, frozen=True, array_like=True, tag=14):
    """The operator blocked a host and removed its pages."""

    moment: float
    host: int


class HostResolved(Event, frozen=True, array_like=True, tag=15):
    """A host name was looked up."""

    moment: float
    host: int
    address: str
    """The address; "" if the name has none."""
    expires: float
    """Time when it must be looked up again; `moment` itself if no name server answered."""
    is_missing: bool = False
    """Without an address: the name server answered that the name has none."""


class SiteChanged(Event, frozen=True, array_like=True, tag=40):
    """An origin could not be connected to, can be again, or is closed."""

    moment: float
    site: int
    due: float
    """Before this moment no connection to the origin is tried; its host has other origins."""
    strikes: int
    """Number of failed connections in a row."""
    closed: Outcome | None = None
    host_due: float = 0.0
    """Before this moment no request may go to the host."""


class Waited(Event, frozen=True, array_like=True, tag=41):
    """In partition 0: how long the crawl has waited with only unreachable origins left."""

    moment: float
    seconds: float
    """In total; 0 when an origin answered, so that the wait begins again."""


class Sampled(Event, frozen=True, array_like=True, tag=20):
    """A page was kept with which the answer to its site's probe will be compared."""

    site: int
    page: int
    fingerprint: int
    """Fingerprint of the text without the page's own address (`lycosa.extract.echo`)."""


class ProbeChosen(Event, frozen=True, array_like=True, tag=21):
    """A URL that cannot exist was made up for the site, to be fetched once."""

    moment: float
    site: int
    key: str
    """The URL, which this event admits; "" if none may be asked for."""
    distance: int


class SiteProbed(Event, frozen=True, array_like=True, tag=22):
    """The result of a site's probe; its own `Fetched` precedes this."""

    moment: float
    site: int
    verdict: Outcome
    """`PROBE_HONEST`, `PROBE_SOFT` or `PROBE_INCONCLUSIVE`."""
    fingerprint: int = 0
    """With `PROBE_SOFT`, the fingerprint of the site's error page."""
    beside: list[int] = []
    """Pages of the sample that look like the error page but are kept as pages."""
    is_everything: bool = False
    """With `PROBE_INCONCLUSIVE`: the site answered with a page, as it may for every URL."""


class Mined(Event, frozen=True, array_like=True, tag=23):
    """URLs without a known link to them, guessed from known URLs of the same site."""

    moment: float
    site: int
    keys: list[str]
    distances: list[int]
    rules: list[int]
    """Numbers of `MiningRule`."""
    sources: list[int]
    """The pages from which they were guessed."""


class GuessJudged(Event, frozen=True, array_like=True, tag=24):
    """The result of a guess; its own `Fetched` precedes this."""

    page: int
    worth: Worth
    left: int
    """Number of further failed guesses that its rule may make on this host."""


class MinedOut(Event, frozen=True, array_like=True, tag=25):
    """No URL of a site is to be guessed until a new page is found on it."""

    moment: float
    site: int


class CycleWanted(Event, frozen=True, array_like=True, tag=26):
    """In partition 0: all partitions have been asked for their bids for a cycle."""

    moment: float
    cycle: int
    round: int = 0
    """0 when the cycle begins; further rounds distribute the rest of it."""


class BidTaken(Event, frozen=True, array_like=True, tag=27):
    """In partition 0: the bid of one partition for the coming cycle, or for a further round."""

    partition: int
    bins: dict[int, int]
    room: int = 0
    """The rest of the partition's room; below 0 if it has taken more."""


class CycleBegun(Event, frozen=True, array_like=True, tag=28):
    """A cycle has begun in this partition: these URLs are to be fetched, new ones or again."""

    moment: float
    cycle: int
    """0 when the job no longer uses cycles."""
    pages: list[int]
    worths: list[float]
    """The worth of a visit to each."""
    room: int
    """Number of URLs found later that are fetched in this cycle."""
    round: int = 0
    """0 at the beginning; a further round adds URLs to the present cycle."""
    left: int = 0
    """The room of all partitions together: if it is 0, this round is the last."""


class Visited(Event, frozen=True, array_like=True, tag=29):
    """Evidence of a visit about a page's rate of change; its own `Fetched` precedes this."""

    moment: float
    """Moment of the visit; with `ANNOUNCED`, of the change."""
    page: int
    seen: Sight
    digest: int = 0
    fingerprint: int = 0
    """Fingerprint of the version with which later ones are compared."""
    changes: float = 0.0
    seconds: float = 0.0
    """The evidence of all visits to the page so far (`lycosa.frontier.freshness.changes`)."""
    host_changes: float = 0.0
    host_seconds: float = 0.0
    """The same for all pages of its host."""
    not_before: float = 0.0
    """Before this moment the page asks not to be visited again (`revisit-after`)."""


class Weighed(Event, frozen=True, array_like=True, tag=30):
    """A page brought nothing new, or brought something new after other pages had not.

    Not recorded while all pages of the host have brought something new.
    """

    page: int
    shape: int
    """Hash of the URL's shape (`lycosa.frontier.patterns.shapes`)."""
    left: int
    """The rest of the budget for pages of this shape without news; -1 for a full one."""
    host_left: int
    """The same for the host as a whole."""
    content: int = 0
    """Hash or fingerprint of the repeated content; 0 if the content is new."""
    shuts: Outcome | None = None
    """Outcome of further URLs of this shape, if the budget is used up."""


class MirrorFound(Event, frozen=True, array_like=True, tag=31):
    """A host is a mirror of another host: the links of its pages are no longer followed."""

    moment: float
    host: int
    original: str
    """Name of the other host, reversed as in keys."""


class RecordsLost(Event, frozen=True, array_like=True, tag=32):
    """Records that the log names are damaged or gone, and no longer count.

    A page whose last answer is among them is fetched again. Their amounts are returned to the
    limits on pages and bytes.
    """

    moment: float
    pages: list[int]
    """Each of these four lists has an entry for each lost record."""
    outcomes: list[Outcome]
    sizes: list[int]
    places: list[Place]
    sites: list[int] = []
    """Sites whose robots rules must be fetched again."""
    robots: list[Place] = []
    """Places of robots files' records."""
    loss: int = 0
    """Number of the loss that was reported to all partitions; 0 for damage found here."""
    segments: list[int] = []
    """Segments given up as a whole: none of their records counts."""


class SitemapTried(Event, frozen=True, array_like=True, tag=33):
    """A site's `/sitemap.xml`, which no page names, is asked for once, or its redirect's target."""

    moment: float
    site: int
    key: str
    """Key of the URL; "" if it is not asked for: it is known, or the job does not want it."""
    distance: int = 0
    source: str = ""
    """Key of the URL that redirects to it; "" for the first URL."""


class Posted(Event, frozen=True, array_like=True, tag=52):
    """A plugin's POST is about to be sent, or its end is known (`Holdings.posts`)."""

    moment: float
    page: int
    state: int


AnyEvent = (
    Taken
    | Configured
    | Admitted
    | InboxRead
    | Fetched
    | Settled
    | RobotsLearned
    | HostChanged
    | Counted
    | ErrandTaken
    | ErrandDone
    | Passed
    | Reopened
    | Forgotten
    | HostResolved
    | SiteChanged
    | Waited
    | Sampled
    | ProbeChosen
    | SiteProbed
    | Mined
    | GuessJudged
    | MinedOut
    | CycleWanted
    | BidTaken
    | CycleBegun
    | Visited
    | Weighed
    | MirrorFound
    | RecordsLost
    | SitemapTried
    | Released
    | Moved
    | LinksOwed
    | BatonPassed
    | BatonTaken
    | BatonQueued
    | Classified
    | Predicted
    | BudgetAsked
    | BudgetGiven
    | BudgetShared
    | OrderApplied
    | RenderQueued
    | Rendered
    | PartsNoted
    | PartsInRow
    | Suspected
    | Posted
)
