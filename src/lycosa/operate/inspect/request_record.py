"""Read the record of every request of a crawl, for the audit.

The record is in the store and in the log: every exchange with its beginning and end, host and
address; every robots file with its rules; every 429 and 503 with its Retry-After. All moments are
converted to those of the crawl's clock, which never goes back.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from lycosa.errors import FormatError, LogError, LycosaError
from lycosa.fetch.retry_after import retry_after_seconds
from lycosa.fetch.robots.rules import Rules
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import (
    ErrandDone,
    Fetched,
    OrderApplied,
    Outcome,
    PartsInRow,
    RecordsLost,
    Reopened,
    RobotsLearned,
    RobotsState,
    Taken,
)
from lycosa.model.url import host_of, url_of
from lycosa.operate.inspect.other_records import OtherRecords
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.archive.reader import demands, each_segment
from lycosa.storage.log.format import decode_events
from lycosa.storage.log.protocol import Log
from lycosa.storage.tables.rows import microseconds

_RENDERED = Outcome.RENDERED.name.lower()


class Exchange(NamedTuple):
    """A request with its beginning and end."""

    began: float
    ended: float
    url: str
    host: str
    address: str
    status: int
    is_robots: bool
    is_page: bool
    directory: int = 0
    """Number of the directory, and so of the machine, that recorded it."""

    def after(self, ahead: Ahead) -> Exchange:
        """Return the exchange at its moments by the crawl's clock, which never goes back."""
        seconds = ahead.get(microseconds(self.ended), 0.0)
        if not seconds:
            return self
        return self._replace(began=self.began + seconds, ended=self.ended + seconds)


Ahead = dict[int, float]
"""Exchanges made while the machine's clock was behind the log (`runtime.steady_clock`): from their
end by the machine's clock, in microseconds, to the seconds that the crawl's clock was ahead of
it."""


class Lesson(NamedTuple):
    """Result of one fetch of a robots file."""

    moment: float
    state: RobotsState
    rules: Rules
    crawl_delay_seconds: float


class Row(NamedTuple):
    """The parts of a page that a host might be asked for in a row, from a moment on."""

    moment: float
    urls: frozenset[str] = frozenset()
    """Empty when a row was over."""
    most: int = 1


class Gaps:
    """Damaged parts of the record; requests that depend on them are not judged."""

    def __init__(self) -> None:
        self.told: dict[str, None] = {}
        self.sites: set[str] = set()
        """Sites of which some robots files are unknown."""
        self.lost_until: dict[str, float] = {}
        """Hosts with lost records, and the moment at which the last of those was given up; "" means
        all hosts."""

    def damaged(self, error: LycosaError) -> None:
        """Note a file that cannot be read."""
        self.told[str(error).splitlines()[0]] = None

    def lost(self, event: RecordsLost, state: PartitionState) -> None:
        """Note the hosts whose answers were given up with their records."""
        sites = {state.pages.site[page] for page in event.pages} | {*event.sites}
        hosts = {state.sites.host[site] for site in sites}
        names = [host_of(state.host_names[host] + ":/") for host in hosts]
        if len(event.robots) > len(event.sites):  # a robots file elsewhere: the host is not named
            names.append("")
        for name in names:
            self.lost_until[name] = max(self.lost_until.get(name, 0.0), event.moment)

    def may_lack_answers(self, host: str, since: float) -> bool:
        """Return whether answers of a host after that moment may have been given up."""
        return since < max(self.lost_until.get(host, 0.0), self.lost_until.get("", 0.0))

    def most_pages(self, job: Job, pages: int) -> int:
        """Return the most pages that a host may have; with gaps, more than are known."""
        return job.politeness.large_site_pages + 1 if self.told else pages


def read_exchanges(
    directory: CrawlDirectory, gaps: Gaps, others: OtherRecords | None = None
) -> Iterator[Exchange]:
    """Yield every exchange in the tables, pages and robots files."""
    columns = ["began", "ended", "url", "host", "address", "status", "outcome"]
    for kind in ("pages", "hosts"):
        batches = each_segment(directory.path, kind, columns, gaps.damaged)
        if others is not None:
            batches = chain(batches, others.rows(kind, columns, gaps.damaged))
        for segment, batch in batches:
            rows = batch.to_pydict()
            for began, ended, url, host, address, status, outcome in zip(
                *(rows[name] for name in columns), strict=True
            ):
                if outcome.lower() == _RENDERED:
                    continue  # not a request: a browser made this row from stored answers
                yield Exchange(
                    began.timestamp(),
                    ended.timestamp(),
                    url,
                    host,
                    address,
                    status,
                    kind == "hosts",
                    kind == "pages" and outcome.lower() == "kept",
                    segment.segment // MOST_IN_DIRECTORY,
                )


def read_lessons(
    directory: CrawlDirectory,
    job: Job,
    gaps: Gaps,
    applied: dict[int, list[float]] | None = None,
    rows: dict[str, list[Row]] | None = None,
) -> tuple[dict[str, list[Lesson]], dict[str, list[float]], Ahead]:
    """Return robots lessons by site, the moments when hosts were reopened, and `Ahead`.

    `applied` is filled with the moments at which each order was applied to the partitions, `rows`
    with what each host might be asked for in a row.
    """
    learned: dict[str, list[Lesson]] = {}
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
                    # How far a clock is ahead is known until the partition is taken again.
                    if isinstance(event, Taken):
                        seconds = event.clock_ahead
                    elif seconds and isinstance(event, Fetched | RobotsLearned | ErrandDone):
                        ahead[microseconds(event.moment - seconds)] = seconds
                    if isinstance(event, RobotsLearned):
                        lesson = Lesson(
                            event.moment,
                            event.state,
                            Rules.from_bytes(event.rules),
                            event.crawl_delay_seconds,
                        )
                        learned.setdefault(names[number][event.site], []).append(lesson)
                    elif isinstance(event, OrderApplied) and applied is not None:
                        applied.setdefault(event.number, []).append(event.moment)
                    elif isinstance(event, PartsInRow) and rows is not None:
                        name = host_of(states[number].host_names[event.host] + ":/")
                        key = states[number].table.key
                        urls = frozenset(url_of(key(page)) for page in event.parts)
                        rows.setdefault(name, []).append(Row(event.moment, urls, event.most))
                    elif isinstance(event, RecordsLost):
                        gaps.lost(event, states[number])
                    elif isinstance(event, Reopened):
                        for host in event.hosts:
                            name = host_of(states[number].host_names[host] + ":/")
                            reopened.setdefault(name, []).append(event.moment)
    finally:
        log.close()
    return learned, reopened, ahead


def links_owed(directory: CrawlDirectory, job: Job) -> tuple[int, int]:
    """Return how many pages lack their links for now, and for how many the links were given up."""
    owed = given_up = 0
    if job.log.server:
        for state in directory.each_state(job):
            owed, given_up = owed + len(state.links_owed), given_up + state.links_given_up
    return owed, given_up


def _history(log: Log, number: int, sites: list[str], gaps: Gaps) -> Iterator[bytes]:
    """Yield the batches of a partition; note a gap for its sites if some are missing."""
    last = 0
    try:
        for sequence, batch in log.read(number, 0):
            if sequence != last + 1:
                raise LogError(
                    f"partition {number}: the log lacks the batches after sequence {last}"
                )
            last = sequence
            yield batch
        if last < log.head(number).log:
            raise LogError(f"partition {number}: the log lacks the batches after {last}")
    except (LogError, FormatError) as error:
        gaps.damaged(error)
        gaps.sites.update(sites)


def read_retry_after(
    directory: CrawlDirectory, ahead: Ahead, gaps: Gaps, others: OtherRecords | None = None
) -> dict[tuple[str, float], float]:
    """Return the moment that each archived 429 or 503 names with its Retry-After."""
    wanted: dict[tuple[str, float], float] = {}
    found = demands(directory.path, gaps.damaged)
    if others is not None:
        found = chain(found, others.demands(gaps.damaged))
    for url, ended, value in found:
        seconds = retry_after_seconds(value, ended)
        if seconds is not None:
            moment = ended + ahead.get(microseconds(ended), 0.0)
            wanted[url, moment] = moment + seconds
    return wanted
