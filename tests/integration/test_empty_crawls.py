"""A crawl that kept nothing ends with an error and says why, each time with what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from integration.small_servers import Asked, Told, serving_answers
from warm import lycosa

pytestmark = pytest.mark.quick

HTML = "text/html"
SHELL = (
    "<!doctype html><title>App</title><script src=/app.js></script>"
    "<div id=root></div><noscript>Please enable JavaScript.</noscript>"
)
DATA = """<SCRIPT data-of=page type = 'application/ld+json'>{"@type": "Book"}</script>"""
PAGES = {
    "/fine/": (200, HTML, "<title>x</title>a page with text"),
    "/picture": (200, "image/png", "png"),
    "/app/": (200, HTML, SHELL),
    "/short/": (200, HTML, "<title>x</title><script>1</script><a href=/short/>to itself</a>"),
    "/data/": (200, HTML, f"<title>x</title>{DATA}a book"),
    "/away": (302, "http://127.0.0.9:9/", ""),
    "/secret/page": (200, HTML, "never asked for"),
    "/robots.txt": (200, "text/plain", "User-agent: *\nDisallow: /secret/\n"),
}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    def answer(asked: Asked) -> Told:
        status, kind, text = PAGES.get(asked.path, (404, HTML, "gone"))
        return Told(status, text, {"Location" if status == 302 else "Content-Type": kind})

    with serving_answers(answer) as number:
        yield number


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("secret/page", "1 URL forbidden by the robots file; see which line: lycosa check robots"),
        ("picture", "keep all types: --set 'fetch.content_types=*/*'"),
        ("gone", "1 URL not found (404); check how the URL is spelled"),
        (
            "away",
            "where the crawl may not go (away from the servers on this machine)",
        ),
        ("app/", "the page is made by scripts: its HTML has neither links nor text; render it"),
    ],
)
def test_a_crawl_without_content_is_an_error_that_says_why(
    path: str, words: str, port: int, tmp_path: Path
) -> None:
    flags = ("--mining", "off", "--set", "crawl.workers=1", "--set", "frontier.partitions=2")
    ran = lycosa("crawl", f"http://localhost:{port}/{path}", "-o", tmp_path / "c", *flags)
    assert ran.returncode == 69
    assert "was kept." in ran.stdout and words in ran.stdout, ran.stdout
    assert words in (tmp_path / "c" / "lycosa.log").read_text()
    again = lycosa("resume", tmp_path / "c", "--json")
    assert again.returncode == 69
    (why,) = json.loads(again.stdout)["why_empty"]
    assert words in why


@pytest.fixture(scope="module")
def application() -> Iterator[int]:
    """A server that answers any path with its empty application, also robots.txt and sitemaps."""
    with serving_answers(lambda _: Told(200, SHELL, {"Content-Type": HTML})) as number:
        yield number


def test_an_application_is_empty_however_many_of_its_pages_are_kept(
    application: int, tmp_path: Path
) -> None:
    seeds = [f"http://localhost:{application}/room/{number}" for number in range(15)]
    flags = ("--delay", "0", "--set", "crawl.workers=2")
    ran = lycosa("crawl", *seeds, "-o", tmp_path / "c", *flags)
    assert ran.returncode == 69, ran.stdout
    words = f"render it: lycosa resume {tmp_path / 'c'} --render auto"
    assert words in " ".join(ran.stdout.split())


def test_structured_data_is_no_script_that_makes_a_page(port: int, tmp_path: Path) -> None:
    ran = lycosa("crawl", f"http://localhost:{port}/data/", "-o", tmp_path / "c", "--mining", "off")
    assert ran.returncode == 0
    assert "--render" not in ran.stdout


def test_an_application_beside_a_page_with_text_is_not_empty(port: int, tmp_path: Path) -> None:
    seeds = [f"http://localhost:{port}/{name}" for name in ("app/", "fine/")]
    assert lycosa("crawl", *seeds, "-o", tmp_path / "c", "--delay", "0").returncode == 0


@pytest.mark.needs("chromium")
def test_a_crawl_whose_pages_cannot_be_rendered_is_empty(tmp_path: Path) -> None:
    page = SHELL.replace("src=/app.js>", ">for (;;);")
    with serving_answers(lambda _: Told(200, page, {"Content-Type": HTML})) as number:
        flags = ("--render", "always", "--set", "render.seconds=3", "--delay", "0")
        ran = lycosa("crawl", f"http://localhost:{number}/", "-o", tmp_path / "c", *flags)
    assert ran.returncode == 69, ran.stdout
    assert "no page could be rendered (1 timed out)" in " ".join(ran.stdout.split())


def test_a_page_with_text_or_links_is_content(port: int, tmp_path: Path) -> None:
    for number, path in enumerate(("fine/", "short/")):
        ran = lycosa("crawl", f"localhost:{port}/{path}", "-o", tmp_path / str(number), "--json")
        assert ran.returncode == 0
        assert "why_empty" not in json.loads(ran.stdout)


def test_every_type_can_be_kept(port: int, tmp_path: Path) -> None:
    for number, types in enumerate(("*/*", "image/*")):
        given = ("-o", tmp_path / str(number), "--set", f"fetch.content_types={types}", "--json")
        ran = lycosa("crawl", f"localhost:{port}/picture", *given)
        assert ran.returncode == 0
        assert json.loads(ran.stdout)["pages"] == 1
