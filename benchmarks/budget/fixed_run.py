"""Runs one crawl so that every run takes the same steps, and counts what it calls.

    python -m benchmarks.budget.fixed_run JOB PAGES FOLDER
                                          [--resume] [--count FILE] [--modules FILE]

Three things make a run the same each time: the web's server runs in the crawl's own thread, when
the crawl's loop waits; the clock is a number that each turn of the loop moves on; what would run in
a thread runs at once. The crawl itself is the one that users start, with its sockets and files.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import marshal
import os
import random
import select
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.budget.fixed_web import Web
from benchmarks.budget.jobs import JOBS, Fixed
from benchmarks.budget.server import Server

TURN_SECONDS = 0.0007
"""How far the clock goes on with each turn of the loop: about the time of a page."""
BEGAN = 1_700_000_000.0


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


def settle(server: Server, *, with_numpy: bool) -> None:
    """Make everything take the same steps from now on; Lycosa must not be imported yet.

    A plain installation has no NumPy, which pyarrow loads where it is; callgrind cannot read it.
    """
    if not with_numpy:
        sys.modules["numpy"] = None  # type: ignore[assignment]
    os.urandom = random.Random(0).randbytes
    os.getpid = lambda: 1
    moment = [BEGAN]
    now = partial(moment.__getitem__, 0)
    time.time = time.monotonic = time.perf_counter = now
    epoll = select.epoll
    select.epoll = lambda *_: Steps(server, moment, epoll())  # type: ignore[assignment,misc]
    concurrent.futures.ThreadPoolExecutor = AtOnce  # type: ignore[assignment,misc]


def run(
    fixed: Fixed, pages: int, folder: Path, counted: Path | None = None, *, is_resume: bool = False
) -> None:
    """Crawl so many pages, and write the profile of the calls to `counted` if it is given."""
    addresses = [f"127.0.1.{number + 1}" for number in range(fixed.hosts)]
    web = Web(*marshal.loads((folder / "web").read_bytes()))
    certificate = folder / "server.pem" if fixed.scheme == "https" else None
    server = Server(addresses, web, certificate)
    settle(server, with_numpy=fixed.needs_numpy)
    command = fixed.command(addresses, server.port, pages, folder)
    if is_resume:
        command = fixed.resume_command(pages, folder)
    if counted is None:
        code = _main(command)
    else:
        import cProfile

        profile = cProfile.Profile()
        profile.enable()
        code = _main(command)
        profile.disable()
        profile.dump_stats(counted)
    if code:
        raise SystemExit(code)


def _main(command: list[str]) -> int:
    from lycosa.cli.main import main  # is counted, and must come behind `settle`

    return main(command)


def loaded(before: set[str]) -> list[str]:
    """Return what is loaded since: modules of Lycosa, and other packages by their names."""
    known = [name for name, module in sys.modules.items() if module is not None]
    names = {name if name.startswith("lycosa.") else name.partition(".")[0] for name in known}
    others = before | sys.stdlib_module_names
    return sorted(name for name in names - others if not name.startswith(("_", "cython")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("job", choices=list(JOBS))
    parser.add_argument("pages", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--count", type=Path)
    parser.add_argument("--modules", type=Path)
    asked = parser.parse_args()
    at_first = set(sys.modules)
    run(JOBS[asked.job], asked.pages, asked.folder, asked.count, is_resume=asked.resume)
    if asked.modules is not None:
        asked.modules.write_text("\n".join(loaded(at_first)), encoding="utf-8")
