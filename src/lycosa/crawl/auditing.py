"""Proves from the record of every request that the politeness rules held, or lists breaches.

The record is what the store and the log hold: every exchange with its beginning and end,
host and address; every robots file with what it meant; every demand of a server to be
left alone, read from its archived answer. The rules are those of the job. It is the view
from our side; the referee of the test web has the other one, and both must agree.

What a killed process had asked for and not committed is in no record: at most one request
a host and kill.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from lycosa.config import Job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.pauses import usual_pause
from lycosa.errors import FormatError, LogError, LycosaError
from lycosa.fetch.retry_after import retry_after_seconds
from lycosa.fetch.robots import Rules
from lycosa.log.format import decode_events
from lycosa.log.sqlite import SqliteLog
from lycosa.records import RobotsLearned, RobotsState
from lycosa.store.reading import demands, each_segment
from lycosa.store.rows import SCHEMAS
from lycosa.url import key_of, site_of

TOLERANCE_SECONDS = 0.001
"""Moments are recorded to the microsecond and read from a clock that ticks in milliseconds."""


class Pause(NamedTuple):
    """The time between an answer and the next request to its host, and what was due."""

    url: str
    seconds: float
    due_seconds: float

    @property
    def to_spare(self) -> float:
        """How much longer it was than it had to be."""
        return self.seconds - self.due_seconds


class Audit(NamedTuple):
    """The verdict."""

    requests: int
    breaches: list[str]
    rules: list[str]
    closest: Pause | None = None
    """The pause with the least to spare; None where no host was asked twice."""
    not_judged: tuple[str, ...] = ()
    """What is damaged or gone of the record: requests that depend on it are not judged."""

    @property
    def is_clean(self) -> bool:
        """Whether every request kept the rules."""
        return not self.breaches


class _Exchange(NamedTuple):
    began: float
    ended: float
    url: str
    host: str
    address: str
    status: int
    is_robots: bool
    is_page: bool


class _Lesson(NamedTuple):
    moment: float
    state: RobotsState
    rules: Rules
    crawl_delay_seconds: float


def audit(directory: CrawlDirectory) -> Audit:
    """Hold every recorded request against the rules of the job."""
    job = directory.job()
    gaps = _Gaps()
    exchanges = sorted(_exchanges(directory, gaps))
    lessons = _lessons(directory, job, gaps)
    retry_after = _retry_after(directory, gaps)
    breaches: list[str] = []
    breaches += _overlaps(exchanges, "host", [e.host for e in exchanges])
    breaches += _overlaps(exchanges, "address", [e.address for e in exchanges])
    breaches += _address_gaps(exchanges, job.politeness.ip_delay_seconds)
    closest = _Closest()
    breaches += _host_pauses(exchanges, job, lessons, retry_after, closest, gaps)
    breaches += _robots(exchanges, lessons, gaps)
    return Audit(len(exchanges), breaches, _rules(job), closest.pause, tuple(gaps.told))


class _Gaps:
    """What of the record cannot be read; nothing is held against a request that needs it."""

    def __init__(self) -> None:
        self.told: dict[str, None] = {}
        self.sites: set[str] = set()
        """Sites of which not every robots file is known."""

    def damaged(self, error: LycosaError) -> None:
        self.told[str(error).splitlines()[0]] = None

    def most_pages(self, job: Job, pages: int) -> int:
        """Return how many pages a host may have given: with gaps perhaps many more."""
        return job.politeness.large_site_pages + 1 if self.told else pages


class _Closest:
    """Remembers the pause with the least to spare."""

    def __init__(self) -> None:
        self.pause: Pause | None = None

    def note(self, pause: Pause) -> None:
        if self.pause is None or pause.to_spare < self.pause.to_spare:
            self.pause = pause


def _rules(job: Job) -> list[str]:
    politeness = job.politeness
    return [
        "one request at a time to a host, and to an address",
        f"{politeness.ip_delay_seconds:g} s between two requests to an address",
        f"{politeness.delay_seconds:g} s from the end of an answer to the next request to its host"
        f" ({usual_pause(job, politeness.large_site_pages + 1):g} s after"
        f" {politeness.large_site_pages} pages)",
        *_burst_rule(politeness.burst_urls),
        "Crawl-delay and Retry-After, where they are longer",
        "no page before its site's robots file, and none that it forbids",
    ]


def _burst_rule(burst_urls: int) -> list[str]:
    if burst_urls == 1:
        return []
    return [
        f"up to {burst_urls} requests to a host without a Crawl-delay may share their pauses,"
        " which then follow all at once"
    ]


def _exchanges(directory: CrawlDirectory, gaps: _Gaps) -> Iterator[_Exchange]:
    columns = ["began", "ended", "url", "host", "address", "status", "outcome"]
    for kind in ("pages", "hosts"):
        schema = pa.schema([SCHEMAS[kind].field(name) for name in columns])
        batches = each_segment(directory.path, kind, columns, gaps.damaged)
        rows = pa.Table.from_batches(batches, schema).to_pydict()
        for began, ended, url, host, address, status, outcome in zip(
            *(rows[name] for name in columns), strict=True
        ):
            yield _Exchange(
                began.timestamp(),
                ended.timestamp(),
                url,
                host,
                address,
                status,
                kind == "hosts",
                kind == "pages" and outcome.lower() == "kept",
            )


def _lessons(directory: CrawlDirectory, job: Job, gaps: _Gaps) -> dict[str, list[_Lesson]]:
    """Return what was learned of every site's robots file, in order."""
    learned: dict[str, list[_Lesson]] = {}
    log = directory.log(job)
    try:
        names = {number: state.site_names for number, state in directory.states(job).items()}
        for number in range(job.frontier.partitions):
            for batch in _history(log, number, names[number], gaps):
                for event in decode_events(batch):
                    if isinstance(event, RobotsLearned):
                        lesson = _Lesson(
                            event.moment,
                            event.state,
                            Rules.from_bytes(event.rules),
                            event.crawl_delay_seconds,
                        )
                        learned.setdefault(names[number][event.site], []).append(lesson)
    finally:
        log.close()
    return learned


def _history(log: SqliteLog, number: int, sites: list[str], gaps: _Gaps) -> Iterator[bytes]:
    """Yield the batches of a partition; if some are missing, its sites are not judged by robots."""
    last = 0
    try:
        for sequence, batch in log.read(number, 0):
            if sequence != last + 1:
                raise LogError(f"partition {number}: the log lacks what followed sequence {last}")
            last = sequence
            yield batch
        if last < log.head(number).log:
            raise LogError(f"partition {number}: the log lacks what followed sequence {last}")
    except (LogError, FormatError) as error:
        gaps.damaged(error)
        gaps.sites.update(sites)


def _retry_after(directory: CrawlDirectory, gaps: _Gaps) -> dict[tuple[str, float], float]:
    """Return until when each archived 429 or 503 wants its host left alone."""
    wanted: dict[tuple[str, float], float] = {}
    for url, ended, value in demands(directory.path, gaps.damaged):
        seconds = retry_after_seconds(value, ended)
        if seconds is not None:
            wanted[url, ended] = ended + seconds
    return wanted


def _overlaps(exchanges: list[_Exchange], what: str, names: list[str]) -> Iterator[str]:
    last: dict[str, _Exchange] = {}
    for exchange, name in zip(exchanges, names, strict=True):
        before = last.get(name)
        if before is not None and exchange.began < before.ended - TOLERANCE_SECONDS:
            yield f"{exchange.url}: began while {before.url} was under way on the {what} {name}"
        if before is None or exchange.ended > before.ended:
            last[name] = exchange


def _address_gaps(exchanges: list[_Exchange], wanted: float) -> Iterator[str]:
    ended: dict[str, float] = {}
    for exchange in exchanges:
        gap = exchange.began - ended.get(exchange.address, 0.0)
        if gap < wanted - TOLERANCE_SECONDS:
            yield f"{exchange.url}: {gap:.3f} s after the last answer from {exchange.address}"
        ended[exchange.address] = exchange.ended


def _host_pauses(
    exchanges: list[_Exchange],
    job: Job,
    lessons: dict[str, list[_Lesson]],
    retry_after: dict[tuple[str, float], float],
    closest: _Closest,
    gaps: _Gaps,
) -> Iterator[str]:
    pages: dict[str, int] = {}
    last: dict[str, _Exchange] = {}
    until: dict[str, float] = {}
    asked: dict[str, int] = {}
    """How often each host was asked since its last full pause, which is one pause a request."""
    for exchange in exchanges:
        host = exchange.host
        before = last.get(host)
        if before is not None:
            crawl_delay = _crawl_delay(exchange, before, lessons)
            delay = max(
                asked[host] * usual_pause(job, gaps.most_pages(job, pages.get(host, 0))),
                crawl_delay,
            )
            gap = exchange.began - before.ended
            is_full = gap >= delay - TOLERANCE_SECONDS
            is_breach = not is_full and bool(
                crawl_delay or asked[host] >= job.politeness.burst_urls
            )
            if is_full or is_breach:  # and not within a burst
                closest.note(Pause(exchange.url, gap, delay))
            if is_full:
                asked[host] = 0
            if is_breach:
                yield f"{exchange.url}: {gap:.3f} s after the last answer, {delay:g} s are due"
            if exchange.began < until.get(host, 0.0) - TOLERANCE_SECONDS:
                yield f"{exchange.url}: before the end of Retry-After"
        last[host] = exchange
        asked[host] = min(asked.get(host, 0) + 1, job.politeness.burst_urls)
        pages[host] = pages.get(host, 0) + exchange.is_page
        demanded = retry_after.get((exchange.url, exchange.ended), 0.0)
        until[host] = max(until.get(host, 0.0), demanded)


def _crawl_delay(
    exchange: _Exchange, before: _Exchange, lessons: dict[str, list[_Lesson]]
) -> float:
    """Return the Crawl-delay of the exchange's site that was known when the last answer ended."""
    known = [
        lesson.crawl_delay_seconds
        for lesson in lessons.get(site_of(key_of(exchange.url)), ())
        if lesson.moment <= before.ended and lesson.state is RobotsState.KNOWN
    ]
    return known[-1] if known else 0.0


def _robots(
    exchanges: list[_Exchange], lessons: dict[str, list[_Lesson]], gaps: _Gaps
) -> Iterator[str]:
    for exchange in exchanges:
        if exchange.is_robots:
            continue
        key = key_of(exchange.url)
        site = site_of(key)
        if site in gaps.sites:
            continue
        known = [lesson for lesson in lessons.get(site, ()) if lesson.moment <= exchange.began]
        if not known or known[-1].state is not RobotsState.KNOWN:
            yield f"{exchange.url}: asked for without a robots file to go by"
        elif not known[-1].rules.is_allowed(key[len(site) :]):
            yield f"{exchange.url}: forbidden by the robots file"
