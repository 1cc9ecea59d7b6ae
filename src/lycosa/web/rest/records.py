"""The answers of the web server: a record for each kind.

The OpenAPI document is made from these records (`lycosa.web.rest.openapi`), so a field that is
added here is in the answer and in the document. Moments are seconds since 1970, as numbers. Ids of
fetches are decimal strings, because browsers round large numbers.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str = ""
    """The fault, and its remedy."""


class Wait(msgspec.Struct, frozen=True):
    """A host or an origin that the crawl waits for."""

    who: str
    why: str
    until: float = 0.0
    """The moment when it is due; 0 if that depends on an answer."""
    urls: int = 0


class GivenUp(msgspec.Struct, frozen=True):
    """An origin that could not be reached and was given up."""

    origin: str
    urls: int
    why: str


class LeftOutRow(msgspec.Struct, frozen=True):
    """URLs or pages that one limit of the job has left out."""

    limit: str
    """The key of the limit; `depth` if both limits of depth are the same."""
    number: int
    text: str
    """Number and name, as in `20 URLs farther than 2 links from a seed`."""
    command: str
    """The command that takes them in, or names them."""


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl at one moment."""

    moment: float
    """The moment of reading; a running crawl writes once a second."""
    state: str
    """`running`, `paused`, `stopping`, `ended`, or `resting`: no process crawls it."""
    reason: str = ""
    """The reason why the last run ended, if known."""
    is_live: bool = False
    """Whether a running crawl wrote it; otherwise it was read from the log."""
    pid: int = 0
    seconds: float = 0.0
    """Seconds since the start of this run."""
    pages: int = 0
    bytes: int = 0
    requests: int = 0
    pages_per_second: float = 0.0
    urls: int | None = None
    """Number of known URLs; None if only the queue was counted."""
    pending: int = 0
    put_off: int = 0
    in_flight: int = 0
    workers: int = 0
    hosts: dict[str, int] = {}
    """Number of hosts in each phase."""
    outcomes: dict[str, int] = {}
    refusals: dict[str, int] = {}
    left_out: dict[str, int] = {}
    """Counts of what the limits left out, by limit: URLs, or pages that were cut off."""
    left_out_rows: list[LeftOutRow] = []
    """The same in words, each with its command."""
    reading_again: list[int] = []
    """Pages looked at again for a raised limit of depth, and their number; empty without one."""
    seconds_left: float = 0.0
    """A lower bound: the sum of the pauses of the pending URLs, or of those up to a limit."""
    limited_by: str = ""
    """The limit that ends the crawl before its queue is empty: `pages`, `bytes` or `seconds`."""
    waits: list[Wait] = []
    waits_count: int = 0
    given_up: list[GivenUp] = []
    given_up_origins: int = 0
    topics: dict[str, list[int]] = {}
    limits: dict[str, Any] = {}
    """The values in force of the keys that can be changed during a run; null means unlimited."""
    orders_given: int = 0
    """The number of the last order that was given."""
    orders_applied: int = 0
    """The number of the last order that all workers have applied."""
    free_disk_bytes: int | None = None


class CrawlRow(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl in the list."""

    name: str
    directory: str
    state: str
    """The state as in a frame; `unknown` if it cannot be read cheaply."""
    reason: str = ""
    pages: int | None = None
    bytes: int | None = None
    pending: int | None = None
    changed: float | None = None
    """The moment of the last write to its log."""
    seeds: list[str] = []
    """The first five seeds."""
    seeds_count: int = 0
    log: str = ""
    """The server that keeps the log; empty for a file."""
    has_text_index: bool = False
    has_triples: bool = False
    has_report: bool = False
    problem: str = ""
    """The reason why the folder cannot be read, if there is one."""


class CrawlList(msgspec.Struct, frozen=True):
    """The crawls that are served."""

    crawls: list[CrawlRow]
    can_create: bool
    """Whether new crawls can be made: only if a folder of crawls is served."""


class HostRow(msgspec.Struct, frozen=True, kw_only=True):
    """A host."""

    host: str
    kept: int
    """Pages that were kept."""
    pending: int
    """URLs in the queue."""
    state: str
    """`open`, or the outcome in which its URLs end: `blocked`, `unreachable` and so on."""
    due: float = 0.0
    """The earliest moment of its next request; 0 for now."""
    why: str = ""
    """The reason why it waits."""
    address: str = ""
    strikes: int = 0
    crawl_delay: float = 0.0
    robots: str = ""


class HostList(msgspec.Struct, frozen=True, kw_only=True):
    """A page of hosts."""

    hosts: list[HostRow]
    total: int
    """Number of hosts that pass the filter."""
    next: str = ""
    """The cursor of the next page; empty on the last."""
    as_of: float = 0.0


class Step(msgspec.Struct, frozen=True):
    """An event in the history of a URL."""

    moment: float
    what: str


class CaptureRow(msgspec.Struct, frozen=True, kw_only=True):
    """A fetch of a URL."""

    fetch_id: str
    moment: float
    outcome: str
    status: int
    content_type: str
    size_bytes: int
    digest: str = ""
    title: str = ""
    language: str = ""
    redirect_url: str = ""
    is_stored: bool = False
    """Whether the archive has its answer."""


class LinkRow(msgspec.Struct, frozen=True, kw_only=True):
    """A link to or from a URL."""

    url: str
    kind: str
    reason: str
    """`followed`, or the reason why the crawl does not follow it."""
    text: str = ""
    times: int = 1


class UrlFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a crawl knows about one URL."""

    url: str
    standing: str
    is_known: bool
    depth: int = 0
    outcome: str = ""
    due: float = 0.0
    host: str = ""
    address: str = ""
    via: str = ""
    rule: str = ""
    topic: str = ""
    history: list[Step] = []
    captures: list[CaptureRow] = []
    links_out: list[LinkRow] = []
    links_in: list[LinkRow] = []
    has_more_out: bool = False
    has_more_in: bool = False
    text: str = ""
    """The beginning of its visible text."""
    has_screenshot: bool = False
    """Whether the archive has a picture of the page (`captures/screenshot`)."""
    is_blocked: bool = False


class CaptureList(msgspec.Struct, frozen=True):
    """The fetches of a URL."""

    url: str
    captures: list[CaptureRow]


class TableRows(msgspec.Struct, frozen=True, kw_only=True):
    """Some rows of a table."""

    columns: list[str]
    rows: list[list[Any]]
    next: str = ""
    """The cursor of the rows that follow; empty when there are none yet."""


class ListedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A URL: its newest fetch, or what the log says of it where there is none."""

    url: str
    title: str
    outcome: str
    """The outcome; `pending` for a URL that waits for its first fetch, `put_off` for one that waits
    for a cycle or a topic."""
    status: int
    type: str
    size: int
    depth: int
    fetched: float
    """The moment of the fetch; 0 if there was none."""
    host: str
    language: str
    topic: str


class ListedRows(msgspec.Struct, frozen=True, kw_only=True):
    """Some rows of the list of URLs."""

    rows: list[ListedRow]
    next: str = ""
    """The cursor of the rows that follow; empty behind the last."""
    queue_as_of: float = 0.0
    """The moment at which the log was read; 0 if it is in a server that was not asked."""


class ListedCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of rows of the list of URLs."""

    total: int
    by: dict[str, dict[str, int]]
    """Numbers by `outcome`, `type` and `topic`, each without its own filter, and by `host` for the
    hosts with the most rows."""


class MakingState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether something that is made from a crawl is there."""

    state: str
    """`none`, `making`, `ready` or `failed`."""
    made: float | None = None
    progress: str = ""
    """While it is made: how far that is."""
    problem: str = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to an SQL query."""

    columns: list[str]
    rows: list[list[Any]]
    is_cut: bool = False
    """Whether there are more rows than were asked for."""


class AuditFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The audit of a crawl."""

    requests: int
    is_clean: bool
    rules: list[str]
    breaches: list[str]
    not_judged: list[str]
    closest: str = ""
    """The pause with the least to spare."""


class FindingFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A fault of a site."""

    url: str
    """The page on which it can be repaired."""
    target_url: str | None
    """The other URL, if there are two."""
    status: int | None
    text: str | None
    """The text of the link, or the title or description in question."""
    detail: str
    hops: list[str]
    """The URLs that a redirect goes through."""


class CheckFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A check that found something."""

    name: str
    severity: str
    title: str
    meaning: str
    mend: str
    count: int
    findings: list[FindingFacts]
    """Examples of the findings."""


class SiteChecks(msgspec.Struct, frozen=True, kw_only=True):
    """The faults of the site that was crawled."""

    pages: int
    findings: int
    checks: list[CheckFacts]
    """The checks with findings, the most severe first."""


class Fitting(msgspec.Struct, frozen=True, kw_only=True):
    """The number of URLs in the queue that a rule would reject."""

    rule: dict[str, Any]
    pending: int
    """Number of URLs in the queue."""
    fits: int
    """Number of them that the rule rejects."""
    examples: list[str] = []


class OrderGiven(msgspec.Struct, frozen=True):
    """An order that is in the log."""

    number: int
    is_new: bool
    """Whether it was written now; False for the second time with one `Idempotency-Key`."""


class OrderRow(msgspec.Struct, frozen=True, kw_only=True):
    """An order."""

    number: int
    order: dict[str, Any]
    moment: float
    client_id: str = ""
    who: str = ""


class OrderList(msgspec.Struct, frozen=True):
    """All orders of a crawl, the newest last."""

    orders: list[OrderRow]
    applied: int
    """The number of the last order that is known to be applied."""


class RuleRow(msgspec.Struct, frozen=True, kw_only=True):
    """A rule of the scope."""

    number: int
    """Of an added rule: the number of its order, by which it is removed; 0 for the job's own."""
    rule: dict[str, Any]


class RuleList(msgspec.Struct, frozen=True):
    """The rules of the scope, added ones first."""

    rules: list[RuleRow]


class LimitValues(msgspec.Struct, frozen=True):
    """The values that can be changed while a crawl runs."""

    values: dict[str, Any]
    """The values in force, by key."""
    job: dict[str, Any]
    """The values of the job file."""


class MemberRow(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a cluster."""

    number: int
    machine: str
    standing: str
    silent_seconds: float
    partitions: int
    pages: int = 0
    pending: int = 0


class Members(msgspec.Struct, frozen=True, kw_only=True):
    """The members of a crawl that several machines share."""

    is_cluster: bool
    place: str = ""
    run: int = 0
    ended: str = ""
    is_paused: bool = False
    is_answering: bool = True
    partitions: int = 0
    owned: int = 0
    orphaned: int = 0
    members: list[MemberRow] = []
    reasons: list[str] = []
    """The reason why the crawl stands still, if it does."""


class ReportState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether there is a report."""

    state: str
    """`none`, `making`, `ready` or `failed`."""
    made: float | None = None
    is_current: bool = False
    """Whether the log is unchanged since then."""
    problem: str = ""


class LogLines(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a crawl's log file."""

    lines: list[str]
    size_bytes: int


class Started(msgspec.Struct, frozen=True):
    """A crawl that was started."""

    name: str
    pid: int


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict of a new crawl on a URL."""

    url: str
    is_wanted: bool
    why: str


class ScopePreview(msgspec.Struct, frozen=True):
    """The verdicts of a new crawl's scope on its seeds and other URLs."""

    urls: list[Checked]
