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

from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.servers.raw import Hosted
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, Listen, SocketWeb
from lycosa_testweb.web import Truth
from lycosa_testweb.webs.script_maze import HOME, ScriptMaze

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
