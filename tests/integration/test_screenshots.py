"""Pictures of rendered pages: in the archive, through kills, on the page of a URL, as files."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from browser import chromium
from integration.rendered_crawl import crawl, served
from integration.rendered_crawl import lycosa as in_full
from lycosa.model.records import Request, Resolved
from lycosa.storage.archive.reader import table
from lycosa.storage.warc.record_reader import members
from lycosa.web.rest.operations import API
from lycosa_testweb.web import PLAIN, Reply
from pictures import picture
from served_crawl import BEARER, TOKEN, app_over, serving
from warc_tools import check_folder
from warm import lycosa

pytestmark = pytest.mark.needs("chromium")
HOST = "pictures.test"
HOME = f"http://{HOST}/"
SHOWN = 3
GREEN, RED = (10, 200, 30), (200, 10, 30)
HTML, CSS, SVG = ("text/html; charset=utf-8", "text/css", "image/svg+xml")


class PicturesWeb:
    """Pages whose scripts change nothing but colours, and one that asks for `noarchive`."""

    def pages(self) -> list[str]:
        return [HOME, *(f"{HOME}{n}" for n in range(1, SHOWN))]

    def hosts(self) -> list[str]:
        return [HOST]

    def seeds(self) -> list[str]:
        return [HOME]

    def answer(self, request: Request, moment: float) -> Reply:
        path = request.url.partition(HOST)[2]
        if path == "/style.css":
            style = "body { margin: 0 } #box { width: 1280px; height: 100px; background: %s }"
            return _reply(CSS, style % f"rgb{GREEN}")
        if path == "/red.svg":
            box = f"<rect width='1280' height='100' fill='rgb{RED}'/>"
            size = "width='1280' height='100'"
            return _reply(SVG, f"<svg xmlns='http://www.w3.org/2000/svg' {size}>{box}</svg>")
        if request.url not in self.pages():
            return Reply(404, PLAIN, b"nothing\n")
        links = "".join(f"<a href=/{n}>{n}</a>" for n in range(1, SHOWN))
        wish = "<meta name=robots content=noarchive>" if path == "/2" else ""
        return _reply(
            HTML,
            f"<!doctype html><title>{path}</title>{wish}<link rel=stylesheet href=/style.css>"
            f"<body><div id=box></div><img src=/red.svg style='display: block'>{links}"
            "<p>Some words that stand there without any script.</p><script>let x = 1</script>",
        )

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved("10.0.0.1" if host == HOST else None, 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        return 0.0


def _reply(kind: str, text: str) -> Reply:
    return Reply(200, (("Content-Type", kind),), text.encode())


MORE = ["--set", "render.screenshots=true", "--workers", "1"]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    path = folder / "crawls" / "site"
    with served(PicturesWeb(), folder) as (server, referee):
        crawl(server, path, "always", *MORE, seed=HOME)
    assert [str(breach) for breach in referee.breaches] == []
    return path


def resources(path: Path) -> list[str]:
    return [
        record.headers["WARC-Target-URI"]
        for file in sorted((path / "warc").glob("*.warc.gz"))
        for _, _, record in members(file)
        if record.type == "resource"
    ]


def check_whole(path: Path) -> None:
    names = resources(path)
    assert sorted(names) == sorted(f"urn:view:{url}" for url in PicturesWeb().pages())
    rows = table(path, "pages", ["url", "outcome"]).to_pylist()
    rendered = sorted(row["url"] for row in rows if row["outcome"] == "rendered")
    assert rendered == sorted(PicturesWeb().pages())
    for command in (("audit", path), ("verify", path)):
        done = lycosa(*command)
        assert done.returncode == 0, done.stdout + done.stderr
    check_folder(path)


def test_every_rendered_page_has_one_picture_in_a_whole_archive(crawled: Path) -> None:
    check_whole(crawled)


@pytest.mark.soak
@pytest.mark.parametrize("place", ["render.done:2", "render.done:3", "render.before:4"])
def test_a_kill_between_two_pages_loses_no_picture(place: str, tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    with served(PicturesWeb(), tmp_path) as (server, referee):
        crawl(server, path, "always", *MORE, kill_at=place, seed=HOME)
        server.client_killed()
        done = in_full("resume", path, "--quiet")
        assert done.returncode == 0, done.stderr
    assert [str(breach) for breach in referee.breaches] == []
    check_whole(path)


def test_pictures_are_written_as_files_without_those_withheld(
    crawled: Path, tmp_path: Path
) -> None:
    done = lycosa("export", "screenshots", crawled, "-o", tmp_path / "out", "--json")
    assert done.returncode == 0 and '"screenshots": 2' in done.stdout, done.stderr
    listed = list(csv.DictReader(io.StringIO((tmp_path / "out" / "index.csv").read_text())))
    assert [one["url"] for one in listed] == PicturesWeb().pages()[:2]
    for one in listed:
        found = picture((tmp_path / "out" / one["file"]).read_bytes())
        assert (found.width, found.height) == (1280, 800)
        assert found.pixel(600, 50) == GREEN, "the style sheet"
        assert found.pixel(600, 150) == RED, "the image"
    done = lycosa("export", "screenshots", crawled, "-o", tmp_path / "all", "--withheld")
    assert "3 screenshots" in done.stderr


def test_the_server_gives_a_picture_as_a_download(crawled: Path) -> None:
    crawls, app = app_over(crawled)
    client = TestClient(app, "http://127.0.0.1:8890", headers=BEARER)
    place = f"{API}/crawls/site/captures/screenshot"
    answer = client.get(place, params={"url": HOME})
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert picture(answer.content).pixel(600, 50) == GREEN
    assert client.get(place, params={"url": f"{HOME}style.css"}).status_code == 422
    assert (
        TestClient(app, "http://127.0.0.1:8890").get(place, params={"url": HOME}).status_code == 401
    )
    crawls.close()


@pytest.mark.soak
def test_a_browser_shows_the_picture_on_the_page_of_a_url(crawled: Path, tmp_path: Path) -> None:
    with serving(crawled) as address, chromium(tmp_path) as browser, browser.new_page() as page:
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(f"{address}/crawl/site/url?url={HOME}#token={TOKEN}")
        canvas = page.locator("canvas.picture[data-shown]")
        expect(canvas).to_be_visible()
        pixel = "one => [...one.getContext('2d').getImageData(600, 50, 1, 1).data].slice(0, 3)"
        assert tuple(canvas.evaluate(pixel)) == GREEN
        assert complaints == []


def test_a_forgotten_host_takes_its_pictures_along(crawled: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(crawled, copy)
    done = lycosa("block", copy, HOST, "--forget")
    assert done.returncode == 0, done.stderr
    assert resources(copy) == []
    done = lycosa("verify", copy)
    assert done.returncode == 0, done.stdout + done.stderr
