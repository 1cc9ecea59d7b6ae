"""Runs one crawl so that every run takes the same steps, and counts what it calls.

    python -m benchmarks.budget.fixed_run JOB PAGES FOLDER [--count FILE]

Three things make a run the same each time: the web's server runs in the crawl's own thread, when
the crawl's loop waits; the clock is a number that each turn of the loop moves on; what would run in
a thread runs at once. The crawl itself is the one that users start, with its sockets and files.
"""

from __future__ import annotations

import concurrent.futures
import marshal
import os
import random
import select
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.budget.fixed_web import NOT_FOUND
from benchmarks.budget.jobs import JOBS, Fixed

TURN_SECONDS = 0.0007
"""How far the clock goes on with each turn of the loop: about the time of a page."""
BEGAN = 1_700_000_000.0


class Server:
    """Answers on loopback, whenever it is told to."""

    def __init__(self, addresses: list[str], answers: dict[str, bytes]) -> None:
        self._answers = answers
        self._events = select.epoll()
        self._listeners: dict[int, socket.socket] = {}
        self._connections: dict[int, socket.socket] = {}
        self.port = 0
        for address in addresses:
            listener = socket.create_server((address, self.port), backlog=512)
            listener.setblocking(False)
            self.port = listener.getsockname()[1]
            self._listeners[listener.fileno()] = listener
            self._events.register(listener, select.EPOLLIN)

    def step(self, wait: float = 0.0) -> bool:
        """Answer everything that has been asked; returns whether there was anything."""
        found = self._events.poll(wait)
        for number, _ in sorted(found):
            if number in self._listeners:
                self._accept(self._listeners[number])
            else:
                self._answer(self._connections[number])
        return bool(found)

    def _accept(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        self._connections[connection.fileno()] = connection
        self._events.register(connection, select.EPOLLIN)

    def _answer(self, connection: socket.socket) -> None:
        asked = connection.recv(65_536)
        if not asked:
            self._events.unregister(connection)
            del self._connections[connection.fileno()]
            connection.close()
            return
        target = asked.split(b" ", 2)[1].decode()
        connection.sendall(self._answers.get(target) or NOT_FOUND)


class Steps:
    """Stands in for `select.epoll`: lets the server answer first, and moves the clock."""

    def __init__(self, server: Server, moment: list[float], events: Any) -> None:
        self._server = server
        self._moment = moment
        self._events = events
        self.register, self.modify = events.register, events.modify
        self.unregister, self.close = events.unregister, events.close

    def poll(self, wait: float = -1.0, most: int = -1) -> list[tuple[int, int]]:
        """Return what is ready; where nothing comes, the clock goes on to the end of the wait."""
        self._moment[0] += TURN_SECONDS
        while True:
            self._server.step()
            found = self._events.poll(0.0, most)
            if found or not wait:
                return sorted(found)
            if self._server.step(0.002):  # what was sent may take a moment, even on loopback
                continue
            if wait < 0:
                raise RuntimeError("the crawl waits for ever")
            found = self._events.poll(0.0, most)
            if not found:
                self._moment[0] += wait
            return sorted(found)


class AtOnce:
    """Stands in for a pool of threads: a job is done before `submit` returns."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, job: Callable[..., Any], *arguments: Any, **named: Any) -> Future[Any]:
        """Do a job."""
        future: Future[Any] = Future()
        try:
            future.set_result(job(*arguments, **named))
        except BaseException as problem:
            future.set_exception(problem)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Do nothing: all is done."""


def settle(server: Server) -> None:
    """Make everything take the same steps from now on; Lycosa must not be imported yet.

    A plain installation has no NumPy, which pyarrow loads where it is; callgrind cannot read it.
    """
    sys.modules["numpy"] = None  # type: ignore[assignment]
    os.urandom = random.Random(0).randbytes
    os.getpid = lambda: 1
    moment = [BEGAN]
    now = partial(moment.__getitem__, 0)
    time.time = time.monotonic = time.perf_counter = now
    epoll = select.epoll
    select.epoll = lambda *_: Steps(server, moment, epoll())  # type: ignore[assignment,misc]
    concurrent.futures.ThreadPoolExecutor = AtOnce  # type: ignore[assignment,misc]


def run(fixed: Fixed, pages: int, folder: Path, counted: Path | None) -> None:
    """Crawl so many pages, and write the profile of the calls to `counted` if it is given."""
    addresses = [f"127.0.1.{number + 1}" for number in range(fixed.hosts)]
    server = Server(addresses, marshal.loads((folder / "web").read_bytes()))
    settle(server)
    from lycosa.cli.main import main

    command = fixed.command(addresses, server.port, pages, folder)
    if counted is None:
        code = main(command)
    else:
        import cProfile

        profile = cProfile.Profile()
        profile.enable()
        code = main(command)
        profile.disable()
        profile.dump_stats(counted)
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    name, count, where, *rest = sys.argv[1:]
    run(JOBS[name], int(count), Path(where), Path(rest[1]) if rest else None)
