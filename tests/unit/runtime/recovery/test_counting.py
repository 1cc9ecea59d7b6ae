"""Segments are sealed when the log has decided, and hold the pages that it names."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from lycosa.runtime.recovery.fencing import fence
from lycosa.simulation.cluster.loose_log import NO_FAULTS, LooseServer
from lycosa.storage.segments.sealing import unsealed
from seeds import seeds
from unit.runtime.recovery.shelves import (
    Machine,
    finish,
    named_pages,
    new_server,
    sealed_pages,
    step,
)


@pytest.fixture
def server() -> LooseServer:
    return new_server()


@pytest.fixture
def machines(tmp_path: Path, server: LooseServer) -> list[Machine]:
    return [Machine(tmp_path / str(n), server, n, NO_FAULTS) for n in (1, 2)]


def stored_twice(machine: Machine, number: int) -> None:
    """Store a page that is durable, and one that is not yet."""
    machine.take(number)
    machine.store_page(number)
    machine.commit(number)
    machine.store_page(number)


def test_a_segment_waits_until_the_lost_partition_is_taken_anew(
    machines: list[Machine], server: LooseServer
) -> None:
    first, second = machines
    stored_twice(first, 0)
    stored_twice(first, 1)
    first.lose(0)
    first.commit(1)
    first.seal()
    assert len(unsealed(first.folder)) == 1
    second.take(0)
    first.seal()
    assert unsealed(first.folder) == []
    assert sealed_pages(first.folder) == named_pages(server)
    assert len(named_pages(server)) == 3


def test_the_other_partitions_go_on_in_another_segment(machines: list[Machine]) -> None:
    first, _ = machines
    stored_twice(first, 0)
    stored_twice(first, 1)
    first.lose(0)
    first.store_page(1)
    first.commit(1)
    first.seal()
    assert len(sealed_pages(first.folder)) == 1
    assert len(unsealed(first.folder)) == 1


def test_a_write_whose_answer_was_lost_counts(machines: list[Machine], server: LooseServer) -> None:
    """The worker could not know, and dropped the page; the log has it."""
    first, second = machines
    stored_twice(first, 0)
    first.log.faults = NO_FAULTS._replace(lost_answers=1.0)
    first.commit(0)
    first.log.faults = NO_FAULTS
    first.lose(0)
    second.take(0)
    first.seal()
    assert len(sealed_pages(first.folder)) == 2
    assert sealed_pages(first.folder) == named_pages(server)


def test_a_write_that_may_still_come_is_waited_for(
    machines: list[Machine], server: LooseServer
) -> None:
    first, second = machines
    stored_twice(first, 0)
    first.log.faults = NO_FAULTS._replace(late_writes=1.0, late_calls=1000)
    first.commit(0)
    first.log.faults = NO_FAULTS
    first.lose(0)
    first.seal()
    assert len(unsealed(first.folder)) == 1
    second.take(0)  # from now on the late write is refused
    first.seal()
    assert len(sealed_pages(first.folder)) == 1
    assert sealed_pages(first.folder) == named_pages(server)


def test_who_takes_a_partition_back_does_not_revive_what_it_dropped(
    machines: list[Machine], server: LooseServer
) -> None:
    first, _ = machines
    stored_twice(first, 0)
    first.lose(0)
    stored_twice(first, 0)
    first.commit(0)
    first.seal()
    assert unsealed(first.folder) == []
    assert len(sealed_pages(first.folder)) == 3
    assert sealed_pages(first.folder) == named_pages(server)


def test_an_undecided_release_that_has_happened_decides(machines: list[Machine]) -> None:
    first, _ = machines
    stored_twice(first, 0)
    first.log.faults = NO_FAULTS._replace(lost_answers=1.0)
    assert not first.release(0)
    first.log.faults = NO_FAULTS
    first.lose(0)
    first.seal()
    assert len(sealed_pages(first.folder)) == 2


def test_a_dead_segment_waits_while_the_log_names_its_life(
    machines: list[Machine], server: LooseServer
) -> None:
    first, second = machines
    stored_twice(first, 0)
    first.take(3)  # nothing of it stands in the segment
    first.store.flush()
    first.die()
    assert first.rules.seal_dead() == []
    assert len(unsealed(first.folder)) == 1
    second.take(0)
    assert [(one.kept, one.dropped) for one in first.rules.seal_dead()] == [(1, 1)]
    assert sealed_pages(first.folder) == named_pages(server)


def test_a_dead_segment_is_sealed_when_its_own_directory_fences_its_life(
    machines: list[Machine], server: LooseServer
) -> None:
    first, second = machines
    stored_twice(first, 0)
    first.store.flush()
    second.take(1)
    first.die()
    first.take(2)
    assert first.rules.seal_dead() == []
    assert fence(first.log, (1,), "after the first", present=first.owner) == [0]
    assert [server.head(number).owner for number in (1, 2)] == [second.owner, first.owner]
    assert [(one.kept, one.dropped) for one in first.rules.seal_dead()] == [(1, 1)]
    assert sealed_pages(first.folder) == named_pages(server)
    second.take(0)  # whoever comes next gets it
    assert second.held[0].state.owner == second.owner


def test_on_one_machine_a_dead_segment_does_not_wait(
    machines: list[Machine], server: LooseServer
) -> None:
    first, _ = machines
    first.is_clustered = False
    first.die()
    stored_twice(first, 0)
    first.store.flush()
    first.die()
    assert [(one.kept, one.dropped) for one in first.rules.seal_dead()] == [(1, 1)]
    assert sealed_pages(first.folder) == named_pages(server)


def test_a_log_that_does_not_answer_is_asked_again_later(machines: list[Machine]) -> None:
    first, second = machines
    stored_twice(first, 0)
    first.lose(0)
    second.take(0)
    first.log.is_cut_off = True
    first.seal()
    assert first.rules.settle({0: 0}, is_last=True) is None
    first.log.is_cut_off = False
    assert first.rules.settle({0: 0}) is None, "it is left alone for some seconds"
    first.seal()
    assert unsealed(first.folder) == []


def test_an_old_read_decides_nothing(machines: list[Machine]) -> None:
    first, second = machines
    stored_twice(first, 0)
    first.commit(0)
    first.lose(0)
    second.take(0)
    first.log.faults = NO_FAULTS._replace(stale_reads=1.0)
    for _ in range(20):
        first.seal()
        first.rules.seal_dead()
    assert unsealed(first.folder) == [] or sealed_pages(first.folder) == set()
    first.log.faults = NO_FAULTS
    first.seal()
    assert len(sealed_pages(first.folder)) == 2


@pytest.mark.parametrize("seed", seeds(2, 8))
def test_what_is_sealed_is_what_the_log_names(seed: int, tmp_path: Path) -> None:
    """Whatever is lost, late, refused or killed, and whoever takes what from whom."""
    server, chance = new_server(), Random(seed)
    machines = [Machine(tmp_path / str(n), server, n, seed=7 * seed) for n in (1, 2, 3)]
    for _ in range(500):
        step(machines, chance)
    finish(machines, server)
    for machine in machines:
        assert unsealed(machine.folder) == []
    found = [sealed_pages(machine.folder) for machine in machines]
    assert set().union(*found) == named_pages(server)
    assert sum(map(len, found)) == len(named_pages(server)) > 10
