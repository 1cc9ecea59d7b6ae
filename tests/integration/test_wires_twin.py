"""Connections that are compiled and their plain twin read any answer alike, in whatever pieces."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from integration.http_wires import HandLoop
from lycosa.fetch.guard import AddressGuard
from lycosa.fetch.http._exchange import Outgoing
from lycosa.fetch.http.exchange import Origin, Surroundings
from lycosa.fetch.http.http1 import Connection, DirectCarrier
from lycosa.model.records import Purpose, Request
from seeds import examples
from wire_twin import Ended, read

pytestmark = pytest.mark.quick

HEADS = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\nContent-Length: 3\n\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 404 Gone\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 204 None\r\n\r\n",
        b"HTTP/1.1 304 Same\r\nContent-Length: 6\r\n\r\n",
        b"HTTP/1.1 101 Other\r\n\r\n",
        b"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"SSH-2.0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000 + b"\r\n\r\n",
    ]
)
BODIES = st.sampled_from(
    [
        b"",
        b"ab",
        b"abcdef",
        b"abcdefgh",
        b"3\r\nabc\r\n0\r\n\r\n",
        b"3\r\nabcX",
        b"zz\r\n",
        b"1\r\na",
    ]
)


@st.composite
def plays(draw: Callable[..., Any]) -> tuple[list[bytes], int, bool]:
    """Return the pieces of an answer, the most bytes of a body, and whether the server closes."""
    whole = b"".join(draw(st.lists(HEADS, min_size=1, max_size=3))) + draw(BODIES)
    cuts = sorted(draw(st.lists(st.integers(1, max(1, len(whole) - 1)), max_size=4, unique=True)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    return (
        [piece for piece in pieces if piece],
        draw(st.sampled_from([2, 5, 100])),
        draw(st.booleans()),
    )


class Play:
    """A connection that stands, with its server in our hands."""

    def __init__(self, limit: int) -> None:
        ours, self._server = socket.socketpair()
        ours.setblocking(False)
        self.ended: list[Connection] = []
        around = Surroundings(lambda: 0.0, AddressGuard(True), lambda request: True, {}, {}, 1.0)
        loop = HandLoop()
        carrier = DirectCarrier(loop, around, 4, self.ended.append)
        self.connection = Connection(carrier)
        self.connection._socket, self.connection._descriptor = ours, ours.fileno()
        self.connection._peer = "127.0.0.1"
        carrier.opened(self.connection)
        self.carrier = carrier
        request = Request("http://a.test/p", "a.test", "127.0.0.1", Purpose.PAGE, "us", limit)
        key = ("http://a.test", "127.0.0.1", "us")
        origin = Origin("http", "a.test", "a.test", 80)
        self.connection.begin(Outgoing(request, origin, "/p", key, lambda answer: None))
        self.asked = self._server.recv(1_000)  # what is not read would reset the connection

    def run(self, pieces: list[bytes], *, is_closed: bool) -> Ended | None:
        """Let the server send the pieces, one by one."""
        for piece in pieces:
            if self.ended:
                break
            rest = memoryview(piece)
            while rest and not self.ended:
                size = self._server.send(rest[:100_000])
                rest = rest[size:]
                self.connection._on_readable()
        self._server.close()
        if is_closed and not self.ended:
            self.connection._on_readable()
        if not self.ended:
            self.connection.close()
            return None
        received = self.connection.received
        verdict = received.verdict.name if received.verdict is not None else ""
        status = received.head.status if received.head is not None else 0
        is_kept = self.connection.is_open
        ended = Ended(verdict, status, received.body(), received.is_cut, is_kept)
        self.carrier.close()
        return ended


@settings(max_examples=examples(300), deadline=None)
@given(plays())
def test_a_connection_reads_as_its_twin(play: tuple[list[bytes], int, bool]) -> None:
    pieces, limit, is_closed = play
    # A piece longer than what is read at once comes as several, to the twin too.
    told = [piece[at : at + 100_000] for piece in pieces for at in range(0, len(piece), 100_000)]
    expected = read(told, limit, is_closed=is_closed)
    assert Play(limit).run(pieces, is_closed=is_closed) == expected


def test_the_request_is_written_in_one_piece() -> None:
    play = Play(10)
    assert play.asked.startswith(b"GET /p HTTP/1.1\r\nHost: a.test\r\nUser-Agent: us\r\n")
    assert play.asked.endswith(b"\r\n\r\n")
    play.run([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"], is_closed=False)
    assert play.ended == [play.connection]
