"""`lycosa shell`: pages over real sockets, judged from the server's side, from crawls and files."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lycosa import Job, run
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.robots import Group, Robots, everything, folder
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.graph import GraphWeb
from warm import lycosa

pytestmark = pytest.mark.quick

A, B, OLD = "http://a.test/", "http://a.test/b", "http://a.test/old"
HIDDEN, CLOSED = "http://c.test/hidden/x", "http://closed.test/"
DELAY_SECONDS = 0.3
ROBOTS = {
    "a.test": Robots((Group("*", ()),)),
    "c.test": Robots((Group("*", (folder("/hidden/"),)),)),
    "closed.test": Robots((Group("*", (everything(),)),)),
}
PAGE = "<title>Saved</title><h1>Hé</h1><a href=/x>x</a><script>1</script>"
WITHOUT_IPYTHON = """\
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, of=None: None if name == "IPython" else found(name, of)
from lycosa.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass
class Site:
    server: SocketWeb
    referee: Referee

    def settings(self) -> list[str]:
        pauses = ("politeness.delay_seconds=0.3", "politeness.ip_delay_seconds=0.02")
        found = (*pauses, f"fetch.hosts_file={self.server.hosts_file}")
        return [word for setting in found for word in ("--set", setting)]

    def shell(self, *words: str) -> subprocess.CompletedProcess[str]:
        return lycosa("shell", *words, "--allow-private", *self.settings())

    def asked(self, since: int) -> list[str]:
        self.server.settle()
        return [entry.url for entry in self.referee.history[since:]]

    @property
    def so_far(self) -> int:
        self.server.settle()
        return len(self.referee.history)


@pytest.fixture
def site() -> Iterator[Site]:
    links: dict[str, list[str]] = {A: [B, HIDDEN], B: [A], HIDDEN: [], CLOSED: []}
    web = GraphWeb(links, {OLD: B, "http://c.test/away": HIDDEN}, robots=ROBOTS)
    rules = RefereeRules(DELAY_SECONDS, 0.02, tolerance_seconds=0.03)
    referee = Referee(rules, web, keep_history=True)
    with SocketWeb(web, referee=referee, tls=False) as server:
        yield Site(server, referee)
        server.settle()
    assert [str(breach) for breach in referee.breaches] == []


def test_a_page_is_asked_for_after_its_robots_file_and_with_pauses(site: Site) -> None:
    before = site.so_far
    done = site.shell(A, "-c", f"print(fetch('{B}').url, page.url); print(page.links[0].url)")
    assert (done.returncode, done.stdout) == (0, f"{B} {B}\n{A}\n")
    assert site.asked(before) == ["http://a.test/robots.txt", A, B]
    assert f"{B}: 200 text/html" in done.stderr and "waiting 0." in done.stderr


def test_the_value_of_an_expression_is_printed(site: Site) -> None:
    done = site.shell(A, "-c", "page.css('a::attr(href)').getall()")
    assert done.stdout == f"{[B, HIDDEN]!r}\n"


def test_a_redirect_is_followed_under_the_same_rules(site: Site) -> None:
    done = site.shell(OLD, "-c", "page.url")
    assert (done.stdout, done.returncode) == (f"{B}\n", 0)
    assert f"{OLD} redirects" in done.stderr
    before = site.so_far
    done = site.shell("http://c.test/away", "-c", "page.url")
    assert (done.stdout, done.returncode) == ("", 1)
    assert f"{HIDDEN}: not asked for: the robots file of its site disallows it" in done.stderr
    assert HIDDEN not in site.asked(before)


def test_a_page_that_may_not_be_asked_for_is_named_with_the_reason(site: Site) -> None:
    before = site.so_far
    done = site.shell(CLOSED, "-c", "page")
    assert (done.stdout, done.returncode) == ("", 1)
    assert f"lycosa check robots {CLOSED}" in done.stderr
    assert site.asked(before) == ["http://closed.test/robots.txt"]
    guarded = lycosa("shell", A, "-c", "1", *site.settings(), "--contact", "me@example.org")
    assert guarded.returncode == 1
    assert "its address is private or loopback; add --allow-private" in guarded.stderr
    assert site.asked(before) == ["http://closed.test/robots.txt"]


def test_a_page_that_a_crawl_would_not_keep_is_shown_all_the_same(site: Site) -> None:
    done = site.shell("http://a.test/none", "-c", "page.status")
    assert (done.stdout, done.returncode) == ("404\n", 0)
    assert "a crawl would not keep it: not found" in done.stderr


def test_pages_of_a_crawl_cause_no_request(site: Site, tmp_path: Path) -> None:
    job = Job.of(
        [A],
        fetch={"allow_private": True, "hosts_file": str(site.server.hosts_file)},
        politeness={"delay_seconds": 0.3, "ip_delay_seconds": 0.02},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
    )
    run(tmp_path / "crawl", job)
    before, crawl = site.so_far, str(tmp_path / "crawl")
    done = lycosa("shell", crawl, A, "-c", f"print(page.url, fetch('{B}').title == page.title)")
    assert (done.returncode, done.stdout) == (0, f"{A} True\n"), done.stderr
    done = lycosa("shell", crawl, "http://a.test/none", "-c", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the archive has no answer for this URL" in done.stderr
    assert site.asked(before) == []


@pytest.fixture
def saved(tmp_path: Path) -> str:
    file = tmp_path / "saved.html"
    file.write_text(PAGE, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([], 2, "URL | DIR URL | FILE"),
        (["."], 2, "Name a page of the crawl, too: lycosa shell . URL"),
        (["a", "b", "c"], 2, "Give one URL, a crawl directory and a URL, or a file."),
        (["http://a.test/", "--url", "http://b.test/"], 2, "is not a file"),
        (["http://a.test/", "-c", "1"], 2, "add --contact"),
        (["mailto:a@b.test", "--allow-private"], 1, "not a URL that can be crawled"),
        (["nowhere", "http://a.test/"], 2, "nowhere"),
    ],
)
def test_a_mistake_is_named(words: list[str], code: int, says: str, tmp_path: Path) -> None:
    done = lycosa("shell", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr and "Traceback" not in done.stderr


def test_an_error_in_the_code_shows_the_code_alone(saved: str) -> None:
    done = lycosa("shell", saved, "-c", "def f():\n    return 1 / 0\nf()")
    assert (done.returncode, done.stdout) == (1, "")
    assert "return 1 / 0" in done.stderr and "ZeroDivisionError" in done.stderr
    assert "shell.py" not in done.stderr


def test_a_file_is_read_as_the_page_of_a_url(saved: str) -> None:
    code = "print(page.title, page.css('h1::text').get(), page.links[0].url)"
    done = lycosa("shell", saved, "--url", "http://b.test/a", "-c", code)
    assert done.stdout == "Saved Hé http://b.test/x\n"
    done = lycosa("shell", saved, "-c", "fetch('http://a.test/')")
    assert done.returncode == 1 and "the shell has one page, from a file" in done.stderr


@contextmanager
def counting() -> Iterator[tuple[str, list[str]]]:
    """Serve an address, and note what is asked for there."""
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


@pytest.mark.needs("chromium")
def test_a_page_is_viewed_without_scripts_and_network(tmp_path: Path) -> None:
    file = tmp_path / "bad.html"
    browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    browser += [f"--user-data-dir={tmp_path}/profile", "--virtual-time-budget=3000"]
    with counting() as (address, asked):
        file.write_text(
            f"<meta http-equiv=refresh content='1;url={address}/refreshed'><h1>As it came</h1>"
            f"<img src={address}/pixel><script>fetch('{address}/script')</script>"
            f"<link rel=stylesheet href={address}/style>",
            encoding="utf-8",
        )
        command = [sys.executable, "-m", "lycosa", "shell", str(file), "-c", "view()"]
        shown = subprocess.run(
            command,
            env=os.environ | {"BROWSER": "true"},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout.strip()
        for path in (Path(shown), file):
            subprocess.run([*browser, path.as_uri()], capture_output=True, check=True, timeout=120)
            assert bool(asked) is (path == file), asked
    assert {"/pixel", "/script", "/style"} <= set(asked)


@pytest.mark.parametrize("has_ipython", [True, False])
def test_a_prompt_goes_on_after_a_page_that_is_not_there(has_ipython: bool, saved: str) -> None:
    program = ["-m", "lycosa"] if has_ipython else ["-c", WITHOUT_IPYTHON]
    prompt = b"In [%d]: " if has_ipython else b">>> "
    lines = ["page.title", "fetch('http://a.test/')", "page.css('h1::text').get()", "exit()"]
    terminal = Terminal([sys.executable, *program, "shell", saved])
    for number, line in enumerate(lines, 1):
        terminal.read_until(prompt % number if has_ipython else prompt)
        terminal.write(line + "\r")
    shown = terminal.end()
    assert "'Saved'" in shown and "'Hé'" in shown
    assert "the shell has one page, from a file" in shown and "Traceback" not in shown
    assert "view()" in shown


class Terminal:
    """A program at a terminal."""

    def __init__(self, command: list[str]) -> None:
        self._own, theirs = pty.openpty()
        environment = os.environ | {"TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
        self._program = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
        )
        os.close(theirs)
        self._shown = b""

    def read_until(self, awaited: bytes) -> None:
        begin, end = len(self._shown), time.monotonic() + 120
        while awaited not in self._shown[begin:]:
            assert self._read(end), f"it does not say {awaited!r}: {self._shown!r}"

    def write(self, text: str) -> None:
        os.write(self._own, text.encode())

    def end(self) -> str:
        while self._read(time.monotonic() + 120):
            pass
        with self._program:
            assert self._program.wait(60) == 0
        os.close(self._own)
        return self._shown.decode()

    def _read(self, end: float) -> bool:
        """Read what comes; False at the end."""
        ready, _, _ = select.select([self._own], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"it says nothing more: {self._shown!r}"
        try:
            data = os.read(self._own, 4096)
        except OSError:  # the program has closed its side
            return False
        self._shown += data
        return bool(data)
