"""Crawls of a site whose pages are rendered."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from lycosa.model.records import Request
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.servers.raw import Hosted
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, Listen, SocketWeb
from lycosa_testweb.web import HTML, Reply, Truth
from lycosa_testweb.webs.script_maze import HOME, OTHER_HOST, ScriptMaze

DELAY_SECONDS = 0.1


class Judged(Hosted, Truth, Protocol):
    """A web that can be served, and that knows its own rules."""


@contextmanager
def served(web: Judged, folder: Path) -> Iterator[tuple[SocketWeb, Referee]]:
    rules = RefereeRules(DELAY_SECONDS, DELAY_SECONDS, tolerance_seconds=SOCKET_TOLERANCE_SECONDS)
    referee = Referee(rules, web)
    with SocketWeb(web, referee=referee, tls=False, listen=Listen(folder=folder)) as server:
        yield server, referee


def lycosa(*words: str | Path, kill_at: str = "") -> subprocess.CompletedProcess[str]:
    environment = os.environ | ({"LYCOSA_KILL_AT": kill_at} if kill_at else {})
    return subprocess.run(
        [sys.executable, "-m", "lycosa", *map(str, words)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def crawl(
    server: SocketWeb,
    path: Path,
    mode: str,
    *more: str,
    kill_at: str = "",
    seed: str = HOME,
    expects: int = 0,
) -> None:
    flags = ["--allow-private", "--delay", f"{DELAY_SECONDS}s", "--ip-delay", f"{DELAY_SECONDS}s"]
    flags += ["--set", f"fetch.hosts_file={server.hosts_file}", "--mining", "off", "--quiet"]
    flags += ["--render", mode, "--set", "log.commit_seconds=0.1", *more]
    done = lycosa("crawl", seed, "-o", path, *flags, kill_at=kill_at)
    expected = -signal.SIGKILL if kill_at else expects
    assert done.returncode == expected, done.stderr


class ManyScripts(ScriptMaze):
    """An application made by many scripts of two hosts, and ordinary pages behind it."""

    def __init__(self, own: int = 10, others: int = 4) -> None:
        super().__init__(())
        urls = [f"{HOME}parts/own{n}.js" for n in range(own)]
        urls += [f"http://{OTHER_HOST}/parts/other{n}.js" for n in range(others)]
        tags = "".join(f"<script src={url}></script>" for url in urls)
        links = "".join(f"<a href=/page{n}>page</a>" for n in range(3))
        self.scripts = set(urls)
        self._parts = {
            "/" + url.split("/", 3)[3]: f"out.innerHTML += '<p>' + 'Said by {n}. '.repeat(9)"
            for n, url in enumerate(urls)
        }
        home = f"<!DOCTYPE html>{links}<div id=out></div>{tags}"
        self._pages = {"/": home.encode()}
        for n in range(3):
            self._pages[f"/page{n}"] = b"<!DOCTYPE html><title>Plain</title>plain words " * 9


class Stuck(ScriptMaze):
    """The maze, with a page that hangs when something is clicked."""

    def __init__(self, kinds: Sequence[str]) -> None:
        super().__init__(kinds)
        found = "<a href=/found/stuck>door</a> and some text, made before the click. "
        self._pages["/stuck"] = (
            "<!DOCTYPE html><title>Stuck</title><button onclick='for (;;);'>Open</button>"
            f"<div id=r></div><script>r.innerHTML = '{found}'.repeat(9)</script>"
        ).encode()
        self._pages["/found/stuck"] = b"<!DOCTYPE html><title>Behind</title>behind the door"


class LateApplication(ScriptMaze):
    """Ordinary pages first, and behind them an application whose menu comes from the server.

    The article of each of its pages is fetched as data, and is shorter than the menu.
    """

    def __init__(self) -> None:
        super().__init__(())
        menu = "<nav>" + "An entry of the long menu of this site. " * 60 + "</nav>"
        shown = "fetch('/parts/' + location.pathname.slice(5) + '.json').then((r) => r.json())"
        article = "'The article that came as data. '.repeat(15)"
        script = f"{shown}.then(([n]) => {{ app.innerHTML = '<p>' + {article}"
        more = "+ (n < 3 ? '<a hr' + 'ef=/found/' + n + '>on</a>' : '') })"
        links = "".join(f"<a href=/app/{number}>{number}</a> " for number in range(1, 4))
        plain = "An ordinary page with a script that counts its readers. " * 9
        page = "<!DOCTYPE html><title>{0}</title><p>{0}</p>{1}{2}<script>{3}</script>"
        self._pages = {
            "/": page.format("Home", plain, "<a href=/a>a</a> <a href=/b>b</a>", "1").encode(),
            "/a": page.format("A", plain, "<a href=/c>c</a>", "2").encode(),
            "/b": page.format("B", plain, "<a href=/d>d</a>", "3").encode(),
            "/c": page.format("C", plain, links, "4").encode(),
            "/d": page.format("D", plain, links, "5").encode(),
        }
        for number in range(1, 4):
            place = menu + "<div id=app></div>"
            text = page.format(f"Article {number}", "", place, script + more)
            self._pages[f"/app/{number}"] = text.encode()
            if number < 3:
                self._pages[f"/found/{number}"] = page.format(number, plain, "", "6").encode()


class HashApplication(ScriptMaze):
    """An application whose router shows views by the fragment; a view has its text as data.

    The first view names the last, and leads to a page of the server.
    """

    def __init__(self, views: int = 6) -> None:
        super().__init__(())
        self.views = [f"#/view/{number}" for number in range(1, views)] + ["#!last/view"]
        links = "".join(f"<a href={view}>{view[2:]}</a> " for view in self.views[:-1])
        more = f"<a href={self.views[-1]}>last</a> <a href=/plain>plain</a>"
        script = f"""
          const show = async () => {{
            const name = location.hash.slice(2).replace("/", "-");
            if (!name) app.innerHTML = "<h1>Home</h1>{links} <a href=#/>home</a> <a href=#a>a</a>";
            else {{
              const [text] = await (await fetch("/parts/" + name + ".json")).json();
              app.innerHTML = "<h1>" + name + "</h1><p>The text of " + text + " is here alone.";
              if (name === "view-1") app.innerHTML += "{more}";
            }}
            document.title = name || "Home";
          }};
          addEventListener("hashchange", show);
          show();"""
        self._pages = {
            "/": f"<!DOCTYPE html><div id=app></div><script>{script}</script>".encode(),
            "/plain": b"<!DOCTYPE html><title>Plain</title>" + b"words of a plain page " * 20,
        }

    def urls_of_views(self) -> set[str]:
        return {HOME + view for view in self.views}

    def text_of(self, view: str) -> str:
        return f"The text of {view[2:].replace('/', '-')} is here alone."


class SentOn(ScriptMaze):
    """An application on a server of files: its page for what is not found sends to the home page.

    The path goes along as a query. Elsewhere (`leads=False`) that page has a script that does not.
    """

    def __init__(self, guides: int = 6, *, leads: bool = True) -> None:
        super().__init__(())
        self.guides = [f"guide/{number}" for number in range(1, guides + 1)]
        links = "".join(f"<a href=/{guide}>{guide}</a> " for guide in self.guides)
        shown = "document.title = app.textContent = location.search.slice(2)"
        self._pages = {
            "/": f"<!DOCTYPE html><p>{links}<p id=app></p><script>{shown}</script>".encode()
        }
        go = "location.replace('/?/' + location.pathname.slice(1))" if leads else "var counted = 1"
        self._lost = f"<!DOCTYPE html><title>Sent on</title><script>{go}</script>".encode()

    def answer(self, request: Request, moment: float) -> Reply:
        reply = super().answer(request, moment)
        return Reply(404, HTML, self._lost) if reply.status == 404 else reply
