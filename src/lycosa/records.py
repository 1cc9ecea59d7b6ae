"""The records that travel between the parts: requests, answers, links, events.

Small, frozen, and without behaviour. Two families:

* what a worker and its transport exchange: `Request`, `Answer`, and the `Outcome` in
  which every fetch ends;
* what the log holds: `Discovered` (an inbox entry) and the events. An event records a
  *decision*: it carries every moment and every number that the fold needs, so that the
  fold reads no clock, no configuration and no randomness.

Inside a partition a URL, a site and a host are numbers, given in the order in which
the log admitted them; between partitions URLs travel as keys (`lycosa.url.key`).

Events are encoded as tagged MessagePack arrays (`lycosa.log.format`): fields may be
added at the end with a default, and nothing else may change without a new version.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from lycosa.links import NO_LINKS as NO_LINKS
from lycosa.links import Links as Links
from lycosa.links import Target as Target


class Outcome(enum.IntEnum):
    """How the fetch of a URL ended. The numbers are part of the log's format."""

    KEPT = 1
    """An answer with content, stored: a page."""
    REDIRECTED = 2
    """The server named another URL, which went to the frontier as a link of cost 0."""
    NOT_MODIFIED = 3
    """A revisit found what we already hold."""
    NOT_FOUND = 10
    """404 or 410."""
    CLIENT_ERROR = 11
    """Another 4xx: asking again changes nothing."""
    SERVER_ERROR = 12
    """A 5xx other than 503; tried again later."""
    TOO_MANY_REQUESTS = 13
    """429: the whole host waits."""
    UNAVAILABLE = 14
    """503: the whole host waits."""
    BAD_STATUS = 15
    """A status that ends no exchange (1xx) or that no standard knows."""
    SOFT_404 = 16
    """A 2xx whose text is the one that the site shows for pages that are not there."""
    NAME_FAILURE = 20
    """The host name has no address."""
    CONNECT_FAILURE = 21
    """No connection could be made."""
    TIMEOUT = 22
    """The answer took too long, for us or (408) for the server."""
    CUT_SHORT = 23
    """The connection ended before the answer did."""
    BAD_ANSWER = 24
    """What came is not HTTP."""
    TOO_LARGE = 25
    """The page did not fit into what was left of the job's bytes."""
    WRONG_TYPE = 26
    """The content type is not among those the job keeps."""
    REFUSED_ADDRESS = 27
    """The host's address is private and the job does not allow that."""
    DISALLOWED = 30
    """The site's robots rules forbid it."""
    ROBOTS_UNREACHABLE = 31
    """The site's robots file could not be had, however often it was asked for."""
    HOST_LIMIT = 32
    """The host has given as many pages as the job takes from one host."""
    HOST_GIVEN_UP = 33
    """The host kept refusing or failing, and the job stopped asking it."""
    BLOCKED = 34
    """The operator blocked the host."""
    NO_SUCH_HOST = 35
    """The name servers say that the host name does not exist, or that it has no address."""
    UNREACHABLE = 36
    """No connection could be made to the origin, or no name server answered, however often it
    was tried."""
    PROBE_HONEST = 40
    """A URL that we made up: the site said 404 or 410, as it should."""
    PROBE_SOFT = 41
    """A URL that we made up: the site showed a page, and now we know its soft 404."""
    PROBE_INCONCLUSIVE = 42
    """A URL that we made up: what came says nothing about the site's other pages."""
    HOOK_FAILED = 50
    """A plugin failed on a page that would have been kept; the log file has the traceback."""
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


NO_CONNECTION = frozenset({Outcome.NAME_FAILURE, Outcome.CONNECT_FAILURE})
"""Outcomes that say something of the origin alone: it waits. The first comes from a proxy."""


REFUSALS = frozenset({Outcome.TOO_MANY_REQUESTS, Outcome.UNAVAILABLE})
"""Outcomes by which a server asks to be left alone: its host waits."""


GIVEN_UP = frozenset({Outcome.UNREACHABLE, Outcome.ROBOTS_UNREACHABLE, Outcome.HOST_GIVEN_UP})
"""Outcomes in which an origin or a host ends that may be well again another day."""


TRAPS = {
    Outcome.TRAP_PATH_REPETITION: "trap: path repetition",
    Outcome.TRAP_CALENDAR: "trap: calendar",
    Outcome.TRAP_SESSION: "trap: session",
    Outcome.TRAP_NOTHING_NEW: "trap: nothing new",
    Outcome.TRAP_COUNTER: "trap: counter",
}
"""Outcomes of URLs that were put aside without having been asked for, with their reasons."""


class Purpose(enum.IntEnum):
    """Why a URL is asked for."""

    PAGE = 1
    ROBOTS = 2


class Validators(Struct, frozen=True):
    """What tells a server which version of a page we hold (RFC 9110, 8.8)."""

    etag: str = ""
    last_modified: str = ""
    date: str = ""
    """Of the record that holds it, as it stands there."""


class Request(Struct, frozen=True):
    """One GET, ready to be sent: the address is pinned, politeness has been seen to."""

    url: str
    host: str
    address: str
    purpose: Purpose
    agent: str
    largest_body_bytes: int
    partition: int = -1
    """Whose request it is, so that its owner can be asked for once more."""
    validators: Validators | None = None
    """Of the version that is held: the server need send only another one."""


class Answer(Struct, frozen=True):
    """What came back, or what went wrong beneath HTTP (then `status` is 0)."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    began: float
    ended: float
    failure: Outcome | None = None
    truncated: bool = False
    """`body` is the beginning of what the server has: `truncated_by` says why."""
    asked: bytes = b""
    """The request as it was sent, for the archive."""
    head: bytes = b""
    """Status line and headers as they were sent."""
    sent: bytes = b""
    """The body as it was sent, in its transfer and content codings; `body` is the content."""
    by_name: dict[str, str] | None = None
    """The first header of each name, in lower case; None where nobody has taken them apart."""
    truncated_by: str = "length"
    """Why a body is truncated, in the words of WARC 1.1: `length` (longer than the request
    allows), `disconnect` (the connection ended before the body) or `time` (it took too long)."""
    beginning: Answer | None = None
    """Of a failure: the answer as far as it came, if something of a good body did."""
    detail: str = ""
    """With a failure to connect: the reason in the system's words, where it gave one."""

    def earlier(self, seconds: float) -> Answer:
        """Return the answer at its moments by a clock that is so far behind."""
        return replace(self, began=self.began - seconds, ended=self.ended - seconds)

    def header(self, name: str) -> str | None:
        """Return the first header of that name (given in lower case)."""
        if self.by_name is not None:
            return self.by_name.get(name)
        length = len(name)
        for key, value in self.headers:
            if len(key) == length and key.lower() == name:
                return value
        return None


class Resolved(Struct, frozen=True):
    """What a name server said: an address, or None when the name has none."""

    address: str | None
    seconds_valid: float
    is_missing: bool = False
    """With None: the name server says that there is no such name, or no address of it. Else no
    name server could say."""


class LinkKind(enum.IntEnum):
    """What kind of reference led to a URL. The numbers are part of stored formats."""

    ANCHOR = 1
    SITEMAP = 2
    FRAME = 3
    FORM = 4
    ALTERNATE = 5
    DATA = 6
    REDIRECT = 10
    CANONICAL = 11
    REFRESH = 12
    IMAGE = 20
    STYLE = 21
    SCRIPT = 22
    MEDIA = 23
    OBJECT = 24
    ICON = 25


SAME_PAGE_KINDS = frozenset({LinkKind.REDIRECT, LinkKind.CANONICAL, LinkKind.REFRESH})
"""Kinds of link that lead to another name of the same page."""

REQUISITE_KINDS = frozenset(
    {
        LinkKind.IMAGE,
        LinkKind.STYLE,
        LinkKind.SCRIPT,
        LinkKind.MEDIA,
        LinkKind.OBJECT,
        LinkKind.ICON,
    }
)
"""Kinds of link to what a page needs to be shown."""

FREE_KINDS = SAME_PAGE_KINDS | REQUISITE_KINDS
"""Kinds of link that cost no depth."""


class Link(NamedTuple):
    """A reference as a page gives it, before it is resolved."""

    href: str
    kind: LinkKind = LinkKind.ANCHOR


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


class KeyedLink(NamedTuple):
    """A reference resolved, made canonical and found in scope."""

    key: str
    kind: LinkKind


class Place(NamedTuple):
    """Where a record stands: segment number, first byte, number of bytes."""

    segment: int
    offset: int
    length: int


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


class Message(Struct, frozen=True, array_like=True, tag_field="t"):
    """An entry of a partition's inbox."""


class Capture(Struct, frozen=True):
    """One exchange with a server and what was made of it: what the store keeps."""

    key: str
    purpose: Purpose
    outcome: Outcome
    distance: int
    request: Request
    answer: Answer
    links: Links = NO_LINKS
    title: str = ""
    description: str = ""
    text: bytes = b""
    """What a reader sees, in UTF-8."""
    language: str = ""
    charset: str = ""
    fingerprint: int = 0
    source: str = ""
    """The key of the page that led here, where it is known."""
    rule: str = ""
    """What the URL was guessed by, in small letters; "" when something led to it."""
    extra: tuple[object, ...] = ()
    """The values of the plugins' columns, in the order of the store's; () when there are none."""
    triples: bytes | None = None
    """What the page says to machines, as N-Triples; None when nobody has looked."""
    held: Place | None = None
    """Where the version of the page stands that the log says is held, if there is one."""


class Discovered(Message, frozen=True, array_like=True, tag=1):
    """URLs that one page (or a list of seeds) led to, on their way to their partition."""

    moment: float
    source: str
    """The key of the page, or "" for seeds."""
    keys: list[str]
    distances: list[int]
    """See `lycosa.frontier.distance`."""
    parts: list[str] = []
    """Those of the keys that the page needs to be shown."""
    hops: int = 0
    """How many redirects in a row have led to the keys; 0 when the last step was none."""


class RobotsWanted(Message, frozen=True, array_like=True, tag=2):
    """A site's robots file redirects to a URL of this partition: please ask for it."""

    moment: float
    site: str
    """Whose rules these will be."""
    key: str
    """The URL to ask for."""
    hops: int


class RobotsFound(Message, frozen=True, array_like=True, tag=3):
    """What the redirect of a site's robots file led to."""

    moment: float
    site: str
    state: RobotsState
    rules: bytes
    crawl_delay_seconds: float


class BidsWanted(Message, frozen=True, array_like=True, tag=4):
    """A cycle is to begin: say what this partition would fetch, as of this moment."""

    moment: float
    cycle: int


class BidMade(Message, frozen=True, array_like=True, tag=5):
    """What a partition would fetch, for partition 0 to choose from."""

    moment: float
    cycle: int
    partition: int
    bins: dict[int, int]
    """How many URLs are worth how much (`lycosa.frontier.freshness.bids`)."""


class CycleShare(Message, frozen=True, array_like=True, tag=6):
    """The cycle begins: this is what the partition takes of what it has bid."""

    moment: float
    """As of which the bids were made."""
    cycle: int
    bin: int
    of_bin: int
    room: int


AnyMessage = Discovered | RobotsWanted | RobotsFound | BidsWanted | BidMade | CycleShare


class Event(Struct, frozen=True, array_like=True, tag_field="t"):
    """A decision in a partition's log."""


class Taken(Event, frozen=True, array_like=True, tag=1):
    """An owner took the partition; whoever had it before has lost it."""

    moment: float
    owner: str
    clock_ahead: float = 0.0
    """By how much the owner's moments are ahead of its machine's clock (crawl.timekeeping)."""


class Configured(Event, frozen=True, array_like=True, tag=2):
    """From here on decisions were made under the job with this digest."""

    moment: float
    digest: str


class Admitted(Event, frozen=True, array_like=True, tag=3):
    """URLs that `source` led to: new ones, and known ones that are nearer than was thought."""

    moment: float
    source: str
    keys: list[str]
    distances: list[int]
    nearer: list[int] = []
    nearer_distances: list[int] = []
    parts: list[int] = []
    """URLs, new or known, that `source` needs to be shown."""
    linked: list[int] = []
    """Known URLs that had been guessed, and that something links to after all."""
    put_off: list[int] = []
    """The places of those of the keys that wait for a cycle which chooses them."""
    hops: int = 0
    """How many redirects in a row have led to the keys; 0 when the last step was none."""
    fewer: list[int] = []
    """Known URLs to which no way with so few redirects in a row was known."""


class InboxRead(Event, frozen=True, array_like=True, tag=4):
    """Everything up to this sequence of the inbox has been decided on."""

    sequence: int


class Fetched(Event, frozen=True, array_like=True, tag=5):
    """A URL was asked for, and this is what came of it."""

    moment: float
    page: int
    outcome: Outcome
    status: int
    size_bytes: int
    due: float
    """When to ask again; 0 for never."""
    host_due: float
    """Before this moment nothing is to be asked of the host."""
    place: Place | None = None


class Settled(Event, frozen=True, array_like=True, tag=6):
    """URLs that end without having been asked for."""

    moment: float
    pages: list[int]
    outcome: Outcome


class RobotsLearned(Event, frozen=True, array_like=True, tag=7):
    """What a site's robots file means for us, or that it could not be had."""

    moment: float
    site: int
    state: RobotsState
    rules: bytes
    """Our agent's rules in the compact form of `lycosa.fetch.robots`."""
    crawl_delay_seconds: float
    expires: float
    """When the rules must be learned anew, or an unreachable file tried again."""
    host_due: float
    place: Place | None = None


class HostChanged(Event, frozen=True, array_like=True, tag=8):
    """A host must wait, has recovered, or is closed for good."""

    moment: float
    host: int
    due: float
    strikes: int
    """How often in a row the host as a whole has failed or asked us to stay away."""
    closed: Outcome | None = None
    is_announced: bool = False
    """Whether the server itself has named the time, by Retry-After."""


class Counted(Event, frozen=True, array_like=True, tag=9):
    """URLs that were refused, counted under their reasons; and what structured data came to."""

    refusals: dict[str, int]
    structured: dict[str, int] = {}
    """Triples kept, pages that have some, and what was left out of structured data."""


class ErrandTaken(Event, frozen=True, array_like=True, tag=10):
    """A robots redirect led to a URL of ours, which we ask for on another site's behalf."""

    moment: float
    site: str
    key: str
    hops: int


class ErrandDone(Event, frozen=True, array_like=True, tag=11):
    """The errand with this number is over; the answer is on its way to the site that wanted it."""

    moment: float
    errand: int
    host_due: float
    place: Place | None = None


class Passed(Event, frozen=True, array_like=True, tag=12):
    """The crawl was still running at this moment: noted only if its running time is limited."""

    moment: float


class Reopened(Event, frozen=True, array_like=True, tag=13):
    """The operator wants these asked again: hosts that were closed, pages that had ended."""

    moment: float
    hosts: list[int]
    pages: list[int]


class Forgotten(Event, frozen=True, array_like=True, tag=14):
    """The operator blocked a host and dropped what it gave."""

    moment: float
    host: int


class HostResolved(Event, frozen=True, array_like=True, tag=15):
    """A host name was looked up."""

    moment: float
    host: int
    address: str
    """"" when the name has none."""
    expires: float
    """When it must be looked up again; `moment` itself when nobody was found at the address."""
    is_missing: bool = False
    """Without an address: the name server says that the name has none."""


class SiteChanged(Event, frozen=True, array_like=True, tag=40):
    """An origin could not be connected to, can be again, or is closed."""

    moment: float
    site: int
    due: float
    """Before this moment no connection to the origin is tried; its host has other origins."""
    strikes: int
    """How often in a row no connection could be made."""
    closed: Outcome | None = None
    host_due: float = 0.0
    """Before this moment nothing is to be asked of the host."""


class Waited(Event, frozen=True, array_like=True, tag=41):
    """In partition 0: how long the crawl has waited for nothing but origins out of reach."""

    moment: float
    seconds: float
    """In all; 0 when its patience is whole again."""


class Sampled(Event, frozen=True, array_like=True, tag=20):
    """A page was kept that the answer to its site's probe will be compared with."""

    site: int
    page: int
    fingerprint: int
    """Of the text without the page's own address (`lycosa.extract.echo`)."""


class ProbeChosen(Event, frozen=True, array_like=True, tag=21):
    """A URL of the site that cannot exist is to be asked for, once."""

    moment: float
    site: int
    key: str
    """The URL, which is admitted by this; "" when none may be asked for."""
    distance: int


class SiteProbed(Event, frozen=True, array_like=True, tag=22):
    """What the probe of a site said; its own `Fetched` precedes this."""

    moment: float
    site: int
    verdict: Outcome
    """`PROBE_HONEST`, `PROBE_SOFT` or `PROBE_INCONCLUSIVE`."""
    fingerprint: int = 0
    """With `PROBE_SOFT`: of the page that says that there is none."""
    beside: list[int] = []
    """Pages of the sample that look like it all the same: they stay what they are."""
    is_everything: bool = False
    """With `PROBE_INCONCLUSIVE`: the site made a page of it, as it may of every URL."""


class Mined(Event, frozen=True, array_like=True, tag=23):
    """URLs that nobody linked to, guessed from known ones of the same site."""

    moment: float
    site: int
    keys: list[str]
    distances: list[int]
    rules: list[int]
    """Numbers of `MiningRule`."""
    sources: list[int]
    """The page that each was guessed from."""


class GuessJudged(Event, frozen=True, array_like=True, tag=24):
    """What a guess was worth; its own `Fetched` precedes this."""

    page: int
    worth: Worth
    left: int
    """How many more guesses its rule may make on this host in vain."""


class MinedOut(Event, frozen=True, array_like=True, tag=25):
    """Nothing more is to be guessed of a site, until something new is found on it."""

    moment: float
    site: int


class CycleWanted(Event, frozen=True, array_like=True, tag=26):
    """In partition 0: all partitions have been asked for their bids for a cycle."""

    moment: float
    cycle: int


class BidTaken(Event, frozen=True, array_like=True, tag=27):
    """In partition 0: what one of them has bid for the cycle that is wanted."""

    partition: int
    bins: dict[int, int]


class CycleBegun(Event, frozen=True, array_like=True, tag=28):
    """A cycle has begun in this partition: these URLs are to be fetched, new ones or again."""

    moment: float
    cycle: int
    """0 when the job goes in cycles no longer."""
    pages: list[int]
    worths: list[float]
    """What a visit to each is worth."""
    room: int
    """How many of the URLs that will be found are fetched in this cycle."""


class Visited(Event, frozen=True, array_like=True, tag=29):
    """What a visit says about how often a page changes; its own `Fetched` precedes this."""

    moment: float
    """Of the visit; with `ANNOUNCED` when the page has changed."""
    page: int
    seen: Sight
    digest: int = 0
    fingerprint: int = 0
    """Of the version that further ones are compared with."""
    changes: float = 0.0
    seconds: float = 0.0
    """The evidence of all visits to the page so far (`lycosa.frontier.freshness.changes`)."""
    host_changes: float = 0.0
    host_seconds: float = 0.0
    """The same of all pages of its host."""


class Weighed(Event, frozen=True, array_like=True, tag=30):
    """A page brought nothing new, or something new after others had not.

    Not recorded while pages bring something new and none of their host has failed to.
    """

    page: int
    shape: int
    """What URLs like this one have in common (`lycosa.frontier.shapes`), as a hash."""
    left: int
    """What is left for pages of this shape that bring nothing new; -1 for as much as at first."""
    host_left: int
    """The same for the host as a whole."""
    content: int = 0
    """What it repeats, as a hash or a fingerprint; 0 when it brought something new."""
    shuts: Outcome | None = None
    """The outcome in which further URLs of this shape end, when none is left."""


class MirrorFound(Event, frozen=True, array_like=True, tag=31):
    """A host shows what another one shows: the links of its pages are not followed any more."""

    moment: float
    host: int
    original: str
    """The name of the other host, reversed as in keys."""


class RecordsLost(Event, frozen=True, array_like=True, tag=32):
    """Records that the log names are damaged or gone, and count no longer.

    A page whose last answer is among them is asked for again. What was kept is given back to the
    limits of pages and bytes.
    """

    moment: float
    pages: list[int]
    """One entry a record, as in the three lists that follow."""
    outcomes: list[Outcome]
    sizes: list[int]
    places: list[Place]
    sites: list[int] = []
    """Whose robots rules are to be learned anew."""
    robots: list[Place] = []
    """Where the records of robots files were."""


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
)
