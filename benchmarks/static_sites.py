"""Sites of plain HTML files, crawled with `--render auto`: how many pages does a browser get?

    python -m benchmarks.static_sites FOLDER... [--pages N]

Each folder holds HTML files, for instance documentation that apt brings (`/usr/share/doc`). A file
is served with the type of its name, a folder with its `index.html`; the crawl begins at the folder
itself, or at a page with links to all files where there is no index. Nothing is rendered that has
no script; the question is how often the evidence of `auto` errs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.apps import DELAY_SECONDS, TYPES, App

from lycosa.model.records import Request
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, Listen, SocketWeb
from lycosa_testweb.web import Reply

_HTML = (("Content-Type", "text/html"),)


class Files(App):
    """A folder of files as a site."""

    def __init__(self, number: int, folder: Path) -> None:
        super().__init__(f"site{number}", folder, [], falls_back=False)

    def answer(self, request: Request, moment: float) -> Reply:
        path = request.url.partition("?")[0].split("/", 3)[3]
        file = (self._folder / path).resolve()
        if path == "robots.txt" or not file.is_relative_to(self._folder):
            return super().answer(request, moment)
        if file.is_dir() and not (file / "index.html").is_file():
            links = (f"<a href='{one.name}'>{one.name}</a> " for one in sorted(file.iterdir()))
            return Reply(200, _HTML, "".join(["<title>List</title>", *links]).encode())
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            return Reply(404, _HTML, b"nothing")
        kind = TYPES.get(file.suffix, "application/octet-stream")
        return Reply(200, (("Content-Type", kind),), file.read_bytes())


def measure(number: int, folder: Path, pages: int, work: Path) -> str:
    """Crawl a site, and return a row of the table."""
    web, path = Files(number, folder), work / f"crawl{number}"
    rules = RefereeRules(DELAY_SECONDS, DELAY_SECONDS, tolerance_seconds=SOCKET_TOLERANCE_SECONDS)
    referee = Referee(rules, web)
    with SocketWeb(web, referee=referee, tls=False, listen=Listen(folder=work)) as server:
        flags = ["--delay", f"{DELAY_SECONDS}s", "--ip-delay", f"{DELAY_SECONDS}s", "--quiet"]
        flags += ["--allow-private", "--mining", "off", "--workers", "1", "--render", "auto"]
        flags += ["--set", f"fetch.hosts_file={server.hosts_file}", "--max-pages", str(pages)]
        flags += ["--set", "render.without_sandbox=true"] if not os.geteuid() else []
        words = [sys.executable, "-m", "lycosa", "crawl", *web.seeds(), "-o", str(path), *flags]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    words = [sys.executable, "-m", "lycosa", "status", str(path), "--json"]
    status = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    rendered = sum(status["rendered"].values())
    return (
        f"| {folder} | {status['pages']} | {rendered} | {100 * rendered / status['pages']:.1f} % |"
        f" {done.returncode} | {len(referee.breaches)} |"
    )


def main() -> None:
    """Crawl each folder and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=400)
    options = parser.parse_args()
    print(
        "| site | pages kept | in a browser | share | exit | breaches |\n|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as work:
        for number, folder in enumerate(options.folders):
            print(measure(number, folder.resolve(), options.pages, Path(work)), flush=True)


if __name__ == "__main__":
    main()
