"""Checks that a crawl takes every page of an ordinary site: Debian's Apache manual.

    python -m benchmarks.manual /usr/share/doc/apache2-doc/manual [--runs 3] [--workers 1 2]

The folder is served on loopback as it is and crawled by the command, with default settings but for
the pauses. The manual has the English page in every language that a page was not translated to: two
of three pages repeat another one word by word, and nothing of it is a trap.

What is reachable is found without the crawler: files are read one after the other, their links
taken out by the parser of the standard library, until there are no more.
"""

from __future__ import annotations

import argparse
import mimetypes
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from lycosa.model.records import TRAPS, Outcome
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory

PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml")
"""Of the types that a job keeps by default, those that such folders have."""


class Links(HTMLParser):
    """Takes the links of a page that a crawler follows."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.base = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where a tag leads."""
        given = {name: value or "" for name, value in attrs}
        if tag == "base" and not self.base:
            self.base = given.get("href", "")
        elif tag in ("a", "area"):
            self.found += [given["href"]] if "href" in given else []
        elif tag in ("frame", "iframe"):
            self.found += [given["src"]] if "src" in given else []
        elif tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            _, _, target = given.get("content", "").lower().partition("url=")
            self.found += [given["content"][-len(target) :].strip(" '\"")] if target else []


def served(root: Path, path: str) -> Path | None:
    """Return the file that a server of static files shows for a path."""
    file = root / unquote(path).lstrip("/")
    if path.endswith("/"):
        file /= "index.html"
    return file if file.is_file() else None


def type_of(file: Path) -> str:
    """Return the type that the server gives to a file; a name like `index.html.en` is a page."""
    return mimetypes.guess_type(file.name)[0] or "text/html"


def reachable(root: Path, start: str) -> set[str]:
    """Return the paths of all pages that links lead to, read from the files alone."""
    pages, seen, todo = set(), {start}, deque([start])
    while todo:
        path = todo.popleft()
        file = served(root, path)
        if file is None or type_of(file) not in PAGE_TYPES:
            continue
        pages.add(path)
        reader = Links()
        reader.feed(file.read_text("utf-8", "replace"))
        here = f"http://site{path}"
        base = urljoin(here, reader.base)
        for href in reader.found:
            target = urlsplit(urljoin(base, href.strip()))
            if (target.scheme, target.netloc) == ("http", "site") and not target.query:
                further = target.path or "/"
                if further not in seen:
                    seen.add(further)
                    todo.append(further)
    return pages


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder without a word; directories are pages only where they have an index."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        """Give names that nobody knows the type of a page."""
        return type_of(Path(path))

    def list_directory(self, path: str | os.PathLike[str]) -> None:
        """Show no lists."""
        self.send_error(404)


class Counts(NamedTuple):
    """What a crawl of the folder came to."""

    kept: set[str]
    put_aside: Counter[str]
    seconds: float
    last_line: str


def crawl(url: str, folder: Path, workers: int, *more: str) -> Counts:
    """Crawl with default settings but for the pauses."""
    began = time.monotonic()
    command = [sys.executable, "-m", "lycosa", "crawl", url, "-o", str(folder)]
    command += ["--allow-private", "--delay", "0", "--ip-delay", "0", "--workers", str(workers)]
    command += ["--contact", "benchmark@example.org", "--set", "politeness.answer_time_factor=0"]
    done = subprocess.run([*command, *more], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    kept, put_aside = set(), Counter[str]()
    directory = CrawlDirectory.open(folder)
    for state in directory.states(directory.job()).values():
        for page in range(len(state.table)):
            outcome = state.outcome_of(page)
            if outcome is Outcome.KEPT:
                kept.add(urlsplit(url_of(state.table.key(page))).path)
            elif outcome in TRAPS:
                put_aside[TRAPS[outcome]] += 1
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    said = next((line for line in lines if "omplete" in line), lines[-1] if lines else "")
    return Counts(kept, put_aside, seconds, said.strip())


def main() -> None:
    """Print how many pages are reachable, kept and put aside."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--start", default="/index.html", help="the page to begin with")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--set", action="append", default=[], help="passed on to the crawl")
    options = parser.parse_args()
    truth = reachable(options.folder, options.start)
    print(f"reachable: {len(truth):,} pages\n")
    print("| workers | kept | missing | put aside | seconds | the crawl says |")
    print("|---|---|---|---|---|---|")
    handler = partial(Handler, directory=str(options.folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}{options.start}"
        more = [word for setting in options.set for word in ("--set", setting)]
        for workers in options.workers:
            for _ in range(options.runs):
                with tempfile.TemporaryDirectory() as folder:
                    counts = crawl(url, Path(folder) / "crawl", workers, *more)
                missing = len(truth - counts.kept)
                aside = ", ".join(f"{n} {why}" for why, n in counts.put_aside.items()) or "0"
                print(
                    f"| {workers} | {len(counts.kept):,} | {missing} | {aside} "
                    f"| {counts.seconds:.0f} | {counts.last_line} |",
                    flush=True,
                )
        server.shutdown()


if __name__ == "__main__":
    main()
