"""Check every recorded request of a crawl against the politeness rules of its job.

The audit compares the beginning of each request with the end of the answer before it, with robots
rules, and with the Retry-After and back-off that were due (`request_record` reads them). Orders
that the operator gave while the crawl ran count from the moment they were applied (`steered`). The
audit sees the crawl from the client's side; the referee of the test web sees it from the servers'
side, and both must agree.

Requests that a killed process had not committed are in no record: at most one for each host and
kill.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lycosa.crawl.pauses.due import longest_burst, longest_row, usual_pause
from lycosa.model.job import Job
from lycosa.model.records import RobotsState
from lycosa.model.url import key_of, site_of
from lycosa.operate.inspect.other_records import other_records
from lycosa.operate.inspect.request_record import (
    Exchange,
    Gaps,
    Lesson,
    Row,
    links_owed,
    read_exchanges,
    read_lessons,
    read_retry_after,
)
from lycosa.operate.inspect.steered import Steered
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.desk import known_orders

TOLERANCE_SECONDS = 0.001
"""Moments are recorded to the microsecond and read from a clock that ticks in milliseconds."""

CLOCKS_SECONDS = 2.0
"""Largest difference of two machines' clocks: each within a second of its server's."""


class Pause(NamedTuple):
    """Time between an answer and the next request to its host, and the time that was due."""

    url: str
    seconds: float
    due_seconds: float

    @property
    def to_spare(self) -> float:
        """Seconds beyond those that were due."""
        return self.seconds - self.due_seconds


class Audit(NamedTuple):
    """Result of an audit: the number of requests, and the breaches found."""

    requests: int
    breaches: list[str]
    rules: list[str]
    closest: Pause | None = None
    """The pause with the least to spare; None if no host was asked twice."""
    not_judged: tuple[str, ...] = ()
    """Damaged parts of the record; requests that depend on them were not judged."""
    links_owed: int = 0
    """Pages whose links another machine has not uploaded yet: distances may be too long."""
    links_given_up: int = 0
    """Number of such pages whose links were given up with the patience."""

    @property
    def is_clean(self) -> bool:
        """Whether every request obeyed the rules."""
        return not self.breaches


def audit(directory: CrawlDirectory) -> Audit:
    """Check every recorded request against the rules of the job."""
    job = directory.job()
    gaps = Gaps()
    applied: dict[int, list[float]] = {}
    rows: dict[str, list[Row]] = {}
    lessons, reopened, ahead = read_lessons(directory, job, gaps, applied, rows)
    steered = Steered(job, known_orders(directory) if applied else (), applied, reopened)
    with other_records(directory, job, gaps.damaged) as others:
        found = read_exchanges(directory, gaps, others)
        exchanges = sorted(exchange.after(ahead) for exchange in found)
        retry_after = read_retry_after(directory, ahead, gaps, others)
    refusals = _Refusals(job, retry_after, reopened, gaps)
    breaches: list[str] = []
    breaches += _overlaps(exchanges, "host", [e.host for e in exchanges])
    # Machines share the rate of an address, not its turns (docs/cluster.md).
    places = [f"{e.directory} {e.address}" if e.directory else e.address for e in exchanges]
    breaches += _overlaps(exchanges, "address", places)
    breaches += _address_gaps(exchanges, steered)
    closest = _Closest()
    bursts = _Bursts(job, rows)
    judging = (closest, steered, bursts)
    breaches += _host_pauses(exchanges, job, lessons, refusals, judging, gaps=gaps)
    breaches += _robots(exchanges, lessons, gaps)
    for exchange in exchanges if applied else ():
        if why := steered.breach(exchange):
            breaches.append(f"{exchange.url}: asked for although {why}")
    owed, given_up = links_owed(directory, job)
    told = tuple(gaps.told)
    return Audit(len(exchanges), breaches, _rules(job), closest.pause, told, owed, given_up)


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
        *_burst_rule(job),
        "Crawl-delay and Retry-After, where they are longer",
        f"{politeness.backoff_first_seconds:g} s, doubled each time, after a 429 or 503 without"
        " Retry-After, and from the second in a row also where Retry-After is shorter",
        "no page before its site's robots file, and none that it forbids",
    ]


def _burst_rule(job: Job) -> Iterator[str]:
    share = "to a host without a Crawl-delay may share their pauses, which then follow all at once"
    if job.politeness.burst_urls > 1:
        yield f"up to {job.politeness.burst_urls} requests {share}"
    if longest_row(job) > 1:
        yield (
            f"up to {longest_row(job)} requests for parts of one page, which the log names before,"
            f" {share}; the first may be any"
        )


class _Bursts:
    """How many requests to a host may have no pause between them."""

    def __init__(self, job: Job, rows: dict[str, list[Row]]) -> None:
        self._usual = job.politeness.burst_urls
        self.longest = max([longest_burst(job), *(one.most for of in rows.values() for one in of)])
        self._rows = rows

    def most(self, exchange: Exchange, crawl_delay: float, lessons: Sequence[Lesson]) -> int:
        """Return the most requests in a row that this one may be the last of."""
        if crawl_delay:
            return 0
        rows = self._rows.get(exchange.host, ())
        found = bisect_right(rows, exchange.began, key=lambda row: row.moment)
        if not found or any(one.rules.visit_hours for one in lessons):
            return self._usual
        row = rows[found - 1]
        is_part = exchange.is_robots or exchange.url in row.urls
        return max(self._usual, row.most) if is_part else self._usual


class _Refusals:
    """For hosts that answered 429 or 503, the moment from which they may be asked again.

    After a first refusal that is the Retry-After. Without one, and from the second refusal in a
    row, it is the back-off if that is longer. `lycosa retry` starts the count again. An answer
    whose record was lost may have done the same, so the refusal after a gap is judged as the first
    of a row. Where the record has gaps that the log does not name, only Retry-After counts.
    """

    def __init__(
        self,
        job: Job,
        retry_after: dict[tuple[str, float], float],
        reopened: dict[str, list[float]],
        gaps: Gaps,
    ) -> None:
        self._gaps = gaps
        self._politeness = job.politeness
        self._retry_after = retry_after
        self._reopened = reopened
        self._in_a_row: dict[str, int] = {}
        self._until: dict[str, float] = {}

    def until(self, exchange: Exchange) -> float:
        """Return the moment from which the exchange's host may be asked, by its answers so far."""
        return self._until.get(exchange.host, 0.0)

    def note(self, exchange: Exchange, before: Exchange | None) -> None:
        """Record an answer; `before` is the previous answer of the same host."""
        host, politeness = exchange.host, self._politeness
        since = before.ended if before is not None else 0.0
        if any(since <= moment <= exchange.began for moment in self._reopened.get(host, ())):
            self._in_a_row[host] = 0
        if self._gaps.may_lack_answers(host, since):
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


def _tolerance(exchange: Exchange, before: Exchange) -> float:
    """Return the precision with which the moments of two exchanges can be compared."""
    is_same = exchange.directory == before.directory
    return TOLERANCE_SECONDS if is_same else CLOCKS_SECONDS


def _overlaps(exchanges: list[Exchange], what: str, names: list[str]) -> Iterator[str]:
    last: dict[str, Exchange] = {}
    for exchange, name in zip(exchanges, names, strict=True):
        before = last.get(name)
        if before is not None and exchange.began < before.ended - _tolerance(exchange, before):
            yield f"{exchange.url}: began while {before.url} was in flight on the {what} {name}"
        if before is None or exchange.ended > before.ended:
            last[name] = exchange


def _address_gaps(exchanges: list[Exchange], steered: Steered) -> Iterator[str]:
    ended: dict[tuple[int, str], float] = {}
    for exchange in exchanges:
        place = exchange.directory, exchange.address
        gap, wanted = exchange.began - ended.get(place, 0.0), steered.ip_delay(exchange.began)
        if gap < wanted - TOLERANCE_SECONDS:
            yield f"{exchange.url}: {gap:.3f} s after the last answer from {exchange.address}"
        ended[place] = exchange.ended


def _host_pauses(
    exchanges: list[Exchange],
    job: Job,
    lessons: dict[str, list[Lesson]],
    refusals: _Refusals,
    judging: tuple[_Closest, Steered, _Bursts],
    *,
    gaps: Gaps,
) -> Iterator[str]:
    closest, steered, bursts = judging
    pages: dict[str, int] = {}
    last: dict[str, Exchange] = {}
    asked: dict[str, int] = {}
    """Requests to each host since its last full pause. That many pauses are due."""
    for exchange in exchanges:
        host = exchange.host
        before = last.get(host)
        if before is not None:
            learned = lessons.get(site_of(key_of(exchange.url)), ())
            crawl_delay = _crawl_delay(before, learned)
            delay = max(
                asked[host]
                * steered.pause(exchange.began, gaps.most_pages(job, pages.get(host, 0))),
                crawl_delay,
            )
            gap = exchange.began - before.ended
            is_full = gap >= delay - _tolerance(exchange, before)
            most = bursts.most(exchange, crawl_delay, learned)
            is_breach = not is_full and asked[host] >= most
            if is_full or is_breach:  # within a burst a shorter gap is allowed
                closest.note(Pause(exchange.url, gap, delay))
            if is_full:
                asked[host] = 0
            if is_breach:
                yield f"{exchange.url}: {gap:.3f} s after the last answer, {delay:g} s are due"
            if exchange.began < refusals.until(exchange) - TOLERANCE_SECONDS:
                yield f"{exchange.url}: before the end of Retry-After or of the back-off"
        refusals.note(exchange, before)
        last[host] = exchange
        asked[host] = min(asked.get(host, 0) + 1, bursts.longest)
        pages[host] = pages.get(host, 0) + exchange.is_page


def _crawl_delay(before: Exchange, lessons: Sequence[Lesson]) -> float:
    """Return the Crawl-delay of a site that was known when the last answer ended."""
    known = [
        lesson.crawl_delay_seconds
        for lesson in lessons
        if lesson.moment <= before.ended and lesson.state is RobotsState.KNOWN
    ]
    return known[-1] if known else 0.0


def _robots(
    exchanges: list[Exchange], lessons: dict[str, list[Lesson]], gaps: Gaps
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
            yield f"{exchange.url}: asked for before its robots file was known"
        elif not known[-1].rules.is_allowed(key[len(site) :]):
            yield f"{exchange.url}: forbidden by the robots file"
