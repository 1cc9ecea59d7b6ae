"""A trial: its folder, servers, store, job and members.

    with Trial(folder, "nats") as trial:
        trial.begin(job)
        trial.join()
        ...

The folder holds the store (`store`), a crawl directory for each member (`member-1`, …), the
output of each, and a copy of the whole crawl (`crawl`), which needs no server. The servers'
data lie in a temporary folder: they are removed with the servers.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from lycosa.cli.input.jobs import build_job
from lycosa.cli.trial.members import Members, TrialMember
from lycosa.cli.trial.nats import NatsServers
from lycosa.cli.trial.postgres import PostgresServer
from lycosa.errors import LycosaError
from lycosa.model.job import Job
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.directory import CrawlDirectory, named_anew
from lycosa.runtime.shared_log import joining

KINDS = ("nats", "postgresql")
_BEGIN_SECONDS = 30.0


class Trial:
    """Servers and members on this machine; both are gone when the block ends."""

    def __init__(self, folder: Path, kind: str) -> None:
        """`folder` is an empty folder, or one that is not there yet."""
        self.folder = folder
        self._temporary = Path(tempfile.mkdtemp(prefix="lycosa-trial-"))
        self.servers: NatsServers | PostgresServer
        try:
            make = NatsServers if kind == "nats" else PostgresServer
            self.servers = make(self._temporary)
        except BaseException:
            self._clear()
            raise
        self.members = Members(folder)
        self.store = (folder / "store").as_uri()
        """The place to which members copy what they keep."""
        self.job = Job()
        self.digest = ""
        """The digest of the job's settings, which further members accept when they join."""
        self._board: Board | None = None

    def __enter__(self) -> Self:
        try:
            (self.folder / "store").mkdir(parents=True, exist_ok=True)
            self.servers.start()
        except BaseException:
            self._clear()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.members.kill()
        if self._board is not None:
            self._board.close()
        self._clear()

    def _clear(self) -> None:
        if hasattr(self, "servers"):
            self.servers.stop()
        shutil.rmtree(self._temporary, ignore_errors=True)

    @property
    def url(self) -> str:
        """The address of the log."""
        return self.servers.url

    @property
    def board(self) -> Board:
        """The board on which the members agree."""
        if self._board is None:
            self._board = open_board(self.url, self.job.log.name)
        return self._board

    def begin(self, job: Job) -> TrialMember:
        """Begin the crawl of a job in the servers, with one member."""
        member = self.members.new()
        self.job = named_anew(build_job(job, {"log_server": self.url, "store": self.store}))
        directory = CrawlDirectory.create(member.path, self.job)
        self.digest = directory.shared_digest()
        directory.log(self.job, _BEGIN_SECONDS).close()
        member.start(["resume", str(member.path)])
        self._wait_until_begun(member)
        return member

    def _wait_until_begun(self, member: TrialMember) -> None:
        """Wait until others can join: the first member notes the job in the log."""
        deadline = time.monotonic() + _BEGIN_SECONDS
        while not any(crawl.name == self.job.log.name for crawl in joining.crawls_in(self.url)):
            if not member.is_running or time.monotonic() > deadline:
                raise LycosaError(f"the first member did not begin:\n{member.last_words()}")
            time.sleep(0.2)

    def join(self) -> TrialMember:
        """Start one more member."""
        member = self.members.new()
        member.start(["join", self.url, self.job.log.name, "-o", str(member.path)])
        return member

    def bring_back(self) -> list[TrialMember]:
        """Start killed members again; they send their unsent pages to the store, and end."""
        killed = [member for member in self.members.all if member.was_killed]
        for member in killed:
            member.start(["resume", str(member.path)])
        return killed

    def fetch(self) -> Path:
        """Copy the crawl from the store into an ordinary crawl directory; return its path."""
        from lycosa.operate.fetching import fetch_crawl

        path = self.folder / "crawl"
        fetch_crawl(self.store, self.job.log.name, path)
        return path

    def why_ended(self) -> str:
        """Return why the crawl has ended, as its log notes it; "" if it has not."""
        crawls = joining.crawls_in(self.url)
        return next((one.ended for one in crawls if one.name == self.job.log.name), "")
