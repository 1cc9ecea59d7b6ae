"""The owner of partition 0 finds the end, whatever old heads and old reports it is shown."""

from __future__ import annotations

import pytest

from lycosa.crawl.ending import Finding
from lycosa.model.records import Counted, Discovered, Taken
from lycosa.runtime.cluster.idle import IdleDesk, IdleReport
from lycosa.runtime.coordination.keys import idle_key
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.members.chair import Minutes, look_for_end
from lycosa.runtime.members.notes import end_name
from lycosa.runtime.membership.calls import Put
from lycosa.simulation.cluster.loose_log import NO_FAULTS, LooseLog, LooseServer
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Take, Write

PARTITIONS = 3
LINK = encode([Discovered(1.0, "", ["test.a:/"], [0])])


class Crawl:
    """Three partitions of two lives, all idle at the ends of their logs."""

    def __init__(self) -> None:
        self.server = LooseServer(PARTITIONS)
        self.board = MemoryBoard()
        self.server.post(2, LINK)
        for number, owner in enumerate(("life-1", "life-1", "life-2")):
            self.server.take(owner, [Take(number, 0, encode([Taken(1.0, owner)]))])
        self.server.commit([Write(2, 1, encode([Counted({"n": 1})]), [], 1)])
        self.own = [self.report(0), self.report(1)]
        self.tell(2, [self.report(2)])

    def report(self, number: int, *, goes_on: bool = False, is_stuck: bool = False) -> IdleReport:
        head = self.server.head(number)
        return IdleReport(number, head.log, head.inbox, goes_on, is_stuck, has_answers=True)

    def tell(self, life: int, reports: list[IdleReport]) -> None:
        desk = IdleDesk(life)
        desk.tell(reports)
        call = desk.call(0.0)
        assert isinstance(call, Put)
        entry = self.board.get(idle_key(life))
        assert entry is not None
        assert self.board.put(call.key, call.value, entry.revision).is_written

    def look(self, log: LooseLog | LooseServer | None = None) -> Finding | None:
        return look_for_end(log or self.server, self.board, Minutes(1, "1.0-1.0", self.own))

    @property
    def has_ended(self) -> bool:
        return self.server.noted(end_name(1)) is not None


def test_idle_partitions_end_the_run() -> None:
    crawl = Crawl()
    assert crawl.look() == Finding(has_answers=True)
    assert crawl.server.noted(end_name(1)) == b"exhausted"


def test_a_link_on_its_way_keeps_it_going() -> None:
    crawl = Crawl()
    crawl.server.post(2, LINK)
    crawl.look()
    assert not crawl.has_ended


@pytest.mark.parametrize("seed", range(40))
def test_heads_that_are_old_end_nothing(seed: int) -> None:
    """The chair is shown the heads from before the link was posted: the log knows better."""
    crawl = Crawl()
    crawl.server.post(2, LINK)
    for _ in range(20):
        crawl.look(LooseLog(crawl.server, seed, NO_FAULTS._replace(stale_reads=0.5)))
    assert not crawl.has_ended


def test_old_heads_would_end_it_without_the_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the test above can fail."""
    monkeypatch.setattr(
        LooseLog, "note_at", lambda self, name, value, heads: self.note(name, value)
    )
    crawl = Crawl()
    crawl.server.post(2, LINK)
    for seed in range(40):
        crawl.look(LooseLog(crawl.server, seed, NO_FAULTS._replace(stale_reads=0.5)))
    assert crawl.has_ended


def test_a_report_that_the_log_has_left_behind_counts_for_nothing() -> None:
    crawl = Crawl()
    crawl.server.commit([Write(2, 2, encode([Counted({"n": 2})]), [], 1)])
    crawl.look()
    assert not crawl.has_ended
    crawl.tell(3, [crawl.report(2)])  # beside the old one
    crawl.look()
    assert crawl.has_ended


def test_a_life_that_says_nothing_keeps_it_going() -> None:
    crawl = Crawl()
    crawl.own = crawl.own[:1]
    assert crawl.look() == Finding()
    assert not crawl.has_ended


def test_what_is_out_of_reach_keeps_it_waiting() -> None:
    crawl = Crawl()
    crawl.own[1] = crawl.report(1, is_stuck=True)
    assert crawl.look() == Finding(is_stuck=True, has_answers=True)
    assert not crawl.has_ended


def test_another_cycle_follows() -> None:
    crawl = Crawl()
    crawl.own[0] = crawl.report(0, goes_on=True)
    for _ in range(2):  # the second time the note is there
        assert crawl.look() == Finding(has_answers=True, is_between=True)
    assert not crawl.has_ended
