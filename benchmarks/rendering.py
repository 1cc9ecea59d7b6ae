"""What rendering costs and brings: pages in a browser, and crawls of two webs in all three modes.

    python -m benchmarks.rendering [--react]

The first web is the maze of the test web, in which every room leads on by another kind of script,
the second a journal whose scripts make no difference. The third is an application of twenty
products made with React, built with npm (`--react`): one document without text, a bundle, and a
list in JSON for each product.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lycosa._support.loop import Loop
from lycosa.fetch.browser.executable import find_browser
from lycosa.fetch.browser.protocol import Done, FoundLink, Holding, Part, PartWanted, RenderPage
from lycosa.fetch.browser.renderer import BrowserProcess
from lycosa.model.records import Request, Resolved
from lycosa.storage.archive.reader import table
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, Listen, SocketWeb
from lycosa_testweb.web import PLAIN, Reply, request_for
from lycosa_testweb.webs.script_maze import HOME, KINDS, ScriptMaze

DELAY_SECONDS = 0.2
PRODUCTS = 20
TYPES = {".js": "text/javascript", ".json": "application/json", ".html": "text/html; charset=utf-8"}
APPLICATION = """
import React, { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
const go = (path) => (event) => { event.preventDefault(); history.pushState({}, "", path);
  dispatchEvent(new PopStateEvent("popstate")); };
const numbers = Array.from({ length: COUNT }, (_, place) => place + 1);
function List() {
  return <ul>{numbers.map((n) => <li key={n}><a href={"/item/" + n} onClick={go("/item/" + n)}>
    Product {n}</a></li>)}</ul>;
}
function Item({ number }) {
  const [item, setItem] = useState(null);
  useEffect(() => {
    fetch("/api/" + number + ".json").then((r) => r.json()).then(setItem);
  }, [number]);
  return item ? <article><h1>{item.name}</h1><p>{item.text}</p>
    <button onClick={go("/more/" + number)}>More</button></article> : <p>…</p>;
}
function Application() {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => { addEventListener("popstate", () => setPath(location.pathname)); }, []);
  const number = path.match(/^\\/item\\/(\\d+)/)?.[1];
  return number ? <Item number={number} /> : <List />;
}
createRoot(document.getElementById("root")).render(<Application />);
"""
SHELL = "<!DOCTYPE html><title>Shop</title><div id=root></div><script src=/bundle.js></script>"


class Application:
    """An application of one document, which is given at every path of a page."""

    host = "shop.test"

    def __init__(self, bundle: bytes) -> None:
        self._bundle = bundle

    @classmethod
    def built(cls, folder: Path) -> Application:
        """Build the application with npm."""
        (folder / "app.jsx").write_text(APPLICATION.replace("COUNT", str(PRODUCTS)), "utf-8")
        words = ["npm", "install", "--silent", "--no-audit", "--no-fund"]
        subprocess.run([*words, "react@19", "react-dom@19", "esbuild"], cwd=folder, check=True)
        build = ["node_modules/.bin/esbuild", "app.jsx", "--bundle", "--minify"]
        define = '--define:process.env.NODE_ENV="production"'
        subprocess.run([*build, define, "--outfile=bundle.js"], cwd=folder, check=True)
        return cls((folder / "bundle.js").read_bytes())

    def pages(self) -> list[str]:
        home = f"http://{self.host}/"
        made = [f"{home}{kind}/{n}" for kind in ("item", "more") for n in range(1, PRODUCTS + 1)]
        return [home, *made]

    def seeds(self) -> list[str]:
        return [f"http://{self.host}/"]

    def hosts(self) -> list[str]:
        return [self.host]

    def answer(self, request: Request, moment: float) -> Reply:
        path = "/" + request.url.split("/", 3)[3]
        if path == "/robots.txt":
            return Reply(200, PLAIN, b"User-agent: *\n")
        if path == "/bundle.js":
            return Reply(200, (("Content-Type", TYPES[".js"]),), self._bundle)
        if path.startswith("/api/"):
            number = path[5:-5]
            text = f"The product with the number {number} is like no other. " * 9
            body = json.dumps({"name": f"Product {number}", "text": text}).encode()
            return Reply(200, (("Content-Type", TYPES[".json"]),), body)
        if path == "/" or path.startswith(("/item/", "/more/")):
            return Reply(200, (("Content-Type", TYPES[".html"]),), SHELL.encode())
        return Reply(404, PLAIN, b"nothing\n")

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved("10.0.0.1" if host == self.host else None, 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        return 0.0


class Journal(Application):
    """A site of ordinary pages, each with a script that counts its readers and changes nothing."""

    host = "journal.test"

    def __init__(self) -> None:
        super().__init__(b"window.readers = 1;")

    def pages(self) -> list[str]:
        return [f"http://{self.host}/", *(f"http://{self.host}/item/{n}" for n in range(1, 41))]

    def answer(self, request: Request, moment: float) -> Reply:
        path = "/" + request.url.split("/", 3)[3]
        if path != "/" and not path.startswith("/item/"):
            return super().answer(request, moment)
        links = "".join(f"<li><a href=/item/{n}>Article {n}</a>" for n in range(1, 41))
        text = (
            f"<h1>{path}</h1><p>{'Ordinary words that need no script. ' * 30}</p><ul>{links}</ul>"
        )
        body = f"<!DOCTYPE html><title>{path}</title>{text}<script src=/bundle.js></script>"
        return Reply(200, (("Content-Type", TYPES[".html"]),), body.encode())


def measure_pages(folder: Path) -> None:
    """Render the rooms of the maze one by one, with all parts at hand."""
    web, loop, results = ScriptMaze(), Loop(), dict[str, Done]()
    browser = BrowserProcess(loop, find_browser(), folder / "browser", may_lack_sandbox=True)

    def find(wanted: PartWanted) -> Part:
        reply = web.answer(request_for(web, wanted.url), 0.0)
        held = reply.status == 200
        return Part(Holding.HELD if held else Holding.GONE, 200, list(reply.headers), reply.body)

    for kind in KINDS:
        reply = web.answer(request_for(web, HOME + kind), 0.0)

        def done(found: Done, links: list[FoundLink], kind: str = kind) -> None:
            results[kind] = found
            loop.stop()

        page = RenderPage(HOME + kind, list(reply.headers), reply.body, 30.0, 2 << 30, 60, True)
        browser.render(page, find, done)
        loop.run_forever()
    browser.close()
    loop.close()
    seconds = [one.seconds for one in results.values()]
    cpu = [one.cpu_seconds for one in results.values()]
    memory = max(one.memory_bytes for one in results.values())
    print(
        f"{len(results)} pages: {statistics.median(seconds):.2f} s and"
        f" {statistics.median(cpu):.2f} s of CPU a page (medians), {memory / 1e6:.0f} MB"
    )


def measure_crawl(web: ScriptMaze | Application, mode: str, folder: Path) -> None:
    """Crawl a web in one mode."""
    path = folder / f"crawl-{mode}"
    rules = RefereeRules(DELAY_SECONDS, DELAY_SECONDS, tolerance_seconds=SOCKET_TOLERANCE_SECONDS)
    referee = Referee(rules, web)
    with SocketWeb(web, referee=referee, tls=False, listen=Listen(folder=folder)) as server:
        flags = ["--delay", f"{DELAY_SECONDS}s", "--allow-private", "--mining", "off", "--quiet"]
        flags += ["--set", f"fetch.hosts_file={server.hosts_file}", "--render", mode]
        words = [sys.executable, "-m", "lycosa", "crawl", *web.seeds(), "-o", str(path)]
        began, used = time.monotonic(), _used()
        done = subprocess.run(
            [*words, *flags, "--workers", "1"], capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 69), done.stderr  # 69: there is nothing but an empty page
        seconds, cpu = time.monotonic() - began, _used() - used
    rows = table(path, "pages", ["url", "outcome"]).to_pylist()
    kept = {row["url"].partition("?")[0] for row in rows if row["outcome"] == "kept"}
    rendered = sum(row["outcome"] == "rendered" for row in rows)
    pages = web.pages()
    found = sum(url in kept for url in pages)
    print(
        f"{type(web).__name__}, {mode}: {found} of {len(pages)} pages,"
        f" {referee.statistics.requests} requests, {rendered} documents,"
        f" {_shown(path)} shown, {seconds:.0f} s,"
        f" crawler {cpu:.1f} s of CPU, referee {referee.verdict}"
    )


def _shown(path: Path) -> int:
    """Return how many pages a browser has had, whether or not it changed them."""
    words = [sys.executable, "-m", "lycosa", "status", str(path), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return sum(
        json.loads(done.stdout)["rendered"].get(name, 0) for name in ("rendered", "timed-out")
    )


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--react", action="store_true", help="also the application, by npm")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
        measure_pages(folder)
        webs: list[ScriptMaze | Application] = [ScriptMaze(), Journal()]
        if options.react:
            (folder / "application").mkdir()
            webs.append(Application.built(folder / "application"))
        for number, web in enumerate(webs):
            (folder / str(number)).mkdir()
            for mode in ("off", "auto", "always"):
                measure_crawl(web, mode, folder / str(number))


if __name__ == "__main__":
    main()
