"""A loose way to the board loses answers, not writes, and never makes values up."""

from __future__ import annotations

from random import Random

from lycosa.runtime.coordination.memory import Faults, LooseBoard, MemoryBoard
from lycosa.runtime.coordination.protocol import UNDECIDED, Verdict


def test_a_lost_answer_hides_a_write_that_happened() -> None:
    server = MemoryBoard()
    way = LooseBoard(server, Faults(lost_answers=1.0), Random(1))
    assert way.put("ledger", b"a", 0) == UNDECIDED
    entry = server.get("ledger")
    assert entry is not None
    assert entry.value == b"a"


def test_a_lost_request_hides_a_write_that_did_not() -> None:
    server = MemoryBoard()
    way = LooseBoard(server, Faults(lost_requests=1.0), Random(1))
    assert way.put("ledger", b"a", 0) == UNDECIDED
    assert server.list("") == {}


def test_a_machine_that_is_cut_off_neither_reads_nor_writes() -> None:
    server = MemoryBoard()
    way = LooseBoard(server, Faults(), Random(1))
    way.is_cut = True
    verdicts = {way.put("ledger", b"a", 0).verdict for _ in range(50)}
    assert verdicts == {Verdict.UNDECIDED, Verdict.UNAVAILABLE}
    assert way.get("ledger") is None
    assert way.list("member/") is None
    assert server.list("") == {}


def test_stale_reads_show_what_once_stood_there() -> None:
    server = MemoryBoard(kept_versions=4)
    way = LooseBoard(server, Faults(stale_reads=1.0, most_stale_writes=4), Random(1))
    revision = 0
    for number in range(10):
        revision = server.put("ledger", b"%d" % number, revision).revision
    seen = {way.get("ledger") for _ in range(100)}
    assert {entry.value for entry in seen if entry} == {b"5", b"6", b"7", b"8"}


def test_faults_are_determined_by_the_seed() -> None:
    def verdicts(seed: int) -> list[Verdict]:
        faults = Faults(lost_requests=0.3, lost_answers=0.3)
        way = LooseBoard(MemoryBoard(), faults, Random(seed))
        return [way.put(f"lines/{n}", b"", 0).verdict for n in range(40)]

    assert verdicts(1) == verdicts(1)
    assert verdicts(1) != verdicts(2)
