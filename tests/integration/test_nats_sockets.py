"""Sockets to NATS servers that fall silent or shut down: all are closed, whatever the client did.

The servers are a few lines each, because a real one is seldom caught in the middle of a handshake.
"""

from __future__ import annotations

import gc
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lycosa.errors import LogUnavailable
from lycosa.runtime.coordination.nats_kv import NatsBoard
from lycosa.storage.jetstream.address import parse_address
from lycosa.storage.jetstream.connection import Connection

_GREETING = {"server_id": "S", "version": "2.15.1", "max_payload": 1 << 20, "headers": True}


class _Server:
    """Greets each client, answers its first `pongs` PINGs, and then says `last`."""

    def __init__(self, pongs: int, last: bytes = b"") -> None:
        self._pongs, self._last = pongs, last
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.seen_closed = threading.Semaphore(0)
        self.clients = 0
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        serving = []
        while True:
            client, _ = self._listener.accept()
            if self._last == b"end":
                client.close()
                break
            self.clients += 1
            serving.append(threading.Thread(target=self._serve, args=(client,)))
            serving[-1].start()
        for thread in serving:
            thread.join()

    def _serve(self, client: socket.socket) -> None:
        with client:
            client.settimeout(30)
            client.sendall(b"INFO " + json.dumps(_GREETING).encode() + b"\r\n")
            left, last = self._pongs, self._last
            try:
                while data := client.recv(65536):
                    for _ in range(min(left, data.count(b"PING\r\n"))):
                        client.sendall(b"PONG\r\n")
                        left -= 1
                    if not left and last:
                        client.sendall(last)
                        last = b""
            except ConnectionResetError:
                pass  # an aborted connection counts as closed
            self.seen_closed.release()

    def close(self) -> None:
        self._last = b"end"
        socket.create_connection(("127.0.0.1", self.port)).close()
        self._thread.join()
        self._listener.close()


@contextmanager
def server(pongs: int, last: bytes = b"") -> Iterator[_Server]:
    running = _Server(pongs, last)
    try:
        yield running
    finally:
        running.close()


def test_a_silent_server_leaves_the_log_no_open_socket() -> None:
    with server(pongs=0) as silent:
        address = parse_address(f"nats://127.0.0.1:{silent.port}")
        with pytest.raises(LogUnavailable):
            Connection(address, patience_seconds=0.5)
        gc.collect()
        assert silent.clients
        assert all(silent.seen_closed.acquire(timeout=10) for _ in range(silent.clients))


def test_a_server_that_announces_its_end_leaves_the_log_no_open_socket() -> None:
    with server(pongs=1, last=b"-ERR 'Server Shutdown'\r\n") as ending:
        address = parse_address(f"nats://127.0.0.1:{ending.port}")
        for _ in range(5):  # the announcement comes before, while and after we close
            Connection(address, patience_seconds=5).close()
        gc.collect()
        assert all(ending.seen_closed.acquire(timeout=10) for _ in range(ending.clients))


def test_a_silent_server_leaves_the_board_no_open_socket() -> None:
    with server(pongs=0) as silent:
        options = {"servers": [f"nats://127.0.0.1:{silent.port}"]}
        board = NatsBoard(options, "crawl", answer_seconds=0.5)
        assert board.get("member/1") is None
        board.close()
        gc.collect()
        assert silent.clients
        assert all(silent.seen_closed.acquire(timeout=10) for _ in range(silent.clients))
