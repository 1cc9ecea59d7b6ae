"""A crawl that is named by the address of its log, for commands that only need the log.

    nats://a,b,c            the only running crawl there, or the only crawl
    nats://a,b,c#3f2a       the crawl whose name begins with 3f2a

The job comes from the log's notes. Snapshots lie in the directories of the crawling machines, so
every partition is folded from its first event, which is exact but slower than in a crawl directory.

Stored bytes are in those directories too. A command that needs them names the place
(`bytes_elsewhere`).
"""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import NamedTuple

from lycosa.errors import ConfigError
from lycosa.model.job import Job, anchored
from lycosa.model.job.log_servers import server_problem
from lycosa.runtime.coordination.keys import MEMBERS
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.membership.record import unpack
from lycosa.runtime.shared_log.joining import FoundCrawl, choose, crawls_in
from lycosa.runtime.trust.judging import judge_shared
from lycosa.runtime.trust.settings import without

_MOST_NAMED = 5


class ServerPlace(NamedTuple):
    """A log on a server, as a user names it."""

    address: str
    name: str = ""
    """The beginning of the crawl's name; "" is the only one."""

    def __str__(self) -> str:
        """Return the place as it is typed."""
        return f"{self.address}#{self.name}" if self.name else self.address


def parse_place(text: str) -> ServerPlace:
    """Read an address with or without a crawl's name; raises `ConfigError` if it is not one."""
    address, _, name = text.partition("#")
    if problem := server_problem(address):
        raise ConfigError(problem)
    return ServerPlace(address, name)


def find_crawl(place: ServerPlace) -> FoundCrawl:
    """Return the named crawl; raises an error that lists all if the name is not unique."""
    return choose(place.address, place.name, crawls_in(place.address))


class DistantCrawl(CrawlDirectory):
    """A crawl whose log is elsewhere, in an empty folder that is gone when it is closed."""

    def __init__(self, place: ServerPlace) -> None:
        self.found = find_crawl(place)
        self._folder = tempfile.TemporaryDirectory(prefix="lycosa-")
        super().__init__(Path(self._folder.name))
        self.shown = str(place)
        log = dataclasses.replace(self.found.job.log, server=place.address, name=self.found.name)
        # The address was typed. The log's other settings were not, and a log is not an operator.
        self.withheld = judge_shared(self.found.job).withheld
        job = without(dataclasses.replace(self.found.job, log=log), self.withheld)
        self._job = anchored(job, self.path)

    @property
    def has_begun(self) -> bool:
        """Whether the crawl has a log: always true, as it was found by its log."""
        return True

    @property
    def is_distant(self) -> bool:
        """Whether pages and snapshots are on other machines."""
        return True

    def job(self) -> Job:
        """Return the job in the log."""
        return self._job

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()


def bytes_elsewhere(directory: CrawlDirectory, what: str) -> ConfigError:
    """Return the error for a command that needs the stored bytes of a distant crawl."""
    named = [f"\n  {one}" for one in _directories(directory.job())]
    shown, more = named[:_MOST_NAMED], len(named) - _MOST_NAMED
    rest = f"\n  and {more:,} more" if more > 0 else ""
    where = "".join(shown) + rest if named else " on the machines that have crawled"
    place = directory.found.job.store.place if isinstance(directory, DistantCrawl) else ""
    fetch = f", or copy all of them: lycosa fetch {place} DIR" if place else ""
    return ConfigError(
        f"{directory.shown}: the log does not hold {what}; the crawl directories do:{where}\n"
        f"  name such a directory there instead of the address{fetch}"
    )


def _directories(job: Job) -> list[str]:
    """Return machines and directories of the members whose records are still on the board."""
    board = open_board(job.log.server, job.log.name)
    try:
        members = [unpack(entry.value) for entry in (board.list(MEMBERS) or {}).values()]
    finally:
        board.close()
    return sorted({f"{one.machine}:{one.directory}" for one in members if one.directory})
