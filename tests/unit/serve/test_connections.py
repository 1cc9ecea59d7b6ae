"""Who keeps a place at the endpoint, and who loses it."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from lycosa.serve import connections
from lycosa.serve.connections import MOST_ASKING, MOST_CONNECTIONS, Connections


class Room:
    """Connections, each with a client that can be asked whether it was dropped."""

    def __init__(self, held_bytes: int = 1000, each: int = MOST_ASKING) -> None:
        self.connections = Connections(held_bytes, each)
        self._pairs: list[tuple[socket.socket, socket.socket]] = []

    def enter(self, address: str = "a") -> socket.socket | None:
        ours, theirs = socket.socketpair()
        self._pairs.append((ours, theirs))
        return ours if self.connections.admit(ours, address) else None

    def fill(self, count: int, address: str = "a") -> list[socket.socket]:
        made = [self.enter(address) for _ in range(count)]
        assert None not in made
        return [connection for connection in made if connection is not None]

    def dropped(self) -> list[socket.socket]:
        found = []
        for ours, theirs in self._pairs:
            theirs.setblocking(False)
            try:
                if theirs.recv(1) == b"":
                    found.append(ours)
            except BlockingIOError:
                pass
        return found

    def close(self) -> None:
        for pair in self._pairs:
            for end in pair:
                end.close()


@pytest.fixture
def room() -> Iterator[Room]:
    made = Room()
    yield made
    made.close()


def test_the_one_that_has_waited_longest_makes_room(room: Room) -> None:
    first, second, *_ = room.fill(MOST_CONNECTIONS)
    room.enter()
    assert room.dropped() == [first]
    room.enter()
    assert room.dropped() == [first, second]


def test_an_address_with_many_connections_loses_them_first(room: Room) -> None:
    lone = room.fill(1, "b")
    many = room.fill(MOST_CONNECTIONS - 1, "a")
    for _ in range(MOST_CONNECTIONS - 3):
        room.enter("c")
    assert lone[0] not in room.dropped()
    assert set(room.dropped()) & set(many)


def test_who_is_asking_keeps_its_place(room: Room) -> None:
    made = room.fill(MOST_CONNECTIONS)
    asking = made[: MOST_ASKING // 2]
    assert all(room.connections.ask(room.connections.of(connection)) for connection in asking)
    for _ in range(200):
        room.enter()
    assert not set(room.dropped()) & set(asking)


def test_only_so_many_ask_at_once_and_of_one_address_fewer() -> None:
    room = Room(each=10)
    made = room.fill(20, "a")
    assert sum(room.connections.ask(room.connections.of(connection)) for connection in made) == 10
    (other,) = room.fill(1, "b")
    assert room.connections.ask(room.connections.of(other))
    room.connections.wait(room.connections.of(made[0]))
    assert room.connections.ask(room.connections.of(made[15]))
    room.close()


def test_a_slow_reader_goes_when_there_is_no_other(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = room.fill(MOST_CONNECTIONS)
    for connection in made:
        room.connections.read(room.connections.of(connection), 1)
    assert room.enter() is None
    monkeypatch.setattr(connections, "SLOW_SECONDS", -1.0)
    assert room.enter() is not None
    assert room.dropped() == made[:1]


def test_only_so_much_is_held_for_readers(room: Room) -> None:
    made = room.fill(4)
    for connection in made:
        room.connections.read(room.connections.of(connection), 400)
    assert room.dropped() == made[:2]


def test_a_place_that_was_left_is_free(room: Room) -> None:
    for connection in room.fill(MOST_CONNECTIONS):
        room.connections.leave(connection)
    room.fill(MOST_CONNECTIONS)
    assert room.dropped() == []
