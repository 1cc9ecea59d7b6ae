"""The log of simulations does every bad thing that the contract allows, and no other."""

from __future__ import annotations

import contextlib
from collections import Counter

import pytest

from lycosa.errors import LogError, LogUnavailable
from lycosa.model.records import Counted, Taken
from lycosa.simulation.cluster.loose_log import NO_FAULTS, Faults, LooseLog, LooseServer
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Take, Write


def batch(n: int) -> bytes:
    return encode([Counted({"n": n})])


def taken(owner: str) -> bytes:
    return encode([Taken(1.0, owner)])


def opened(faults: Faults = NO_FAULTS, partitions: int = 2) -> tuple[LooseServer, LooseLog]:
    server = LooseServer(partitions)
    assert server.take("a", [Take(n, 0, taken("a")) for n in range(partitions)])
    return server, LooseLog(server, 1, faults)


def test_wait_and_try_again_is_neither_superseded_nor_damage() -> None:
    assert issubclass(LogUnavailable, LogError)
    assert LogUnavailable.exit_code == LogError.exit_code


@pytest.mark.parametrize(
    ("faults", "happened"),
    [
        (NO_FAULTS._replace(lost_answers=1.0), 2),
        (NO_FAULTS._replace(timeouts=1.0), 1),
        (NO_FAULTS._replace(undecided_refusals=1.0), 1),
        (NO_FAULTS._replace(late_writes=1.0), 1),
    ],
)
def test_each_fault_leaves_the_caller_without_an_answer(faults: Faults, happened: int) -> None:
    server, log = opened(faults)
    with pytest.raises(LogUnavailable):
        log.commit([Write(0, 1, batch(1), [(1, b"x")], 0)])
    assert server.head(0).log == happened
    assert len(server.inbox(1, 0)) == happened - 1


def test_a_late_write_happens_while_others_call() -> None:
    server, log = opened(NO_FAULTS._replace(late_writes=1.0, late_calls=3))
    with pytest.raises(LogUnavailable):
        log.commit([Write(0, 1, batch(1), [], 0)])
    other = LooseLog(server, 2, NO_FAULTS)
    heads = [other.head(0).log for _ in range(4)]
    assert heads[-1] == 2


def test_a_late_write_of_a_replaced_owner_changes_nothing() -> None:
    server, log = opened(NO_FAULTS._replace(late_writes=1.0, late_calls=3))
    with pytest.raises(LogUnavailable):
        log.commit([Write(0, 1, batch(1), [(1, b"x")], 0)])
    server.take("b", [Take(0, 1, taken("b"))])
    other = LooseLog(server, 2, NO_FAULTS)
    for _ in range(4):
        other.heads()
    assert server.head(0).log == 2
    assert server.inbox(1, 0) == []


def test_of_a_commit_some_writes_may_happen_and_others_not() -> None:
    seen = Counter[tuple[int, int]]()
    for seed in range(40):
        server, _ = opened()
        log = LooseLog(server, seed, NO_FAULTS._replace(failed_parts=0.5))
        with contextlib.suppress(LogUnavailable):
            log.commit([Write(n, 1, batch(n), [], 0) for n in range(2)])
        seen[(server.head(0).log, server.head(1).log)] += 1
    assert set(seen) == {(2, 1), (2, 2)}


def test_reads_may_be_old_and_of_different_moments() -> None:
    server, log = opened(NO_FAULTS._replace(stale_reads=0.5))
    for n in range(1, 5):
        server.commit([Write(0, n, batch(n), [(1, b"x")], 0), Write(1, n, batch(n), [], 0)])
    seen = {(heads[0].log, heads[1].log) for heads in (log.heads() for _ in range(100))}
    assert (5, 5) in seen
    assert any(a < b for a, b in seen) and any(a > b for a, b in seen)
    assert {len(list(log.read(0, 0))) for _ in range(100)} >= {3, 4, 5}
    assert {len(log.inbox(1, 0)) for _ in range(100)} >= {2, 3, 4}


def test_a_machine_that_is_cut_off_reaches_nothing_until_it_is_healed() -> None:
    _server, log = opened()
    log.is_cut_off = True
    for call in (log.heads, lambda: log.noted("x"), lambda: log.commit([Write(0, 1, b"", [], 0)])):
        with pytest.raises(LogUnavailable):
            call()
    log.is_cut_off = False
    assert log.commit([Write(0, 1, batch(1), [], 0)]) == [2]


def test_the_same_seed_has_the_same_faults() -> None:
    def run(seed: int) -> list[str]:
        server = LooseServer(1)
        log = LooseLog(server, seed)
        told: list[str] = []
        for n in range(200):
            try:
                told.append(str(log.note(f"{n}", b"")))
            except LogUnavailable as error:
                told.append(str(error))
        return told

    assert run(7) == run(7) != run(8)
    assert len(set(run(7))) > 3
