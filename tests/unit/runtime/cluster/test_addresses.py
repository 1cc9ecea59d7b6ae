"""Machines that share an address keep its pace together."""

from __future__ import annotations

from random import Random

import pytest

from lycosa.runtime.cluster import addresses
from lycosa.runtime.cluster.addresses import ANNOUNCE_SECONDS, AddressDesk, hash_of
from lycosa.runtime.coordination.memory import Faults, LooseBoard, MemoryBoard
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.membership.calls import make


def carry(board: Board, *desks: AddressDesk, seconds: float = 30.0, begin: float = 0.0) -> None:
    for now in range(int(begin), int(begin + seconds) + 1):
        for desk in desks:
            while (call := desk.call(float(now))) is not None:
                desk.answered(make(call, board), float(now))


def test_a_delay_is_multiplied_by_the_machines_that_share_an_address() -> None:
    board = MemoryBoard()
    one, two, other = AddressDesk(1, "m1"), AddressDesk(2, "m1"), AddressDesk(3, "m2")
    one.serve(["10.0.0.1", "10.0.0.2"])
    two.serve(["10.0.0.1"])
    other.serve(["10.0.0.1", "::1"])
    carry(board, one, two, other)
    assert one.machines_at("10.0.0.1") == 2, "two workers of a machine wait for each other"
    assert one.machines_at("10.0.0.2") == 1
    assert other.machines_at("10.0.0.1") == 2
    assert other.machines_at("::1") == 1
    one.serve(["10.0.0.2"])
    two.serve([])
    carry(board, one, two, other, begin=30.0)
    assert other.machines_at("10.0.0.1") == 1


def test_what_a_dead_life_has_announced_counts_for_nothing() -> None:
    board = MemoryBoard()
    one, other = AddressDesk(1, "m1"), AddressDesk(2, "m2")
    for desk in (one, other):
        desk.serve(["10.0.0.1"])
    carry(board, one, other)
    assert one.machines_at("10.0.0.1") == 2
    one.lives_gone({2})
    assert one.machines_at("10.0.0.1") == 1


def test_announcements_get_through_lost_answers() -> None:
    board = MemoryBoard(kept_versions=4)
    faults = Faults(lost_requests=0.3, lost_answers=0.3, unread=0.3)
    way = LooseBoard(board, faults, Random(1))
    desks = [AddressDesk(number, f"m{number}") for number in range(1, 5)]
    for desk in desks:
        desk.serve(["10.0.0.1"])
    carry(way, *desks, seconds=20 * ANNOUNCE_SECONDS)
    assert [desk.machines_at("10.0.0.1") for desk in desks] == [4, 4, 4, 4]


def test_unchanged_addresses_are_written_once() -> None:
    board = MemoryBoard()
    desk = AddressDesk(1, "m1")
    desk.serve(["10.0.0.1"])
    carry(board, desk, seconds=100)
    entry = board.get("addresses/1")
    assert entry is not None
    assert entry.revision == 1


def test_a_life_with_very_many_addresses_counts_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "MOST_ADDRESSES", 3)
    board = MemoryBoard()
    one, other = AddressDesk(1, "m1"), AddressDesk(2, "m2")
    one.serve(["10.0.0.1"])
    other.serve([f"10.0.1.{n}" for n in range(4)])
    carry(board, one, other)
    assert one.machines_at("10.0.0.1") == 2
    assert one.machines_at("10.0.0.9") == 2


def test_hashes_are_what_they_always_were() -> None:
    assert hash_of("10.0.0.1") == 3849020998
