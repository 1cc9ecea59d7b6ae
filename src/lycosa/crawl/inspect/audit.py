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
from lycosa.records import ErrandDone, Fetched, Reopened, RobotsLearned, RobotsState, Taken
from lycosa.store.reader import demands, each_segment
from lycosa.store.rows import SCHEMAS, microseconds
from lycosa.url import host_of, key_of, site_of

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

    def after(self, ahead: Ahead) -> _Exchange:
        """Return the exchange at its moments by the crawl's clock, which never goes back."""
        seconds = ahead.get(microseconds(self.ended), 0.0)
        if not seconds:
            return self
        return self._replace(began=self.began + seconds, ended=self.ended + seconds)


Ahead = dict[int, float]
"""Exchanges of runs on a clock that was behind the log (`timekeeping`): when they ended by the
machine's clock, in microseconds, and by how much the crawl's was ahead of it."""


class _Lesson(NamedTuple):
    moment: float
    state: RobotsState
    rules: Rules
    crawl_delay_seconds: float


def audit(directory: CrawlDirectory) -> Audit:
    """Hold every recorded request against the rules of the job."""
    job = directory.job()
    gaps = _Gaps()
    lessons, reopened, ahead = _lessons(directory, job, gaps)
    exchanges = sorted(exchange.after(ahead) for exchange in _exchanges(directory, gaps))
    refusals = _Refusals(job, _retry_after(directory, ahead, gaps), reopened, gaps)
    breaches: list[str] = []
    breaches += _overlaps(exchanges, "host", [e.host for e in exchanges])
    breaches += _overlaps(exchanges, "address", [e.address for e in exchanges])
    breaches += _address_gaps(exchanges, job.politeness.ip_delay_seconds)
    closest = _Closest()
    breaches += _host_pauses(exchanges, job, lessons, refusals, closest, gaps)
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
        f"{politeness.backoff_first_seconds:g} s, doubled each time, after a 429 or 503 without"
        " Retry-After, and from the second in a row also where Retry-After is shorter",
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


def _lessons(
    directory: CrawlDirectory, job: Job, gaps: _Gaps
) -> tuple[dict[str, list[_Lesson]], dict[str, list[float]], Ahead]:
    """Return what was learned of robots files, when hosts were reopened, and what ran ahead.

    All moments are those of the crawl's clock.
    """
    learned: dict[str, list[_Lesson]] = {}
    reopened: dict[str, list[float]] = {}
    ahead: Ahead = {}
    log = directory.log(job)
    try:
        states = directory.states(job)
        names = {number: state.site_names for number, state in states.items()}
        for number in range(job.frontier.partitions):
            seconds = 0.0
            for batch in _history(log, number, names[number], gaps):
                for event in decode_events(batch):
                    if isinstance(event, Taken):
                        seconds = event.clock_ahead
                    elif seconds and isinstance(event, Fetched | RobotsLearned | ErrandDone):
                        ahead[microseconds(event.moment - seconds)] = seconds
                    if isinstance(event, RobotsLearned):
                        lesson = _Lesson(
                            event.moment,
                            event.state,
                            Rules.from_bytes(event.rules),
                            event.crawl_delay_seconds,
                        )
                        learned.setdefault(names[number][event.site], []).append(lesson)
                    elif isinstance(event, Reopened):
                        for host in event.hosts:
                            name = host_of(states[number].host_names[host] + ":/")
                            reopened.setdefault(name, []).append(event.moment)
    finally:
        log.close()
    return learned, reopened, ahead


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


def _retry_after(
    directory: CrawlDirectory, ahead: Ahead, gaps: _Gaps
) -> dict[tuple[str, float], float]:
    """Return until when each archived 429 or 503 wants its host left alone."""
    wanted: dict[tuple[str, float], float] = {}
    for url, ended, value in demands(directory.path, gaps.damaged):
        seconds = retry_after_seconds(value, ended)
        if seconds is not None:
            moment = ended + ahead.get(microseconds(ended), 0.0)
            wanted[url, moment] = moment + seconds
    return wanted


class _Refusals:
    """Until when hosts that have refused want to be left alone.

    A first refusal says so by Retry-After; without it, and from the second in a row, the back-off
    holds if it is longer. `lycosa retry` begins a new row. With gaps in the record nobody can tell
    what stood between two refusals: then Retry-After alone counts.
    """

    def __init__(
        self,
        job: Job,
        retry_after: dict[tuple[str, float], float],
        reopened: dict[str, list[float]],
        gaps: _Gaps,
    ) -> None:
        self._gaps = gaps
        self._politeness = job.politeness
        self._retry_after = retry_after
        self._reopened = reopened
        self._in_a_row: dict[str, int] = {}
        self._until: dict[str, float] = {}

    def until(self, exchange: _Exchange) -> float:
        """Return when the host of an exchange may be asked, by what it has said before."""
        return self._until.get(exchange.host, 0.0)

    def note(self, exchange: _Exchange, before: _Exchange | None) -> None:
        """Take note of an answer, and of the one before it from the same host."""
        host, politeness = exchange.host, self._politeness
        since = before.ended if before is not None else 0.0
        if any(since <= moment <= exchange.began for moment in self._reopened.get(host, ())):
            self._in_a_row[host] = 0
        if exchange.status not in (429, 503):
            if exchange.status:
                self._in_a_row[host] = 0
            return
        self._in_a_row[host] = refusals = self._in_a_row.get(host, 0) + 1
        until = self._retry_after.get((exchange.url, exchange.ended))
        if (until is None or refusals > 1) and not self._gaps.told:
            doubled = politeness.backoff_first_seconds * 2.0 ** min(refusals - 1, 40)
            back_off = min(doubled, politeness.backoff_most_seconds)
            until = max(until or 0.0, exchange.ended + back_off)
        self._until[host] = max(self._until.get(host, 0.0), until or 0.0)


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
    refusals: _Refusals,
    closest: _Closest,
    gaps: _Gaps,
) -> Iterator[str]:
    pages: dict[str, int] = {}
    last: dict[str, _Exchange] = {}
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
            if exchange.began < refusals.until(exchange) - TOLERANCE_SECONDS:
                yield f"{exchange.url}: before the end of Retry-After or of the back-off"
        refusals.note(exchange, before)
        last[host] = exchange
        asked[host] = min(asked.get(host, 0) + 1, job.politeness.burst_urls)
        pages[host] = pages.get(host, 0) + exchange.is_page


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
