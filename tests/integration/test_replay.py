"""A stranger opens what a crawl left: pywb replays it, DuckDB asks it questions.

pywb lives in an environment of its own (`requirements/replay.lock`): it wants older
versions of what we use.
"""

from __future__ import annotations

import fcntl
import hashlib
import http.client
import re
import shutil
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import pytest

from examples import blocks
from integration.posting_crawls import SEARCH, job_for
from integration.posting_site import PAGES, posting_site
from lycosa import run
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa_testweb.servers.server import SocketWeb
from seeds import soak
from unit.crawl.drawn_web import DrawnWeb, file, page

ROOT = Path(__file__).resolve().parents[2]
GUIDE = "docs/for/archivists.md"
LOCK = ROOT / "requirements" / "replay.lock"
ENVIRONMENT = ROOT / ".cache" / "replay-venv"

HOME, SECOND = "http://site.test/", "http://site.test/second.html"
STYLE, PICTURE = "http://site.test/style.css", "http://other.test/picture.png"
BACKGROUND = "http://site.test/back.gif"
WEB = DrawnWeb(
    {
        HOME: page(
            f'<h1>Grüße</h1><img src="{PICTURE}"><a href="/second.html">the second page</a>',
            '<meta charset="utf-8"><link rel="stylesheet" href="/style.css">',
        ),
        SECOND: page(f'<a href="{HOME}">home</a>'),
        STYLE: file("text/css", "body { background: url(/back.gif) }\n"),
        PICTURE: file("image/png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40),
        BACKGROUND: file("image/gif", b"GIF89a" + bytes(range(256))),
    }
)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl with requisites, sealed."""
    with SocketWeb(WEB, tls=False) as server:
        job = Job.of(
            seeds=[HOME],
            limits={"free_disk_bytes": 0},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0},
            extract={"requisites": True},
            log={"commit_seconds": 0.02},
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
        )
        directory = CrawlDirectory.create(tmp_path_factory.mktemp("replay") / "crawl", job)
        assert run_crawl(directory).reason == "exhausted"
    return directory.path


# -- pywb ----------------------------------------------------------------------------------


def wayback_command() -> Path:
    """Return pywb's server, installed as it was locked; done once for each lock file."""
    wanted = hashlib.sha256(LOCK.read_bytes() + sys.version.encode()).hexdigest()
    stamp, command = ENVIRONMENT / "installed", ENVIRONMENT / "bin" / "wayback"
    ENVIRONMENT.parent.mkdir(exist_ok=True)
    (ENVIRONMENT.parent / ".gitignore").write_text("*\n")
    with (ENVIRONMENT.parent / "replay-venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text() == wanted:
            return command
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        venv.create(ENVIRONMENT, symlinks=True)
        # Our own pip installs it, and Python compiles what is imported: half the work.
        pip = [sys.executable, "-m", "pip", "--python", str(ENVIRONMENT / "bin" / "python")]
        flags = ["--quiet", "--disable-pip-version-check", "--require-hashes", "--no-compile"]
        installed = subprocess.run(
            [*pip, "install", *flags, "-r", str(LOCK)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert installed.returncode == 0, installed.stderr
        stamp.write_text(wanted)
    return command


def get(port: int, path: str, posted: str | None = None) -> tuple[int, Mapping[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    kind = {} if posted is None else {"Content-Type": "application/x-www-form-urlencoded"}
    try:
        connection.request("GET" if posted is None else "POST", path, posted, kind)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


@contextmanager
def wayback(crawled: Path, folder: Path) -> Iterator[int]:
    """Serve the archive as the page for archivists says; yields the port."""
    (folder / "mycrawl").symlink_to(crawled)
    (config,) = (b.script for b in blocks(GUIDE) if b.script.startswith("collections:"))
    (folder / "config.yaml").write_text(config)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    command = [str(wayback_command()), "-b", "127.0.0.1", "-p", str(port), "-d", str(folder)]
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
    try:
        wait_until_it_answers(process, port, folder / "said")
        yield port
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_until_it_answers(process: subprocess.Popen[bytes], port: int, said: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            get(port, "/")
            return
        except ConnectionRefusedError:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.05)
        assert process.poll() is None, said.read_text()
    raise AssertionError(f"pywb does not answer: {said.read_text()}")


def rewritten(text: str, url: str) -> str:
    """Return the path under which a replayed text refers to a URL."""
    found = re.search(rf"(?:http://127\.0\.0\.1:\d+)?(/mycrawl/\w+/{re.escape(url)})", text)
    assert found is not None, text
    return found[1]


@soak
def test_pywb_replays_a_page_with_its_style_sheet_and_pictures(
    crawled: Path, tmp_path: Path
) -> None:
    with wayback(crawled, tmp_path) as port:
        for url, reply in WEB.replies.items():
            status, headers, body = get(port, f"/mycrawl/2id_/{url}")
            assert (status, headers["Content-Type"], body) == (
                200,
                reply.header("content-type"),
                reply.body,
            )
        status, _, shown = get(port, f"/mycrawl/2mp_/{HOME}")
        assert status == 200
        text = shown.decode()
        assert "<h1>Grüße</h1>" in text
        assert get(port, rewritten(text, PICTURE))[::2] == (200, WEB.replies[PICTURE].body)
        status, _, style = get(port, rewritten(text, STYLE))
        assert status == 200
        background = get(port, rewritten(style.decode(), BACKGROUND))
        assert background[::2] == (200, WEB.replies[BACKGROUND].body)
        assert get(port, "/mycrawl/2mp_/http://other.test/")[0] == 404


@soak
def test_pywb_replays_the_answer_to_each_body_that_was_posted(tmp_path: Path) -> None:
    folder = tmp_path / "posted"
    with posting_site() as site:
        crawl = run(folder, job_for(site, "search"), plugins=[SEARCH])
        place = f"{site.url}search"
    assert crawl.outcomes()["kept"] == 1 + PAGES
    with wayback(folder, tmp_path) as port:
        way = f"/mycrawl/2id_/{place}"
        for page in range(2, PAGES + 1):
            status, _, body = get(port, way, f"q=iron+age&page={page}")
            assert status == 200
            assert f"<title>iron age {page}</title>" in body.decode()
        status, _, body = get(port, way, "token=t0k&q=iron+age")
        assert (status, b"<title>iron age 1</title>" in body) == (200, True)


# -- DuckDB --------------------------------------------------------------------------------

QUERY = """
select source.url, links.kind, links.text, target.url, target.status, target.content_type
from '{crawled}/links/*.parquet' as links
join '{crawled}/pages/*.parquet' as source on source.fetch_id = links.fetch_id
join '{crawled}/pages/*.parquet' as target on target.url_id = links.target_id
"""


def test_duckdb_joins_pages_with_their_links(crawled: Path) -> None:
    with duckdb.connect() as database:
        found = database.execute(QUERY.format(crawled=crawled)).fetchall()
    html = "text/html; charset=utf-8"
    assert sorted(found) == [
        (HOME, "anchor", "the second page", SECOND, 200, html),
        (HOME, "image", "", PICTURE, 200, "image/png"),
        (HOME, "style", "", STYLE, 200, "text/css"),
        (SECOND, "anchor", "home", HOME, 200, html),
        (STYLE, "image", "", BACKGROUND, 200, "image/gif"),
    ]
