"""The price of a rendered page: CPU of every process, also of those that ended, by phase and kind.

    python -m benchmarks.page_price FOLDER [--rounds 3] [--browser PROGRAM]
    python -m benchmarks.page_price FOLDER --memory 1000

`FOLDER` holds, or gets, an application of React that npm builds (`benchmarks.rendering`). The
browser renders pages one after the other with all parts at hand, first without clicks and then with
them. The kinds of processes are read in /proc, where the time of those that have ended is with
their parents. With `--memory` so many pages are rendered with clicks, and the memory of the whole
tree (PSS) is told now and again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from benchmarks.rendering import Application

from lycosa._support.loop import Loop
from lycosa.fetch.browser.executable import find_browser
from lycosa.fetch.browser.guard import below
from lycosa.fetch.browser.protocol import Done, FoundLink, Holding, Part, PartWanted, RenderPage
from lycosa.fetch.browser.renderer import BrowserProcess
from lycosa_testweb.web import request_for

_TICKS = os.sysconf("SC_CLK_TCK")


class Price(NamedTuple):
    """Means of one page."""

    seconds: float
    cpu: float
    kinds: dict[str, float]
    memory_bytes: int
    phases: dict[str, float]
    """Seconds of each phase of the page, as the driver tells them."""


def kind_of(process: int) -> str:
    """Return the part that a process has in the browser."""
    # A process that a zygote has made writes its words in one, with spaces.
    words = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").split()
    for word in words:
        if word.startswith(b"--type="):
            return word.partition(b"=")[2].decode()
    name = Path(os.fsdecode(words[0])).name
    return "driver" if name.startswith("python") else "node" if name == "node" else "browser"


def used(process: int) -> dict[str, float]:
    """Return the CPU seconds of a process and of all below it, by kind."""
    found: defaultdict[str, float] = defaultdict(float)
    for number in [process, *below(process)]:
        with suppress(OSError, ValueError, IndexError):
            stat = Path(f"/proc/{number}/stat").read_bytes()
            fields = stat[stat.rindex(b")") + 2 :].split()
            kind = kind_of(number)
            found[kind] += sum(map(int, fields[11:13])) / _TICKS
            found[f"ended below {kind}"] += sum(map(int, fields[13:15])) / _TICKS
    return found


def proportional_bytes(process: int) -> int:
    """Return the memory of a process, each shared page by its share; 0 if it has ended."""
    with suppress(OSError, ValueError, IndexError):
        told = Path(f"/proc/{process}/smaps_rollup").read_text()
        return int(told.partition("\nPss:")[2].split()[0]) * 1024
    return 0


def tell_memory(web: Application, program: Path, home: Path, pages: int) -> None:
    """Render pages one after the other, and print the memory after 1, 10 % and so on."""
    browser, urls = Measured(web, program, home), _pages(web)
    try:
        for number in range(1, pages + 1):
            browser.render(urls[number % len(urls)], 60)
            if number == 1 or number % max(1, pages // 10) == 0:
                tree, own = browser.memory()
                print(f"{number} pages: {tree / 1e6:.0f} MB, this process {own / 1e6:.0f} MB")
                sys.stdout.flush()
    finally:
        browser.close()


def phases_of(done: list[Done]) -> dict[str, float]:
    """Return the mean seconds of each phase of these pages."""
    found: defaultdict[str, float] = defaultdict(float)
    for one in done:
        for name, seconds in one.phases.items():
            found[name] += seconds / len(done)
    return found


def _pages(web: Application) -> list[str]:
    return [url for url in web.pages() if "/item/" in url]


class Measured:
    """A browser, and what it has cost until now."""

    def __init__(self, web: Application, program: Path, home: Path) -> None:
        self._web = web
        self._loop = Loop()
        self._browser = BrowserProcess(self._loop, program, home, may_lack_sandbox=not os.geteuid())

    def render(self, url: str, clicks: int) -> Done:
        """Render a page with all its parts at hand."""
        web, came = self._web, list[Done]()

        def find(wanted: PartWanted) -> Part:
            reply = web.answer(request_for(web, wanted.url), 0.0)
            holding = Holding.HELD if reply.status == 200 else Holding.GONE
            return Part(holding, reply.status, list(reply.headers), reply.body)

        def done(found: Done, links: list[FoundLink]) -> None:
            came.append(found)
            self._loop.stop()

        reply = web.answer(request_for(web, url), 0.0)
        headers = list(reply.headers)
        page = RenderPage(url, headers, reply.body, 30.0, 2 << 30, clicks, is_last=True)
        self._browser.render(page, find, done)
        self._loop.run_forever()
        assert came[0].ending == "rendered", came[0]
        return came[0]

    def used(self) -> dict[str, float]:
        """Return the CPU seconds of the browser until now, by kind."""
        return used(self._browser.pid)

    def price(self, urls: list[str], clicks: int) -> Price:
        """Return what a page costs in the mean."""
        before, began, here = self.used(), time.monotonic(), time.process_time()
        done = [self.render(url, clicks) for url in urls]
        seconds = (time.monotonic() - began) / len(urls)
        time.sleep(0.5)  # processes that end after their page are a part of its price
        spent = {name: value - before.get(name, 0.0) for name, value in self.used().items()}
        spent["worker"] = time.process_time() - here
        kinds = {name: value / len(urls) for name, value in spent.items() if value > 0}
        memory = max(one.memory_bytes for one in done)
        return Price(seconds, sum(kinds.values()), kinds, memory, phases_of(done))

    def memory(self) -> tuple[int, int]:
        """Return the bytes of the browser and of this process, shared ones by their share."""
        numbers = [self._browser.pid, *below(self._browser.pid)]
        return sum(map(proportional_bytes, numbers)), proportional_bytes(os.getpid())

    def close(self) -> None:
        """End the browser."""
        self._browser.close()
        self._loop.close()


def _told(name: str, prices: list[Price]) -> None:
    cpu = statistics.median(one.cpu for one in prices)
    middle = min(prices, key=lambda one: abs(one.cpu - cpu))
    ordered = sorted(middle.kinds.items(), key=lambda one: -one[1])
    kinds = ", ".join(f"{kind} {cpu * 1000:.0f}" for kind, cpu in ordered if cpu >= 0.001)
    print(
        f"{name}: {middle.seconds:.2f} s, {middle.cpu:.3f} s of CPU,"
        f" {middle.memory_bytes / 1e6:.0f} MB; ms by kind: {kinds};"
        f" ms by phase: {', '.join(f'{one} {s * 1000:.0f}' for one, s in middle.phases.items())}",
        flush=True,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--browser", default="")
    parser.add_argument("--memory", type=int, default=0, metavar="PAGES")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    bundle = options.folder / "bundle.js"
    web = Application(bundle.read_bytes()) if bundle.exists() else Application.built(options.folder)
    urls = _pages(web)
    home = Path(tempfile.mkdtemp())
    if options.memory:
        tell_memory(web, find_browser(options.browser), home / "browser", options.memory)
        return
    starts, plain, clicked = list[Price](), list[Price](), list[Price]()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {len(urls)} pages a round")
    for _ in range(options.rounds):
        browser = Measured(web, find_browser(options.browser), home / "browser")
        try:
            began = time.monotonic()
            first = browser.render(urls[0], 0)
            time.sleep(0.5)
            kinds = browser.used()
            seconds = time.monotonic() - began - 0.5
            cpu, memory = sum(kinds.values()), first.memory_bytes
            starts.append(Price(seconds, cpu, kinds, memory, phases_of([first])))
            plain.append(browser.price(urls, 0))
            clicked.append(browser.price(urls, 60))
        finally:
            browser.close()
    shutil.rmtree(home, ignore_errors=True)
    _told("start with its first page", starts)
    _told("a page without clicks", plain)
    _told("a page with clicks", clicked)


if __name__ == "__main__":
    main()
