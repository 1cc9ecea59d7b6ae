"""Single-page applications of six frameworks, crawled without a browser, with `auto` and `always`.

    python -m benchmarks.apps FOLDER [--only NAME] [--modes off,auto,always] [--browser PROGRAM]

npm brings the frameworks into `FOLDER`, outside of the repository. docsify and VitePress show the
documentation of Fastify, which its package brings as Markdown. React, Vue, Angular and Svelte show
a part of it by an example with their routers: a home page, a list, a page that is loaded when it is
opened, one behind a button, and an article for each guide, fetched as data. The list of routes is
that of the application; each route has a sentence that stands nowhere else.

The CPU is that of the crawler and of every process that it has started, also of those that ended.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from lycosa.model.records import Request, Resolved
from lycosa.storage.archive.reader import table
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, Listen, SocketWeb
from lycosa_testweb.web import PLAIN, Reply

DELAY_SECONDS = 0.05
PACKAGES = (
    *("docsify@4", "fastify@5", "vitepress@1", "react@19", "react-dom@19", "react-router@7"),
    *("vue@3", "vue-router@4", "svelte@5", "page@1", "rxjs@7", "zone.js", "esbuild"),
    *(f"@angular/{name}@20" for name in ("core", "common", "compiler", "router")),
    "@angular/platform-browser@20",
)
SOURCES = Path(__file__).parent / "app_sources"
DOCUMENTS, GUIDES = 20, 10
"""Pages of the documentation, and of an example, that are taken."""
MORE_FLAGS = {"docsify": ("--exclude", "regex:[?]id=")}
"""docsify gives every heading a URL of its own with the whole page: 450 of them for 20 pages."""
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
}
PLACES = (
    ("/", "Home: the guides of this server are shown here by their names."),
    ("/guides", "List: every guide has a page of its own with its whole text."),
    ("/about", "About: this page was loaded when somebody has opened it."),
    ("/contact", "Contact: this page has no link, and stands behind a button."),
)
_SENTENCE = re.compile(r"^[A-Z][A-Za-z ,]{50,}[a-z.:]$", re.MULTILINE)
_PR_SET_CHILD_SUBREAPER = 36


class Route(NamedTuple):
    """A page of an application, and a sentence of it."""

    path: str
    sentence: str


SHELL = (
    "<!DOCTYPE html><meta charset=utf-8><title>{0}</title>{1}"
    "<script type=module src=/app.js></script>"
)


class App:
    """An application that is served as files, with its document wherever there is none."""

    def __init__(self, name: str, folder: Path, routes: list[Route], *, falls_back: bool) -> None:
        self.name = name
        self._host = f"{name}.test"
        self._folder = folder.resolve()
        self._falls_back = falls_back
        self.routes = routes

    def url_of(self, route: Route) -> str:
        return f"http://{self._host}{route.path}"

    def seeds(self) -> list[str]:
        return [f"http://{self._host}/"]

    def hosts(self) -> list[str]:
        return [self._host]

    def answer(self, request: Request, moment: float) -> Reply:
        path = "/" + request.url.partition("?")[0].split("/", 3)[3]
        if path == "/robots.txt":
            return Reply(200, PLAIN, b"User-agent: *\n")
        for name in (path, f"{path}.html", f"{path}/index.html"):
            file = (self._folder / name.lstrip("/")).resolve()
            if file.is_file() and file.is_relative_to(self._folder):
                kind = TYPES.get(file.suffix, "application/octet-stream")
                return Reply(200, (("Content-Type", kind),), file.read_bytes())
        if self._falls_back and not Path(path).suffix:
            document = (self._folder / "index.html").read_bytes()
            return Reply(200, (("Content-Type", TYPES[".html"]),), document)
        return Reply(404, PLAIN, b"nothing\n")

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved("10.0.0.1" if host == self._host else None, 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        return 0.0


# -- how they are built ----------------------------------------------------------------------


def install(folder: Path) -> None:
    """Let npm bring the frameworks, once."""
    if (folder / "node_modules").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}")
    words = ["npm", "install", "--ignore-scripts", "--silent", "--no-audit", "--no-fund"]
    subprocess.run([*words, *PACKAGES], cwd=folder, check=True)


def documents(folder: Path) -> dict[str, str]:
    """Return the Markdown of Fastify's documentation that has a sentence to look for, by name."""
    found, place = {}, folder / "node_modules/fastify/docs"
    for file in sorted(place.glob("*/*.md")):
        text = file.read_text("utf-8")
        if file.stem != "Index" and sentence_of(text):
            found[f"{file.parent.name}/{file.stem}"] = text
    return dict(list(found.items())[:DOCUMENTS])


def sentence_of(text: str) -> str:
    """Return a line of prose without marks; "" if there is none."""
    plain = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return next(iter(_SENTENCE.findall(plain)), "")


def build(name: str, folder: Path) -> App:
    """Build one of the applications."""
    out = folder / "apps" / name
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    if name in ("docsify", "vitepress"):
        return _documentation(name, folder, out)
    return _example(name, folder, out)


def _documentation(name: str, folder: Path, out: Path) -> App:
    pages = documents(folder)
    routes = [Route(f"/{path}", sentence_of(text)) for path, text in pages.items()]
    site = out if name == "docsify" else out / "source"
    for path, text in pages.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / f"{path}.md").write_text(text, "utf-8")
    listed = "".join(f"* [{path.split('/')[1]}](/{path}.md)\n" for path in pages)
    home = "The home page of this documentation names all of its pages."
    (site / ("README.md" if name == "docsify" else "index.md")).write_text(f"# Home\n\n{home}\n")
    routes.append(Route("/", home))
    if name == "docsify":
        (site / "_sidebar.md").write_text(listed)
        shutil.copy(SOURCES / name / "index.html", site)
        shutil.copy(folder / "node_modules/docsify/lib/docsify.min.js", site)
        return App(name, site, routes, falls_back=True)
    shutil.copytree(folder / "node_modules/fastify/docs/resources", site / "resources")
    sidebar = [{"text": path.split("/")[1], "link": f"/{path}"} for path in pages]
    (site / ".vitepress").mkdir()
    made = (SOURCES / name / "config.mjs").read_text().replace("SIDEBAR", json.dumps(sidebar))
    (site / ".vitepress/config.mjs").write_text(made)
    program = folder / "node_modules/vitepress/bin/vitepress.js"
    _run(["node", str(program), "build", str(site)], folder)
    return App(name, site / ".vitepress/dist", routes, falls_back=False)


def _example(name: str, folder: Path, out: Path) -> App:
    texts = dict(list(documents(folder).items())[:GUIDES])
    guides = {path.split("/")[1]: text for path, text in texts.items()}
    (out / "content").mkdir()
    for guide, text in guides.items():
        (out / "content" / f"{guide}.md").write_text(text, "utf-8")
    source = folder / "source" / name
    source.mkdir(parents=True, exist_ok=True)
    for file in (SOURCES / name).iterdir():
        text = file.read_text("utf-8").replace("NAMES", json.dumps(list(guides)))
        (source / file.name).write_text(text.replace("PLACES", json.dumps(dict(PLACES))))
    if name == "svelte":
        _run(["node", "build.mjs"], source)
    bundle = [str(folder / "node_modules/.bin/esbuild"), "app.js", "--bundle", "--splitting"]
    bundle += ["--format=esm", "--minify", "--loader:.js=jsx", f"--outdir={out}"]
    bundle += ['--define:process.env.NODE_ENV="production"', "--conditions=browser,svelte"]
    bundle += [f"--define:{word}=false" for word in ("__VUE_PROD_DEVTOOLS__", "ngDevMode")]
    _run(bundle, source)
    place = "<app-root></app-root>" if name == "angular" else "<div id=root></div>"
    head = SHELL.format(name, '<base href="/">' + place)
    (out / "index.html").write_text(head)
    routes = [Route(path, sentence) for path, sentence in PLACES]
    routes += [Route(f"/guides/{guide}", sentence_of(text)) for guide, text in guides.items()]
    return App(name, out, routes, falls_back=True)


def _run(words: list[str], folder: Path) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


# -- what is measured ------------------------------------------------------------------------


def adopt_orphans() -> None:
    """Become the parent of processes whose own parent has ended, so that their time is counted."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def used_by_ended() -> float:
    """Return the CPU seconds of all processes below this one that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(app: App, mode: str, browser: str, folder: Path) -> str:
    """Crawl an application in one mode; return a row of the table."""
    path = folder / f"{app.name}-{mode}"
    rules = RefereeRules(DELAY_SECONDS, DELAY_SECONDS, tolerance_seconds=SOCKET_TOLERANCE_SECONDS)
    referee = Referee(rules, app)
    with SocketWeb(app, referee=referee, tls=False, listen=Listen(folder=folder)) as server:
        flags = ["--delay", f"{DELAY_SECONDS}s", "--ip-delay", f"{DELAY_SECONDS}s"]
        flags += ["--allow-private", "--mining", "off", "--quiet", "--workers", "1"]
        flags += ["--render", mode, "--set", f"fetch.hosts_file={server.hosts_file}"]
        flags += ["--set", "render.without_sandbox=true"] if not os.geteuid() else []
        flags += ["--set", f"render.browser={browser}"] if browser else []
        flags += MORE_FLAGS.get(app.name, ())
        began, before = time.monotonic(), used_by_ended()
        words = [sys.executable, "-m", "lycosa", "crawl", *app.seeds(), "-o", str(path)]
        done = subprocess.run([*words, *flags], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - began
        time.sleep(0.5)  # processes of the browser that end after the crawl
        cpu = used_by_ended() - before
    words = [sys.executable, "-m", "lycosa", "status", str(path), "--json"]
    status = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    rows = table(path, "pages", ["url", "outcome"]).to_pylist()
    kept = {row["url"].partition("?")[0] for row in rows if row["outcome"] == "kept"}
    texts: dict[str, str] = {}
    for row in table(path, "text", ["url", "text"]).to_pylist():
        texts[row["url"]] = texts.get(row["url"], "") + " ".join(row["text"].split())
    urls = [app.url_of(route) for route in app.routes]
    found = sum(url in kept for url in urls)
    read = [app.url_of(one) for one in app.routes if one.sentence in texts.get(app.url_of(one), "")]
    endings = ", ".join(f"{n} {how}" for how, n in status["rendered"].items() if n) or "-"
    lacking = ", ".join(f"{n} {why}" for why, n in status["parts_refused"].items()) or "-"
    for url in sorted({*urls} - {*read}) if mode == "always" else ():
        print(f"    without its text: {url}", file=sys.stderr)
    verdict = "" if not referee.breaches else f" ({len(referee.breaches)} breaches)"
    return (
        f"| {app.name} | {mode} | {found} of {len(urls)} | {len(read)} of {len(urls)} |"
        f" {referee.statistics.requests} | {seconds:.0f} | {cpu:.1f} | {endings} | {lacking} |"
        f" {done.returncode}{verdict} |"
    )


def main() -> None:
    """Build, crawl and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    names = ("docsify", "vitepress", "react", "vue", "angular", "svelte")
    parser.add_argument("--only", choices=names, action="append")
    parser.add_argument("--modes", default="off,auto,always")
    parser.add_argument("--browser", default="")
    options = parser.parse_args()
    folder = options.folder.resolve()
    install(folder)
    adopt_orphans()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    print("| application | `--render` | routes | with text | requests | s | CPU s | ", end="")
    print("endings | parts lacking | exit |\n|---|---|---|---|---|---|---|---|---|---|")
    for name in options.only or names:
        app = build(name, folder)
        with tempfile.TemporaryDirectory() as crawls:
            for mode in options.modes.split(","):
                print(measure(app, mode, options.browser, Path(crawls)), flush=True)


if __name__ == "__main__":
    main()
