"""The state of a crawl that several machines share, read from its board and the heads of its log.

Nothing is folded, so a look costs two calls to the server and a few values, whatever the size of
the crawl. The figures come from the members' own records, which are up to 5 s old.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import NamedTuple

from lycosa.errors import ConfigError, LogUnavailable
from lycosa.runtime.cluster import cordons
from lycosa.runtime.cluster.figures import add_up
from lycosa.runtime.cluster.settings import Settings, behind
from lycosa.runtime.coordination.keys import CORDONS, MEMBERS, number_in
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.members.notes import current_run
from lycosa.runtime.membership.record import Member, Progress, Standing, life_of, unpack
from lycosa.runtime.orders.desk import orders_among
from lycosa.runtime.orders.orders import in_force
from lycosa.runtime.shared_log.notes import BEGUN, MOVED, place_text
from lycosa.storage.log.protocol import Log

SILENT_SECONDS = 12.0
"""Age of a record that has missed a renewal: renewals come every 5 s."""
PATIENCE_SECONDS = 10.0
"""Seconds that a server has for its first answer."""


class MemberView(NamedTuple):
    """A life, as an observer sees it."""

    record: Member
    silent_seconds: float
    """Seconds since its record was renewed, by our clock and the server's."""
    partitions: int
    """Number of partitions that it owns according to the log."""

    @property
    def is_silent(self) -> bool:
        """Whether it has missed a renewal."""
        return self.silent_seconds > SILENT_SECONDS and not self.record.is_gone


class ClusterView(NamedTuple):
    """A crawl and its members at one moment."""

    place: str
    """The address or folder, as a command line names it."""
    name: str
    begun: str
    run: int
    ended: str
    """Reason why the last run has ended; "" before that."""
    moved_to: str
    partitions: int
    owned: int
    """Partitions whose owner is alive."""
    released: int
    """Partitions without an owner."""
    orphaned: int
    """Partitions whose owner is dead; other members take them."""
    cordoned: dict[int, int]
    """Partitions that no member may take, and the number of lives that died with each."""
    settings: Settings
    revision: int
    """Number of the last order."""
    behind: list[int]
    """Live members that do not follow it yet."""
    members: list[MemberView]
    """Live members, by number."""
    gone: list[MemberView]
    """Members that have left or died, if their records are still on the board."""
    total: Progress
    is_answering: bool = True
    """Whether log and board answered at this look."""

    @property
    def alive(self) -> list[MemberView]:
        """Members that are not silent."""
        return [one for one in self.members if not one.is_silent]


class ClusterReader:
    """Reads a crawl's state repeatedly, over the same connections."""

    def __init__(self, directory: CrawlDirectory) -> None:
        job = directory.job()
        if not job.log.server:
            raise ConfigError(
                f"{directory.shown}: the log is in a file, so this machine crawls alone\n"
                f"  see the crawl: lycosa status {directory.shown}   let others join:"
                f" lycosa move {directory.shown} URL"
            )
        self.place = directory.shown
        self.job = job
        self.log: Log = directory.log(job, PATIENCE_SECONDS)
        self.board: Board = open_board(job.log.server, job.log.name)
        self._last: ClusterView | None = None

    def close(self) -> None:
        """Close the connections."""
        self.board.close()
        self.log.close()

    def look(self) -> ClusterView:
        """Return the state now; the previous state, marked, while the server does not answer."""
        try:
            found = self._read()
        except LogUnavailable:
            found = None
        if found is not None:
            self._last = found
            return found
        if self._last is None:
            raise LogUnavailable(
                f"{self.place}: log or board does not answer\n  check the server, and try again"
            )
        return self._last._replace(is_answering=False)

    def _read(self) -> ClusterView | None:
        listed = self.board.list(MEMBERS)
        known = self.board.get(CORDONS)
        if listed is None or known is None:
            return None
        # The log decides about owners: records of members may be older.
        owners = Counter(life_of(head.owner) for head in self.log.heads())
        run, ended = current_run(self.log)
        notes = self.log.notes("")
        orders = in_force(orders_among(notes))
        now = time.time()
        views = [
            MemberView(unpack(e.value), max(0.0, now - e.moment), owners[number_in(key)])
            for key, e in listed.items()
        ]
        views.sort(key=lambda one: one.record.number)
        live = [one for one in views if not one.record.is_gone]
        deaths = cordons.unpack(known.value)
        members = {one.record.number: one.record for one in live}
        return ClusterView(
            place=self.place,
            name=self.job.log.name,
            begun=notes.get(BEGUN, b"").decode(),
            run=run,
            ended=ended,
            moved_to=place_text(notes[MOVED]) if MOVED in notes else "",
            partitions=self.job.frontier.partitions,
            owned=sum(one.partitions for one in live),
            released=owners[None],
            orphaned=sum(one.partitions for one in views if one.record.standing is Standing.DEAD),
            cordoned={one: len(deaths.deaths[one]) for one in sorted(deaths.cordoned)},
            settings=orders.settings,
            revision=orders.last,
            behind=behind(members, orders.last),
            members=live,
            gone=[one for one in views if one.record.is_gone],
            total=add_up(one.record.progress for one in live),
        )
