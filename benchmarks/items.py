"""Measures what it takes to collect items, beside Scrapy, and what kills and revisits do to them.

    python -m venv DIR && DIR/bin/pip install scrapy
    python -m benchmarks.items --scrapy DIR/bin/python [--runs 3] [--pages 200] [--kills 10]

Two sites on loopback, each asked for its items by a program for Lycosa and one for Scrapy, which
follow the link to the next page and nothing else: the site of a tutorial (a hundred quotes on ten
pages), and a listing of twenty items a page. Both obey robots files and make no pause. Counted are
lines of the program that are not empty, seconds and CPU (children included) from the start of the
program to a file of JSON lines, and the rows that are right: they must be those of the site, each
once. Lycosa keeps the archive and its tables as well. Programs run in turns; the smallest figures
of all runs are shown. Modules are compiled in the first run, as an installer compiles them.

Then six sites whose pages have items are crawled and visited twice more, and all processes of the
crawl are killed again and again; the tables must have each item of each page once.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.machine import ROOT, commit, machine

from lycosa.model.records import Purpose, Request
from lycosa_testweb.webs.quotes import HOME, QUOTES, QuotesWeb

sys.path.insert(0, str(ROOT / "tests"))

from item_crawls import CYCLES, command_for, counted, environment_with, item_web, killed_often
from item_crawls import packages as plugin_folder

ON_A_PAGE = 20
SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu")
Row = tuple[str, str]

LYCOSA = """\
import sys
from lycosa import Job, Plugin, run

def parse(page):
    for one in page.css("{element}"):
        page.emit("row", {values})
    page.drop_links(lambda link: link.text != "Next")

job = Job.of(
    seeds=[sys.argv[1]],
    politeness={{"delay_seconds": 0.0, "ip_delay_seconds": 0.0}},
    fetch={{"allow_private": True}},
    discovery={{"mining": "off"}},
)
run("crawl", job, plugins=[Plugin("rows", on_page=parse)])
"""
SCRAPY = """\
import scrapy

class Rows(scrapy.Spider):
    name = "rows"
    custom_settings = {{"ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 0}}

    def __init__(self, start):
        self.start_urls = [start]

    def parse(self, response):
        for one in response.css("{element}"):
            yield dict({values})
        yield from response.follow_all(css="li.next a")
"""


class Task(NamedTuple):
    """A site, and which rows there are on it."""

    title: str
    pages: dict[str, bytes]
    """By path and query."""
    rows: Counter[Row]
    element: str
    names: Row
    selectors: Row

    def program(self, text: str) -> str:
        """Return a program for this site."""
        pairs = zip(self.names, self.selectors, strict=True)
        values = ", ".join(f'{name}=one.css("{selector}").get()' for name, selector in pairs)
        return text.format(element=self.element, values=values)


class Figures(NamedTuple):
    """What one run took, and the rows that are not those of the site."""

    seconds: float
    cpu: float
    rows: int
    wrong: int


def tutorial() -> Task:
    """Return the site of quotes."""
    web = QuotesWeb()
    pages = {}
    for url in web.pages():
        asked = Request(url, "quotes.test", "", Purpose.PAGE, "", 1 << 20)
        pages[f"/{url.removeprefix(HOME)}"] = web.answer(asked, 0.0).body
    rows = Counter((quote.text, quote.author) for quote in QUOTES)
    selectors = ("span.text::text", "small.author::text")
    return Task("tutorial", pages, rows, "div.quote", ("text", "author"), selectors)


def listing(count: int) -> Task:
    """Return a shop with so many pages of twenty products, each with a name of its own."""
    chance = random.Random(count)
    rows: Counter[Row] = Counter()
    pages = {}
    for page in range(1, count + 1):
        shown = ""
        for number in range((page - 1) * ON_A_PAGE, page * ON_A_PAGE):
            name = " ".join("".join(chance.choices(SYLLABLES, k=3)) for _ in range(3))
            row = (f"Lamp {name}", f"{number % 97}.50")
            rows[row] += 1
            shown += (
                f'<li class="product"><a class="name" href="/lamp/{number}">{row[0]}</a>'
                f'<p>By {name.title()}.</p><span class="price">{row[1]}</span></li>\n'
            )
        following = f'<ul><li class="next"><a href="/?page={page + 1}">Next</a></li></ul>'
        body = f"<ol>{shown}</ol>{following if page < count else ''}"
        text = f"<!doctype html><html lang=en><title>Lamps {page}</title><body>{body}</body></html>"
        pages["/" if page == 1 else f"/?page={page}"] = text.encode()
    selectors = ("a.name::text", "span.price::text")
    return Task("listing", pages, rows, "li.product", ("name", "price"), selectors)


@contextmanager
def served(pages: dict[str, bytes]) -> Iterator[str]:
    """Serve pages on loopback; yields the URL of the first."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            body = pages.get(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *words: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def lines(program: str) -> int:
    """Count the lines that are not empty."""
    return sum(bool(line.strip()) for line in program.splitlines())


def lycosa_commands(program: Path, start: str) -> list[list[str]]:
    """Return the commands by which Lycosa writes `rows.jsonl`."""
    export = ["-m", "lycosa", "export", "items", "crawl", "--format", "jsonl", "-o", "rows.jsonl"]
    return [[sys.executable, str(program), start], [sys.executable, *export]]


def scrapy_commands(python: str, program: Path, start: str) -> list[list[str]]:
    """Return the command by which Scrapy writes `rows.jsonl`."""
    words = ["-m", "scrapy", "runspider", str(program), "-a", f"start={start}"]
    return [[python, *words, "-L", "ERROR", "-O", "rows.jsonl"]]


@cache
def with_bytecode() -> dict[str, str]:
    """Return an environment in which modules are compiled once, as an installer compiles them."""
    folder = tempfile.mkdtemp(prefix="lycosa-bytecode-")
    atexit.register(shutil.rmtree, folder)
    rest = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return rest | {"PYTHONPYCACHEPREFIX": folder}


def measured(task: Task, commands: list[list[str]], folder: Path) -> Figures:
    """Run commands in an empty folder, and look at the rows they wrote."""
    began, cpu = time.monotonic(), 0.0
    for command in commands:
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, env=with_bytecode()
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        cpu += used.ru_utime + used.ru_stime
    seconds = time.monotonic() - began
    found: Counter[Row] = Counter()
    with (folder / "rows.jsonl").open() as stream:
        for line in stream:
            row: dict[str, Any] = json.loads(line)
            found[row[task.names[0]], row[task.names[1]]] += 1
    wrong = (found - task.rows).total() + (task.rows - found).total()
    return Figures(seconds, cpu, found.total(), wrong)


def compare(tasks: list[Task], scrapy: str, runs: int) -> None:
    """Print a row for each site and program."""
    print("| site | program | lines | seconds | CPU, s | rows | wrong, missing or twice |")
    print("|---|---|---|---|---|---|---|")
    for task in tasks:
        ways = {"Lycosa": LYCOSA} | ({"Scrapy": SCRAPY} if scrapy else {})
        figures: dict[str, list[Figures]] = {name: [] for name in ways}
        with served(task.pages) as start:
            for name in list(ways) * runs:
                with tempfile.TemporaryDirectory() as place:
                    folder = Path(place)
                    program = folder / "program.py"
                    program.write_text(task.program(ways[name]))
                    commands = lycosa_commands(program, start)
                    if name == "Scrapy":
                        commands = scrapy_commands(scrapy, program, start)
                    figures[name].append(measured(task, commands, folder))
        for name, text in ways.items():
            least = [min(column) for column in zip(*figures[name], strict=True)]
            wrong = max(one.wrong for one in figures[name])
            print(
                f"| {task.title} | {name} | {lines(task.program(text))} | {least[0]:.2f}"
                f" | {least[1]:.2f} | {least[2]:,} | {wrong} |",
                flush=True,
            )


def survive(kills: int) -> None:
    """Print what is lost or doubled by kills and two revisits; the crawls print, too."""
    table = "\n| workers | kills | pages | items | lost | twice | without their page |"
    table += "\n|---|---|---|---|---|---|---|"
    for workers in (1, 3):
        with tempfile.TemporaryDirectory() as place, item_web(6) as server:
            folder = Path(place) / "crawl"
            environment = environment_with(plugin_folder(Path(place) / "packages"))
            command = command_for(server, folder, workers, *CYCLES)
            killed = killed_often(command, folder, kills, environment)
            found = counted(folder)
        table += f"\n| {workers} | {killed} | {found.pages:,} | {found.items:,}"
        table += f" | {found.lost} | {found.twice} | {found.stray} |"
    print(table)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scrapy", default="", help="the Python of an environment with Scrapy")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--pages", type=int, default=200, help="of the listing (200)")
    parser.add_argument("--kills", type=int, default=10)
    options = parser.parse_args()
    print(f"{machine()}; {commit()}; load {os.getloadavg()[0]:.1f}\n")
    compare([tutorial(), listing(options.pages)], options.scrapy, options.runs)
    survive(options.kills)


if __name__ == "__main__":
    main()
