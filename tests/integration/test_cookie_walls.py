"""Pages that redirect to themselves until a client sends their cookie back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from integration.small_servers import Asked, Told, serving_answers
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl

pytestmark = pytest.mark.quick


@contextmanager
def walled_site(*, is_open: bool) -> Iterator[tuple[int, list[str]]]:
    """Serve a home page and two others behind a cookie; gives the port and the requests.

    A wall that is not open never takes the cookie.
    """
    paths: list[str] = []

    def answer(asked: Asked) -> Told:
        paths.append(asked.path)
        if asked.path == "/robots.txt":
            return Told(404)
        if is_open and "seen=1" in asked.headers.get("Cookie", ""):
            return Told(200, f"<title>{asked.path}</title><a href='/1'>1</a><a href='/2'>2</a>")
        again = f"http://127.0.0.1:{asked.port}{asked.path}#again"
        return Told(302, "", {"Location": again, "Set-Cookie": "seen=1; Path=/"})

    with serving_answers(answer) as port:
        yield port, paths


def crawled(port: int, folder: Path, *, cookies: bool) -> dict[str, Outcome | None]:
    """Crawl the site; return the outcomes by path."""
    job = Job.of(
        seeds=[f"http://127.0.0.1:{port}/"],
        limits={"free_disk_bytes": 0},
        politeness={"delay_seconds": 0.05, "ip_delay_seconds": 0.0},
        robots={"sitemaps": False},
        extract={"soft_404_after": 0},
        discovery={"mining": "off"},
        crawl={"workers": 1},
        fetch={"allow_private": True, "cookies": cookies, "retries": 3},
    )
    directory = CrawlDirectory.create(folder / "crawl", job)
    assert run_crawl(directory).reason == "exhausted"
    return {
        "/" + state.table.key(page).partition("/")[2]: state.outcome_of(page)
        for state in directory.states(job).values()
        for page in range(len(state.table))
    }


def test_a_page_behind_a_cookie_is_asked_for_again_with_it(tmp_path: Path) -> None:
    with walled_site(is_open=True) as (port, asked):
        found = crawled(port, tmp_path, cookies=True)
    assert found == dict.fromkeys(["/", "/1", "/2"], Outcome.KEPT)
    assert asked.count("/") == 2
    assert len(asked) == 5  # the robots file, the wall, and three pages


@pytest.mark.parametrize(("cookies", "times"), [(True, 4), (False, 1)])
def test_a_wall_that_takes_no_cookie_is_asked_no_more_often_than_a_page_that_fails(
    cookies: bool, times: int, tmp_path: Path
) -> None:
    with walled_site(is_open=False) as (port, asked):
        found = crawled(port, tmp_path, cookies=cookies)
    assert found == {"/": Outcome.REDIRECTED}
    assert asked == ["/robots.txt"] + ["/"] * times
