"""Which client keeps its connection to the server, and which loses it."""

from __future__ import annotations

import pytest

from lycosa.web.connections import (
    SLOW_SECONDS,
    Connection,
    ConnectionLimits,
    Connections,
    counted_address,
)

MOST = 64


class Room:
    """Connections of a server, with those that were dropped and a clock that the test sets."""

    def __init__(self, **limits: object) -> None:
        given = {"most": MOST, "most_each": 32, "most_held_bytes": 1000, **limits}
        self.now = 0.0
        self.dropped: list[Connection] = []
        self.connections = Connections(ConnectionLimits(**given), lambda: self.now)  # type: ignore[arg-type]

    def enter(self, address: str = "127.0.0.1") -> Connection | None:
        self.now += 0.001
        made = Connection(address, lambda: self.dropped.append(made))
        return made if self.connections.admit(made) else None

    def fill(self, count: int, address: str = "127.0.0.1") -> list[Connection]:
        made = [self.enter(address) for _ in range(count)]
        assert None not in made
        return [connection for connection in made if connection is not None]


@pytest.fixture
def room() -> Room:
    return Room()


def test_the_connection_that_has_waited_longest_makes_room(room: Room) -> None:
    first, second, *_ = room.fill(MOST)
    room.enter()
    assert room.dropped == [first]
    room.enter()
    assert room.dropped == [first, second]


def test_an_address_with_many_connections_loses_them_first(room: Room) -> None:
    lone = room.fill(1, "192.0.2.1")
    many = room.fill(MOST - 1, "127.0.0.1")
    room.fill(MOST - 3, "127.0.0.2")
    assert lone[0] not in room.dropped
    assert set(room.dropped) & set(many)


def test_one_address_has_a_part_of_the_connections_and_drops_its_own(room: Room) -> None:
    others = room.fill(1, "192.0.2.2")
    own = room.fill(40, "192.0.2.1")
    assert room.dropped == own[:8]
    for connection in own[8:]:
        room.connections.answer(connection)
    assert room.enter("192.0.2.1") is None
    assert room.enter("192.0.2.2") is not None
    assert not set(room.dropped) & set(others)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.3.2.1", "::1", "10.0.0.7", "2001:db8::9"])
def test_loopback_and_proxies_stand_for_many_clients(address: str) -> None:
    room = Room(proxies=("10.0.0.0/24", "2001:db8::9"))
    room.fill(MOST, address)
    assert room.dropped == []


def test_addresses_of_one_network_of_ipv6_count_as_one(room: Room) -> None:
    room.fill(40, "192.0.2.1")
    room.dropped.clear()
    for number in range(40):
        room.enter(f"2001:db8:1:2::{number:x}")
    assert len(room.dropped) == 8
    assert counted_address("2001:db8:1:2:3::4") == "2001:db8:1:2::"
    assert counted_address("::ffff:192.0.2.1") == "192.0.2.1"
    assert counted_address("::1") == "::1"
    assert counted_address("testclient") == "testclient"


def test_a_connection_that_is_answering_is_never_dropped(room: Room) -> None:
    answering = room.fill(MOST)[: MOST // 2]
    for connection in answering:
        room.connections.answer(connection)
    for _ in range(200):
        room.enter()
    assert not set(room.dropped) & set(answering)


def test_more_bytes_of_a_request_do_not_make_its_connection_younger(room: Room) -> None:
    first, *_ = room.fill(MOST)
    room.now += 1
    room.connections.wait(first)
    room.enter()
    assert room.dropped == [first]


def test_a_slow_reader_is_dropped_when_no_connection_waits(room: Room) -> None:
    made = room.fill(MOST)
    for connection in made:
        room.connections.read(connection, 1)
    assert room.enter() is None
    room.now += SLOW_SECONDS + 1
    assert room.enter() is not None
    assert room.dropped == made[:1]


def test_responses_that_wait_for_readers_are_bounded(room: Room) -> None:
    made = room.fill(4)
    for connection in made:
        room.connections.read(connection, 400)
    assert room.dropped == made[:2]


def test_a_place_that_was_left_is_free(room: Room) -> None:
    for connection in room.fill(MOST):
        room.connections.leave(connection)
    room.fill(MOST)
    assert room.dropped == []
