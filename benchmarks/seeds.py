"""Measures the cost of a long list of seeds, before the first request and afterwards.

    python -m benchmarks.seeds [--hosts 1000 10000 100000] [--urls 1000000] [--workers 1]

Real crawls by the command, without `--include`, against a listener on loopback. First lists with
one seed on each host (a domain each, all names in a hosts file), for `--hosts` hosts, then one list
of `--urls` seeds of one host. For each: the time from the start of the program to the first request
that the listener sees, the CPU time of the program until then and its ratio to the number of seeds
(constant if the cost is linear, also on a busy machine), when the twentieth request came, the time
from a stop to the end of the program, the largest memory, the time of `lycosa status` afterwards,
and the size of `crawl.toml`.

Bounded: a crawl is stopped after 20 requests, and is ended after `MOST_SECONDS` in any case.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

LYCOSA = (sys.executable, "-m", "lycosa")
REQUESTS = 20
MOST_SECONDS = 300.0
ANSWER = b"<!doctype html><title>A page</title><p>Nothing more."


class Listener:
    """Answers every request on one loopback port: robots files with 404, all else with a page."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._socket.getsockname()[1]
        self.moments: list[float] = []
        """When each request was read."""
        self.has_enough = threading.Event()
        self.on_first: Callable[[], None] = lambda: None
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            while request := lines.readline():
                self.moments.append(time.monotonic())
                if len(self.moments) == 1:
                    self.on_first()
                if len(self.moments) >= REQUESTS:
                    self.has_enough.set()
                while lines.readline().strip():
                    pass
                status = b"404 Not Found" if b" /robots.txt " in request else b"200 OK"
                head = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
                connection.sendall(head % (status, len(ANSWER)) + ANSWER)


class Figures(NamedTuple):
    """What one list cost."""

    seeds: int
    first_seconds: float
    first_cpu_seconds: float
    twentieth_seconds: float
    stop_seconds: float
    most_megabytes: float
    status_seconds: float
    job_file_bytes: int

    def row(self) -> str:
        cells = (
            f"{self.seeds:,}",
            f"{self.first_seconds:.2f}",
            f"{self.first_cpu_seconds:.2f}",
            f"{self.first_cpu_seconds / self.seeds * 1e6:.1f}",
            f"{self.twentieth_seconds:.2f}",
            f"{self.stop_seconds:.2f}",
            f"{self.most_megabytes:.0f}",
            f"{self.status_seconds:.2f}",
            f"{self.job_file_bytes:,}",
        )
        return f"| {' | '.join(cells)} |"


@contextmanager
def listening() -> Iterator[Listener]:
    listener = Listener()
    try:
        yield listener
    finally:
        listener.close()


def many_hosts(port: int, count: int) -> Iterator[str]:
    return (f"http://www.host{n}.test:{port}/" for n in range(count))


def one_host(port: int, count: int) -> Iterator[str]:
    return (f"http://www.site.test:{port}/folder{n % 1000}/page-{n}.html" for n in range(count))


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(seeds: Callable[[int, int], Iterator[str]], count: int, workers: int) -> Figures:
    """Crawl from so many seeds until there are some pages."""
    with listening() as listener, tempfile.TemporaryDirectory(prefix="seeds-") as folder:
        place = Path(folder)
        names: dict[str, None] = {}
        with (place / "list.txt").open("w") as file:
            for seed in seeds(listener.port, count):
                file.write(seed + "\n")
                names[seed.partition("://")[2].partition(":")[0]] = None
        hosts = place / "hosts"
        hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in names))
        command = [*LYCOSA, "crawl", "--seeds", str(place / "list.txt"), "-o", str(place / "c")]
        command += ["--allow-private", "--set", f"fetch.hosts_file={hosts}", "--delay", "0"]
        command += ["--ip-delay", "0", "--mining", "off", "--workers", str(workers), "--quiet"]
        began = time.monotonic()
        crawl = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        spent: list[float] = []
        listener.on_first = lambda: spent.append(cpu_seconds(crawl.pid))
        killer = threading.Timer(MOST_SECONDS, crawl.kill)
        killer.start()
        listener.has_enough.wait(MOST_SECONDS)
        stopped = time.monotonic()
        crawl.send_signal(signal.SIGINT)
        _, status, usage = os.wait4(crawl.pid, 0)
        took = time.monotonic() - stopped
        killer.cancel()
        crawl.returncode = os.waitstatus_to_exitcode(status)
        moments = [moment - began for moment in listener.moments] or [float("inf")]
        asked = time.monotonic()
        subprocess.run([*LYCOSA, "status", str(place / "c")], stdout=subprocess.DEVNULL, check=True)
        return Figures(
            count,
            moments[0],
            spent[0] if spent else float("inf"),
            moments[min(len(moments), REQUESTS) - 1],
            took,
            usage.ru_maxrss / 1024,
            time.monotonic() - asked,
            (place / "c" / "crawl.toml").stat().st_size,
        )


COLUMNS = (
    "seeds",
    "first request, s",
    "CPU until then, s",
    "µs a seed",
    "twentieth request, s",
    "stop, s",
    "memory, MB",
    "status, s",
    "crawl.toml, bytes",
)
HEAD = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"


def main(arguments: list[str]) -> None:
    """Print two tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--urls", type=int, nargs="*", default=[1_000, 1_000_000])
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args(arguments)
    for title, seeds, counts in (
        ("One seed on each host", many_hosts, options.hosts),
        ("Seeds of one host", one_host, options.urls),
    ):
        print(f"\n{title}\n\n{HEAD}", flush=True)
        for count in counts:
            print(measure(seeds, count, options.workers).row(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
